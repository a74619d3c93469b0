//! The devices' tests, as the table carries them out: what they record, latch and answer. Whatever ends one leaves everything dark and
//! still.

use super::Table;
use crate::device::bus::Unit;
use crate::device::guard::Guard;
use crate::device::tumbler::{RunsFor, Stop};
use crate::hardware_test::{HardwareTest, Measurement, Signal, Verdict};
use crate::latch::Code;
use crate::line::{InLine, OutLine};
use crate::prelude::*;
use crate::proof::look::{Facts, Find};
use crate::proof::step::Step;
use crate::proof::{Part, Progress, Purpose, Test};
use crate::record::Event;
use crate::refusal::Refusal;
use crate::timer::Timer;
use crate::wire::console::{Answer, Exit, Witness};

impl Table {
    /// Begins a test; the answer to `request` comes when it ends or waits for the witness.
    pub(super) fn begin_test(&mut self, purpose: Purpose, by: &str, request: u64) {
        let (facts, in_spin) = (self.facts(), self.shows_in_spin(purpose));
        let record = self.record(Event::TestBegan { test: purpose.name(), by: by.to_owned() });
        // A pin that was dead has missed what it was told: told again, it shows whether it was mended.
        for line in [OutLine::MotorEnable, OutLine::OutOfService] {
            self.ctx.repeat(line);
        }
        self.sequence.hurry();
        self.test =
            Some(Test::begin(purpose, (by, self.asker.clone()), request, record, &facts, in_spin, self.ctx.at()));
    }

    /// Begins a hardware test; the key's privilege was looked at before.
    pub(super) fn test_hardware(
        &mut self,
        test: HardwareTest,
        name: &str,
        request: u64,
    ) -> Result<Option<String>, Refusal> {
        self.idle()?;
        if self.service.maintenance().is_none() {
            return Err(Refusal::TestedOnlyInMaintenance);
        }
        let fitted = match test {
            HardwareTest::Reader => self.ctx.settings().reader,
            HardwareTest::Temperature => self.ctx.settings().temperature,
            _ => true,
        };
        if !fitted {
            return Err(Refusal::NotFitted(test));
        }
        self.begin_test(Purpose::Hardware(test), name, request);
        Ok(None)
    }

    /// What a test asks about beside the devices.
    pub(super) fn facts(&self) -> Facts {
        let latched = self.ledger.malfunction(Code::Buttons);
        Facts {
            motor: self.motor_may_run(true),
            held: [InLine::Tumble, InLine::NoSpin].into_iter().find(|line| !self.devices.inputs.is_inactive(*line)),
            buttons: latched.map(|buttons| Refusal::ResetFirst(buttons.code, buttons.cause.clone())),
            layout: self.layout(),
            reader: self.reader_in_service(),
            temperature: self.ctx.settings().temperature,
            covered: self.order().covered,
            lamps_latched: self.ledger.is_latched(Code::Lamps),
        }
    }

    /// Whether the malfunction that this test is about showed only while the tumbler ran.
    fn shows_in_spin(&self, purpose: Purpose) -> bool {
        let Purpose::Reset(code) = purpose else { return false };
        self.ledger.malfunction(code).is_some_and(|malfunction| malfunction.in_spin)
    }

    /// Whether the tumbler turns to prove that this line, which flickered, is whole. A few breaks are borne in a game, but none here,
    /// from the start of the motor until the shaft stands still.
    pub(super) fn is_proving(&self, line: InLine) -> bool {
        let purpose = Purpose::Reset(Guard::malfunction(line));
        let turns = self.devices.tumbler.runs_for() == Some(RunsFor::Test) && !self.devices.tumbler.is_still();
        turns && self.test.as_ref().is_some_and(|test| test.purpose() == purpose) && self.shows_in_spin(purpose)
    }

    /// Something went wrong while a test ran the device.
    pub(super) fn test_failed(&mut self, found: &str) {
        if let Some(test) = &mut self.test {
            test.fail(found);
        }
    }

