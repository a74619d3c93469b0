//! The life of a round, from its first call or spin to its ending.
//!
//! ```text
//!           NZ                    SGV6                      Open Cover
//! begins    tumble                place bets                place bets
//! spin      before no-more-bets   before or after it        after no-more-bets
//! reveal    dome away after no-more-bets, spin over         spin over
//! then      dice flat -> established -> result -> lamps -> all paid: settled
//! void      from any state before "established", by the rule set's clauses; damaged dice also after it
//! ```

use super::Table;
use crate::device::tumbler::RunsFor;
use crate::device::tumbler::Stop;
use crate::latch::Code;
use crate::prelude::*;
use crate::record::{Event, Remark};
use crate::refusal::{Asked, Refusal};
use crate::round::call::Call;
use crate::round::ending::VoidReason;
use crate::round::judgement::{self, NoSpin};
use crate::round::{Round, Spin, SpinEnd};
use crate::rules;
use crate::sequence::Action;
use crate::sequence::Durable;
use crate::units::RoundId;

impl Table {
    /// Begins a round, if a game may start; otherwise says what stands in the way.
    fn begin_round(&mut self) -> Result<(), Refusal> {
        self.may_play()?;
        let (Some(rules), Some(layout)) =
            (rules::rule_set(&self.ctx.settings().rules), rules::layout(&self.ctx.settings().layout))
        else {
            return Err(Refusal::NoRules);
        };
        let id = self.history.begin(&rules.id);
        self.round = Some(Round::begin(id, rules, layout));
        self.devices.terminal.clear(&mut self.ctx);
        self.record(Event::RoundBegan { rules: rules.id.clone(), layout: layout.id.clone() });
        // A round that a power cut could forget would never be voided (SGV6 5.4.2).
        self.sequence.hurry();
        Ok(())
    }

    /// Records what was refused, and to whom where an account asked, of whose refusals so many before were not recorded.
    pub(super) fn refuse(&mut self, what: Asked, account: Option<&str>, refusal: &Refusal, left_out: u64) {
        let why = account.map_or_else(|| refusal.to_string(), |account| format!("{account}: {refusal}"));
        self.record_by(
            refusal.keys(what),
            Event::Refused { what: what.name().to_owned(), code: refusal.code().to_owned(), why, left_out },
        );
    }

    /// The dealer asks for a spin: a request, refused where the rules forbid motion.
    pub(super) fn ask_for_spin(&mut self) {
        if let Err(why) = self.grant_spin() {
            self.refuse(Asked::Tumble, None, &why, 0);
        }
    }

    fn grant_spin(&mut self) -> Result<(), Refusal> {
        match &self.round {
            // A reboot has closed the table: nobody has looked at its equipment since (NZ 5).
            Some(_) if !self.service.is_open() => return Err(Refusal::Closed),
            Some(round) => round.may_spin()?,
            None if !self.order_of_new.spin_begins_round => {
                self.may_play()?;
                return Err(Refusal::PlaceBetsFirst);
            }
            None => self.may_play()?,
        }
        self.motor_may_run(false)?;
        if self.round.is_none() {
            self.begin_round()?;
        }
        let Some(round) = &mut self.round else { return Err(Refusal::NoRound) };
        round.ask_for_spin();
        let (id, late) = (round.id(), round.order().spin_begins_round && round.bets_opened());
        if late {
            let clause = self.clause("activate");
            let what = format!("the tumbler is activated after \"Place your bets\" ({clause})");
            self.record(Event::noted(Remark::LateSpin, what));
        }
        self.record(Event::SpinBegan);
        self.sequence.hold(Action::Spin(id));
        Ok(())
    }

    /// Whether something keeps the motor off that nobody at the table puts right before the round has ended.
    pub(super) fn is_motor_held(&self) -> bool {
        !self.service.is_open() || self.ledger.inhibits_motor().is_some()
    }

    /// Whether the motor may run, whatever the round says; otherwise why not.
    pub(super) fn motor_may_run(&self, in_test: bool) -> Result<(), Refusal> {
        if self.service.is_stopping() || !self.devices.inputs.is_watched() {
            return Err(Refusal::Unwatched);
        }
        if let Some(m) = self.ledger.inhibits_motor().filter(|_| !in_test) {
            return Err(Refusal::Malfunction(m.code, m.cause.clone()));
        }
        self.devices.may_run(self.order().covered, &self.ctx)
    }

    /// The record of the spin is durable: the guards are looked at a second time, then the motor starts.
    pub(super) fn start_spin(&mut self, id: RoundId, by: Durable) {
        let Some(round) = self.round.as_ref().filter(|r| r.id() == id && r.spin() == Spin::Asked) else { return };
        let granted = round.may_still_spin().and_then(|()| self.motor_may_run(false));
        match granted {
            Err(why) => {
                self.drop_spin(&why);
                self.never_activated();
            }
            Ok(()) => {
                if let Some(round) = &mut self.round {
                    round.start_spin();
                }
                self.devices.run_motor(RunsFor::Round, by, &mut self.ctx);
            }
        }
    }

