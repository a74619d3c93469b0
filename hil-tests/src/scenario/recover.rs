//! Mending everything, and leading a mended table back to play by the lawful exits: what technician and supervisor do
//! after a fault.
//!
//! ```text
//!  off ──power, start──> runs ──void | settle by the dice──> no round ──reset each latch──> nothing latched
//!                                                                │  (dice: enrol; dome: lift and lower)
//!                          playable <──opening tests── closed <──┘ waivers end, maintenance off
//! ```

use super::attend::Attendant;
use super::harm::Broken;
use super::run::{Halt, Runner};
use super::step::{Change, Step};
use tumbler_bench::Role;
use tumbler_bench::witnessed;
use tumbler_core::latch::Code;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::Dice;
use tumbler_core::wire::console::{Answer, Command, Exit};
use tumbler_twin::{Act, MS};

/// Rounds of looking and acting until the table must be playable: every latch at once, and an opening, take fewer.
const MOST_ACTS: u32 = 60;
/// The longest a test may take: a person's part in it is two minutes, and the lamps of 56 results.
const TEST_MILLIS: u64 = 300_000;
/// A healthy motor cools from 95 to 80 degrees, the shaft stops, the dice settle and all units answer within this time.
const CALM_MILLIS: u64 = 4_000;
const NAME: &str = "Mei";

fn reason() -> String {
    "back to play".into()
}

