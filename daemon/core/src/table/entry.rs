//! The result: keyed on the terminal, checked against the dice, lit, settled.

use super::{Table, evidence};
use crate::device::bus::Unit;
use crate::effect::KeyTold;
use crate::hardware_test::Signal;
use crate::latch::Code;
use crate::line::Key;
use crate::prelude::*;
use crate::record::{Decision, Event, Lit};
use crate::refusal::{Asked, Refusal};
use crate::round::call;
use crate::round::judgement::{Amendment, EntryVerdict, Pressed, Reading};
use crate::round::state::Areas;
use crate::round::{FlatBy, Round};
use crate::sequence::Action;
use crate::timer::Timer;
use crate::units::{Dice, DieFace, Millis, Mono};

impl Table {
    /// A key of the terminal.
    pub(super) fn key(&mut self, key: Key) {
        self.tap(Signal::Pressed(key));
        if self.test.as_mut().is_some_and(|test| test.press_key(key)) || self.probes_keys() {
            self.ctx.note_change();
            self.ctx.tell_key(KeyTold::SomeKey);
            return;
        }
        match key {
            Key::Hidden => self.ctx.tell_key(KeyTold::SomeKey),
            Key::Digit(face) => {
                self.ctx.tell_key(KeyTold::Digit(face.pips()));
                self.digit(face);
            }
            Key::Entry => {
                self.ctx.tell_key(KeyTold::Entry);
                self.entry();
            }
        }
    }

    fn digit(&mut self, face: DieFace) {
        if self.round.as_ref().is_some_and(Round::takes_digits) {
            self.devices.terminal.key(face, &mut self.ctx);
            self.ctx.note_change();
            self.result_comes_back();
        }
    }

    /// What the display shows now gives way to the result, once it has been seen (NZ 3.3(a)(iii)).
    fn result_comes_back(&mut self) {
        if self.round.as_ref().is_some_and(|round| round.result().is_some()) {
            self.ctx.after(Timer::ResultBack, Millis(self.ctx.p().result_back));
        }
    }

    /// The display shows the result, and no number keyed since counts.
    pub(super) fn show_result(&mut self) {
        let Some(dice) = self.round.as_ref().and_then(|round| round.result()) else { return };
        let shown = dice.pips().iter().fold(0, |shown, pips| shown << 4 | u16::from(*pips));
        self.devices.terminal.take();
        self.devices.terminal.want(shown, &mut self.ctx);
        self.ctx.note_change();
    }

    fn entry(&mut self) {
        let Some(round) = &self.round else { return };
        match round.hear_entry(self.devices.terminal.digits(), self.rule_set()) {
            Ok(Pressed::Nothing) => {}
            Ok(Pressed::AllPaid) => self.entry_all_paid(),
            Ok(Pressed::Numbers(dice)) => {
                self.devices.terminal.take();
                if let Some(round) = &mut self.round {
                    round.enter(dice);
                }
            }
            Err(why) => self.entry_error(&why),
        }
    }

    fn entry_all_paid(&mut self) {
        let Some(round) = &self.round else { return };
        match self.may_be_paid(round, self.devices.terminal.pressed_after()) {
            Ok(()) => self.settle_round(None),
            Err(why) => self.entry_error(&why),
        }
    }

    /// Whether "all paid" counts that was said after this moment; otherwise why not.
    pub(super) fn may_be_paid(&self, round: &Round, said_after: Mono) -> Result<(), Refusal> {
        // Where areas cannot be lit or proved, wagers are settled by the dice (NZ 7.3, SGV6 5.10).
        round.may_be_paid(said_after, Millis(self.ctx.p().all_paid), self.ledger.can_prove_areas())
    }

    /// The game supervisor sees wrong numbers amended, which the dealer keys (NZ 7.2).
    pub(super) fn supervise(&mut self, by: &str) -> Result<String, Refusal> {
        let Some(round) = self.round.as_mut().filter(|round| round.awaits_supervisor()) else {
            return Err(Refusal::NothingToSupervise);
        };
        round.supervise();
        self.record(Event::Supervised { by: by.to_owned() });
        self.devices.terminal.clear(&mut self.ctx);
        self.sequence.hurry();
        Ok("the dealer keys the numbers that the dice show".into())
    }

    /// The entry is no result: the terminal says so.
    fn entry_error(&mut self, why: &Refusal) {
        self.devices.terminal.refuse(&mut self.ctx);
        self.record_by(why.keys(Asked::Entry), Event::EntryError { code: why.code().to_owned(), why: why.to_string() });
        self.result_comes_back();
    }

