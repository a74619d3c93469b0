//! What a bench has seen so far, as scenarios ask for it.

use crate::twin::Truth;
use std::collections::BTreeSet;
use tumbler_core::effect::OutLine;
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
    /// How often the daemon commanded the motor on.
    pub enables: u32,
    /// How often a lamp began to shine, in truth.
    pub lamps_lit: u32,
    /// Lamps that shine: bit `i` of word `b` is output `i` of board `b`.
    shining: [u64; 2],
    /// Phases that the table was seen in; noted only by benches that keep a trace.
    pub phases: BTreeSet<Phase>,
    /// Last event that the broker acknowledged.
    pub relayed: Seq,
}

impl Log {
    /// Notes what happened in truth.
    pub fn happened(&mut self, at: u64, truth: Truth) {
        match truth {
            Truth::MotorPower(on) => self.power.push((at, on)),
            Truth::Bell => self.bells += 1,
            Truth::Lamps { board, shine } => {
                if let Some(shining) = self.shining.get_mut(usize::from(board)) {
                    self.lamps_lit += (shine & !*shining).count_ones();
                    *shining = shine;
                }
            }
            _ => {}
        }
    }

    /// Notes what the daemon drives; `changes`: the pin was at the other level.
    pub fn driven(&mut self, at: u64, line: OutLine, active: bool, changes: bool) {
        match line {
            OutLine::MotorAlive if changes => self.last_alive = Some(at),
            OutLine::MotorEnable if active => self.enables += 1,
            _ => {}
        }
    }
}