    /// Looks at the test in progress again.
    pub(super) fn advance_test(&mut self) {
        let Some(mut test) = self.test.take() else { return };
        loop {
            let (facts, by) = (self.facts(), self.sequence.confirm(test.record()));
            let mut finds = Vec::new();
            let progress = test.advance(by, &facts, &mut self.devices, &mut self.ctx, &mut finds);
            finds.into_iter().for_each(|find| self.take_find(find));
            match progress {
                Progress::Failed(part, found) => {
                    let words = format!("{}: {found}", part.name);
                    self.record_part(&test, part, false, found);
                    self.end_test(&test, Err(words));
                    return;
                }
                Progress::Passed => {
                    self.end_test(&test, Ok(()));
                    return;
                }
                Progress::Stepped(step, found) => {
                    self.step_passed(&test, &step, found);
                    let measured = matches!((&step, test.purpose()), (Step::Measure { .. }, Purpose::Reset(_)));
                    if measured && test.within_limits(self.ctx.at(), self.ctx.p()).is_err() {
                        // Nobody is asked to look at what measures wrong.
                        self.end_test(&test, Ok(()));
                        return;
                    }
                    if let Some((request, told)) = test.ask_witness(self.reader_in_service()) {
                        self.answer(request, Answer::Done(told));
                    }
                }
                Progress::Again => {}
                Progress::Waits => {
                    // What the step did may have failed the test by way of the device's own report.
                    self.test = Some(test);
                    return;
                }
            }
        }
    }

    fn step_passed(&mut self, test: &Test, step: &Step, found: Option<String>) {
        if let Some(found) = found {
            self.record_part(test, step.part(), true, found);
            if matches!(step, Step::Spin(_)) {
                // The same run proves the relay: it is what stopped the shaft.
                let relay = Part { name: "deadman", ..step.part() };
                self.record_part(test, relay, true, "the shaft stopped when the alive edges did".to_owned());
            }
        }
        self.ctx.note_change();
    }

    /// Records a part of a test. Of a hardware test one record says everything.
    fn record_part(&mut self, test: &Test, part: Part, passed: bool, found: String) {
        if !test.is_hardware() {
            self.record_by(part.clauses, Event::Tested { test: part.name.to_owned(), passed, found });
        }
    }

    /// A malfunction is the same whoever finds it (NZ 7.4). In a reset's test, the latch in question holds the table already.
    pub(super) fn latch_found(&mut self, code: Code, found: String) {
        if !self.ledger.is_blocked() {
            self.latch(code, found);
        }
    }

    fn take_find(&mut self, find: Find) {
        match find {
            Find::Flickers { code, cause } => self.latch_in_spin(code, cause),
            Find::Wrong { code, cause } => self.latch_found(code, cause),
        }
    }

    fn end_test(&mut self, test: &Test, passed: Result<(), String>) {
        self.ctx.clear(Timer::TestStep);
        self.ctx.note_change();
        self.halt_motor();
        if self.devices.tumbler.runs_for() == Some(RunsFor::Test) {
            self.devices.tumbler.disown();
            self.devices.tumbler.clear_stop();
        }
        self.devices.darken(&mut self.ctx);
        self.asker = test.who().cloned();
        let answer = match (passed, test.purpose()) {
            (Err(found), Purpose::Opening) => Answer::from(&Refusal::NotOpened(found)),
            (passed, Purpose::Reset(code)) => self.end_reset(code, test, passed),
            (passed, Purpose::Hardware(hardware)) => {
                let ended = passed.is_ok();
                let (verdict, found) = self.report(hardware, test, passed);
                // What ended it early is in the report alone.
                let named = if ended && !found.is_empty() { format!(": {found}") } else { String::new() };
                Answer::Done(format!("{hardware}: {}{named}", verdict.name()))
            }
            (Ok(()), Purpose::Opening) => {
                self.service.open();
                self.history.open();
                self.record(Event::Opened { by: test.by().to_owned() });
                self.update_permit();
                self.sequence.hurry();
                Answer::Done("the table is open".into())
            }
        };
        self.asker = None;
        if let Some(request) = test.request() {
            self.answer(request, answer);
        }
        self.sequence.hurry();
    }

