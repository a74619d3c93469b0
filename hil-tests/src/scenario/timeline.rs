//! What a run notes beside its verdict, for reports: when something was broken, and how long the table took.

use super::step::Step;
use serde::{Deserialize, Serialize};

/// What was done to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deed {
    /// Something was broken.
    Broken,
    /// It was mended.
    Mended,
}

impl Deed {
    /// `true`: broken.
    #[must_use]
    pub const fn of(broken: bool) -> Self {
        if broken { Self::Broken } else { Self::Mended }
    }
}

/// A moment at which something was broken or mended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Table time, in nanoseconds.
    pub at_ns: u64,
    /// Broken or mended.
    pub deed: Deed,
    /// What, as the scenario has it.
    pub what: String,
}

/// How long the table took for something that had a limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// What was waited for, in the scenario's words.
    pub what: String,
    /// From the beginning of the wait, in nanoseconds; where it never came, how long was waited.
    pub took_ns: u64,
    /// The limit, in nanoseconds; without the grace that real time is granted.
    pub limit_ns: u64,
}

/// What a run notes beside its verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// What was broken, mended, killed and started, in order.
    pub marks: Vec<Mark>,
    /// How long the table took where a limit was set.
    pub latencies: Vec<Latency>,
}

impl Timeline {
    /// Notes that the step breaks or mends something, if it does.
    pub(super) fn note(&mut self, at_ns: u64, step: &Step) {
        let (deed, what) = match step {
            Step::Fault(id) => (Deed::Broken, id.as_str()),
            Step::Heal(id) => (Deed::Mended, id.as_str()),
            Step::HealAll => (Deed::Mended, "everything"),
            Step::BreakSeal => (Deed::Broken, "seal"),
            Step::MendSeal => (Deed::Mended, "seal"),
            Step::Dip => (Deed::Broken, "supply dips"),
            Step::Kill => (Deed::Broken, "killed"),
            Step::Stop => (Deed::Broken, "stopped"),
            Step::Start => (Deed::Mended, "started"),
            Step::Power(on) => (Deed::of(!on), if *on { "power on" } else { "power off" }),
            Step::Broker(up) => (Deed::of(!up), if *up { "broker up" } else { "broker down" }),
            _ => return,
        };
        self.marks.push(Mark { at_ns, deed, what: what.to_owned() });
    }
}
