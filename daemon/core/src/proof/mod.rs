//! The test of devices in progress: the opening of the table (NZ 5), the proof that a malfunction has been rectified (NZ 7.4), or a
//! hardware test.
//!
//! ```text
//! begin --> its steps, one after another: looked at again whenever something happens --> passed
//!                 |  waits for a person: press_key, press_tumble, witness                 '--fail, or a step fails--> failed
//! ```
//!
//! Its beginning is durable before anything moves or lights; the motor guards hold in it as in a game.

pub(crate) mod look;
mod measure;
mod plan;
pub(crate) mod step;

use crate::context::Context;
use crate::device::Devices;
use crate::device::bus::Unit;
use crate::hardware_test::{HardwareTest, Measurement, Probe, Report, Signal, Verdict};
use crate::latch::Code;
use crate::line::Key;
use crate::prelude::*;
use crate::prompt::{Prompt, PromptId};
use crate::refusal::Refusal;
use crate::sequence::{Durable, Pending};
use crate::settings::Parameters;
use crate::timer::Timer;
use crate::units::Mono;
use crate::wire::console::{Who, Witness};
use alloc::collections::VecDeque;
use look::{Facts, Find, Look, PRESS_WITHIN};
use serde::{Deserialize, Serialize};
use step::{Outcome, Start, Step, key_name, seen_clauses};

/// What a test is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Purpose {
    /// Opening the table.
    Opening,
    /// Proving that a malfunction has been rectified.
    Reset(Code),
    /// Measuring a device in maintenance.
    Hardware(HardwareTest),
}

impl Purpose {
    /// The test's name in the record of its beginning.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Opening => "opening".to_owned(),
            Self::Reset(code) => code.name().to_owned(),
            Self::Hardware(test) => format!("hardware {test}"),
        }
    }
}

/// A test in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Test {
    purpose: Purpose,
    by: String,
    who: Option<Who>,
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

/// A part of a test, for the record.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// Keys of the clauses that it is about.
    pub(crate) clauses: &'static [&'static str],
}

/// What became of a test as it was looked at.
pub(crate) enum Progress {
    /// The step in progress has failed, or something else has failed the test.
    Failed(Part, String),
    /// No step is left.
    Passed,
    /// A step has passed; with what was found, where it is worth a record.
    Stepped(Step, Option<String>),
    /// It has gone on within a step.
    Again,
    /// It waits for something.
    Waits,
}

/// What a person's word on a test amounts to.
pub(crate) struct Witnessed {
    /// What the person is answered.
    pub(crate) answer: String,
    /// What is recorded of it: with the keys of its clauses.
    pub(crate) part: Option<Part>,
}

/// How it begins and goes on.
impl Test {
    /// A test begins; `record` says so, and `request` is answered when it ends or waits for a witness.
    pub(crate) fn begin(
        purpose: Purpose,
        (by, who): (&str, Option<Who>),
        request: u64,
        record: Pending,
        facts: &Facts,
        in_spin: bool,
        at: Mono,
    ) -> Self {
        let measured = match purpose {
            Purpose::Hardware(test) => Some(test),
            Purpose::Reset(code) => code.hardware_test(),
            Purpose::Opening => None,
        };
        let mut steps = VecDeque::from([Step::Durable]);
        steps.extend(plan::steps(purpose, facts, in_spin));
        Self {
            purpose,
            by: by.to_owned(),
            who,
            request: Some(request),
            record,
            steps,
            began: at,
            failed: None,
            probe: measured.map(|test| Box::new(Probe::new(test))),
            seen: Vec::new(),
        }
    }

    /// Something went wrong while it ran the device.
    pub(crate) fn fail(&mut self, found: &str) {
        self.failed.get_or_insert_with(|| found.to_owned());
    }

    /// Looks at the step in progress; `by` is what confirms [`Test::record`].
    pub(crate) fn advance(
        &mut self,
        by: Option<Durable>,
        facts: &Facts,
        devices: &mut Devices,
        ctx: &mut Context,
        finds: &mut Vec<Find>,
    ) -> Progress {
        if let Some(found) = self.failed.take() {
            let part = self.step().map_or(Part { name: "test", clauses: &[] }, Step::part);
            return Progress::Failed(part, found);
        }
        let Some(mut step) = self.steps.pop_front() else { return Progress::Passed };
        if let (Some(_), Step::Measure { .. }, Some(probe)) = (&by, &step, &mut self.probe) {
            look::show(probe, devices, ctx);
        }
        let mut look = Look { devices: &mut *devices, ctx: &mut *ctx, facts, finds, began: self.began };
        let outcome = match by {
            None => look.await_journal(),
            Some(by) => look.step(&mut step, self.probe.as_deref_mut(), by),
        };
        if let Some(probe) = &mut self.probe {
            look::show(probe, devices, ctx);
        }
        match outcome {
            Outcome::Passed(found) => {
                self.began = ctx.at();
                Progress::Stepped(step, found)
            }
            Outcome::Failed(found) => {
                self.steps.push_front(step);
                self.failed = Some(found);
                Progress::Again
            }
            Outcome::Again => {
                self.steps.push_front(step);
                Progress::Again
            }
            Outcome::Waits(until) => {
                self.steps.push_front(step);
                ctx.fire_at(Timer::TestStep, until.max(Mono(ctx.at().0.saturating_add(1))));
                Progress::Waits
            }
        }
    }

