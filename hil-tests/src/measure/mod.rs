//! How fast and how large the product is, each figure beside its baseline from the same run.

pub mod driver;
pub mod edge;
pub mod entry;
pub mod guard;
pub mod hour;
mod kernel;
pub mod panel;
pub mod process;
pub mod pure;
pub mod reference;
pub mod scenario;
mod visitors;

/// One figure of the table of speeds and sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What was measured.
    pub what: String,
    /// The figure.
    pub measured: String,
    /// What it is held against, measured or reckoned in the same run.
    pub baseline: String,
    /// What is wanted.
    pub target: String,
    /// Whether it is; `None` where nothing is wanted.
    pub met: Option<bool>,
}

impl Figure {
    /// A figure with a target.
    pub fn new(what: &str, measured: String, baseline: String, target: &str, met: bool) -> Self {
        Self { what: what.into(), measured, baseline, target: target.into(), met: Some(met) }
    }
    /// A figure that is told beside the others.
    pub fn beside(what: &str, measured: String) -> Self {
        Self { what: what.into(), measured, baseline: String::new(), target: String::new(), met: None }
    }
}

/// Nanoseconds as microseconds, for people.
pub(crate) fn micros(nanos: u64) -> String {
    format!("{:.0} us", nanos as f64 / 1e3)
}

/// Nanoseconds as milliseconds, for people.
pub(crate) fn millis(nanos: u64) -> String {
    format!("{:.1} ms", nanos as f64 / 1e6)
}

/// The middle of these values; 0 without any.
pub(crate) fn median(values: &[u64]) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}