impl Runner<'_> {
    /// Mends what is broken, lets go of what is held, closes the seal, brings supply, daemon and broker back.
    pub(super) fn heal_all(&mut self) -> Result<(), Halt> {
        self.heal_faults()?;
        while let Some(line) = self.held.last().copied() {
            self.step(&Step::LetGo(line))?;
        }
        if self.seal_broken {
            self.step(&Step::MendSeal)?;
        }
        if !self.bench.physical().supply {
            self.bench.power(true)?;
        }
        if self.own.is_some() {
            self.set(&Change::Own)?;
            // Once more: a copy of the journal from the last start is then one of these settings. What rules a round had whose journal
            // is older than they are nobody can know.
            for _ in 0..2 {
                if self.bench.snapshot()?.is_some() {
                    self.bench.stop()?;
                }
                self.bench.start()?;
            }
        }
        if self.bench.snapshot()?.is_none() {
            self.bench.start()?;
        }
        self.bench.broker(true)?;
        Ok(())
    }

    /// Mends everything, and brings the table back to play.
    pub(super) fn recover(&mut self) -> Result<(), Halt> {
        self.heal_all()?;
        self.role = Role::Supervisor;
        let calm = self.calm_millis()?;
        self.pass(calm)?;
        let mut last = String::new();
        for _ in 0..MOST_ACTS {
            let Some(shown) = self.bench.snapshot()? else {
                return Err(Halt::Wrong("the daemon does not run".into()));
            };
            if shown.open
                && shown.round.is_none()
                && shown.malfunctions.is_empty()
                && shown.waived.is_empty()
                && shown.test.is_none()
            {
                self.done = 0;
                self.round_from = self.seen.len();
                return self.step(&Step::Mark);
            }
            last = self.act_on(&shown)?;
            // The next look must not be at a picture from before what was just done.
            self.pass(400)?;
        }
        Err(Halt::Wrong(format!("cannot be brought back to play; the last answer was {last}; {}", self.where_we_are())))
    }

    /// How long until the table is calm. Where it is closed, nothing was broken and nothing moves, it is so already: an opening test
    /// that finds otherwise is tried again. An open table may not have shown yet what is wrong with it.
    fn calm_millis(&mut self) -> Result<u64, Halt> {
        let closed = self.bench.snapshot()?.is_some_and(|shown| !shown.open);
        let physical = self.bench.physical();
        let rests = !physical.motor_power && !physical.shaft_moves && !physical.dice_move;
        if closed && rests && self.faults.is_empty() {
            return Ok(0);
        }
        Ok(CALM_MILLIS.max(self.picture_millis()))
    }

    /// How far the picture of the table may still be behind: two commits of the slowest disk that it had (design.md rule 2: make durable, then
    /// publish). What a round waits for is not seen before.
    fn picture_millis(&self) -> u64 {
        let commits = self.faults.iter().map(|fault| match fault.what {
            Broken::Outside(outside) => u64::from(outside.commit_millis()),
            Broken::Part(_) => 0,
        });
        2 * commits.max().unwrap_or(0)
    }

    /// The next thing that the table needs; tells what came of it.
    fn act_on(&mut self, shown: &Snapshot) -> Result<String, Halt> {
        let name = || NAME.to_owned();
        if shown.test.is_some() {
            return self.see_test_through();
        }
        self.turn_key()?;
        if shown.round.is_some() {
            return self.end_round(shown);
        }
        if shown.phase == tumbler_core::snapshot::Phase::Maintenance {
            return self.tell(Command::Maintenance { on: false, name: name() });
        }
        // Those whose test runs the tumbler last: its guards do not let it run while others last.
        let spins = |code| matches!(code, Code::Reader | Code::Tumbler | Code::Deadman | Code::Gpio);
        if let Some(latched) = shown.malfunctions.iter().min_by_key(|latched| spins(latched.code)) {
            return self.reset(latched.code);
        }
        if !shown.waived.is_empty() && shown.open {
            return self.tell(Command::Close { name: name() });
        }
        self.open_tests()
    }

    /// Gives a command and waits for its answer.
    fn tell(&mut self, command: Command) -> Result<String, Halt> {
        self.ask(command)?;
        self.heard()
    }

    fn heard(&mut self) -> Result<String, Halt> {
        Ok(match self.answered(TEST_MILLIS)? {
            Some(Answer::Done(text)) => format!("done: {text}"),
            Some(Answer::Refused(text)) => format!("refused: {text}"),
            None => "none at all".into(),
        })
    }

    /// Concludes a round whose outcome is established by the dice; voids any other (SGV6 5.4, 5.14).
    fn end_round(&mut self, shown: &Snapshot) -> Result<String, Halt> {
        let name = || NAME.to_owned();
        self.say_what_is_asked()?;
        let command = Command::Void { reason: reason(), damaged_dice: false, not_flat: false, name: name() };
        self.role = Role::Manager;
        let voided = self.tell(command)?;
        self.role = Role::Supervisor;
        if voided.starts_with("done") {
            return Ok(voided);
        }
        let dice = Dice::from_pips(self.dice_as_seen()).ok();
        if let (Some(result), Some(dice)) = (shown.result, dice) {
            if result != dice {
                self.tell(Command::Amend { dice, uphold: true, name: name() })?;
            }
            self.collect_and_pay()?;
            return self.tell(Command::Settle { dice: None, reason: reason(), name: name() });
        }
        let settled = self.tell(Command::Settle { dice, reason: reason(), name: name() })?;
        match dice {
            // Whatever the reader reads, the dice are authoritative (design.md trap 8).
            Some(dice) if settled.starts_with("refused") => {
                self.tell(Command::Amend { dice, uphold: true, name: name() })
            }
            _ => Ok(settled),
        }
    }

    /// Does what the test in progress asks for until it ends, whoever began it.
    fn see_test_through(&mut self) -> Result<String, Halt> {
        self.attendant = Some(Attendant::default());
        let until = self.bench.now() + TEST_MILLIS * MS;
        while self.bench.now() < until {
            if self.bench.snapshot()?.is_none_or(|shown| shown.test.is_none()) {
                return Ok("the test in progress ended".into());
            }
            self.attend(until)?;
        }
        self.tell(Command::Close { name: NAME.to_owned() })
    }

    /// Proves that a malfunction is gone.
    fn reset(&mut self, code: Code) -> Result<String, Halt> {
        self.lower_dome()?;
        let answer = self.tell(Command::Reset { code, exit: Exit::Rectified, name: NAME.into() })?;
        if answer.starts_with("refused") && matches!(code, Code::Dice | Code::Interference) {
            self.tell(Command::EnrolDice { reason: reason(), name: NAME.into() })?;
        }
        Ok(answer)
    }

    fn lower_dome(&mut self) -> Result<(), Halt> {
        if super::order::covered(&self.trial.rules) && self.bench.physical().dome_up {
            self.bench.act(Act::LowerDome)?;
            self.pass(600)?;
        }
        Ok(())
    }

    fn open_tests(&mut self) -> Result<String, Halt> {
        self.lower_dome()?;
        let opened = self.tell(Command::Open { name: NAME.into() })?;
        if opened.starts_with("refused") {
            return Ok(opened);
        }
        self.press_every_key()?;
        for item in witnessed(self.bench.settings().reader) {
            self.tell(Command::Witness { item, right: true, name: NAME.into() })?;
        }
        Ok(opened)
    }
}