    /// Opens the latch, if the device's test was passed; where that test is a hardware test, nothing may be out of limits.
    fn end_reset(&mut self, code: Code, test: &Test, passed: Result<(), String>) -> Answer {
        let passed = match code.hardware_test() {
            None => passed,
            Some(hardware) => {
                let passed = passed.and_then(|()| test.within_limits(self.ctx.at(), self.ctx.p()));
                self.report(hardware, test, passed.clone());
                passed
            }
        };
        match passed {
            Err(found) => Answer::from(&Refusal::StaysLatched(code, found)),
            Ok(()) => {
                self.unlatch(code, &Exit::Rectified, test.by());
                Answer::Done(format!("{code} is rectified"))
            }
        }
    }

    /// Records what came of a hardware test, and gives the verdict and what was found.
    fn report(&mut self, hardware: HardwareTest, test: &Test, passed: Result<(), String>) -> (Verdict, String) {
        let report = test.report(hardware, passed, self.ctx.at(), self.ctx.p());
        let told = (report.verdict, report.found.clone());
        self.record(Event::HardwareTested(Box::new(report)));
        told
    }

    /// A person says what only a person can see.
    pub(super) fn witness(&mut self, item: Witness, right: bool) -> Result<String, Refusal> {
        let witnessed = self.test.as_mut().ok_or(Refusal::NoWitnessWanted)?.witness(item, right)?;
        // Crossed lamps draw the right currents: a person alone sees them (NZ 5(b)).
        if !right && item == Witness::Areas {
            self.latch(Code::Lamps, "a person found areas wrong".into());
        }
        if let Some(Part { name, clauses }) = witnessed.part {
            let seen = Event::Tested { test: name.to_owned(), passed: true, found: "seen by a person".into() };
            self.record_by(clauses, seen);
        }
        Ok(witnessed.answer)
    }

    /// "No spin" was pressed: no test goes on to move anything, or to ask for it.
    pub(super) fn stop_test_by_no_spin(&mut self) {
        if self.test.as_ref().is_some_and(Test::spins) {
            self.test_failed(&Refusal::StoppedByNoSpin.to_string());
            if self.devices.tumbler.runs_for() == Some(RunsFor::Test) {
                self.devices.tumbler.halt(Stop::NoSpin, &mut self.ctx);
            }
        }
    }

    /// Whether a test is in progress now, also where people see it only once that is durable.
    #[must_use]
    pub const fn is_testing(&self) -> bool {
        self.test.is_some()
    }

    /// Whether a hardware test is in progress.
    pub(super) fn is_measuring(&self) -> bool {
        self.test.as_ref().is_some_and(Test::is_hardware)
    }

    /// Whether an opening asks for the terminal's keys.
    pub(super) fn asks_for_keys(&self) -> bool {
        self.test.as_ref().is_some_and(Test::asks_for_keys)
    }

    /// Whether the terminal's keys are tested.
    pub(super) fn probes_keys(&self) -> bool {
        self.test.as_ref().is_some_and(Test::probes_keys)
    }

    /// Whether the buttons and the key are tested.
    pub(super) fn probes_buttons(&self) -> bool {
        self.test.as_ref().is_some_and(Test::probes_buttons)
    }

    /// Whether the test in progress looks at this unit closely.
    pub(super) fn probes_bus(&self, unit: Unit) -> bool {
        self.test.as_ref().is_some_and(|test| test.probes_bus(unit))
    }

    /// Lets the probe of the test in progress hear of something.
    pub(super) fn tap(&mut self, signal: Signal) {
        if let Some(test) = &mut self.test {
            test.tap(signal, self.ctx.at());
        }
    }

    /// What the hardware test in progress has measured so far.
    pub(super) fn measured(&self) -> Vec<Measurement> {
        self.test.as_ref().map(|test| test.measured(self.ctx.at(), self.ctx.p())).unwrap_or_default()
    }

    /// What the test in progress does, for people.
    pub(super) fn test_shown(&self) -> Option<String> {
        self.test.as_ref().map(|test| test.shown(&self.facts(), self.ctx.p()))
    }
}
