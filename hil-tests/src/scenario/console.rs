//! The console: role of the person there, the last command, and the attendant of the test in progress.

use super::attend::{Attendant, LOOK};
use tumbler_bench::{Bench, BenchError, Role};
use tumbler_core::wire::console::{Answer, Command, Exit};
use tumbler_twin::MS;

/// The console as people use it.
#[derive(Debug, Default)]
pub(super) struct Console {
    /// Role of the person.
    pub role: Role,
    /// The last command, answered or not.
    pub asked: Option<u64>,
    attendant: Option<Attendant>,
    /// Who presses the button where the test of the last command begins its spin by that.
    at_the_button: Option<Attendant>,
}

impl Console {
    /// Gives a command in this role.
    pub(super) fn ask(&mut self, bench: &mut dyn Bench, role: Role, command: Command) -> Result<(), BenchError> {
        // The test of a repaired device needs a person's hands and eyes.
        let attended = matches!(command, Command::Reset { exit: Exit::Rectified, .. });
        self.attendant = attended.then(Attendant::default);
        // Nothing moves by a command alone.
        if attended || matches!(command, Command::Open { .. } | Command::HardwareTest { .. }) {
            self.at_the_button = Some(Attendant::at_the_button());
        }
        self.asked = Some(bench.ask(role, command)?);
        Ok(())
    }

    /// Nobody is at the table for the last command.
    pub(super) fn leave(&mut self) {
        (self.attendant, self.at_the_button) = (None, None);
    }

    /// Waits up to this many milliseconds for the answer to the last command. Meanwhile a person does what a reset's test asks.
    pub(super) fn answer(&mut self, bench: &mut dyn Bench, millis: u64) -> Result<Option<Answer>, BenchError> {
        let Some(request) = self.asked else {
            return Err(BenchError::Rig("`answer` without `ask` before it".into()));
        };
        let until = bench.now() + millis * MS;
        loop {
            if let Some(answer) = bench.answer(request) {
                self.at_the_button = None;
                return Ok(Some(answer));
            }
            if bench.now() >= until {
                return Ok(None);
            }
            self.attend(bench, until)?;
        }
    }

    /// Lets a person attend to the test in progress from now on.
    pub(super) fn send_attendant(&mut self) {
        self.attendant = Some(Attendant::default());
    }

    /// Lets time pass, up to `until`; the attendant acts meanwhile.
    pub(super) fn attend(&mut self, bench: &mut dyn Bench, until: u64) -> Result<(), BenchError> {
        let Some(attendant) = &mut self.attendant else { return self.pass(bench, until) };
        attendant.look(bench)?;
        let look = bench.now() + LOOK * MS;
        bench.pass(until.min(look))
    }

    /// The same where nobody acts but who presses the button.
    pub(super) fn pass(&mut self, bench: &mut dyn Bench, until: u64) -> Result<(), BenchError> {
        let Some(person) = &mut self.at_the_button else { return bench.pass(until) };
        person.look(bench)?;
        let look = bench.now() + LOOK * MS;
        bench.pass(until.min(look))
    }
}
