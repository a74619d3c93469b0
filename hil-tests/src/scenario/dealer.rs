//! The people at the table as they go on, whatever the table does: they open a closed table, play the round in its
//! order, look at the dice themselves where a device fails them, and call the supervisor. They stop where nothing goes on.

use super::check::kind;
use super::order::{self, Deed};
use super::run::{Halt, Runner};
use tumbler_bench::witnessed;
use tumbler_core::line::InLine;
use tumbler_core::round::{Doubt, Finding};
use tumbler_core::snapshot::{Phase, Snapshot};
use tumbler_core::units::Dice;
use tumbler_core::wire::console::Command;
use tumbler_twin::{Act, MS};

/// The supervisor.
const NAME: &str = "Mei";
/// A spin with its limit, and the dice's settling.
const SPIN_MILLIS: u64 = 15_000;
/// The limit for settling, and a moment to look.
const OUTCOME_MILLIS: u64 = 8_000;
/// How often a dealer presses a button that does not answer, and for how long the answer is waited for: records that
/// nothing waits for are durable after 200 ms.
const PRESSES: u32 = 5;
const PRESSED_MILLIS: u64 = 300;
/// Within this the table shows what came of a key or a button.
const SHOWN_MILLIS: u64 = 2_500;

fn name() -> String {
    NAME.to_owned()
}

