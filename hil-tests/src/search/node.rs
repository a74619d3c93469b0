//! A node of the search: a whole pure bench between two steps, and how a letter takes it to the next.

use super::Key;
use super::alphabet::{Action, Letter, steps};
use super::canon;
use super::invariants::{History, Invariant, TakenStep};
use super::view::View;
use crate::scenario::attend::asks_somebody;
use crate::scenario::{Halt, Trial, play_steps};
use tumbler_bench::pure::Pure;
use tumbler_bench::{Bench, BenchError};
use tumbler_core::record::Record;
use tumbler_twin::MS;

/// Longest `a moment`, in milliseconds.
const MOMENT: u64 = 5_000;
/// Longest `rest`, in milliseconds.
const REST: u64 = 20_000;
/// `rest` checks the table once a slice, in milliseconds, and ends after [`QUIET`] quiet ones.
const SLICE: u64 = 100;
const QUIET: u64 = 7;

/// A node.
#[derive(Clone)]
pub(super) struct Node {
    pub bench: Pure,
    pub view: View,
    pub history: History,
    pub key: Key,
}

/// Result of taking a letter.
pub(super) enum StepResult {
    /// The next node, and the words that were played.
    Node(Box<Node>, String),
    /// A violation, and the words that were played.
    Wrong(String, String),
}

impl Node {
    /// The node of a bench, with its records so far.
    pub(super) fn begin(mut bench: Pure) -> Self {
        let mut history = History::default();
        bench.log().records.iter().for_each(|durable| history.take(&durable.record));
        bench.forget();
        let view = View::of(&mut bench);
        history.look(&view);
        let key = canon::key(&bench, &view);
        Self { bench, view, history, key }
    }

    /// Takes a letter on a copy of this node.
    pub(super) fn take(
        &self,
        letter: &Letter,
        trial: &Trial,
        invariants: &[Invariant],
        covered: bool,
    ) -> Result<StepResult, BenchError> {
        let mut next = self.clone();
        let words = match next.play_steps(letter, trial) {
            Ok(words) => words,
            Err(Halt::BenchError(trouble)) => return Ok(StepResult::Wrong(trouble.to_string(), letter.words.clone())),
            Err(Halt::Wrong(what)) => return Ok(StepResult::Wrong(what, letter.words.clone())),
        };
        Ok(match next.judge(self, invariants, covered) {
            Some(wrong) => StepResult::Wrong(wrong, words),
            None => StepResult::Node(Box::new(next), words),
        })
    }

    /// Updates the node to its bench. Returns the first violation, if any.
    pub(super) fn judge(&mut self, before: &Self, invariants: &[Invariant], covered: bool) -> Option<String> {
        self.view = View::of(&mut self.bench);
        let records: Vec<Record> = self.bench.log().records.iter().map(|durable| durable.record.clone()).collect();
        let taken = TakenStep { before: &before.history, records: &records, view: &self.view, covered };
        let broken = invariants
            .iter()
            .find_map(|invariant| (invariant.broken)(&taken).map(|what| format!("{what} [{}]", invariant.clause)));
        records.iter().for_each(|record| self.history.take(record));
        self.history.look(&self.view);
        self.bench.forget();
        self.key = canon::key(&self.bench, &self.view);
        self.bench.violations().first().map(|violation| format!("judge {violation}")).or(broken)
    }

    fn play_steps(&mut self, letter: &Letter, trial: &Trial) -> Result<String, Halt> {
        let begun = self.bench.now();
        match &letter.action {
            Action::Steps(steps) => {
                play_steps(&mut self.bench, trial, steps)?;
                return Ok(letter.words.clone());
            }
            Action::OfLatch(words) => {
                let words = words.replace("{code}", self.view.latched().unwrap_or_default());
                let steps = steps(&words, &trial.layout).map_err(|bad| BenchError::Rig(bad.to_string()))?;
                play_steps(&mut self.bench, trial, &steps)?;
                return Ok(words);
            }
            Action::Moment => self.moment(begun + MOMENT * MS)?,
            Action::Rest => self.rest(begun + REST * MS)?,
        }
        // A scenario counts in whole milliseconds.
        let passed = (self.bench.now() - begun).div_ceil(MS).max(1);
        self.pass(begun + passed * MS)?;
        Ok(format!("pass {passed} ms"))
    }

    fn pass(&mut self, until: u64) -> Result<(), BenchError> {
        while self.bench.now() < until {
            self.bench.pass(until)?;
        }
        Ok(())
    }

    /// Lets time pass until the next record or whole tumble.
    fn moment(&mut self, until: u64) -> Result<(), BenchError> {
        let tumbles = |bench: &mut Pure| bench.physical().milli_tumbles / 1000;
        let (records, turned) = (self.bench.log().records.len(), tumbles(&mut self.bench));
        while self.bench.now() < until
            && self.bench.log().records.len() == records
            && tumbles(&mut self.bench) == turned
        {
            self.bench.pass(until)?;
        }
        Ok(())
    }

    /// Lets time pass until nothing moves, everything is durable, and nothing was recorded or tested for a while; a test that waits
    /// for a person counts as rest.
    fn rest(&mut self, until: u64) -> Result<(), BenchError> {
        let mut quiet = 0;
        let mut seen = (0, None);
        while self.bench.now() < until && quiet < QUIET {
            self.pass(self.bench.now() + SLICE * MS)?;
            let physical = self.bench.physical();
            let test = self.bench.snapshot()?.and_then(|table| table.test);
            let measures = test.as_deref().is_some_and(|test| !asks_somebody(test));
            let now = (self.bench.log().records.len(), test);
            let moves = physical.motor_power || physical.shaft_moves || physical.dice_move || measures;
            let still = !moves && self.bench.is_committed() && now == seen;
            quiet = if still { quiet + 1 } else { 0 };
            seen = now;
        }
        Ok(())
    }
}
