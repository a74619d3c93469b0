//! Buttons and key that people hold, and whether they broke the seal.

use tumbler_bench::{Bench, BenchError};
use tumbler_core::line::InLine;
use tumbler_twin::Act;

/// Lines that are held, in the order of pressing; the state of the seal.
#[derive(Debug, Default)]
pub(super) struct HeldControls {
    held: Vec<InLine>,
    seal_broken: bool,
}

impl HeldControls {
    /// Whether somebody holds this line.
    pub(super) fn holds(&self, line: InLine) -> bool {
        self.held.contains(&line)
    }

    /// Presses and holds a line.
    pub(super) fn hold(&mut self, bench: &mut dyn Bench, line: InLine) -> Result<(), BenchError> {
        self.held.push(line);
        bench.act(Act::Hold(line))
    }

    /// Releases a line.
    pub(super) fn let_go(&mut self, bench: &mut dyn Bench, line: InLine) -> Result<(), BenchError> {
        self.held.retain(|held| *held != line);
        bench.act(Act::LetGo(line))
    }

    /// Releases all lines, the latest first.
    pub(super) fn let_go_of_all(&mut self, bench: &mut dyn Bench) -> Result<(), BenchError> {
        while let Some(line) = self.held.last().copied() {
            self.let_go(bench, line)?;
        }
        Ok(())
    }

    /// Whether the seal's loop is open.
    pub(super) fn seal_broken(&self) -> bool {
        self.seal_broken
    }

    /// Opens the seal's loop, or closes it.
    pub(super) fn seal(&mut self, bench: &mut dyn Bench, broken: bool) -> Result<(), BenchError> {
        self.seal_broken = broken;
        bench.act(if broken { Act::BreakSeal } else { Act::MendSeal })
    }
}
