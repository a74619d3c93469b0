//! How a round ends: void by a clause, or over; everything of it goes dark.

use super::Table;
use crate::effect::Effect;
use crate::record::{Event, remember};
use crate::round::Past;
use crate::round::ending::{Void, VoidReason};
use crate::rules;
use crate::sequence::Action;
use crate::timer::Timer;

impl Table {
    /// A defect of the tumbler makes the outcome doubtful (NZ 7.1(b); elsewhere the rules are silent).
    pub(super) fn void_for_tumbler(&mut self, detail: &str) {
        let clause = self.rule_set().map_or("", |r| r.void_clause(VoidReason::Equipment)).to_owned();
        self.end_void_unless_established(VoidReason::Equipment, clause, detail);
    }

    /// Voids the round in progress, unless its outcome is established.
    pub(super) fn void_unless_established(&mut self, reason: VoidReason, detail: &str) {
        self.end_void_unless_established(reason, self.clause_of(reason), detail);
    }

    fn end_void_unless_established(&mut self, reason: VoidReason, clause: String, detail: &str) {
        match &self.round {
            None => {}
            Some(round) if round.established.is_some() => {
                self.record(Event::Noted { what: detail.to_owned() });
            }
            Some(_) => self.end_void(reason, clause, detail),
        }
    }

    /// Voids the round in progress.
    pub(super) fn void(&mut self, reason: VoidReason, detail: &str) {
        self.end_void(reason, self.clause_of(reason), detail);
    }

    /// The clause for a reason; of equipment, only the tumbler's misoperation has one.
    fn clause_of(&self, reason: VoidReason) -> String {
        if reason == VoidReason::Equipment {
            return String::new();
        }
        self.rule_set().map_or("", |r| r.void_clause(reason)).to_owned()
    }

    fn end_void(&mut self, reason: VoidReason, clause: String, detail: &str) {
        if self.round.is_none() {
            return;
        }
        self.end_spin_badly("void");
        self.halt_motor();
        self.record(Event::Voided(Void { reason, clause, detail: detail.to_owned() }));
        self.out.push(Effect::Dump { reason: "void".to_owned() });
        self.last_void = true;
        self.end_round(None, Some(reason));
    }

    /// The round is over: everything of it goes dark, and the table is as it was.
    pub(super) fn end_round(&mut self, dice: Option<crate::units::Dice>, void: Option<VoidReason>) {
        let Some(round) = self.round.take() else { return };
        remember(&mut self.recent, Past { id: round.id, dice, void });
        self.timers.clear(Timer::SettleLimit);
        self.hidden_polls = 0;
        self.reader.forget_faces();
        self.sequence.drop_held(|a| matches!(a, Action::Spin(_) | Action::Light(..)));
        self.darken();
        if let Some(rules) = rules::rule_set(&self.settings.rules) {
            self.order = rules.order;
        }
        let keyframe = Event::Keyframe(Box::new(self.standing()));
        self.record(keyframe);
        self.sequence.hurry();
    }

    /// Lamps off, display blank.
    pub(super) fn darken(&mut self) {
        let (at, p) = (self.at, self.settings.parameters);
        self.lamps.light(0, at, &p, &mut self.timers);
        self.clear_terminal();
    }

    pub(super) fn clear_terminal(&mut self) {
        let (at, p) = (self.at, self.settings.parameters);
        self.terminal.clear(at, &p, &mut self.timers);
    }
}
