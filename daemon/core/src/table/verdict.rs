//! What the facts of a round lead to: the spin's verdict at standstill, the reveal, that of the dice at rest, and the
//! outcome established.

use super::Table;
use crate::device::cam::steps_for;
use crate::device::dome::Place;
use crate::device::guard::Guard;
use crate::device::tumbler::RunsFor;
use crate::device::tumbler::Stop;
use crate::latch::Code;
use crate::prelude::*;
use crate::record::{Event, Remark};
use crate::round::ending::{Ground, VoidReason};
use crate::round::judgement::{self, DiceVerdict, MovedVerdict, SpinVerdict, SpinVoid, Stood, UnrestVerdict};
use crate::round::spin::LEAST_TUMBLES;
use crate::round::{Doubt, FlatBy, Reveal, Round, Spin, SpinEnd, Spun};
use crate::settings::Situation;
use crate::timer::Timer;
use crate::units::Millis;

impl Table {
    /// The spin in progress, if one runs, is over: valid or not by what was counted until now.
    pub(super) fn end_spin(&mut self, how: SpinEnd) {
        let valid = self.is_made(how);
        if self.round.as_ref().is_none_or(|r| r.spin() != Spin::Running) {
            return;
        }
        self.devices.tumbler.disown();
        self.record_spin(valid, how);
        if valid && !self.service.is_stopping() {
            self.devices.reader.end_spin();
            self.ctx.after(Timer::SettleLimit, Millis(self.ctx.p().settle_limit));
        }
    }

    /// The program is to end while a spin may run: three tumbles that were counted until now are made, and people say after the
    /// restart how the dice lie. A tumbler that was too slow voids under the rule sets that ask it to operate correctly.
    pub(super) fn interrupt_spin(&mut self) {
        // A shaft that only turns out is judged by what took its power away.
        if self.devices.tumbler.stopped_by().is_some() && self.devices.tumbler.runs_for() == Some(RunsFor::Round) {
            self.judge_spin();
        }
        self.end_spin(SpinEnd::Interruption);
    }

    /// Whether a spin runs that is made by what was counted until now.
    pub(super) fn is_made(&self, how: SpinEnd) -> bool {
        let tumbles = self.devices.tumbler.counted();
        self.round.as_ref().is_some_and(|round| round.is_made(how, tumbles, self.rule_set()))
    }

    /// Writes three tumbles down when they are made, as a restart cannot count them any more. Nothing waits for it.
    pub(super) fn make_spin(&mut self) {
        if self.is_made(SpinEnd::Interruption) && self.round.as_mut().is_some_and(Round::make_spin) {
            let steps = self.devices.tumbler.steps();
            self.record(Event::SpinMade { steps });
            self.sequence.hurry();
        }
    }

    /// Records how the spin ended.
    fn record_spin(&mut self, valid: bool, how: SpinEnd) {
        let (tumbles, steps, needed) =
            (self.devices.tumbler.counted(), self.devices.tumbler.steps(), steps_for(LEAST_TUMBLES.0));
        if let Some(round) = &mut self.round {
            round.end_spin(tumbles, Spun { valid, steps, how });
        }
        self.record(Event::SpinEnded { tumbles, valid, steps, needed, how });
        if self.round.as_ref().is_some_and(|round| !round.proves_three(how, tumbles)) {
            self.add_ground(Ground::FewerThanThree);
        }
    }

    /// The steps that were counted, for a person.
    fn found_steps(&self) -> String {
        format!(
            "{} steps of the cam counted; {} prove three full tumbles",
            self.devices.tumbler.steps(),
            steps_for(LEAST_TUMBLES.0)
        )
    }

