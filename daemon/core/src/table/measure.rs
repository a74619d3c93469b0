//! Hardware tests at the table: their steps, what the probe gets to see, and the report.

use super::Table;
use super::proof::{Purpose, Test};
use super::steps::{Outcome, Step};
use crate::device::bus::Unit;
use crate::device::dome::Place;
use crate::device::tumbler::RunsFor;
use crate::hardware_test::{
    HardwareTest, LampMap, Measurement, Probe, READINGS, Report, Signal, TRANSACTIONS, Verdict,
};
use crate::latch::Code;
use crate::line::InLine;
use crate::prelude::*;
use crate::record::Event;
use crate::refusal::Refusal;
use crate::sequence::Durable;
use crate::units::{Dice, Millis, Mono};
use crate::wire::console::Witness;
use alloc::collections::VecDeque;

/// How long the seal's loop is watched: some strokes of whatever shakes the table.
const SEAL_WATCH: Millis = Millis(2000);

impl Table {
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

    /// The steps of a hardware test.
    pub(super) fn hardware_steps(&self, test: HardwareTest) -> Vec<Step> {
        let measure = || Step::Measure { results: VecDeque::new(), lit: None };
        let units = |code| Step::Units { only: Some(code) };
        let witness = |item| Step::Witness { left: vec![item] };
        match test {
            HardwareTest::Motor | HardwareTest::Cam => vec![Step::Power, Step::spin()],
            HardwareTest::Dome | HardwareTest::Bus | HardwareTest::Temperature => vec![measure()],
            HardwareTest::Bell => vec![Step::Bell { struck: false }, witness(Witness::Bell)],
            HardwareTest::Terminal => vec![units(Code::Terminal), Step::Terminal { shown: 0 }, measure()],
            HardwareTest::Lamps => {
                let results = self.layout().map(crate::rules::Layout::covering).unwrap_or_default();
                let lamps = Step::Measure { results: results.into(), lit: None };
                vec![units(Code::Lamps), lamps, witness(Witness::Areas)]
            }
            HardwareTest::Reader => vec![Step::Power, units(Code::Reader), Step::Reader, Step::spin(), measure()],
            HardwareTest::Seal => vec![Step::Seal, measure(), witness(Witness::Seal)],
        }
    }

    /// Whether the probe has measured enough since `began`.
    pub(super) fn measure(
        &mut self,
        probe: &mut Probe,
        results: &mut VecDeque<Dice>,
        lit: &mut Option<Mono>,
        began: Mono,
        by: Durable,
    ) -> Outcome {
        let p = *self.ctx.p();
        let (done, limit, found) = match probe {
            Probe::Lamps(map) => return self.light_map(map, results, lit, by),
            Probe::Motor(_) | Probe::Cam(_) | Probe::Person => (true, 0, String::new()),
            Probe::Dome(dome) => {
                (dome.is_done(), p.person_limit, "the dome was not seen open and then closed".to_owned())
            }
            Probe::Terminal(keys) => (keys.is_done(), p.person_limit, format!("nobody did: {}", keys.prompt())),
            Probe::Reader(settling) => {
                if settling.is_done() && self.devices.reader.tumbled() == Some(false) {
                    return Outcome::Failed("the reader saw no motion of the dice".to_owned());
                }
                (settling.is_done(), p.settle_limit, "the dice do not come to rest".to_owned())
            }
            Probe::Seal(_) => {
                let done = self.ctx.reached(began, SEAL_WATCH);
                return if done { Outcome::Passed(None) } else { Outcome::Waits(began.after(SEAL_WATCH)) };
            }
            Probe::Temperature(thermometer) => {
                let readings = u32::try_from(READINGS).unwrap_or(u32::MAX);
                let limit = p.temperature_stale.saturating_mul(readings);
                (thermometer.is_done(), limit, "the temperature is not read".to_owned())
            }
            Probe::Bus(traffic) => {
                (traffic.is_done(), p.person_limit, format!("there were fewer than {TRANSACTIONS} transactions"))
            }
        };
        if done { Outcome::Passed(None) } else { self.wait(began, Millis(limit), &found) }
    }

