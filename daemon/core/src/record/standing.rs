//! What records add up to: all that a restart needs.

use super::{Event, PROCEDURE, Record};
use crate::latch::{Malfunction, Waiver};
use crate::prelude::*;
use crate::round::call::Call;
use crate::round::ending::VoidReason;
use crate::round::past::{affect, remember};
use crate::round::{Interrupted, OnRecord, Past, Spun};
use crate::rules::{RulesSince, note_rules, rule_set};
use crate::units::{Dice, RoundId};
use serde::{Deserialize, Serialize};

/// What persists: permission, latches, and the round in progress as far as it is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Standing {
    /// Site and table of the commissioning record.
    pub site: String,
    /// Table of the commissioning record.
    pub table: String,
    /// Backend of the commissioning record.
    pub backend: String,
    /// Boot id of the last start.
    pub boot: String,
    /// Rule set of the last start; empty where none is on record.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub rules: OnRecord,
    /// Layout of the last start; empty where none is on record.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub layout: OnRecord,
    /// Whether the table is open for gaming (bound to `boot`).
    pub open: bool,
    /// Who asked that the table closes when the round in progress has ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub closing: Option<String>,
    /// Latched malfunctions.
    pub latched: Vec<Malfunction>,
    /// Checks replaced by a procedure until the table closes.
    pub waived: Vec<Waiver>,
    /// Last round that began.
    pub last_round: RoundId,
    /// From which round on which rule set was in force.
    #[serde(default)]
    pub rules_since: Vec<RulesSince>,
    /// The round in progress, if one is.
    pub round: Option<Interrupted>,
    /// Identities of the enrolled dice.
    pub dice: Option<[u16; 3]>,
    /// The latest endings, newest last, for the results display: at most [`Past::KEPT`].
    pub recent: Vec<Past>,
}

impl Standing {
    /// Whether the last start that is on record had other rules or another layout than these.
    pub(crate) fn had_other(&self, rules: &str, layout: &str) -> bool {
        self.rules.id().is_some_and(|was| was != rules) || self.layout.id().is_some_and(|was| was != layout)
    }

    /// Takes one more record into account. Folding all records since the last [`Event::Keyframe`] gives what a
    /// restart needs.
    pub fn fold(&mut self, record: &Record) {
        match &record.event {
            Event::Keyframe(standing) => *self = (**standing).clone(),
            Event::Commissioned { site, table, backend } => {
                self.site.clone_from(site);
                self.table.clone_from(table);
                self.backend.clone_from(backend);
            }
            Event::Started { boot, rules, layout, .. } => {
                self.boot.clone_from(boot);
                self.rules = rules.as_str().into();
                self.layout = layout.as_str().into();
            }
            Event::Opened { .. } => self.open = true,
            Event::Closed { .. } => {
                self.open = false;
                self.closing = None;
                self.waived.clear();
            }
            Event::Latched { code, cause, in_spin } => {
                if !self.latched.iter().any(|m| m.code == *code) {
                    let (code, cause, in_spin) = (*code, cause.clone(), *in_spin);
                    self.latched.push(Malfunction { code, cause, since: record.at, in_spin });
                }
            }
            Event::Unlatched { code, how, procedure, by } => {
                self.latched.retain(|m| m.code != *code);
                if let Some(procedure) = procedure.as_deref().or_else(|| how.strip_prefix(PROCEDURE)) {
                    self.waived.push(Waiver { code: *code, procedure: procedure.to_owned(), by: by.clone() });
                }
            }
            Event::DiceEnrolled { dice, .. } => self.dice = Some(*dice),
            Event::Closing { by } => self.closing = Some(by.clone()),
            Event::VoidedAfterwards { round, reason, .. } => affect(&mut self.recent, *round, reason),
            _ => self.fold_round(record),
        }
    }

    fn fold_round(&mut self, record: &Record) {
        if let (Event::RoundBegan { rules, layout }, Some(id)) = (&record.event, record.round) {
            self.last_round = self.last_round.max(id);
            note_rules(&mut self.rules_since, id, rules);
            let (rules, layout) = (rules.as_str().into(), layout.as_str().into());
            self.round = Some(Interrupted { id, rules, layout, ..Interrupted::default() });
            return;
        }
        let Some(round) = self.round.as_mut().filter(|r| Some(r.id) == record.round) else { return };
        match &record.event {
            Event::Called { call: Call::PlaceBets, .. } => round.bets_opened = true,
            Event::Called { call: Call::NoMoreBets, .. } => round.bets_closed = true,
            Event::SpinBegan => round.began = true,
            Event::SpinMade { .. } => round.made = true,
            Event::SpinDropped { .. } => round.began = false,
            Event::SpinEnded { tumbles, valid, steps, how, .. } => {
                round.tumbles = *tumbles;
                round.spun = Some(Spun { valid: *valid, steps: *steps, how: *how });
            }
            Event::Revealed { how } => round.revealed = Some(*how),
            Event::Asked { why } => round.asked = Some(*why),
            Event::Answered { .. } => round.asked = None,
            Event::Established { .. } => round.established = true,
            Event::FacesRead { dice } => round.read = Some(*dice),
            // NZ 7.2: the amendment waits for the game supervisor, also across a restart.
            Event::EntryDiffers { .. } => {
                let rules = round.rules.id().and_then(rule_set);
                round.supervise = rules.is_some_and(|rules| rules.duties.supervisor_sees_amendments);
            }
            Event::Supervised { .. } => round.supervise = false,
            Event::Result { dice, .. } | Event::Amended { to: dice, .. } => {
                round.result = Some(*dice);
                round.supervise = false;
            }
            Event::Settled { dice, .. } => self.end_round(Some(*dice), None),
            Event::Voided(void) => self.end_round(None, Some(void.reason)),
            _ => {}
        }
    }

    /// A round that outlived its journal ends under the rules that the table was started with.
    fn end_round(&mut self, dice: Option<Dice>, void: Option<VoidReason>) {
        let Some(round) = self.round.take() else { return };
        let rules = round.rules.id().or(self.rules.id()).unwrap_or_default();
        remember(&mut self.recent, Past::of(round.id, rules, dice, void));
    }
}
