//! Why a trial ends before its last step.

use tumbler_bench::BenchError;

/// Why steps were not played to the last one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    /// The table did not do what was waited for or expected.
    #[error("{0}")]
    Wrong(String),
    /// The bench is at fault, or cannot do it.
    #[error(transparent)]
    BenchError(#[from] BenchError),
}
