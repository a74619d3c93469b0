//! The test as it goes on: on a terminal its measurements are drawn over and over, elsewhere only its steps are said.

use crate::say;
use std::io::{IsTerminal, Write};
use tumbler_core::snapshot::Snapshot;
use tumblerd::test_report::bar;

/// What is shown of a test in progress.
pub(super) struct Live {
    on: bool,
    terminal: bool,
    /// Lines of the last drawing.
    drawn: usize,
    step: Option<String>,
}

impl Live {
    /// Shows something only if `on`.
    pub(super) fn new(on: bool) -> Self {
        Self { on, terminal: std::io::stdout().is_terminal(), drawn: 0, step: None }
    }

    /// The table as it is now.
    ///
    /// # Errors
    /// If standard output is gone.
    pub(super) fn show(&mut self, snapshot: &Snapshot) -> std::io::Result<()> {
        if !self.on || snapshot.test.is_none() {
            return Ok(());
        }
        if self.step != snapshot.test {
            self.clear()?;
            self.step.clone_from(&snapshot.test);
            if let Some(step) = &self.step {
                say::line(&format!("-- {step}"))?;
            }
        }
        if self.terminal {
            self.clear()?;
            for bar::Shown { name, value, bar, .. } in bar::shown(&snapshot.measurements) {
                say::line(&format!("   {name:<18} {value:>14} {bar}"))?;
            }
            self.drawn = snapshot.measurements.len();
        }
        Ok(())
    }

    /// Takes the last drawing away.
    ///
    /// # Errors
    /// If standard output is gone.
    pub(super) fn clear(&mut self) -> std::io::Result<()> {
        if self.drawn > 0 {
            // Up to its first line, and everything below goes.
            write!(std::io::stdout(), "\x1b[{}A\x1b[J", self.drawn)?;
            self.drawn = 0;
        }
        Ok(())
    }
}
