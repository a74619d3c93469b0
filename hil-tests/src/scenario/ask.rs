//! Commands on the console, and their answers.

use super::attend::{Attendant, LOOK};
use super::run::{Halt, PATIENCE, Runner};
use super::step::Step;
use tumbler_bench::{Role, Trouble};
use tumbler_core::line::InLine;
use tumbler_core::wire::console::{Answer, Command, Exit};
use tumbler_twin::MS;

/// Longest wait for an answer, in milliseconds: twice what a person may take in a test.
const ANSWER: u64 = 300_000;

impl Runner<'_> {
    pub(super) fn turn_key(&mut self) -> Result<(), Halt> {
        self.step(&Step::Press(InLine::SupervisorKey, 1000))
    }

    /// The supervisor, key turned, gives a command: whether it was done.
    pub(super) fn supervise(&mut self, command: Command) -> Result<bool, Halt> {
        self.turn_key()?;
        self.ask_as(Role::Supervisor, command)?;
        Ok(matches!(self.await_answer()?, Answer::Done(_)))
    }

    /// The shift manager, key turned, decides what the rules leave open: whether it was done.
    pub(super) fn decide(&mut self, command: Command) -> Result<bool, Halt> {
        self.turn_key()?;
        self.ask_as(Role::Manager, command)?;
        Ok(matches!(self.await_answer()?, Answer::Done(_)))
    }

    pub(super) fn ask(&mut self, command: Command) -> Result<(), Halt> {
        self.ask_as(self.role, command)
    }

    pub(super) fn ask_as(&mut self, role: Role, command: Command) -> Result<(), Halt> {
        // The test of a device that was put right asks for hands and eyes.
        let attended = matches!(command, Command::Reset { exit: Exit::Rectified, .. });
        self.attendant = attended.then(Attendant::default);
        self.asked = Some(self.bench.ask(role, command)?);
        Ok(())
    }

    pub(super) fn answer(&mut self, done: bool, word: &str) -> Result<(), Halt> {
        match (self.await_answer()?, done) {
            (Answer::Done(text), true) | (Answer::Refused(text), false) if text.contains(word) => Ok(()),
            (answer, _) => Err(Halt::Wrong(format!("the answer was {answer:?}; {}", self.where_we_are()))),
        }
    }

    /// The answer to the last command, once it is there.
    pub(super) fn await_answer(&mut self) -> Result<Answer, Halt> {
        match self.answered(if self.trying { PATIENCE } else { ANSWER })? {
            Some(answer) => Ok(answer),
            None => Err(Halt::Wrong(format!("no answer within five minutes; {}", self.where_we_are()))),
        }
    }

    /// The answer to the last command, once it comes, within so many milliseconds; a person does what a reset's test asks for.
    pub(super) fn answered(&mut self, millis: u64) -> Result<Option<Answer>, Halt> {
        let Some(request) = self.asked else {
            return Err(Trouble::Rig("`answer` without `ask` before it".into()).into());
        };
        let until = self.bench.now() + millis * MS;
        loop {
            if let Some(answer) = self.bench.answer(request) {
                return Ok(Some(answer));
            }
            if self.bench.now() >= until {
                return Ok(None);
            }
            self.attend(until)?;
        }
    }

    /// Lets time pass, at most until then; whoever attends to a test looks after it.
    pub(super) fn attend(&mut self, until: u64) -> Result<(), Halt> {
        let Some(attendant) = &mut self.attendant else { return Ok(self.bench.pass(until)?) };
        attendant.look(self.bench)?;
        let look = self.bench.now() + LOOK * MS;
        Ok(self.bench.pass(until.min(look))?)
    }
}