    /// A spin that was granted, and that something keeps from starting, does not start.
    pub(super) fn withdraw_spin(&mut self) {
        let waits = self.round.as_ref().is_some_and(|round| round.spin() == Spin::Asked);
        if let Some(why) = self.motor_may_run(false).err().filter(|_| waits) {
            self.drop_held_spin(&why);
        }
    }

    fn drop_held_spin(&mut self, why: &Refusal) {
        self.sequence.drop_held(|action| matches!(action, Action::Spin(_)));
        self.drop_spin(why);
    }

    /// The spin that was granted does not start.
    fn drop_spin(&mut self, why: &Refusal) {
        if let Some(round) = &mut self.round {
            round.drop_spin();
        }
        self.record(Event::SpinDropped { why: why.to_string() });
        self.refuse(Asked::Tumble, None, why, 0);
    }

    pub(super) fn call_place_bets(&mut self) {
        if self.round.is_none() && self.begin_round().is_err() {
            self.record_call(Call::PlaceBets, false);
            return;
        }
        let Some(round) = &mut self.round else { return };
        let in_turn = round.open_bets();
        self.record_call(Call::PlaceBets, in_turn);
    }

    pub(super) fn call_no_more_bets(&mut self) {
        let Some(round) = &mut self.round else {
            self.record_call(Call::NoMoreBets, false);
            return;
        };
        let in_turn = round.close_bets();
        let id = round.id();
        self.record_call(Call::NoMoreBets, in_turn);
        if in_turn {
            // NZ 6.2: "at the same time ringing the bell".
            self.sequence.hold(Action::Bell(id));
            self.never_activated();
        }
    }

    /// Records a call; a fact, whatever is out of order about it (NZ 6.1: the tumble, then "Place your bets").
    fn record_call(&mut self, call: Call, in_turn: bool) {
        let clause = self.clause("place-bets");
        let remark = self.round.as_ref().filter(|_| in_turn).and_then(|round| round.out_of_order(call));
        let remark = remark.map(|what| format!("{what} ({clause})"));
        self.record(Event::Called { call, in_turn, remark });
    }

    /// Voids a round that was played without a spin.
    fn never_activated(&mut self) {
        if self.round.as_ref().is_some_and(Round::was_never_activated) {
            self.void(VoidReason::NeverActivated, "\"No more bets\" was called without a spin");
        }
    }

    pub(super) fn call_no_spin(&mut self) {
        let Some(round) = &self.round else {
            self.record_call(Call::NoSpin, false);
            return;
        };
        let verdict = round.no_spin(self.reader_in_service(), self.rule_set());
        self.record_call(Call::NoSpin, !matches!(verdict, NoSpin::TooLate | NoSpin::OutOfTurn));
        match verdict {
            NoSpin::TooLate => self.refuse(Asked::NoSpin, None, &judgement::stands(self.rule_set()), 0),
            NoSpin::OutOfTurn => {}
            NoSpin::NeverActivated => {
                self.void(VoidReason::NeverActivated, "the dealer announced \"No spin\" before a spin")
            }
            NoSpin::Drops => self.drop_held_spin(&Refusal::NoSpinPressed),
            NoSpin::Stops => {
                self.devices.tumbler.halt(Stop::NoSpin, &mut self.ctx);
                // A claim of three tumbles that are made needs no shaft at rest, and nothing that comes before that undoes it.
                if judgement::announces_no_spin(self.rule_set()) && self.is_made(SpinEnd::NoSpin) {
                    self.end_spin(SpinEnd::NoSpin);
                    self.declare("while the tumbler ran");
                }
            }
            NoSpin::NotFlat => self.void(
                VoidReason::NotFlat,
                "by the dealer's word, \"No spin\" of dice in sight: a die does not lie flat",
            ),
            NoSpin::Declared => self.declare("after the spin"),
        }
    }

    /// The dealer announced "No spin" of a spin that counted three tumbles: the claim that the tumbler did not operate correctly (NZ
    /// 7.1(b)), for what no sensor sees. It is a malfunction too, and 7.4 applies.
    pub(super) fn declare(&mut self, when: &str) {
        let claim = format!("by the dealer's word, \"No spin\" {when}: the tumbler did not operate correctly");
        self.latch(Code::Tumbler, claim.clone());
        self.void(VoidReason::Declared, &claim);
    }

    /// The dome was found open.
    pub(super) fn dome_opened(&mut self) {
        if self.round.as_ref().is_some_and(Round::is_exposed_by_dome) {
            self.halt_motor();
            self.void_unless_established(
                VoidReason::Exposed,
                SpinEnd::Dome,
                "the dome was opened before \"No more bets\"",
            );
        }
    }

    /// A full tumble took too long (NZ 7.1(b); under Singapore's rules it counts if three are completed in time).
    pub(super) fn spin_is_slow(&mut self) {
        let rules = self.rule_set();
        let Some(round) = self.round.as_mut().filter(|r| r.spin() == Spin::Running) else {
            let found = self.devices.tumbler.names("a full tumble took longer than a healthy one");
            self.test_failed(&found);
            self.latch_found(Code::Tumbler, format!("the tumbler is slow: {found}"));
            return;
        };
        round.find_slow();
        if round.spoils_spin(rules) {
            self.devices.tumbler.halt(Stop::Slow, &mut self.ctx);
        }
    }
}