    /// The shaft stands still after the round's run: judges the spin.
    fn judge_spin(&mut self) {
        let Some(stop) = self.devices.tumbler.stopped_by() else { return };
        let by_dome = matches!(stop, Stop::Guard(line) if line.is_of_dome());
        if by_dome && self.order().covered && matches!(self.devices.dome.place(), Place::Travelling | Place::Unknown) {
            return;
        }
        self.devices.tumbler.clear_stop();
        self.devices.tumbler.disown();
        let unreliable = self.judge_chatter();
        let Some(round) = self.round.as_ref().filter(|r| r.spin() == Spin::Running) else { return };
        let (slow, tumbles) = (round.is_slow(), self.devices.tumbler.counted());
        let verdict =
            judgement::spin(Stood { stop, tumbles, made: round.has_made_spin(), slow, unreliable }, self.rule_set());
        let SpinVerdict { how, valid, slow, void } = verdict;
        self.record_spin(valid, how);
        if valid {
            self.devices.reader.end_spin();
            self.ctx.after(Timer::SettleLimit, Millis(self.ctx.p().settle_limit));
            self.watch_proofs(stop);
        }
        let found = self.found_steps();
        if slow {
            self.latch(Code::Tumbler, format!("the tumbler is slow: {found}"));
        }
        match void {
            None => {}
            Some(SpinVoid::Declared) => self.declare("while the tumbler ran"),
            Some(SpinVoid::Supply) => {
                self.void(VoidReason::Interruption, &format!("the supply dipped during the spin; {found}"))
            }
            Some(SpinVoid::Heat) => {
                // Too hot, or a sensor that jumps or is silent: what was seen is the cause of its latch.
                let latched = self.ledger.malfunction(Code::Temperature);
                let seen = latched.map_or("the motor's temperature ended the spin", |m| &m.cause);
                self.void(VoidReason::Equipment, &format!("{seen}; {found}"));
            }
            Some(SpinVoid::Unreliable) => self.void(VoidReason::Equipment, &found),
            Some(SpinVoid::Misoperated) => {
                self.void_for_tumbler(how, &format!("the tumbler does not operate as it should; {found}"))
            }
            Some(SpinVoid::TooFew) => self.void(VoidReason::FewerThanThree, &found),
        }
    }

    /// The relay is proved by what it stops. A guard line that always breaks before that, or while it is to stop the shaft, would hide
    /// a welded one for ever. A dome that was lifted is no loose contact.
    fn watch_proofs(&mut self, stop: Stop) {
        let Stop::Guard(line) = stop else { return };
        if line.is_of_dome() && self.devices.dome.place() == Place::Open {
            return;
        }
        let missed = self.devices.tumbler.miss_proof();
        if missed > self.ctx.p().flickers {
            let cause = format!(
                "{} broke in {missed} spins in a row before the dead-man relay had stopped the shaft: the relay is not proved",
                line.name()
            );
            self.latch_in_spin(Guard::malfunction(line), cause);
        }
    }

    /// Lets the facts of the round lead to what follows from them.
    pub(super) fn consider(&mut self) {
        if self.devices.tumbler.is_still()
            && self.devices.tumbler.stopped_by().is_some()
            && self.devices.tumbler.runs_for() == Some(RunsFor::Round)
        {
            self.judge_spin();
        }
        // What ended a round or a test before its shaft stood still has not judged the line that ended the run.
        if self.devices.tumbler.is_still() && self.devices.tumbler.runs_for().is_none() && !self.devices.dome_decides()
        {
            self.judge_chatter();
        }
        let Some(round) = &self.round else {
            if let Some(by) = self.service.take_closing() {
                self.close(&by);
            }
            return;
        };
        if round.spin() == Spin::None {
            self.void_without_spin();
            return;
        }
        // A program that was told to stop has seen no shaft come to rest.
        let reveals = round.reveals(self.devices.dome.place() == Place::Open).filter(|_| !self.service.is_stopping());
        if let Some(how) = reveals {
            self.reveal(how);
        }
        if self.round.as_ref().is_some_and(Round::awaits_dice) {
            self.judge_dice();
        }
        if self.round.as_ref().is_some_and(|r| r.entered().is_some() && r.result().is_none() && r.asked().is_none()) {
            self.judge_entry();
        }
    }

