//! Speeds and sizes of the product, each with its baseline from the same run.

mod browsers;
pub mod edge;
pub mod entry;
mod gpio_trace;
pub mod guard;
pub mod hour;
pub mod panel;
pub mod process;
pub mod pure;
pub mod reference;
pub mod round_player;
pub mod scenario;

use tumbler_bench::process::clock::Stalls;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_twin::MS;

/// One row of the table of speeds and sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What was measured.
    pub what: String,
    /// The measured value.
    pub measured: String,
    /// Its baseline, measured or computed in the same run.
    pub baseline: String,
    /// The target.
    pub target: String,
    /// Whether the target is met; `None` if there is none.
    pub met: Option<bool>,
}

impl Figure {
    /// A figure with a target.
    pub fn new(what: &str, measured: String, baseline: String, target: &str, met: bool) -> Self {
        Self { what: what.into(), measured, baseline, target: target.into(), met: Some(met) }
    }
    /// A figure without a target.
    pub fn beside(what: &str, measured: String) -> Self {
        Self { what: what.into(), measured, baseline: String::new(), target: String::new(), met: None }
    }
}

/// What a part has measured, and what ended it before its time.
#[derive(Debug, Default)]
pub struct Measured {
    /// The figures so far: each says over how many samples or rounds.
    pub figures: Vec<Figure>,
    /// Why there are no more.
    pub ended_by: Option<RigFault>,
}

impl From<Vec<Figure>> for Measured {
    fn from(figures: Vec<Figure>) -> Self {
        Self { figures, ended_by: None }
    }
}

/// The fault, with how late the rig was: a machine that kept it waiting may be all that is wrong.
fn with_lateness(fault: &RigFault, stalls: Stalls) -> RigFault {
    RigFault::Other(format!(
        "{fault}; the rig was late {} times by more than {} ms, by {} at most",
        stalls.missed,
        Stalls::LIMIT / MS,
        millis(stalls.worst)
    ))
}

/// Nanoseconds as microseconds, for people.
pub(crate) fn micros(nanos: u64) -> String {
    format!("{:.0} us", nanos as f64 / 1e3)
}

/// Nanoseconds as milliseconds, for people.
pub(crate) fn millis(nanos: u64) -> String {
    format!("{:.1} ms", nanos as f64 / 1e6)
}

/// The median of these values; 0 if there are none.
pub(crate) fn median(values: &[u64]) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}
