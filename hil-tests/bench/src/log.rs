//! The log of a bench: what scenarios can query about the run so far.

use std::collections::BTreeSet;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::Record;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::Seq;
use tumbler_twin::{Truth, Wire};

/// A record, with the time at which it was known to be durable.
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
    /// Durable records in order, across restarts.
    pub records: Vec<Durable>,
    /// When the motor got (`true`) or lost power, according to the twin.
    pub power: Vec<(u64, bool)>,
    /// When the cam's edges reached the daemon's wires.
    pub cam: Vec<u64>,
    /// When the dice came to rest, according to the twin.
    pub rests: Vec<u64>,
    /// When the terminal's entry key was pressed, according to the twin.
    pub entries: Vec<u64>,
    /// Last edge of the dead-man line.
    pub last_alive: Option<u64>,
    /// How often the bell sounded.
    pub bells: u32,
    /// How often the daemon commanded the motor on.
    pub enables: u32,
    /// How often a lamp was lit, according to the twin.
    pub lamps_lit: u32,
    /// Time from a guard line's edge to the motor's pin off, in nanoseconds, on benches whose pins stamp it.
    pub cuts: Vec<(InLine, u64)>,
    /// Lamps that shine: bit `i` of word `b` is output `i` of board `b`.
    shining: [u64; 2],
    /// Phases of the table; only on benches that see every one.
    pub phases: BTreeSet<Phase>,
    /// The table's latest `status` at the broker: `true` is online; `None` before the first.
    pub online: Option<bool>,
    /// The daemon's process has ended.
    pub down: bool,
    /// Last record that the broker acknowledged.
    pub relayed: Seq,
}

/// The terminal's entry key, as the twin numbers it.
const ENTRY: u8 = 7;

impl Log {
    /// Adds what the twin showed.
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

    /// Adds what the daemon drives; `changes`: the pin had the other level.
    pub fn driven(&mut self, at: u64, line: OutLine, active: bool, changes: bool) {
        match line {
            OutLine::MotorAlive if changes => self.last_alive = Some(at),
            OutLine::MotorEnable if active => self.enables += 1,
            _ => {}
        }
    }
}
