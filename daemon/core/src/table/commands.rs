//! What people ask on the console: the role, the key switch and the facts decide; refusals are recorded, but for those of a flood.

use super::Table;
use super::question::stated;
use crate::access;
use crate::device::dome::Place;
use crate::latch::{Code, Waiver};
use crate::ledger::Ledger;
use crate::prelude::*;
use crate::proof::{Purpose, Test};
use crate::record::{Decision, Event};
use crate::refusal::{Asked, Refusal};
use crate::round::ending::{Ground, VoidReason};
use crate::round::judgement::{self, VoidVerdict};
use crate::round::{FlatBy, Reveal};
use crate::units::{Dice, Millis, RoundId};
use crate::wire::console::{Answer, Caller, Command, Exit};

/// What came of a command: an answer now, or one that comes when a test ends.
type Result = core::result::Result<Option<String>, Refusal>;

impl Table {
    /// Carries a command out, or refuses it.
    pub(super) fn command(&mut self, request: u64, caller: &Caller, command: &Command) {
        self.ctx.note_change();
        let what = asked(command);
        let facts = access::Facts {
            key: self.devices.key.is_granted(),
            key_lasts: Millis(self.ctx.p().key_privilege),
            measuring: self.is_measuring(),
        };
        let allowed = access::may_ask(caller, command, facts);
        self.asker = Some(caller.who());
        let done = allowed.and_then(|()| self.carry_out(request, caller, command));
        match done {
            Ok(None) => {}
            Ok(Some(done)) => self.answer(request, Answer::Done(done)),
            Err(why) => {
                if let Some(left_out) = self.refusals.refusal(&caller.account, self.ctx.at()) {
                    self.refuse(what, Some(&caller.account), &why, left_out);
                }
                self.answer(request, Answer::from(&why));
            }
        }
        self.asker = None;
    }

    /// A refusal changes nothing and is told at once; "done" is told when it is durable.
    pub(super) fn answer(&mut self, request: u64, answer: Answer) {
        match answer {
            Answer::Done(done) => self.sequence.answer(request, done),
            Answer::Refused { .. } => self.ctx.reply(request, answer),
        }
    }

    fn carry_out(&mut self, request: u64, caller: &Caller, command: &Command) -> Result {
        match command {
            Command::Record => {
                self.recordings.recording(&caller.account, self.ctx.at())?;
                // Nothing of it is in the journal: it is done whether that can be written or not.
                self.ctx.dump("record", Some(request));
                Ok(None)
            }
            Command::Open { name } => self.open_table(name, request),
            Command::Witness { item, right, .. } => self.witness(*item, *right).map(Some),
            Command::Close { name } => self.close_command(name),
            Command::Maintenance { on, name } => self.maintain(*on, name),
            Command::HardwareTest { test, name } => self.test_hardware(*test, name, request),
            Command::Reset { code, exit, name } => self.reset(*code, exit, name, request),
            Command::Amend { dice, uphold, name } => self.amend(*dice, *uphold, name).map(Some),
            Command::Void { reason, damaged_dice, not_flat, name } => {
                self.void_command(reason, *damaged_dice, *not_flat, name, caller.manager)
            }
            Command::Finding { finding, reason, name } => {
                self.answer_question(*finding, reason, name, caller.manager).map(Some)
            }
            Command::Supervise { name } => self.supervise(name).map(Some),
            Command::Correct { round, reason, name } => self.correct(*round, reason, name),
            Command::VoidAfterwards { round, reason, name } => self.void_afterwards(*round, reason, name),
            Command::ConfirmDome { reason, name } => self.confirm_dome(reason, name),
            Command::Settle { dice, reason, name } => self.settle_command(*dice, reason, name),
            Command::EnrolDice { reason, name } => self.enrol(reason, name),
        }
    }

    pub(super) fn idle(&self) -> core::result::Result<(), Refusal> {
        if let Some(round) = &self.round {
            return Err(Refusal::RoundInProgress(round.id()));
        }
        if self.is_testing() {
            return Err(Refusal::Testing);
        }
        Ok(())
    }

