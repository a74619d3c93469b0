//! How far the dealer is in the order of play.

use super::order::{self, Action};
use super::step::Stage;
use tumbler_core::units::RoundId;

/// The round that is played.
#[derive(Debug, Default)]
pub(super) struct Round {
    /// How many actions of the order of play are done.
    done: usize,
    /// Its first record.
    first: usize,
    /// Rounds that had ended at the last `mark`, or that people have gone on after.
    pub known_endings: usize,
    /// What the dice showed when the outcome was established, where that was watched.
    pub established: Option<(RoundId, [u8; 3])>,
}

impl Round {
    /// The order of play begins again, and the round's records with this one.
    pub(super) fn restart(&mut self, first: usize) {
        self.done = 0;
        self.first = first;
    }

    /// Its first record.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// Whether the dealer has begun it.
    pub(super) fn begun(&self) -> bool {
        self.done > 0
    }

    /// It was played by hand up to this stage.
    pub(super) fn played_to(&mut self, rules: &str, stage: Stage) {
        self.done = order::of(rules).iter().position(|(_, reached)| *reached == stage).map_or(0, |place| place + 1);
    }

    /// What the dealer does next, of the first `count` actions.
    pub(super) fn next(&self, rules: &str, count: usize) -> Option<Action> {
        order::of(rules).iter().take(count).nth(self.done).map(|(action, _)| *action)
    }

    /// The next action is begun, and not begun again whatever comes of it.
    pub(super) fn advance(&mut self) {
        self.done += 1;
    }
}