    /// A key of the terminal was pressed; whether the test asks for that.
    pub(crate) fn press_key(&mut self, key: Key) -> bool {
        self.steps.front_mut().is_some_and(|step| step.press_key(key))
    }

    /// The dealer's button was pressed; whether the test asks for that.
    pub(crate) fn press_tumble(&mut self) -> bool {
        self.steps.front_mut().is_some_and(Step::press_tumble)
    }

    /// A person says what only a person can see.
    pub(crate) fn witness(&mut self, item: Witness, right: bool) -> Result<Witnessed, Refusal> {
        let Some(Step::Witness { left }) = self.steps.front_mut() else { return Err(Refusal::NoWitnessWanted) };
        if !left.contains(&item) {
            return Err(Refusal::WitnessedAlready);
        }
        let name = item.name();
        if !right {
            self.fail(&format!("a person found {name} wrong"));
            let answer = match self.purpose {
                Purpose::Opening => format!("{name}: wrong; the table stays closed"),
                Purpose::Reset(code) => format!("{name}: wrong; {code} stays latched"),
                Purpose::Hardware(_) => format!("{name}: wrong"),
            };
            return Ok(Witnessed { answer, part: None });
        }
        left.retain(|l| *l != item);
        let all = left.is_empty();
        if self.probe.is_some() {
            self.seen.push(name.to_owned());
        }
        // Of a hardware test one record says everything.
        let part = (!self.is_hardware()).then(|| Part { name, clauses: seen_clauses(item) });
        let answer = match self.purpose {
            Purpose::Opening if all => "all witnessed: the table opens".into(),
            _ => format!("{name}: right"),
        };
        Ok(Witnessed { answer, part })
    }

    /// What whoever began it is told as it waits for a person; a reset is not done by that: its answer comes at its end. Gives each
    /// request once.
    pub(crate) fn ask_witness(&mut self, reader: bool) -> Option<(u64, String)> {
        let step @ (Step::Witness { .. } | Step::Keys { .. }) = self.step()? else { return None };
        let told = match self.purpose {
            Purpose::Reset(_) => return None,
            Purpose::Hardware(hardware) => format!("{hardware} {}", step.shown()),
            Purpose::Opening => {
                let dice = if reader { "" } else { ", dice" };
                format!(
                    "the tests passed; now press every key of the terminal, 1 to 6 and Entry, then say what only a person can see: areas, seal, bell, sign{dice}"
                )
            }
        };
        Some((self.request.take()?, told))
    }

    /// Lets what measures hear of something.
    pub(crate) fn tap(&mut self, signal: Signal, at: Mono) {
        let measures = matches!(self.step(), Some(Step::Measure { .. }));
        if let Some(probe) = &mut self.probe {
            probe.take(signal, at, measures);
        }
    }
}

/// What is known of it.
impl Test {
    /// What it is for.
    pub(crate) const fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Who asked for it.
    pub(crate) fn by(&self) -> &str {
        &self.by
    }

    /// In which role it was asked for, and by which account.
    pub(crate) const fn who(&self) -> Option<&Who> {
        self.who.as_ref()
    }

    /// The request that waits for its answer.
    pub(crate) const fn request(&self) -> Option<u64> {
        self.request
    }

    /// The record of its beginning.
    pub(crate) const fn record(&self) -> &Pending {
        &self.record
    }

    /// Whether it is a technician's hardware test.
    pub(crate) const fn is_hardware(&self) -> bool {
        matches!(self.purpose, Purpose::Hardware(_))
    }

    /// Whether it is to prove the dice (NZ 5(d), 7.4).
    pub(crate) const fn proves_dice(&self) -> bool {
        matches!(self.purpose, Purpose::Opening | Purpose::Reset(Code::Dice))
    }

    /// Whether it asks for the terminal's keys.
    pub(crate) fn asks_for_keys(&self) -> bool {
        matches!(self.step(), Some(Step::Keys { .. }))
    }

    /// Whether it spins, or asks for that.
    pub(crate) fn spins(&self) -> bool {
        matches!(self.step(), Some(Step::Spin(_)))
    }

    /// Whether the terminal's keys are tested.
    pub(crate) fn probes_keys(&self) -> bool {
        self.probe.as_ref().is_some_and(|probe| probe.takes_keys())
    }

    /// Whether it looks at this unit closely.
    pub(crate) fn probes_bus(&self, unit: Unit) -> bool {
        self.probe.as_ref().is_some_and(|probe| probe.watches(unit))
    }

    /// Whether the buttons and the key are tested, so that they command nothing.
    pub(crate) fn probes_buttons(&self) -> bool {
        self.probe.as_ref().is_some_and(|probe| probe.takes_buttons())
    }

    fn step(&self) -> Option<&Step> {
        self.steps.front()
    }

