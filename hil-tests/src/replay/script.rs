//! Sorts steps by their times, and inserts the pauses between them.

use tumbler_core::rules::Layout;
use tumbler_twin::{Declared, Fault};

/// A step with its time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cue {
    at: u64,
    /// What the step itself takes, in milliseconds.
    takes: u64,
    words: String,
}

/// All steps of a recording.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    cues: Vec<Cue>,
    /// The table's layout, for the names of lamps.
    layout: Option<&'static Layout>,
    /// What could not be turned into a step, and why.
    pub left_out: Vec<String>,
}

const MS: u64 = 1_000_000;

impl Script {
    /// No step yet, of a table with this layout.
    pub(super) fn of(layout: &'static Layout) -> Self {
        Self { layout: Some(layout), ..Self::default() }
    }

    /// Adds a step at this time, in nanoseconds.
    pub(super) fn at(&mut self, at: u64, takes: u64, words: String) {
        self.cues.push(Cue { at, takes, words });
    }

    /// Adds the step that breaks or mends something at this time, in nanoseconds.
    pub(super) fn broken(&mut self, at: u64, fault: Fault, broken: bool) {
        let word = if broken { "fault" } else { "heal" };
        self.at(at, 0, format!("{word} {}", fault.name(self.layout)));
    }

    /// Time of the table's last answer before this time; 0 if there was none.
    pub(super) fn last_answer(&self, before: u64) -> u64 {
        let answers = self.cues.iter().filter(|cue| cue.at <= before && cue.words.starts_with("answer "));
        answers.map(|cue| cue.at).max().unwrap_or_default()
    }

    /// Notes that something could not be turned into a step.
    pub(super) fn leave_out(&mut self, what: &str) {
        if !self.left_out.iter().any(|known| known == what) {
            self.left_out.push(what.to_owned());
        }
    }

    /// The steps between two times. A step that is due during another one comes right after it.
    pub(super) fn steps(mut self, from: u64, to: u64) -> Vec<String> {
        // A stable sort: steps of the same time keep their order.
        self.cues.sort_by_key(|cue| cue.at);
        let mut clock = 0;
        let mut steps = Vec::new();
        let wait = |steps: &mut Vec<String>, clock: &mut u64, at: u64| {
            let due = at.saturating_sub(from) / MS;
            if due > *clock {
                steps.push(format!("pass {} ms", due - *clock));
                *clock = due;
            }
        };
        for cue in &self.cues {
            wait(&mut steps, &mut clock, cue.at);
            steps.push(cue.words.clone());
            clock += cue.takes;
        }
        wait(&mut steps, &mut clock, to);
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_between_steps_less_what_they_took_themselves() {
        let mut script = Script::default();
        script.at(1_500 * MS, 0, "lift dome".into());
        script.at(1_100 * MS, 220, "key 1".into());
        script.at(1_150 * MS, 220, "key 3".into());
        assert_eq!(
            script.steps(1_000 * MS, 2_000 * MS),
            ["pass 100 ms", "key 1", "key 3", "lift dome", "pass 460 ms"],
            "the keys took longer than they did on the table"
        );
    }
}
