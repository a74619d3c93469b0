//! How a round ends: void by a clause, or over; everything of it goes dark.

use super::Table;
use crate::prelude::*;
use crate::record::{Event, Remark};
use crate::round::ending::{Ground, Void, VoidReason};
use crate::round::judgement::FaultVerdict;
use crate::round::{Doubt, Past, Round, Spin, SpinEnd};
use crate::sequence::Action;
use crate::settings::Situation;
use crate::timer::Timer;
use crate::wire::registers::terminal::VOID;

/// Rounds from one keyframe to the next, some 700 records: a start reads 1,000 in any case. A keyframe is 30 KiB of flash with all that
/// its commit touches, as much as half a round.
const KEYFRAME_EVERY: u64 = 64;

impl Table {
    /// The tumbler does not operate correctly: what [`judge_tumbler`](crate::round::Round::judge_tumbler) says of it is carried out.
    pub(super) fn void_for_tumbler(&mut self, how: SpinEnd, detail: &str) {
        let Some(round) = &self.round else { return };
        let verdict = round.judge_tumbler(self.is_made(how), self.rule_set());
        // NZ 7.1(b): "after being activated"; a spin that is only granted has activated nothing yet.
        if verdict == FaultVerdict::Void && round.has_begun_spin() && round.spin() != Spin::Asked {
            self.add_ground(Ground::Misoperation);
        }
        self.carry_out_fault(verdict, VoidReason::Equipment, how, detail);
    }

    /// Voids the round in progress, unless its outcome is established or only people can know it; a spin that runs is ended by
    /// `how`.
    pub(super) fn void_unless_established(&mut self, reason: VoidReason, how: SpinEnd, detail: &str) {
        let Some(round) = &self.round else { return };
        let verdict = round.judge_fault(reason, self.is_made(how), self.rule_set());
        self.carry_out_fault(verdict, reason, how, detail);
    }

    fn carry_out_fault(&mut self, verdict: FaultVerdict, reason: VoidReason, how: SpinEnd, detail: &str) {
        match verdict {
            FaultVerdict::Noted => {
                self.record(Event::noted(Remark::AfterOutcome, detail.to_owned()));
            }
            FaultVerdict::GoesOn => {}
            FaultVerdict::Asked => {
                self.halt_motor();
                self.end_spin(how);
                self.record(Event::noted(Remark::AfterSpin, detail.to_owned()));
                self.ask_person(Doubt::Interrupted);
            }
            FaultVerdict::Void => self.end_void(reason, how, detail, None),
        }
    }

    /// Voids the round in progress, whose spin is over.
    pub(super) fn void(&mut self, reason: VoidReason, detail: &str) {
        self.end_void(reason, SpinEnd::Decision, detail, None);
    }

    /// Voids the round in progress by a named person's decision.
    pub(super) fn void_by(&mut self, reason: VoidReason, detail: &str, by: &str) {
        self.end_void(reason, SpinEnd::Decision, detail, Some(by));
    }

    /// A fact that voids the round where its rule set says so.
    pub(super) fn add_ground(&mut self, ground: Ground) {
        if let Some(round) = &mut self.round {
            round.add_ground(ground);
        }
    }

    pub(super) fn end_void(&mut self, reason: VoidReason, how: SpinEnd, detail: &str, by: Option<&str>) {
        if self.round.is_none() {
            return;
        }
        self.end_spin(how);
        self.halt_motor();
        let clauses = self.void_clauses(reason.ground());
        match by {
            _ if !clauses.is_empty() => self.declare_void(reason, clauses, None, detail),
            Some(by) => self.declare_void(reason, clauses, Some(&format!("decided by {by}")), detail),
            // The dice of a valid spin have fallen: people say how they lie.
            None if self.round.as_ref().is_some_and(Round::has_valid_spin) => {
                self.carry_out_fault(FaultVerdict::Asked, reason, how, detail);
            }
            None => {
                let lost = self.round.as_ref().is_some_and(Round::has_lost_spin);
                let situation = if lost { Situation::SpinLost } else { Situation::MotorHeld };
                self.leave_open(situation, reason, detail);
            }
        }
    }

    /// The clauses by which the round is void if this is one more ground of it.
    fn void_clauses(&mut self, ground: Ground) -> Vec<String> {
        let (Some(round), Some(rules)) = (&self.round, self.rule_set()) else { return Vec::new() };
        rules.void_clauses(&[round.grounds(), &[ground]].concat())
    }

    /// The text is silent: the house's document voids the round, or a named person decides. Where the motor is held the round stays as
    /// it is: the spin is still to come, and without it the round ends as its text says (NZ 7.1(d)), or by a named person.
    pub(super) fn leave_open(&mut self, situation: Situation, reason: VoidReason, detail: &str) {
        let is_silent = self.rule_set().is_none_or(|rules| situation.is_left_open(rules));
        if let Some(document) = self.ctx.settings().house.voids(situation).filter(|_| is_silent) {
            let by = format!("{document}, {}: the round is void", situation.name());
            self.declare_void(reason, Vec::new(), Some(&by), detail);
            return;
        }
        match situation {
            Situation::MotorHeld => self.withdraw_spin(),
            Situation::SpinLost => self.ask_person(Doubt::SpinLost),
            Situation::WrongDice => self.ask_person(Doubt::Dice),
        }
    }

    /// Ends the round in progress as void; `instead`: what stands in where no clause does.
    fn declare_void(&mut self, reason: VoidReason, clauses: Vec<String>, instead: Option<&str>, detail: &str) {
        let text = self.rule_set().map_or("the rule set is not known", |rules| rules.silent());
        let silent = instead.map(|instead| format!("{text}; {instead}"));
        self.record(Event::Voided(Void { reason, clauses, silent, detail: detail.to_owned() }));
        self.ctx.dump("void", None);
        self.end_round(None, Some(reason));
        // The players see it at once (SGV6 5.12: their bets are returned).
        self.devices.terminal.want(VOID, &mut self.ctx);
    }

    /// The round is over: everything of it goes dark, and the table is as it was.
    pub(super) fn end_round(&mut self, dice: Option<crate::units::Dice>, void: Option<VoidReason>) {
        let Some(round) = self.round.take() else { return };
        self.history.end(Past::of(round.id(), round.rules(), dice, void));
        self.ctx.clear(Timer::SettleLimit);
        self.ctx.clear(Timer::ResultBack);
        self.devices.terminal.hide_polls(0);
        self.devices.reader.forget_faces();
        self.sequence.drop_held(|a| matches!(a, Action::Spin(_) | Action::Light(..) | Action::Show(..)));
        self.devices.darken(&mut self.ctx);
        if self.history.last().0 % KEYFRAME_EVERY == 0 {
            let keyframe = Event::Keyframe(Box::new(self.standing()));
            self.record(keyframe);
        }
        self.sequence.hurry();
    }
}