impl Runner<'_> {
    /// Goes on until a round has ended, or until the table blocks or refuses to be opened. A round that ended by itself
    /// since the last `mark` or the last going on is looked at, and no more.
    pub(super) fn go_on(&mut self) -> Result<(), Halt> {
        // What just happened comes to light and is durable.
        self.pass(300)?;
        if self.ended_rounds() > self.known_endings {
            self.known_endings += 1;
            return self.pass(1500);
        }
        let Some(table) = self.bench.snapshot()? else { return Ok(()) };
        self.next_round();
        if table.round.is_none() {
            // The order of play begins anew, however far the dealer came with a table that refused.
            self.done = 0;
            self.catch_up();
            self.round_from = self.seen.len();
        }
        if table.round.is_none() && !self.ready_to_play(&table)? {
            return Ok(());
        }
        let order = order::of(&self.trial.rules);
        self.say_what_is_asked()?;
        while let Some((deed, _)) = order.get(self.done) {
            if self.over()? {
                break;
            }
            self.done += 1;
            self.go_on_with(*deed)?;
            self.say_what_is_asked()?;
        }
        if !self.over()? && self.bench.snapshot()?.is_some_and(|s| s.round.is_some()) {
            // SG 5.14: what the rules leave open is decided by a person.
            let reason = "the round cannot be played to its end".into();
            self.decide(Command::Void { reason, damaged_dice: false, not_flat: false, name: name() })?;
        }
        // The table shows what the round left behind.
        self.pass(1500)?;
        self.known_endings = self.ended_rounds();
        Ok(())
    }

    /// A person who is asked what became of the dice says what there is to see.
    pub(super) fn say_what_is_asked(&mut self) -> Result<(), Halt> {
        let Some(question) = self.bench.snapshot()?.and_then(|shown| shown.question) else { return Ok(()) };
        let seen = self.bench.physical();
        let finding = match question.why {
            Doubt::Dice => Finding::CannotTell,
            _ if seen.flat != [true; 3] && seen.dome_up => Finding::NotFlat,
            Doubt::Knocked => Finding::CannotTell,
            Doubt::Interrupted => Finding::Undisturbed,
        };
        let said = |finding| Command::Finding { finding, reason: "as seen".into(), name: name() };
        if !self.decide(said(finding))? && finding == Finding::NotFlat {
            // By the records the dice are covered, and nobody may have seen them.
            self.decide(said(Finding::CannotTell))?;
        }
        Ok(())
    }

    /// How many rounds have ended so far.
    pub(super) fn ended_rounds(&mut self) -> usize {
        self.catch_up();
        self.seen.iter().filter(|record| matches!(kind(record), "settled" | "voided")).count()
    }

    /// Leaves maintenance and opens the table, as far as it lets itself be opened.
    fn ready_to_play(&mut self, table: &Snapshot) -> Result<bool, Halt> {
        if !table.malfunctions.is_empty() {
            return Ok(false);
        }
        if table.phase == Phase::Maintenance && !self.supervise(Command::Maintenance { on: false, name: name() })? {
            return Ok(false);
        }
        if self.bench.snapshot()?.is_some_and(|s| s.open) {
            return Ok(true);
        }
        if order::covered(&self.trial.rules) && self.bench.physical().dome_up {
            self.bench.act(Act::LowerDome)?;
        }
        self.pass(1500)?;
        if !self.supervise(Command::Open { name: name() })? {
            return Ok(false);
        }
        self.press_every_key()?;
        for item in witnessed(self.trial.reader) {
            if !self.supervise(Command::Witness { item, right: true, name: name() })? {
                return Ok(false);
            }
        }
        self.until(SHOWN_MILLIS, |runner| Ok(runner.bench.snapshot()?.is_some_and(|s| s.open)))
    }

    /// Whether this round has ended, or the table is blocked with no round in progress.
    fn over(&mut self) -> Result<bool, Halt> {
        if self.recorded("settled") || self.recorded("voided") {
            return Ok(true);
        }
        Ok(self.bench.snapshot()?.is_none_or(|s| s.phase == Phase::Blocked))
    }

    /// Whether this round has such a record.
    fn recorded(&mut self, wanted: &str) -> bool {
        self.catch_up();
        self.seen.iter().skip(self.round_from).any(|record| kind(record) == wanted)
    }

    /// Lets time pass until something is so, at most so long, or until the round is over: whether it is so.
    fn until(&mut self, millis: u64, so: impl Fn(&mut Self) -> Result<bool, Halt>) -> Result<bool, Halt> {
        let end = self.bench.now() + millis * MS + self.bench.grace();
        loop {
            if so(self)? {
                return Ok(true);
            }
            if self.bench.now() >= end || self.over()? {
                return Ok(false);
            }
            self.bench.pass(end)?;
        }
    }

    fn go_on_with(&mut self, deed: Deed) -> Result<(), Halt> {
        match deed {
            Deed::Cover => {
                if order::covered(&self.trial.rules) && self.bench.physical().dome_up {
                    self.bench.act(Act::LowerDome)?;
                    self.pass(400)?;
                }
                Ok(())
            }
            Deed::Tumble => {
                self.go_on_with(Deed::Cover)?;
                self.push_until(InLine::Tumble, &["spin-began", "refused"])?;
                self.until(SHOWN_MILLIS, |runner| Ok(runner.bench.physical().shaft_moves)).map(drop)
            }
            Deed::AwaitSpun => {
                if self.until(SPIN_MILLIS, |runner| Ok(runner.recorded("spin-ended")))? {
                    self.until(SHOWN_MILLIS, |runner| Ok(!runner.bench.physical().dice_move))?;
                }
                Ok(())
            }
            Deed::PlaceBets => self.push_until(InLine::PlaceBets, &["called"]),
            Deed::NoMoreBets => self.push_until(InLine::NoMoreBets, &["called"]),
            Deed::Uncover => self.bench.act(Act::LiftDome).map_err(Into::into),
            Deed::AwaitOutcome => self.see_the_dice(),
            Deed::Enter => self.enter_what_lies_there(),
            Deed::AllPaid => {
                self.collect_and_pay()?;
                self.keys(&[7])?;
                if !self.until(SHOWN_MILLIS, |runner| Ok(runner.recorded("settled")))? {
                    self.settle(None)?;
                }
                Ok(())
            }
        }
    }

    /// Presses again where nothing came of it: a contact that chatters may make no press.
    fn push_until(&mut self, line: InLine, came: &[&str]) -> Result<(), Halt> {
        for _ in 0..PRESSES {
            self.catch_up();
            let before = self.seen.len();
            self.push(line)?;
            let came = |runner: &mut Self| {
                runner.catch_up();
                Ok(runner.seen.iter().skip(before).any(|record| came.contains(&kind(record))))
            };
            if self.until(PRESSED_MILLIS, came)? {
                break;
            }
        }
        Ok(())
    }

    fn push(&mut self, line: InLine) -> Result<(), Halt> {
        self.bench.act(Act::Press { line, millis: 120 })?;
        self.pass(200)
    }

    /// The dealer's own eye where no reader says how the dice lie, the supervisor's where the dome's contacts lie.
    fn see_the_dice(&mut self) -> Result<(), Halt> {
        let revealed = |runner: &mut Self| Ok(runner.recorded("revealed"));
        if !self.until(SHOWN_MILLIS, revealed)? && self.bench.physical().dome_up && !self.over()? {
            let reason = "the dome is open".into();
            self.supervise(Command::ConfirmDome { reason, name: name() })?;
        }
        let by_eye = !self.trial.reader || self.latched_now("reader")?;
        if !by_eye {
            self.until(OUTCOME_MILLIS, |runner| Ok(runner.recorded("established") || runner.latched_now("reader")?))?;
        }
        if self.over()? || self.bench.physical().flat == [true; 3] {
            return Ok(());
        }
        self.push(InLine::NoSpin)?;
        if !self.until(SHOWN_MILLIS, |runner| Ok(runner.recorded("voided")))? {
            let reason = "a die does not lie flat".into();
            self.supervise(Command::Void { reason, damaged_dice: false, not_flat: true, name: name() })?;
        }
        Ok(())
    }

    fn latched_now(&mut self, code: &str) -> Result<bool, Halt> {
        Ok(self.bench.snapshot()?.is_some_and(|s| s.malfunctions.iter().any(|m| m.code.name() == code)))
    }

    /// Keys what the dice show. Where the table takes it for wrong, the supervisor upholds it; where the terminal does
    /// not work, the supervisor settles by the dice (NZ 7.3, SG 5.10).
    fn enter_what_lies_there(&mut self) -> Result<(), Halt> {
        self.pass(600)?;
        let faces = self.bench.physical().faces;
        let Ok(dice) = Dice::from_pips(faces) else { return Ok(()) };
        let [a, b, c] = faces;
        self.keys(&[a, b, c, 7])?;
        if !self.until(SHOWN_MILLIS, |runner| Ok(runner.recorded("result")))? && !self.over()? {
            if self.recorded("entry-differs") && self.supervise(Command::Supervise { name: name() })? {
                self.keys(&[a, b, c, 7])?;
                self.until(SHOWN_MILLIS, |runner| Ok(runner.recorded("result")))?;
            }
            let differs = self.recorded("entry-differs") || self.recorded("entry-error");
            if self.recorded("result") {
                return self.see_the_lamps();
            }
            if !differs || !self.supervise(Command::Amend { dice, uphold: true, name: name() })? {
                return self.settle(Some(dice));
            }
        }
        self.see_the_lamps()
    }

    fn see_the_lamps(&mut self) -> Result<(), Halt> {
        let proved = |runner: &mut Self| Ok(runner.recorded("lamps-verified") || runner.latched_now("lamps")?);
        self.until(OUTCOME_MILLIS, proved).map(drop)
    }

    fn settle(&mut self, dice: Option<Dice>) -> Result<(), Halt> {
        if self.over()? {
            return Ok(());
        }
        if dice.is_some() {
            self.supervise(Command::Settle { dice, reason: "by the dice".into(), name: name() })?;
            self.see_the_lamps()?;
        }
        self.collect_and_pay()?;
        self.supervise(Command::Settle { dice: None, reason: "by the dice".into(), name: name() })?;
        self.until(SHOWN_MILLIS, |runner| Ok(runner.recorded("settled"))).map(drop)
    }
}
