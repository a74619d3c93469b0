//! What a bench has seen so far, as scenarios ask for it.

use std::collections::BTreeSet;
use tumbler_core::record::Record;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::Seq;

/// A record, and when it was known to be on stable storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Durable {
    /// Table time, in nanoseconds.
    pub at: u64,
    /// The record.
    pub record: Record,
}

/// What a bench has seen so far.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Durable records, in order; over restarts too.
    pub records: Vec<Durable>,
    /// When the motor got power (`true`) or lost it, in truth.
    pub power: Vec<(u64, bool)>,
    /// When the dead-man line last had an edge.
    pub last_alive: Option<u64>,
    /// How often the bell sounded.
    pub bells: u32,
    /// Phases that the table was seen in; noted only by benches that keep a trace.
    pub phases: BTreeSet<Phase>,
    /// Last event that the broker acknowledged.
    pub relayed: Seq,
}