    /// A reboot closes a table in mid-round. Where that round's spin is still to come (New Zealand, the early Open Cover edition), it goes
    /// on once the table is open.
    fn open_table(&mut self, name: &str, request: u64) -> Result {
        if let Some(round) = &self.round {
            round.may_be_opened_in()?;
        }
        if self.is_testing() {
            return Err(Refusal::Testing);
        }
        if self.service.is_open() {
            return Err(Refusal::OpenAlready);
        }
        if let Some(m) = self.ledger.first() {
            return Err(Refusal::ResetFirst(m.code, m.cause.clone()));
        }
        if let Some(who) = self.service.maintenance() {
            return Err(Refusal::InMaintenance(who.to_owned()));
        }
        self.begin_test(Purpose::Opening, name, request);
        Ok(None)
    }

    fn close_command(&mut self, name: &str) -> Result {
        if self.is_testing() {
            self.test_failed("called off");
        }
        if !self.service.is_open() {
            return Ok(Some("the table is closed".into()));
        }
        if self.round.is_some() {
            self.record(Event::Closing { by: name.to_owned() });
            self.service.close_after_round(name);
            return Ok(Some("the table closes when the round has ended".into()));
        }
        self.close(name);
        Ok(Some("the table is closed".into()))
    }

    fn maintain(&mut self, on: bool, name: &str) -> Result {
        self.idle()?;
        if on == self.service.maintenance().is_some() {
            return Err(if on { Refusal::InMaintenanceAlready } else { Refusal::NotInMaintenance });
        }
        if on {
            self.close(name);
        }
        if on {
            self.service.begin_maintenance(name);
        } else {
            self.service.end_maintenance();
        }
        self.record(Event::Maintenance { on, by: name.to_owned() });
        self.sequence.hurry();
        Ok(Some(
            if on { "maintenance: no game can start" } else { "maintenance has ended: the table is closed" }.into(),
        ))
    }

    fn reset(&mut self, code: Code, exit: &Exit, name: &str, request: u64) -> Result {
        self.idle()?;
        self.devices.key.may_reset(self.ledger.to_reset(code)?)?;
        match exit {
            Exit::Rectified => {
                self.begin_test(Purpose::Reset(code), name, request);
                Ok(None)
            }
            Exit::Procedure(procedure) => {
                Ledger::may_be_waived(code, procedure, self.service.is_open())?;
                self.ledger.waive(Waiver { code, procedure: procedure.clone(), by: name.to_owned() });
                self.unlatch(code, exit, name);
                Ok(Some(format!("until the table closes, a procedure replaces {code}: {procedure}")))
            }
        }
    }

    fn void_command(&mut self, reason: &str, damaged: bool, not_flat: bool, name: &str, manager: bool) -> Result {
        if damaged {
            stated(reason)?;
            return self.damaged(reason, name);
        }
        let Some(round) = &self.round else {
            return Err(Refusal::NothingToVoid);
        };
        stated(reason)?;
        let verdict = round.may_be_voided(not_flat, self.reader_in_service(), self.is_motor_held(), self.rule_set())?;
        if let VoidVerdict::Decision { left_to_manager } = verdict {
            access::may_decide(manager, left_to_manager)?;
        }
        // What only the shift manager or above decides; the other decisions are of matters that the rules provide for.
        let (kind, keys) = if not_flat { (Decision::NotFlat, &[][..]) } else { (Decision::Void, &["supervisor"][..]) };
        self.record_by(keys, Event::decided(kind, reason, name));
        match verdict {
            VoidVerdict::NotFlat { disputed } => {
                if disputed {
                    self.dispute_reader();
                }
                self.void_by(VoidReason::NotFlat, reason, name);
            }
            VoidVerdict::Decision { .. } => self.void_by(VoidReason::Supervisor, reason, name),
        }
        Ok(Some(self.void_done()))
    }

