//! Hardware tests at the table: what the probe gets to see, and the report.

use super::proof::{Purpose, Test};
use super::{RunsFor, Table};
use crate::hardware_test::{HardwareTest, Measurement, Probe, Report, Verdict};
use crate::input::InLine;
use crate::record::Event;
use crate::wire::console::Answer;

impl Table {
    /// Begins a hardware test; the key's privilege was looked at before.
    pub(super) fn test_hardware(
        &mut self,
        test: HardwareTest,
        name: &str,
        request: u64,
    ) -> Result<Option<String>, String> {
        self.idle()?;
        if self.maintenance.is_none() {
            return Err("the table is not in maintenance: hardware is tested only there".into());
        }
        self.begin_test(Purpose::Hardware(test), name, request);
        Ok(None)
    }

    /// Whether a hardware test is in progress.
    pub(super) fn is_measuring(&self) -> bool {
        self.test.as_ref().is_some_and(|test| test.probe.is_some())
    }

    /// A raw edge, for the probe.
    pub(super) fn probe_edge(&mut self, line: InLine, active: bool) {
        let at = self.at;
        match self.test.as_mut().and_then(|test| test.probe.as_deref_mut()) {
            Some(Probe::Spin(_, spin)) => spin.edge(line, active, at),
            None => {}
        }
    }

    /// Shows the probe what just became of the devices.
    pub(super) fn look(&self, probe: &mut Probe) {
        match probe {
            Probe::Spin(_, spin) => {
                if !spin.has_begun() && matches!(self.runs_for, Some(RunsFor::Test)) {
                    let level = |line| self.raw(line) == Some(true);
                    spin.begin(self.at, level(InLine::CamA), level(InLine::CamB));
                }
                if spin.has_begun() && !self.tumbler.is_running() {
                    spin.end(self.at);
                }
            }
        }
    }

    /// What the hardware test in progress has measured so far.
    pub(super) fn measured(&self) -> Vec<Measurement> {
        let probe = self.test.as_ref().and_then(|test| test.probe.as_deref());
        probe.map(|probe| probe.measurements(self.at, &self.settings.parameters)).unwrap_or_default()
    }

    /// Records what came of a hardware test.
    pub(super) fn report(&mut self, hardware: HardwareTest, test: &Test, passed: Result<(), String>) -> Answer {
        let (mut measurements, mut plots) = Default::default();
        if let Some(probe) = test.probe.as_deref() {
            measurements = probe.measurements(self.at, &self.settings.parameters);
            plots = probe.plots();
        }
        let worst = measurements.iter().map(|m| m.verdict).max().unwrap_or_default();
        let (verdict, found) = match passed {
            Ok(()) => (worst, String::new()),
            Err(found) => (Verdict::Fail, found),
        };
        let report = Report { test: hardware, by: test.by.clone(), verdict, found, measurements, plots };
        self.record(Event::HardwareTested(Box::new(report)));
        Answer::Done(format!("{hardware}: {}", verdict.name()))
    }
}
