//! Steps without a verdict, for whoever judges by other means.

use super::file::Trial;
use super::run::{Halt, Runner};
use super::step::Step;
use tumbler_bench::{Bench, Trouble};

/// Why steps were not carried out to the last one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stuck {
    /// The table did not do what was waited for or expected.
    #[error("{0}")]
    Table(String),
    /// The bench.
    #[error(transparent)]
    Bench(#[from] Trouble),
}

/// Carries out steps without a verdict: what came of them is for the caller to see. `trial` says under which rules.
///
/// # Errors
/// [`Stuck`] at the first step that could not be carried out.
pub fn carry_out<'a>(
    bench: &mut dyn Bench,
    trial: &Trial,
    steps: impl IntoIterator<Item = &'a Step>,
) -> Result<(), Stuck> {
    let mut runner = Runner::new(bench, trial);
    steps.into_iter().try_for_each(|step| runner.step(step)).map_err(|halt| match halt {
        Halt::Wrong(what) => Stuck::Table(what),
        Halt::Trouble(trouble) => Stuck::Bench(trouble),
    })
}
