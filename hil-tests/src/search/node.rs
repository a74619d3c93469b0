//! A node of the search: a whole pure bench between two steps, and how a letter takes it to the next.

use super::Key;
use super::alphabet::{Deed, Letter, steps};
use super::canon;
use super::laws::{Law, Story, Taken};
use super::view::View;
use crate::scenario::attend::asks_somebody;
use crate::scenario::{Halt, Trial, play_steps};
use tumbler_bench::pure::Pure;
use tumbler_bench::{Bench, Trouble};
use tumbler_core::record::Record;
use tumbler_twin::MS;

/// `a moment` ends after so many milliseconds at the latest.
const MOMENT: u64 = 5_000;
/// `rest` ends after so many milliseconds at the latest; it looks at every slice, and wants so many quiet ones.
const REST: u64 = 20_000;
const SLICE: u64 = 100;
const QUIET: u64 = 7;

/// A node.
#[derive(Clone)]
pub(super) struct Node {
    pub bench: Pure,
    pub view: View,
    pub story: Story,
    pub key: Key,
}

/// What came of a letter.
pub(super) enum Came {
    /// A node; and the words as they were carried out.
    Node(Box<Node>, String),
    /// Something is wrong: what, and the words.
    Wrong(String, String),
}

impl Node {
    /// The node that a bench is at, with the records that it has seen so far.
    pub(super) fn begin(mut bench: Pure) -> Self {
        let mut story = Story::default();
        bench.log().records.iter().for_each(|durable| story.take(&durable.record));
        bench.forget();
        let view = View::of(&mut bench);
        story.look(&view);
        let key = canon::key(&bench, &view);
        Self { bench, view, story, key }
    }

    /// Takes a letter on a copy of this node.
    pub(super) fn take(&self, letter: &Letter, trial: &Trial, laws: &[Law], covered: bool) -> Result<Came, Trouble> {
        let mut next = self.clone();
        let words = match next.play_steps(letter, trial) {
            Ok(words) => words,
            Err(Halt::Trouble(trouble)) => return Ok(Came::Wrong(trouble.to_string(), letter.words.clone())),
            Err(Halt::Wrong(what)) => return Ok(Came::Wrong(what, letter.words.clone())),
        };
        Ok(match next.judge(self, laws, covered) {
            Some(wrong) => Came::Wrong(wrong, words),
            None => Came::Node(Box::new(next), words),
        })
    }

    /// Brings the node up to what its bench did, and says what is wrong with that, if something is.
    pub(super) fn judge(&mut self, before: &Self, laws: &[Law], covered: bool) -> Option<String> {
        self.view = View::of(&mut self.bench);
        let records: Vec<Record> = self.bench.log().records.iter().map(|durable| durable.record.clone()).collect();
        let taken = Taken { before: &before.story, records: &records, view: &self.view, covered };
        let broken = laws.iter().find_map(|law| (law.broken)(&taken).map(|what| format!("{what} [{}]", law.clause)));
        records.iter().for_each(|record| self.story.take(record));
        self.story.look(&self.view);
        self.bench.forget();
        self.key = canon::key(&self.bench, &self.view);
        self.bench.violations().first().map(|violation| format!("judge {violation}")).or(broken)
    }

    fn play_steps(&mut self, letter: &Letter, trial: &Trial) -> Result<String, Halt> {
        let begun = self.bench.now();
        match &letter.deed {
            Deed::Steps(steps) => {
                play_steps(&mut self.bench, trial, steps)?;
                return Ok(letter.words.clone());
            }
            Deed::OfLatch(words) => {
                let words = words.replace("{code}", self.view.latched().unwrap_or_default());
                let steps = steps(&words).map_err(|bad| Trouble::Rig(bad.to_string()))?;
                play_steps(&mut self.bench, trial, &steps)?;
                return Ok(words);
            }
            Deed::Moment => self.moment(begun + MOMENT * MS)?,
            Deed::Rest => self.rest(begun + REST * MS)?,
        }
        // A scenario counts in whole milliseconds.
        let passed = (self.bench.now() - begun).div_ceil(MS).max(1);
        self.pass(begun + passed * MS)?;
        Ok(format!("pass {passed} ms"))
    }

    fn pass(&mut self, until: u64) -> Result<(), Trouble> {
        while self.bench.now() < until {
            self.bench.pass(until)?;
        }
        Ok(())
    }

    /// Until the next record or whole tumble.
    fn moment(&mut self, until: u64) -> Result<(), Trouble> {
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

    /// Until nothing moves, everything is durable, and nothing was recorded or tested for a while; a test that waits for a
    /// person is at rest.
    fn rest(&mut self, until: u64) -> Result<(), Trouble> {
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