    /// Three digits and entry were keyed: takes them as the result once the dice agree.
    pub(super) fn judge_entry(&mut self) {
        let Some(round) = &self.round else { return };
        let Some(entered) = round.entered() else { return };
        let (verdict, established) = (round.judge_entry(entered, self.reading()), round.established().is_some());
        match verdict {
            EntryVerdict::Open => {}
            EntryVerdict::Differs(read) => {
                let amends = self.rule_set().is_some_and(|rules| rules.duties.supervisor_sees_amendments);
                if let Some(round) = &mut self.round {
                    round.differ(amends);
                }
                self.record(Event::EntryDiffers { entered, read });
                self.devices.terminal.refuse(&mut self.ctx);
                self.sequence.hurry();
            }
            EntryVerdict::Result => {
                if !established {
                    self.establish(FlatBy::Dealer);
                }
                self.take_result(entered, true);
            }
        }
    }

    /// What is known of the reader, where numbers are judged.
    pub(super) fn reading(&self) -> Reading {
        Reading {
            in_service: self.reader_in_service(),
            lost: self.devices.bus.unit(Unit::Reader).is_lost(),
            faces: self.devices.reader.faces(),
        }
    }

    /// The result stands: recorded, and its areas lit once that is durable. `keyed`: on the terminal.
    pub(super) fn take_result(&mut self, dice: Dice, keyed: bool) {
        let areas = self.layout().map(|l| l.winning(dice)).unwrap_or_default();
        let Some(round) = &mut self.round else { return };
        round.take_result(dice, self.ctx.at());
        let id = round.id();
        self.devices.terminal.take();
        let areas = areas.into_iter().map(|a| a.id).collect();
        let result = Event::Result { dice, total: dice.total(), call: call::result(dice), areas };
        self.record_by(evidence::result(dice, keyed), result);
        self.sequence.hold(Action::Light(id, dice));
    }

    /// The wagers are settled: the round is over.
    pub(super) fn settle_round(&mut self, by: Option<String>) {
        let Some((dice, areas)) = self.round.as_ref().and_then(|r| Some((r.result()?, r.areas()))) else { return };
        let lamps = if areas == Areas::Proved { Lit::Proved } else { Lit::ByTheDice };
        self.record(Event::Settled { dice, total: dice.total(), lamps, by });
        self.end_round(Some(dice), None);
    }

    /// Whether numbers may be told on the console; where the text has them keyed (NZ 6.4), only once terminal or lamps have failed
    /// (NZ 7.3).
    pub(super) fn may_be_entered_here(&self) -> Result<(), Refusal> {
        let enters = self.rule_set().is_some_and(|rules| rules.duties.terminal_enters);
        if enters && self.ledger.is_in_service(Code::Terminal) && self.ledger.can_prove_areas() {
            return Err(Refusal::EnteredOnTerminal { clause: self.clause("entry") });
        }
        Ok(())
    }

    /// The supervisor amends the result (NZ 7.2), or upholds an entry against the reader.
    pub(super) fn amend(&mut self, dice: Dice, uphold: bool, by: &str) -> Result<String, Refusal> {
        let Some(round) = &self.round else {
            return Err(Refusal::ResultStands);
        };
        let (from, differs) = match round.judge_amendment(dice, uphold, self.reading())? {
            Amendment::Upholds { differs } => {
                // NZ 7.2: "after the entry button has been pressed".
                let keyed = round.differed();
                if keyed.is_none() && !round.awaits_supervisor() {
                    self.may_be_entered_here()?;
                }
                self.uphold(dice, by, differs);
                self.take_result(dice, keyed == Some(dice));
                return Ok(format!("upheld: {}", call::result(dice)));
            }
            Amendment::Replaces { from, differs } => (from, differs),
        };
        if differs {
            self.uphold(dice, by, true);
        }
        let areas = self.areas(self.layout().map_or(0, |l| l.lit_bits(dice)));
        let Some(round) = &mut self.round else { return Err(Refusal::NoRound) };
        round.amend(dice, self.ctx.at());
        let id = round.id();
        self.sequence.drop_held(|a| matches!(a, Action::Light(..) | Action::Show(..)));
        self.record(Event::Amended { from, to: dice, by: by.to_owned() });
        let result = Event::Result { dice, total: dice.total(), call: call::result(dice), areas };
        self.record_by(evidence::result(dice, false), result);
        self.devices.lamps.darken(&mut self.ctx);
        self.sequence.hold(Action::Show(id, dice));
        self.sequence.hold(Action::Light(id, dice));
        Ok(format!("amended to {}", call::result(dice)))
    }

    /// The dice are authoritative: if they show what was keyed, the reader is wrong.
    fn uphold(&mut self, dice: Dice, by: &str, differs: bool) {
        if let Some(round) = &mut self.round {
            round.uphold();
            if round.established().is_none() {
                self.establish(FlatBy::Supervisor);
            }
        }
        self.record(Event::dice_show(Decision::Upheld, dice, "upheld against the dice reader", by));
        if differs {
            self.latch(Code::Reader, "the reader shows other faces than a person upheld".into());
        }
    }
}
