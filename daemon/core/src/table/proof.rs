//! The devices' tests: the opening of the table (NZ 5), and the proof that a malfunction has been rectified (NZ 7.4).
//!
//! A test is a list of steps, each looked at again whenever something happens. Its beginning is durable before
//! anything moves or lights; the motor guards hold in it as in a game. Whatever ends it leaves everything dark and still.

use super::Table;
use super::steps::{Outcome, PRESS_WITHIN, Start, Step, seen_clauses};
use crate::device::tumbler::RunsFor;
use crate::hardware_test::{HardwareTest, Probe, Signal};
use crate::latch::Code;
use crate::line::OutLine;
use crate::prelude::*;
use crate::record::Event;
use crate::refusal::Refusal;
use crate::sequence::Pending;
use crate::timer::Timer;
use crate::units::{Millis, Mono};
use crate::wire::console::{Answer, Exit, Witness};
use alloc::collections::VecDeque;
use serde::{Deserialize, Serialize};

/// What a test is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Purpose {
    /// Opening the table.
    Opening,
    /// Proving that a malfunction has been rectified.
    Reset(Code),
    /// Measuring a device in maintenance.
    Hardware(HardwareTest),
}

/// A test in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Test {
    purpose: Purpose,
    by: String,
    request: Option<u64>,
    /// The record of its beginning: nothing energises in a test before it is durable.
    record: Pending,
    steps: VecDeque<Step>,
    /// When the step in progress began.
    began: Mono,
    failed: Option<String>,
    /// What measures, in a hardware test and in a reset that is one.
    probe: Option<Box<Probe>>,
    /// What a person found right in a hardware test.
    seen: Vec<String>,
}

impl Test {
    /// Whether it is a technician's hardware test.
    pub(super) const fn is_hardware(&self) -> bool {
        matches!(self.purpose, Purpose::Hardware(_))
    }

    /// Who asked for it.
    pub(super) fn by(&self) -> &str {
        &self.by
    }

    /// What measures, where anything does.
    pub(super) fn probe(&self) -> Option<&Probe> {
        self.probe.as_deref()
    }

    /// What a person found right until now.
    pub(super) fn seen(&self) -> &[String] {
        &self.seen
    }

    /// Lets what measures hear of something.
    pub(super) fn tap(&mut self, signal: Signal, at: Mono) {
        let measures = matches!(self.step(), Some(Step::Measure { .. }));
        if let Some(probe) = &mut self.probe {
            probe.take(signal, at, measures);
        }
    }

    /// The step in progress.
    pub(super) fn step(&self) -> Option<&Step> {
        self.steps.front()
    }

    pub(super) fn step_mut(&mut self) -> Option<&mut Step> {
        self.steps.front_mut()
    }
}

impl Table {
    /// Begins a test; the answer to `request` comes when it ends or waits for the witness.
    pub(super) fn begin_test(&mut self, purpose: Purpose, by: &str, request: u64) {
        let steps = match purpose {
            Purpose::Opening => self.opening_steps(),
            Purpose::Reset(code) => self.reset_steps(code),
            Purpose::Hardware(test) => self.hardware_steps(test),
        };
        let name = match purpose {
            Purpose::Opening => "opening".to_owned(),
            Purpose::Reset(code) => code.name().to_owned(),
            Purpose::Hardware(test) => format!("hardware {test}"),
        };
        let measured = match purpose {
            Purpose::Hardware(test) => Some(test),
            Purpose::Reset(code) => code.hardware_test(),
            Purpose::Opening => None,
        };
        let probe = measured.map(|test| Box::new(Probe::new(test)));
        let record = self.record(Event::TestBegan { test: name, by: by.to_owned() });
        // A pin that was dead has missed what it was told: told again, it shows whether it was mended.
        for line in [OutLine::MotorEnable, OutLine::OutOfService] {
            self.ctx.repeat(line);
        }
        self.sequence.hurry();
        let mut all = VecDeque::from([Step::Durable]);
        all.extend(steps);
        let (by, request, began) = (by.to_owned(), Some(request), self.ctx.at());
        self.test =
            Some(Test { purpose, by, request, record, steps: all, began, failed: None, probe, seen: Vec::new() });
    }

    fn opening_steps(&self) -> Vec<Step> {
        let results = self.layout().map(crate::rules::Layout::covering).unwrap_or_default();
        let mut steps = vec![Step::Power, Step::Units { only: None }];
        if self.ctx.settings().temperature {
            steps.push(Step::Temperature);
        }
        steps.extend([
            Step::Terminal { shown: 0 },
            Step::Lamps { results: results.into(), proved: None, lit: false },
            Step::Bell { struck: false },
            Step::Seal,
            Step::spin(),
            Step::Dice,
            Step::keys(),
        ]);
        let mut left = vec![Witness::Areas, Witness::Seal, Witness::Bell, Witness::Sign];
        if !self.reader_in_service() {
            // NZ 5(d): "the 3 dice in the dice tumbler are properly under seal".
            left.push(Witness::Dice);
        }
        steps.push(Step::Witness { left });
        steps
    }

