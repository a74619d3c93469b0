//! How far the dealer is in the order of play.

use super::order::{self, Action};
use super::step::Stage;
use tumbler_core::units::RoundId;

/// The dealer's progress in a round.
#[derive(Debug, Default)]
pub(super) struct Round {
    /// Number of actions of the order of play that are done.
    done: usize,
    /// Its first record.
    first: usize,
    /// Rounds that had ended at the last `mark` or `go on`.
    pub known_endings: usize,
    /// Round and faces of the dice when the outcome was established; only in free play.
    pub established: Option<(RoundId, [u8; 3])>,
}

impl Round {
    /// Restarts the order of play; `first` is the index of the round's first record.
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

    /// Notes that steps have played the round up to this stage.
    pub(super) fn played_to(&mut self, rules: &str, stage: Stage) {
        self.done = actions_to(rules, stage);
    }

    /// Whether the round is known to have been played up to this stage.
    pub(super) fn is_at(&self, rules: &str, stage: Stage) -> bool {
        self.done == actions_to(rules, stage)
    }

    /// The dealer's next action, of the first `count`.
    pub(super) fn next(&self, rules: &str, count: usize) -> Option<Action> {
        order::of(rules).iter().take(count).nth(self.done).map(|(action, _)| *action)
    }

    /// Marks the next action as done, whether it succeeds or not.
    pub(super) fn advance(&mut self) {
        self.done += 1;
    }
}

/// How many actions lead to this stage.
fn actions_to(rules: &str, stage: Stage) -> usize {
    order::of(rules).iter().position(|(_, reached)| *reached == stage).map_or(0, |place| place + 1)
}