    /// One of the two is wrong: no game before somebody has found out which.
    pub(super) fn dispute_reader(&mut self) {
        self.latch(Code::Reader, "the reader finds dice flat of which a person says that one does not lie flat".into());
    }

    /// What a person is told who voided the round; Singapore's texts have its bets returned (5.12), the others do not speak of them.
    pub(super) fn void_done(&self) -> String {
        let clause = self.clause("void-returned").to_string();
        if clause.is_empty() {
            "the round is void".to_owned()
        } else {
            format!("the round is void; all its bets are returned ({clause})")
        }
    }

    /// A person found a die damaged: the round in progress is void, unless its result stands.
    fn damaged(&mut self, reason: &str, name: &str) -> Result {
        let (kind, voids, done) = match &self.round {
            None => (
                Decision::DiceDamaged,
                false,
                "the dice are out of service; `void-afterwards` is for rounds that they affected".into(),
            ),
            Some(round) if round.outlives_damage(self.rule_set()) => {
                let clause = self.clause("result-stands");
                let done =
                    format!("the result stands ({clause}): it was established before; the dice are out of service");
                (Decision::DiceDamagedResultStands, false, done)
            }
            // A supervisor's choice is no ground where the text has none for damage (NZ 7.1).
            Some(_) if !judgement::damage_voids(self.rule_set()) => (
                Decision::DiceDamaged,
                false,
                format!("the round is not void by it ({}); the dice are out of service", self.clause("no-spin")),
            ),
            Some(_) => (Decision::DiceDamagedVoid, true, self.void_done()),
        };
        self.record(Event::decided(kind, reason, name));
        if voids {
            self.void_by(VoidReason::DamagedDice, reason, name);
        }
        self.dice_damaged(format!("a die is damaged: {reason}"));
        self.sequence.hurry();
        Ok(Some(done))
    }

    /// The dice are out of service. A test that is to prove the very dice does not pass with them.
    fn dice_damaged(&mut self, found: String) {
        if self.test.as_ref().is_some_and(Test::proves_dice) {
            self.test_failed(&found);
        }
        self.latch(Code::Dice, found);
    }

    /// The round with this number, if it has ended; otherwise why nothing can be said of it afterwards.
    fn ended(&self, round: RoundId, reason: &str) -> core::result::Result<(), Refusal> {
        if self.round.as_ref().is_some_and(|r| r.id() == round) {
            return Err(Refusal::VoidIsForIt);
        }
        if round.0 == 0 || round > self.history.last() {
            return Err(Refusal::NoSuchRound { round, last: self.history.last() });
        }
        stated(reason)?;
        Ok(())
    }

    /// SG 5.6, "all affected rounds": each by the rules of its own round, the one in progress among them. The first ending
    /// stays, and so does an earlier finding.
    fn void_afterwards(&mut self, round: RoundId, reason: &str, name: &str) -> Result {
        self.ended(round, reason)?;
        if self.history.was_void(round) {
            return Err(Refusal::VoidAlready(round));
        }
        let Some(rules) = self.history.rules_of(round) else {
            return Err(Refusal::RulesForgotten(round));
        };
        let found = format!("dice damaged in round {}: {reason}", round.0);
        let (event, done) = if !judgement::damage_voids(Some(rules)) {
            let clause = rules.clause("result-stands");
            let done = format!(
                "the result of round {} stands ({clause}); the finding is recorded, and the dice are out of service",
                round.0
            );
            (Event::Corrected { round, reason: reason.to_owned(), by: name.to_owned() }, done)
        } else {
            self.history.affect(round, reason);
            let clauses = rules.void_clauses(&[Ground::DamagedDice]);
            let done = format!(
                "round {} is recorded as voided afterwards; its first ending stays, and the dice are out of service",
                round.0
            );
            (Event::VoidedAfterwards { round, reason: reason.to_owned(), clauses, by: name.to_owned() }, done)
        };
        self.record(event);
        if judgement::damage_voids(self.rule_set()) {
            self.void_by(VoidReason::DamagedDice, &found, name);
        }
        self.dice_damaged(found);
        self.sequence.hurry();
        Ok(Some(done))
    }