    /// What proves that a malfunction is rectified (NZ 7.4): the hardware test of its device, where it has one.
    fn reset_steps(&self, code: Code) -> Vec<Step> {
        let mut steps = match code {
            // Below the limit again, before it is measured how the sensor reads.
            Code::Temperature => vec![Step::Temperature],
            Code::Buttons => vec![Step::Buttons],
            Code::Interference | Code::Dice => vec![Step::Dice],
            // An output that is dead at rest shows only when it is driven.
            Code::Gpio => vec![Step::Power, Step::Bell { struck: false }, Step::spin()],
            // The key edge newer than the latch, without which no reset begins, is the key's test; the durable beginning of
            // the test is what proves the journal.
            _ => vec![],
        };
        // Under Open Cover nobody opens and closes a dome.
        let test = code.hardware_test().filter(|test| self.order.covered || *test != HardwareTest::Dome);
        steps.extend(test.into_iter().flat_map(|test| self.hardware_steps(test)));
        if self.ledger.malfunction(code).is_some_and(|malfunction| malfunction.in_spin)
            && code.hardware_test() != Some(HardwareTest::Motor)
        {
            // A loose contact is whole at rest: it breaks while the shaft shakes the table.
            steps.push(Step::spin());
        }
        steps
    }

    /// Whether the test in progress is to prove that what guards the motor, and flickered while the tumbler ran, is whole.
    pub(super) fn proves_whole(&self, code: Code) -> bool {
        self.test.as_ref().is_some_and(|test| test.purpose == Purpose::Reset(code))
            && self.ledger.malfunction(code).is_some_and(|malfunction| malfunction.in_spin)
    }

    /// Whether the test in progress is to prove the dice (NZ 5(d), 7.4).
    pub(super) fn proves_dice(&self) -> bool {
        self.test.as_ref().is_some_and(|test| matches!(test.purpose, Purpose::Opening | Purpose::Reset(Code::Dice)))
    }

    /// Something went wrong while a test ran the device.
    pub(super) fn test_failed(&mut self, found: &str) {
        if let Some(test) = &mut self.test {
            test.failed.get_or_insert_with(|| found.to_owned());
        }
    }

    /// Looks at the test in progress again.
    pub(super) fn advance_test(&mut self) {
        let Some(mut test) = self.test.take() else { return };
        loop {
            if let Some(found) = test.failed.take() {
                let name = test.steps.front().map_or("test", Step::name);
                // Of a hardware test one record says everything.
                if !test.is_hardware() {
                    let clauses = test.steps.front().map_or(&[][..], Step::clauses);
                    self.record_by(
                        clauses,
                        Event::Tested { test: name.to_owned(), passed: false, found: found.clone() },
                    );
                }
                self.end_test(&test, Err(format!("{name}: {found}")));
                return;
            }
            let Some(mut step) = test.steps.pop_front() else {
                self.end_test(&test, Ok(()));
                return;
            };
            let outcome = match (self.sequence.confirm(&test.record), &mut step, &mut test.probe) {
                (None, ..) => self.await_journal(test.began),
                (Some(by), Step::Measure { results, lit }, Some(probe)) => {
                    self.look(probe);
                    self.measure(probe, results, lit, test.began, by)
                }
                (Some(by), step, _) => self.step(step, test.began, by),
            };
            if let Some(probe) = &mut test.probe {
                self.look(probe);
            }
            match outcome {
                Outcome::Passed(found) => {
                    if let Some(found) = found.filter(|_| !test.is_hardware()) {
                        let clauses = step.clauses();
                        self.record_by(clauses, Event::Tested { test: step.name().to_owned(), passed: true, found });
                        if matches!(step, Step::Spin(_)) {
                            // The same run proves the relay: it is what stopped the shaft.
                            let found = "the shaft stopped when the alive edges did".to_owned();
                            self.record_by(clauses, Event::Tested { test: "deadman".to_owned(), passed: true, found });
                        }
                    }
                    test.began = self.ctx.at();
                    self.ctx.note_change();
                    let measured = matches!((&step, test.purpose), (Step::Measure { .. }, Purpose::Reset(_)));
                    if measured && self.within_limits(&test).is_err() {
                        // Nobody is asked to look at what measures wrong.
                        self.end_test(&test, Ok(()));
                        return;
                    }
                    self.ask_witness(&mut test);
                }
                Outcome::Failed(found) => {
                    test.steps.push_front(step);
                    test.failed = Some(found);
                }
                Outcome::Again => test.steps.push_front(step),
                Outcome::Waits(until) => {
                    test.steps.push_front(step);
                    self.ctx.fire_at(Timer::TestStep, until.max(Mono(self.ctx.at().0.saturating_add(1))));
                    // What the step did may have failed the test by way of the device's own report.
                    self.test = Some(test);
                    return;
                }
            }
        }
    }

