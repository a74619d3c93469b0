//! The rounds until now: their numbers, the rules that each went by, and how the latest ended.

use super::past::{Past, affect, remember};
use crate::prelude::*;
use crate::rules::{self, RuleSet, RulesSince};
use crate::units::RoundId;
use serde::{Deserialize, Serialize};

/// The rounds until now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    last: RoundId,
    rules_since: Vec<RulesSince>,
    recent: Vec<Past>,
    /// The last round was void, and nothing has begun since.
    ended_void: bool,
}

impl History {
    /// As the journal has it; `in_progress`: the last round has not ended.
    #[must_use]
    pub fn new(last: RoundId, rules_since: Vec<RulesSince>, recent: Vec<Past>, in_progress: bool) -> Self {
        let ended_void = !in_progress && recent.last().is_some_and(|past| past.void.is_some());
        Self { last, rules_since, recent, ended_void }
    }

    /// A round begins under this rule set; gives its number.
    pub fn begin(&mut self, rules: &str) -> RoundId {
        self.last = RoundId(self.last.0.saturating_add(1));
        rules::note_rules(&mut self.rules_since, self.last, rules);
        self.ended_void = false;
        self.last
    }

    /// The round in progress has ended.
    pub fn end(&mut self, past: Past) {
        self.ended_void = past.void.is_some();
        remember(&mut self.recent, past);
    }

    /// The table opens: a void is no longer what was last.
    pub const fn open(&mut self) {
        self.ended_void = false;
    }

    /// A round that has ended was found affected (SG 5.6); the first finding stays.
    pub fn affect(&mut self, round: RoundId, reason: &str) {
        affect(&mut self.recent, round, reason);
    }

    /// The number of the last round that began.
    #[must_use]
    pub const fn last(&self) -> RoundId {
        self.last
    }

    /// From which round on which rule set counted.
    #[must_use]
    pub fn rules_since(&self) -> &[RulesSince] {
        &self.rules_since
    }

    /// The rule set that a round went by, if it is still remembered.
    #[must_use]
    pub fn rules_of(&self, round: RoundId) -> Option<&'static RuleSet> {
        rules::rules_of(&self.rules_since, round).and_then(rules::rule_set)
    }

    /// The latest rounds that ended, oldest first.
    #[must_use]
    pub fn recent(&self) -> &[Past] {
        &self.recent
    }

    /// Whether this round is remembered as void.
    #[must_use]
    pub fn was_void(&self, round: RoundId) -> bool {
        self.recent.iter().any(|past| past.id == round && past.void.is_some())
    }

    /// Whether the last round was void, and nothing has begun since.
    #[must_use]
    pub const fn has_ended_void(&self) -> bool {
        self.ended_void
    }
}
