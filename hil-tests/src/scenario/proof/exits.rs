//! The two exits of a latch (NZ 7.4), and that there is no third: a supervisor, a turn of the key newer than the latch, a
//! named person, and a test of the very device or a procedure where eyes can stand in for it.

use super::super::run::{Halt, Runner};
use super::Before;
use super::attempts::{Key, eyes_can_stand_in, key, name, procedure, rectified, resets};
use tumbler_bench::{Role, Trouble};
use tumbler_core::latch::Code;
use tumbler_core::record::{Event, PROCEDURE};
use tumbler_core::wire::console::{Answer, Command, Exit};

impl Runner<'_> {
    /// While the condition lasts: every exit is refused, whoever asks and with whatever key.
    pub(in super::super) fn prove_shut(&mut self, code: Code) -> Result<(), Halt> {
        let (role, asked) = (self.role, self.asked);
        let before = self.before(code)?;
        self.refuse_others(&before)?;
        self.turn_key()?;
        self.refuse_without_a_reason(&before)?;
        // The test of a dome waits two minutes for somebody to move it: too long for a bench in real time.
        if code == Code::Dome && self.bench.grace() > 0 {
            self.left_out("`rectified` while the dome's contacts are wrong", "its test waits two minutes");
        } else {
            self.role = Role::Supervisor;
            self.ask(rectified(code))?;
            match self.await_answer()? {
                Answer::Refused(why) if why.contains("stays latched") => {}
                answer => return Err(self.wrong(&before, "`rectified` while it lasts", &format!("{answer:?}"))),
            }
        }
        // The test may have run the tumbler and lit the lamps: what counts from here on is the latch.
        let after = self.count(code, before.latched);
        self.still_latched(&after, "every exit while the condition lasts")?;
        (self.role, self.asked) = (role, asked);
        Ok(())
    }

    /// The condition is gone: this exit opens the latch, and no other way to it does.
    pub(in super::super) fn prove_opens(&mut self, code: Code, exit: &Exit) -> Result<(), Halt> {
        let (role, asked) = (self.role, self.asked);
        let before = self.before(code)?;
        self.refuse_others(&before)?;
        self.turn_key()?;
        self.refuse_without_a_reason(&before)?;
        self.role = Role::Supervisor;
        self.ask(Command::Reset { code, exit: exit.clone(), name: name() })?;
        if let answer @ Answer::Refused(_) = self.await_answer()? {
            return Err(Halt::Wrong(format!(
                "the lawful exit does not open {code}: {answer:?}; {}",
                self.where_we_are()
            )));
        }
        self.pass(super::CONSEQUENCES)?;
        self.opened_on_record(&before, exit)?;
        self.dome(before.dome_up)?;
        (self.role, self.asked) = (role, asked);
        Ok(())
    }

    /// Technicians, strangers, and a supervisor whose turn of the key is older than the latch or lapsed.
    fn refuse_others(&mut self, before: &Before) -> Result<(), Halt> {
        for role in [Role::Technician, Role::Nobody] {
            for command in resets(before.code) {
                match self.must_be_refused(before, role, command) {
                    Err(Halt::Trouble(Trouble::NotHere(why))) => self.left_out(&format!("a reset by {role:?}"), &why),
                    done => done?,
                }
            }
        }
        let Some(shown) = self.bench.snapshot()? else { return Err(self.wrong(before, "exits", "the daemon is gone")) };
        let turned = if shown.key { self.key_turned() } else { None };
        let latched = shown.malfunctions.iter().find(|m| m.code == before.code);
        if latched.is_some_and(|latched| key(turned, latched) != Key::Newer) {
            for command in resets(before.code) {
                self.must_be_refused(before, Role::Supervisor, command)?;
            }
        }
        Ok(())
    }

    /// With the key: nobody's name, no procedure, and a procedure where only a repair will do.
    fn refuse_without_a_reason(&mut self, before: &Before) -> Result<(), Halt> {
        let code = before.code;
        for exit in [Exit::Rectified, Exit::Procedure("by eye, two persons".into())] {
            self.must_be_refused(before, Role::Supervisor, Command::Reset { code, exit, name: " ".into() })?;
        }
        let unstated = Command::Reset { code, exit: Exit::Procedure(" ".into()), name: name() };
        self.must_be_refused(before, Role::Supervisor, unstated)?;
        if !eyes_can_stand_in(code) {
            self.must_be_refused(before, Role::Supervisor, procedure(code))?;
        }
        Ok(())
    }

    /// design.md, Latch: both exits with a named person and a record; everything that shows the table shows the procedure.
    fn opened_on_record(&mut self, before: &Before, exit: &Exit) -> Result<(), Halt> {
        let code = before.code;
        let how = match exit {
            Exit::Rectified => "rectified".to_owned(),
            Exit::Procedure(procedure) => format!("{PROCEDURE}{procedure}"),
        };
        let unlatched = Event::Unlatched { code, how, by: name() };
        if !self.bench.log().records.iter().skip(before.records).any(|d| d.record.event == unlatched) {
            return Err(Halt::Wrong(format!("no record says {unlatched:?}; {}", self.where_we_are())));
        }
        let Some(shown) = self.bench.snapshot()? else {
            return Err(self.wrong(before, "an exit", "the daemon is gone"));
        };
        let waived = shown.waived.iter().any(|w| w.code == code && w.by == name());
        if shown.malfunctions.iter().any(|m| m.code == code) || waived != matches!(exit, Exit::Procedure(_)) {
            return Err(Halt::Wrong(format!(
                "{code} was opened, and the table shows {:?} latched and {:?} waived",
                shown.malfunctions, shown.waived
            )));
        }
        Ok(())
    }
}