    /// Tells whoever began the test that a person is waited for now. A reset is not done by that: its answer comes at its end.
    fn ask_witness(&mut self, test: &mut Test) {
        let Some(step @ (Step::Witness { .. } | Step::Keys { .. })) = test.steps.front() else { return };
        let told = match test.purpose {
            Purpose::Reset(_) => return,
            Purpose::Hardware(hardware) => format!("{hardware} {}", step.shown()),
            Purpose::Opening => {
                let dice = if self.reader_in_service() { "" } else { ", dice" };
                format!(
                    "the tests passed; now press every key of the terminal, 1 to 6 and Entry, then say what only a person can see: areas, seal, bell, sign{dice}"
                )
            }
        };
        if let Some(request) = test.request.take() {
            self.answer(request, Answer::Done(told));
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
        let answer = match (passed, test.purpose) {
            (Err(found), Purpose::Opening) => Answer::Refused(format!("not opened: {found}")),
            (passed, Purpose::Reset(code)) => self.end_reset(code, test, passed),
            (passed, Purpose::Hardware(hardware)) => {
                let verdict = self.report(hardware, test, passed);
                Answer::Done(format!("{hardware}: {}", verdict.name()))
            }
            (Ok(()), Purpose::Opening) => {
                self.service.open();
                self.history.open();
                self.record(Event::Opened { by: test.by.clone() });
                self.update_permit();
                self.sequence.hurry();
                Answer::Done("the table is open".into())
            }
        };
        if let Some(request) = test.request {
            self.answer(request, answer);
        }
        self.sequence.hurry();
    }

    /// Opens the latch, if the device's test was passed; where that test is a hardware test, nothing may be out of limits.
    fn end_reset(&mut self, code: Code, test: &Test, passed: Result<(), String>) -> Answer {
        let passed = match code.hardware_test() {
            None => passed,
            Some(hardware) => {
                let passed = passed.and_then(|()| self.within_limits(test));
                self.report(hardware, test, passed.clone());
                passed
            }
        };
        match passed {
            Err(found) => Answer::Refused(format!("{code} stays latched: {found}")),
            Ok(()) => {
                self.unlatch(code, &Exit::Rectified, &test.by);
                Answer::Done(format!("{code} is rectified"))
            }
        }
    }

    /// A person says what only a person can see.
    pub(super) fn witness(&mut self, item: Witness, right: bool) -> Result<String, Refusal> {
        let Some(test) = &mut self.test else { return Err(Refusal::NoWitnessWanted) };
        let Some(Step::Witness { left }) = test.steps.front_mut() else { return Err(Refusal::NoWitnessWanted) };
        if !left.contains(&item) {
            return Err(Refusal::WitnessedAlready);
        }
        let name = item.name();
        let purpose = test.purpose;
        if !right {
            // Crossed lamps draw the right currents: a person alone sees them (NZ 5(b)).
            if item == Witness::Areas {
                self.latch(Code::Lamps, "a person found areas wrong".into());
            }
            self.test_failed(&format!("a person found {name} wrong"));
            return Ok(match purpose {
                Purpose::Opening => format!("{name}: wrong; the table stays closed"),
                Purpose::Reset(code) => format!("{name}: wrong; {code} stays latched"),
                Purpose::Hardware(_) => format!("{name}: wrong"),
            });
        }
        left.retain(|l| *l != item);
        let all = left.is_empty();
        if test.probe.is_some() {
            test.seen.push(name.to_owned());
        }
        if !test.is_hardware() {
            let seen = Event::Tested { test: name.to_owned(), passed: true, found: "seen by a person".into() };
            self.record_by(seen_clauses(item), seen);
        }
        Ok(match purpose {
            Purpose::Opening if all => "all witnessed: the table opens".into(),
            _ => format!("{name}: right"),
        })
    }

    /// Ends a test that a person calls off.
    pub(super) fn call_off_test(&mut self, why: &str) {
        self.test_failed(why);
    }

    /// Whether a test is in progress now, also where people see it only once that is durable.
    #[must_use]
    pub const fn is_testing(&self) -> bool {
        self.test.is_some()
    }

    /// What the test in progress does, for people.
    pub(super) fn test_shown(&self) -> Option<String> {
        let test = self.test.as_ref()?;
        let step = match (test.steps.front(), &test.probe) {
            (Some(Step::Measure { .. }), Some(probe)) => probe.prompt(),
            (Some(Step::Spin(Start::Started)), _) => Step::spin().name().to_owned(),
            (Some(step @ Step::Spin(start)), _) => match self.may_wait_for_press(*start) {
                Ok(()) => format!("press tumble at the table within {} s", PRESS_WITHIN.0 / 1000),
                Err(why) => format!("{}, waits: {why}", step.shown()),
            },
            (step, _) => step.map_or_else(|| "ends".to_owned(), Step::shown),
        };
        Some(match test.purpose {
            Purpose::Opening => format!("opening: {step}"),
            Purpose::Reset(code) => format!("reset {code}: {step}"),
            Purpose::Hardware(test) => format!("hardware {test}: {step}"),
        })
    }

    /// The longest wait for a person's part in a test, from the step's beginning.
    pub(super) fn person_deadline(&self, began: Mono) -> Mono {
        began.after(Millis(self.ctx.p().person_limit))
    }
}