    /// SG 5.8: an error that is noticed late changes no later round; it is written down all the same.
    fn correct(&mut self, round: RoundId, reason: &str, name: &str) -> Result {
        self.ended(round, reason)?;
        // SGV6 5.8: "not noticed until after the commencement of a subsequent Round of play".
        let keys: &[&str] = if round < self.history.last() { &["late-error"] } else { &[] };
        self.record_by(keys, Event::Corrected { round, reason: reason.to_owned(), by: name.to_owned() });
        self.sequence.hurry();
        Ok(Some(format!("written down beside round {}; no round is changed by it", round.0)))
    }

    fn confirm_dome(&mut self, reason: &str, name: &str) -> Result {
        let round = self.round.as_ref().ok_or(Refusal::NoDomeToConfirm)?;
        round.may_be_confirmed(self.devices.tumbler.is_still(), self.devices.dome.place() == Place::Open)?;
        stated(reason)?;
        self.record(Event::decided(Decision::DomeOpen, reason, name));
        self.reveal(Reveal::Confirmed);
        self.latch(Code::Dome, "the supervisor saw the dome open although its contacts say otherwise".into());
        Ok(Some("confirmed: the round is settled by the dice".into()))
    }

    fn settle_command(&mut self, dice: Option<Dice>, reason: &str, name: &str) -> Result {
        let Some(round) = &self.round else { return Err(Refusal::NothingToSettle) };
        stated(reason)?;
        self.may_be_entered_here()?;
        match (round.result(), dice) {
            (Some(result), Some(dice)) if result != dice => {
                return Err(Refusal::AnotherResult);
            }
            (Some(_), _) => {}
            (None, None) => return Err(Refusal::SayTheDice),
            (None, Some(dice)) => {
                round.may_be_told(dice, self.reading())?;
                if round.established().is_none() {
                    self.establish(FlatBy::Supervisor);
                }
                self.take_result(dice, false);
                self.record(Event::dice_show(Decision::DiceShow, dice, reason, name));
                return Ok(Some("the result stands; `settle` again once all are paid".into()));
            }
        }
        self.may_be_paid(round, self.ctx.at())?;
        self.record(Event::decided(Decision::SettledByDice, reason, name));
        self.settle_round(Some(name.to_owned()));
        Ok(Some("the round is settled by the dice".into()))
    }

    fn enrol(&mut self, reason: &str, name: &str) -> Result {
        self.idle()?;
        let Some(dice) = self.devices.reader.identities().filter(|_| self.ctx.settings().reader) else {
            return Err(Refusal::NoDiceSeen);
        };
        stated(reason)?;
        self.devices.reader.enrol(dice);
        self.record(Event::DiceEnrolled { dice, by: name.to_owned() });
        self.record(Event::decided(Decision::DiceEnrolled, reason, name));
        self.sequence.hurry();
        let [a, b, c] = dice;
        Ok(Some(format!("enrolled dice {a}, {b}, {c}")))
    }
}

/// What a command asks, for the record of a refusal.
const fn asked(command: &Command) -> Asked {
    match command {
        Command::Open { .. } => Asked::Open,
        Command::Witness { .. } => Asked::Witness,
        Command::Close { .. } => Asked::Close,
        Command::Maintenance { .. } => Asked::Maintenance,
        Command::HardwareTest { .. } => Asked::HardwareTest,
        Command::Reset { .. } => Asked::Reset,
        Command::Amend { .. } => Asked::Amend,
        Command::Void { .. } => Asked::Void,
        Command::Finding { .. } => Asked::Finding,
        Command::Supervise { .. } => Asked::Supervise,
        Command::Correct { .. } => Asked::Correct,
        Command::VoidAfterwards { .. } => Asked::VoidAfterwards,
        Command::ConfirmDome { .. } => Asked::ConfirmDome,
        Command::Settle { .. } => Asked::Settle,
        Command::EnrolDice { .. } => Asked::EnrolDice,
        Command::Record => Asked::Record,
    }
}