    /// What it has measured so far.
    pub(crate) fn measured(&self, now: Mono, p: &Parameters) -> Vec<Measurement> {
        self.probe.as_ref().map(|probe| probe.measurements(now, p)).unwrap_or_default()
    }

    /// Whether nothing that was measured is out of limits; otherwise what, and what to do.
    pub(crate) fn within_limits(&self, now: Mono, p: &Parameters) -> Result<(), String> {
        let measured = self.measured(now, p);
        let Some(Measurement { quantity, value, .. }) = measured.iter().find(|m| m.verdict == Verdict::Fail) else {
            return Ok(());
        };
        let (name, unit, remedy) = (quantity.name(), quantity.unit(), quantity.remedy());
        let areas = match self.probe.as_deref() {
            Some(Probe::Lamps(map)) => map.counted_by(*quantity),
            _ => &[],
        };
        let areas = if areas.is_empty() { String::new() } else { format!(" ({})", areas.join(", ")) };
        let out = format!("{name}, {value} {unit}{areas}, is out of limits. {remedy}");
        let wrong = self.probe.as_ref().map(|probe| probe.wrong(now, p)).filter(|wrong| !wrong.is_empty());
        Err(wrong.map_or(out.clone(), |wrong| format!("{wrong}; {out}")))
    }

    /// What came of it, as a hardware test.
    pub(crate) fn report(&self, test: HardwareTest, passed: Result<(), String>, now: Mono, p: &Parameters) -> Report {
        let measurements = self.measured(now, p);
        let plots = self.probe.as_ref().map(|probe| probe.plots()).unwrap_or_default();
        let worst = measurements.iter().map(|m| m.verdict).max().unwrap_or_default();
        let wrong = self.probe.as_ref().map(|probe| probe.wrong(now, p)).unwrap_or_default();
        let (verdict, ended) = match passed {
            Ok(()) => (worst, String::new()),
            Err(found) => (Verdict::Fail, found),
        };
        // What did not do its part is named once, and first.
        let wrong = if ended.contains(&wrong) { String::new() } else { wrong };
        let found = [wrong, ended].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ");
        Report { test, by: self.by.clone(), verdict, found, seen: self.seen.clone(), measurements, plots }
    }

    /// What it does, for people.
    pub(crate) fn shown(&self, facts: &Facts, p: &Parameters) -> String {
        let step = match (self.step(), &self.probe) {
            (Some(Step::Measure { .. }), Some(probe)) => probe.prompt(p),
            (Some(Step::Spin(Start::Started)), _) => Step::spin().name().to_owned(),
            (Some(step @ Step::Spin(start)), _) => match facts.may_wait_for_press(*start) {
                Ok(()) if matches!(start, Start::Withdrawn(..)) => {
                    format!("{}, waits: something stood in the way just now", step.shown())
                }
                Ok(()) => format!("press tumble at the table within {} s", PRESS_WITHIN.0 / 1000),
                Err(why) => format!("{}, waits: {why}", step.shown()),
            },
            (step, _) => step.map_or_else(|| "ends".to_owned(), Step::shown),
        };
        match self.purpose {
            Purpose::Opening => format!("opening: {step}"),
            Purpose::Reset(code) => format!("reset {code}: {step}"),
            Purpose::Hardware(test) => format!("hardware {test}: {step}"),
        }
    }

    /// What people are asked to do now.
    pub(crate) fn prompt(&self, facts: &Facts, p: &Parameters) -> Option<Prompt> {
        // A key of the terminal as programs know it.
        let key = |code| key_name(code, "entry");
        let (id, of) = match (self.step()?, self.probe.as_deref()) {
            (Step::Keys { left }, _) => (PromptId::Keys, left.iter().map(|code| key(*code)).collect()),
            (Step::Witness { left }, _) => {
                (PromptId::Witness, left.iter().map(|item| item.name().to_owned()).collect())
            }
            (Step::Spin(Start::Withdrawn(..)), _) => (PromptId::ClearSpin, Vec::new()),
            (Step::Spin(Start::Doubtful(..)), _) => (PromptId::Tumble, Vec::new()),
            (Step::Spin(start @ (Start::Unasked | Start::Asked(_))), _) => {
                let id = facts.may_wait_for_press(*start).map_or(PromptId::ClearSpin, |()| PromptId::Tumble);
                (id, Vec::new())
            }
            (Step::Measure { .. }, Some(Probe::Dome(dome))) if dome.was_lifted() => (PromptId::CloseDome, Vec::new()),
            (Step::Measure { .. }, Some(Probe::Dome(_))) => (PromptId::LiftDome, Vec::new()),
            (Step::Measure { .. }, Some(Probe::Buttons(buttons))) => buttons.prompt_id(),
            (Step::Measure { .. }, Some(Probe::Terminal(keys))) => (PromptId::Key, vec![key(keys.wanted())]),
            _ => return None,
        };
        Some(Prompt { id, of, text: self.shown(facts, p) })
    }
}

impl Step {
    /// It as a part of a test.
    pub(crate) const fn part(&self) -> Part {
        Part { name: self.name(), clauses: self.clauses() }
    }
}
