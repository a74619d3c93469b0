//! The view of a node: the physical truth, the table's snapshot, and the faults in force.

use serde_json::{Value, json};
use tumbler_bench::pure::Pure;
use tumbler_bench::{Bench, Physical};
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::snapshot::Snapshot;
use tumbler_twin::Fault;

/// The state between two steps, as invariants and letters see it.
#[derive(Clone, Debug)]
pub struct View {
    /// Table time, in nanoseconds.
    pub now: u64,
    /// The physical truth.
    pub physical: Physical,
    /// The table's snapshot; `None` while the daemon does not run.
    pub table: Option<Snapshot>,
    /// Levels of the input lines, by their place in [`InLine::ALL`].
    pub lines: [bool; InLine::ALL.len()],
    /// Levels of the output pins, by their place in [`OutLine::ALL`].
    pub pins: [bool; OutLine::ALL.len()],
    /// What is broken in the twin.
    pub faults: Vec<Fault>,
    /// Commits are withheld.
    pub slow: bool,
}

impl View {
    /// The view of a bench at this moment.
    pub(crate) fn of(bench: &mut Pure) -> Self {
        let table = bench.snapshot().ok().flatten();
        let now = bench.now();
        let twin = bench.twin();
        Self {
            now,
            table,
            lines: InLine::ALL.map(|line| twin.level(line)),
            pins: OutLine::ALL.map(|line| twin.pin_level(line)),
            faults: twin.faults().collect(),
            slow: bench.is_slow(),
            physical: bench.physical(),
        }
    }

    /// Whether an output pin does not obey.
    #[must_use]
    pub fn has_deaf_pin(&self) -> bool {
        self.faults.iter().any(|fault| matches!(fault, Fault::PinStuck(_)))
    }

    /// Whether the daemon runs.
    #[must_use]
    pub const fn is_up(&self) -> bool {
        self.table.is_some()
    }

    /// The level of an input line.
    #[must_use]
    pub fn level(&self, line: InLine) -> bool {
        self.lines.get(line.index()).copied().unwrap_or_default()
    }

    /// The malfunction that was latched first, if one is.
    #[must_use]
    pub fn latched(&self) -> Option<&'static str> {
        self.table.as_ref()?.malfunctions.first().map(|m| m.code.name())
    }

    /// The twin's part of the canonical state: positions and speeds in steps, no times.
    pub(crate) fn twin(&self) -> Value {
        let p = &self.physical;
        let turned = if p.shaft_moves { p.milli_tumbles / 1000 } else { 0 };
        json!([
            self.lines,
            self.pins.get(..1),
            self.pins.get(2..),
            format!("{:?}", self.faults),
            [p.motor_power, p.shaft_moves, p.dice_move, p.dome_up, p.supply, p.sign],
            turned,
            p.flat,
            p.shining,
            p.display,
        ])
    }
}
