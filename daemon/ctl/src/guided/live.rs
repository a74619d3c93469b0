//! Progress of a test: on a terminal its measurements are redrawn in place, elsewhere only its steps are printed.

use crate::say;
use std::io::Write;
use tumbler_core::hardware_test::Measurement;
use tumbler_core::snapshot::Snapshot;
use tumblerd::pages::test_report::bar;

/// Spaces before a measurement with its bar.
const INDENT: usize = 3;
/// Fewest cells of a bar that can be read.
const FEWEST: usize = 12;

/// What is shown of a test in progress.
pub(super) struct Live {
    on: bool,
    /// Lines of the last drawing.
    drawn: usize,
    step: Option<String>,
}

impl Live {
    /// Shows something only if `on`.
    pub(super) fn new(on: bool) -> Self {
        Self { on, drawn: 0, step: None }
    }

    /// Shows the current state of the table.
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
        if let Some(size) = say::terminal() {
            self.clear()?;
            let lines = drawing(&snapshot.measurements, size);
            lines.iter().try_for_each(|one| say::line(one))?;
            self.drawn = lines.len();
        }
        Ok(())
    }

    /// Erases the last drawing.
    ///
    /// # Errors
    /// If standard output is gone.
    pub(super) fn clear(&mut self) -> std::io::Result<()> {
        if self.drawn > 0 {
            // Moves to its first line and erases everything below.
            write!(std::io::stdout(), "\x1b[{}A\x1b[J", self.drawn)?;
            self.drawn = 0;
        }
        Ok(())
    }
}

/// A line for each measurement that fits a terminal of this size without wrapping: with a bar, or with the verdict if there is no
/// room for one. If there are more measurements than rows, shows the latest.
fn drawing(measurements: &[Measurement], (columns, rows): (usize, usize)) -> Vec<String> {
    // Some terminals wrap as soon as the last column is written, and the cursor is on the row below the drawing.
    let (room, rows) = (columns.saturating_sub(1), rows.saturating_sub(1));
    let cells = room.saturating_sub(INDENT + bar::BEFORE).min(bar::WIDTH);
    let one = |m: &Measurement| {
        let value = bar::value(m.quantity, m.value);
        let line = if cells < FEWEST {
            bar::line(m.quantity.name(), &value, m.verdict.name())
        } else {
            format!("{:INDENT$}{}", "", bar::line(m.quantity.name(), &value, &bar::bar(m, cells)))
        };
        line.chars().take(room).collect()
    };
    measurements.iter().skip(measurements.len().saturating_sub(rows)).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::hardware_test::Quantity;
    use tumbler_core::settings::Parameters;

    #[test]
    fn no_line_of_a_drawing_is_broken_and_no_drawing_is_higher_than_the_terminal() {
        let quantities = [Quantity::StartTime, Quantity::BusTurnaroundGreatest, Quantity::TemperatureSpread];
        let measured = quantities.map(|q| Measurement::new(q, 1_600_000, &Parameters::default()));
        for columns in 1..200 {
            for rows in 1..6 {
                let lines = drawing(&measured, (columns, rows));
                assert_eq!(lines.len(), 3.min(rows - 1));
                assert!(lines.iter().all(|line| line.len() < columns.max(1)), "{columns}: {lines:?}");
            }
        }
        let at = |columns| drawing(&measured, (columns, 24)).remove(0);
        assert_eq!(at(80), "   start time           1600.0 ms =========~~~~~!!!!!!!!!!!!!!!!!#");
        assert!(at(60).starts_with("   start time           1600.0 ms ===") && at(60).len() == 59, "{}", at(60));
        assert_eq!(at(40), "start time           1600.0 ms fail");
    }
}
