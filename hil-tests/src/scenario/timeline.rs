//! What a run notes beside its verdict, for reports: injections, repairs and reaction times.

use super::step::Step;
use serde::{Deserialize, Serialize};

/// Who is told of each step as it begins: its number from 1, its words, and the table time in nanoseconds.
pub type Told<'a> = Option<&'a dyn Fn(usize, &str, u64)>;

/// Kind of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarkKind {
    /// Something was broken.
    Broken,
    /// It was healed.
    Mended,
}

impl MarkKind {
    /// `true`: broken.
    #[must_use]
    pub const fn of(broken: bool) -> Self {
        if broken { Self::Broken } else { Self::Mended }
    }
}

/// A moment at which something was broken or healed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Table time, in nanoseconds.
    pub at_ns: u64,
    /// Broken or healed.
    #[serde(rename = "deed")]
    pub kind: MarkKind,
    /// What, in the scenario's words.
    pub what: String,
}

/// How long the table took for something with a time limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// What was waited for, in the scenario's words.
    pub what: String,
    /// Time from the beginning of the wait, in nanoseconds; if it never came, how long was waited.
    pub took_ns: u64,
    /// The limit, in nanoseconds, without the grace for real time.
    pub limit_ns: u64,
}

/// What a run notes beside its verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// What was broken, healed, killed and started, in order.
    pub marks: Vec<Mark>,
    /// How long the table took where there was a time limit.
    pub latencies: Vec<Latency>,
}

impl Timeline {
    /// Adds a mark if the step breaks or heals something.
    pub(super) fn note(&mut self, at_ns: u64, step: &Step) {
        let (kind, what) = match step {
            Step::Fault(broken) => (MarkKind::Broken, broken.name.as_str()),
            Step::Heal(mended) => (MarkKind::Mended, mended.name.as_str()),
            Step::HealAll => (MarkKind::Mended, "everything"),
            Step::BreakSeal => (MarkKind::Broken, "seal"),
            Step::MendSeal => (MarkKind::Mended, "seal"),
            Step::Dip => (MarkKind::Broken, "supply dips"),
            Step::Kill => (MarkKind::Broken, "killed"),
            Step::Stop => (MarkKind::Broken, "stopped"),
            Step::Start => (MarkKind::Mended, "started"),
            Step::Power(on) => (MarkKind::of(!on), if *on { "power on" } else { "power off" }),
            Step::Broker(up) => (MarkKind::of(!up), if *up { "broker up" } else { "broker down" }),
            _ => return,
        };
        self.marks.push(Mark { at_ns, kind, what: what.to_owned() });
    }
}