    /// A round that waits for a spin which the tumbler may not make any more: no latch opens before the round has ended.
    fn void_without_spin(&mut self) {
        if self.is_asked() {
            return;
        }
        let inhibits = self.ledger.inhibits_motor();
        if let Some(detail) = inhibits.map(|m| format!("the tumbler may not run: {}: {}", m.code, m.cause)) {
            self.void(VoidReason::Equipment, &detail);
        }
    }

    /// The dice may be seen from here on.
    pub(super) fn reveal(&mut self, how: Reveal) {
        let Some(round) = &mut self.round else { return };
        round.reveal(how);
        self.record(Event::Revealed { how });
        self.devices.await_keys(&mut self.ctx);
    }

    /// Whether the reader's poses decide, or the dealer's eye does.
    pub(super) fn reader_in_service(&self) -> bool {
        self.ctx.settings().reader && self.ledger.is_in_service(Code::Reader)
    }

    /// The dice are at rest: judges them by the reader.
    fn judge_dice(&mut self) {
        if !self.reader_in_service() || !self.devices.reader.is_at_rest() {
            return;
        }
        let (tumbled, seen) = (self.devices.reader.tumbled(), self.devices.reader.verdict());
        match judgement::dice(self.is_asked(), tumbled, seen, self.rule_set()) {
            // Given up by the limit for settling.
            DiceVerdict::Open => {}
            DiceVerdict::Flat => {
                self.ctx.clear(Timer::SettleLimit);
                if self.round.as_ref().is_some_and(|r| r.revealed().is_some()) {
                    self.establish(FlatBy::Reader);
                }
            }
            DiceVerdict::NotFlat(dice) => self.void(VoidReason::NotFlat, &format!("{dice} of the dice not lying flat")),
            DiceVerdict::NotTumbled => {
                self.latch(Code::Tumbler, "the reader saw no motion of the dice during the spin".into());
                self.add_ground(Ground::DiceNotTumbled);
                // SGOC-early 5.1.2 asks whether the dice tumbled, and not who sees them now.
                self.add_ground(Ground::Misoperation);
                self.void(VoidReason::Equipment, "the reader saw no motion of the dice during the spin");
            }
            DiceVerdict::Wrong(what) => {
                let found = format!("the reader sees {what}");
                self.latch(Code::Dice, found.clone());
                self.leave_open(Situation::WrongDice, VoidReason::Equipment, &found);
            }
        }
    }

    /// The dice should have come to rest by now.
    pub(super) fn never_at_rest(&mut self) {
        let Some(round) = &self.round else { return };
        let (at_rest, seen) = (self.devices.reader.is_at_rest(), self.devices.reader.verdict());
        match round.judge_unrest(self.reader_in_service(), at_rest, seen) {
            UnrestVerdict::Nothing => {}
            UnrestVerdict::Unseen => self.latch(Code::Reader, "the reader cannot say how the dice lie".into()),
            UnrestVerdict::NeverAtRest => self.void(VoidReason::NotFlat, "the dice do not come to rest"),
        }
    }

    /// The outcome is established: nothing but damaged dice voids the round from here on.
    pub(super) fn establish(&mut self, flat: FlatBy) {
        let Some(round) = &mut self.round else { return };
        round.establish(flat);
        // Not before: the faces of dice that do not lie flat are nobody's business.
        if self.reader_in_service() {
            self.devices.reader.want_faces();
        }
        self.ctx.clear(Timer::SettleLimit);
        self.record(Event::Established { flat });
        // Dice that everybody sees lie flat may not be forgotten by a power cut (SGV6 5.4.1).
        self.sequence.gather();
    }

    /// Dice at rest moved although nothing may move them.
    pub(super) fn dice_moved(&mut self) {
        let Some(round) = &self.round else { return };
        let verdict = round.judge_moved(self.devices.tumbler.is_still(), self.devices.reader.faces_due());
        if verdict == MovedVerdict::Nothing {
            return;
        }
        self.latch(Code::Interference, "the dice moved after they had settled".into());
        if verdict == MovedVerdict::Noted {
            self.record(Event::noted(Remark::DiceMoved, "the dice moved after they had settled".into()));
        } else {
            self.ask_person(Doubt::Knocked);
        }
    }
}