    /// Shows each picture for its time, whatever is wrong with it, and all dark at last.
    fn light_map(
        &mut self,
        map: &mut LampMap,
        results: &mut VecDeque<Dice>,
        lit: &mut Option<Mono>,
        by: Durable,
    ) -> Outcome {
        let at = self.ctx.at();
        let areas = results.front().map_or(0, |dice| self.layout().map_or(0, |l| l.lit_bits(*dice)));
        let Some(since) = *lit else {
            self.devices.lamps.light(areas, by, &mut self.ctx);
            *lit = Some(at);
            self.ctx.note_change();
            return Outcome::Again;
        };
        let due = if self.devices.lamps.is_proved() { self.dwell(results) } else { Millis(self.ctx.p().lamp_verify) };
        if self.devices.lamps.is_proved() {
            map.right(areas, since, at);
        }
        if !at.reached(since, due) {
            return Outcome::Waits(since.after(due));
        }
        map.look(areas, self.devices.lamps.sensed());
        map.name(self.layout().map_or("", |layout| &layout.id), |bits| self.areas(bits));
        map.next();
        *lit = None;
        if results.pop_front().is_none() { Outcome::Passed(None) } else { Outcome::Again }
    }

    /// Whether a hardware test is in progress.
    pub(super) fn is_measuring(&self) -> bool {
        self.test.as_ref().is_some_and(Test::is_hardware)
    }

    fn probe(&self) -> Option<&Probe> {
        self.test.as_ref()?.probe()
    }

    /// Whether the terminal's keys are tested.
    pub(super) fn probes_keys(&self) -> bool {
        self.probe().is_some_and(Probe::takes_keys)
    }

    /// Whether the test in progress looks at this unit closely.
    pub(super) fn probes_bus(&self, unit: Unit) -> bool {
        self.probe().is_some_and(|probe| probe.watches(unit))
    }

    /// Lets the probe of the test in progress hear of something.
    pub(super) fn tap(&mut self, signal: Signal) {
        if let Some(test) = &mut self.test {
            test.tap(signal, self.ctx.at());
        }
    }

    /// Shows the probe what just became of the devices.
    pub(super) fn look(&self, probe: &mut Probe) {
        let runs = self.devices.tumbler.runs_for() == Some(RunsFor::Test);
        let level = |line| self.devices.inputs.raw(line) == Some(true);
        match probe {
            Probe::Motor(spin) | Probe::Cam(spin) => {
                if !spin.has_begun() && runs {
                    spin.begin(self.ctx.at(), level(InLine::CamA), level(InLine::CamB));
                }
                if spin.has_begun() && !self.devices.tumbler.is_running() {
                    spin.end(self.ctx.at());
                }
            }
            Probe::Dome(dome) => {
                dome.begin(level(InLine::DomeClosed), level(InLine::DomeOpen));
                dome.at(self.devices.dome.place() == Place::Open, self.devices.dome.covers());
            }
            Probe::Reader(settling) => {
                settling.look(runs, self.devices.tumbler.is_still(), self.devices.reader.is_at_rest(), self.ctx.at());
            }
            _ => {}
        }
    }

    /// What the hardware test in progress has measured so far.
    pub(super) fn measured(&self) -> Vec<Measurement> {
        self.probe().map(|probe| probe.measurements(self.ctx.at(), self.ctx.p())).unwrap_or_default()
    }

    /// Whether a test that was measured found nothing out of limits; otherwise what, and what to do.
    pub(super) fn within_limits(&self, test: &Test) -> Result<(), String> {
        let Some(probe) = test.probe() else { return Ok(()) };
        let measured = probe.measurements(self.ctx.at(), self.ctx.p());
        let Some(Measurement { quantity, value, .. }) = measured.iter().find(|m| m.verdict == Verdict::Fail) else {
            return Ok(());
        };
        let (name, unit, remedy) = (quantity.name(), quantity.unit(), quantity.remedy());
        let areas = match probe {
            Probe::Lamps(map) => map.counted_by(*quantity),
            _ => &[],
        };
        let areas = if areas.is_empty() { String::new() } else { format!(" ({})", areas.join(", ")) };
        Err(format!("{name}, {value} {unit}{areas}, is out of limits. {remedy}"))
    }

    /// Records what came of a hardware test.
    pub(super) fn report(&mut self, hardware: HardwareTest, test: &Test, passed: Result<(), String>) -> Verdict {
        let (mut measurements, mut plots) = Default::default();
        if let Some(probe) = test.probe() {
            measurements = probe.measurements(self.ctx.at(), self.ctx.p());
            plots = probe.plots();
        }
        let worst = measurements.iter().map(|m| m.verdict).max().unwrap_or_default();
        let (verdict, found) = match passed {
            Ok(()) => (worst, String::new()),
            Err(found) => (Verdict::Fail, found),
        };
        let (by, seen) = (test.by().to_owned(), test.seen().to_vec());
        let report = Report { test: hardware, by, verdict, found, seen, measurements, plots };
        self.record(Event::HardwareTested(Box::new(report)));
        verdict
    }
}
