//! What a bench has seen so far, as scenarios ask for it.

use std::collections::BTreeSet;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::Record;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::Seq;
use tumbler_twin::{Truth, Wire};

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
    /// When an edge of the cam showed at the daemon's wires.
    pub cam: Vec<u64>,
    /// When the dice came to rest, in truth.
    pub rests: Vec<u64>,
    /// When the terminal's entry key was really pressed.
    pub entries: Vec<u64>,
    /// When the dead-man line last had an edge.
    pub last_alive: Option<u64>,
    /// How often the bell sounded.
    pub bells: u32,
    /// How often the daemon commanded the motor on.
    pub enables: u32,
    /// How often a lamp began to shine, in truth.
    pub lamps_lit: u32,
    /// From an edge of a guard line to the motor's pin off, in nanoseconds by the clock of the pins, on benches that have it.
    pub cuts: Vec<(InLine, u64)>,
    /// Lamps that shine: bit `i` of word `b` is output `i` of board `b`.
    shining: [u64; 2],
    /// Phases that the table was seen in; noted only by benches that see every one.
    pub phases: BTreeSet<Phase>,
    /// Whether the table's `status` at the broker says that it is there; `None` before it said anything.
    pub online: Option<bool>,
    /// The daemon's process is not there.
    pub down: bool,
    /// Last event that the broker acknowledged.
    pub relayed: Seq,
}

/// The terminal's entry key, as the twin numbers it.
const ENTRY: u8 = 7;

impl Log {
    /// Notes what the twin showed, as far as scenarios ask for it.
    pub fn note(&mut self, wire: &Wire) {
        match *wire {
            Wire::Edge { at, line: InLine::CamA | InLine::CamB, .. } => self.cam.push(at),
            Wire::Truth { at, truth } => self.happened(at, truth),
            _ => {}
        }
    }

    fn happened(&mut self, at: u64, truth: Truth) {
        match truth {
            Truth::DiceRest { .. } => self.rests.push(at),
            Truth::Key(ENTRY) => self.entries.push(at),
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
