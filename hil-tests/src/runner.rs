//! Runs trials on a bench, several at once, and reports each.

use crate::report::capture::Capture;
use crate::report::cell::CellReport;
use crate::scenario::timeline::{Latency, Told};
use crate::scenario::{Outcome, Trial, Verdict, run_told};
use crate::templates::Templates;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use tumbler_bench::file::{BenchFile, Kind};
use tumbler_bench::process::clock;
use tumbler_bench::pure::{Pure, Setup};
use tumbler_bench::{Bench, EnvironmentFault};
use tumbler_spec::Observation;

/// Limit for the measured cut of the motor, in nanoseconds: the longest flicker that a spin survives (`guard_flicker`).
const GUARD_NS: u64 = 3_000_000;

/// Runs trials on one kind of bench.
#[derive(Debug)]
pub enum Runner {
    /// Core and twin on a virtual clock.
    Pure,
    /// The daemon's process, with templates of opened tables.
    Virtual(Templates),
}

impl Runner {
    /// The runner for this bench.
    #[must_use]
    pub fn of(bench: &BenchFile, tumblerd: PathBuf) -> Self {
        match bench.kind {
            Kind::Pure => Self::Pure,
            Kind::Virtual | Kind::GpioSim | Kind::Pi => Self::Virtual(Templates::new(tumblerd).on(bench.wires())),
        }
    }

    /// Runs one trial, and tells of its steps. `trace`: the report includes every observation.
    #[must_use]
    pub fn cell(&self, bench: &BenchFile, trial: &Trial, salt: u64, trace: bool, told: Told<'_>) -> CellReport {
        let begun = Instant::now();
        let cannot = cannot(bench, trial);
        let seed = seed_of(trial, salt);
        let mut report = CellReport::of(trial, seed, cannot.is_some());
        match (cannot, self) {
            (Some(reason), _) => report.verdict = Verdict::NotExecuted(reason.to_owned()),
            (None, Self::Pure) => on_pure(trial, trace, told, &mut report),
            (None, Self::Virtual(templates)) => on_virtual(templates, trial, trace, told, &mut report),
        }
        report.took = begun.elapsed();
        report
    }

    /// Runs trials, `options.jobs` at once. Calls `ended` for each on the thread that ran it; if there is a trace, `ended` must take
    /// it out of the report. Without `keep_going` no trial starts after the first failure. Returns the reports in the order of the
    /// trials.
    pub fn run(
        &self,
        bench: &BenchFile,
        trials: &[Trial],
        options: RunOptions,
        ended: &(dyn Fn(&mut CellReport) + Sync),
    ) -> Vec<CellReport> {
        let next = AtomicUsize::new(0);
        let reports = Mutex::new(Vec::with_capacity(trials.len()));
        std::thread::scope(|scope| {
            for _ in 0..options.jobs.clamp(1, trials.len().max(1)) {
                scope.spawn(|| {
                    loop {
                        let place = next.fetch_add(1, Ordering::SeqCst);
                        let Some(trial) = trials.get(place) else { return };
                        if clock::interrupted() {
                            return;
                        }
                        let mut report = self.cell(bench, trial, options.salt, options.trace, None);
                        ended(&mut report);
                        if report.fails() && !options.keep_going {
                            next.store(trials.len(), Ordering::SeqCst);
                        }
                        reports.lock().unwrap_or_else(PoisonError::into_inner).push((place, report));
                    }
                });
            }
        });
        let mut reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
        reports.sort_by_key(|(place, _)| *place);
        reports.into_iter().map(|(_, report)| report).collect()
    }
}

/// Why this bench does not play the trial: its list says so, or its kind cannot bring about what the trial breaks. None where it does.
#[must_use]
pub fn cannot<'b>(bench: &'b BenchFile, trial: &Trial) -> Option<&'b str> {
    let beyond =
        || (bench.kind == Kind::Pure).then(|| trial.faults().into_iter().find_map(EnvironmentFault::beyond_pure));
    bench.cannot(&trial.name).or_else(|| beyond().flatten())
}

/// Options of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// How many trials run at once.
    pub jobs: usize,
    /// Mixed into every trial's seed.
    pub salt: u64,
    /// Go on after a failure.
    pub keep_going: bool,
    /// Reports include every observation.
    pub trace: bool,
}

impl RunOptions {
    /// The same with at most two trials at once, for a less busy machine.
    #[must_use]
    pub fn calmer(self) -> Self {
        Self { jobs: self.jobs.min(2), ..self }
    }
}

/// The seed of a trial, hashed from its name (FNV-1a): trials differ, and each one repeats.
#[must_use]
pub fn seed(name: &str, salt: u64) -> u64 {
    hash(name.as_bytes(), salt)
}

/// FNV-1a of these bytes, after what gave `before`.
pub(crate) fn hash(bytes: &[u8], before: u64) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325 ^ before, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The seed with which a trial is played: its own, or else the one of its name.
#[must_use]
pub fn seed_of(trial: &Trial, salt: u64) -> u64 {
    trial.seed.unwrap_or_else(|| seed(&trial.name, salt))
}

/// The trial with the seed that `run` gives it.
#[must_use]
pub fn seeded(trial: Trial) -> Trial {
    let seed = Some(seed_of(&trial, 0));
    Trial { seed, ..trial }
}

fn on_pure(trial: &Trial, trace: bool, told: Told<'_>, report: &mut CellReport) {
    let mut setup = Setup { trace, ..Setup::of(&trial.rules, &trial.layout, report.seed) };
    setup.settings.reader = trial.reader;
    setup.free_play = trial.free;
    match Pure::new(setup) {
        Ok(mut bench) => {
            let verdict = ended(report, run_told(&mut bench, trial, told));
            report.judged = bench.observer().judged();
            report.capture = trace.then(|| capture(report, bench.take_trace()));
            report.verdict = verdict;
        }
        Err(trouble) => report.verdict = trouble.into(),
    }
}

fn on_virtual(templates: &Templates, trial: &Trial, trace: bool, told: Told<'_>, report: &mut CellReport) {
    let mut bench = match templates.table(trial, report.seed, trace) {
        Ok(bench) => bench,
        Err(trouble) => {
            report.verdict = trouble.into();
            return;
        }
    };
    let verdict = ended(report, run_told(&mut bench, trial, told));
    report.judged = bench.judges().judged();
    report.capture = trace.then(|| capture(report, bench.take_trace()));
    report.latencies.extend(bench.log().cuts.iter().map(|(line, ns)| Latency {
        what: format!("motor_enable off after {} at the pins", line.name()),
        took_ns: *ns,
        limit_ns: GUARD_NS,
    }));
    report.late_ns = bench.stalls().worst;
    report.verdict = verdict;
    if matches!(report.verdict, Verdict::Fail(_) | Verdict::Invalid(_)) {
        report.log = bench.log_tail(20);
    }
}

/// Takes up what a run noted; gives its verdict.
fn ended(report: &mut CellReport, outcome: Outcome) -> Verdict {
    report.table_ns = outcome.table_ns;
    report.records = outcome.records;
    report.notes = outcome.notes;
    report.compared = outcome.compared;
    report.marks = outcome.timeline.marks;
    report.latencies = outcome.timeline.latencies;
    outcome.verdict
}

fn capture(report: &CellReport, (seen, phases): (Vec<Observation>, Vec<(u64, String)>)) -> Capture {
    Capture { seen, phases, marks: report.marks.clone(), end_ns: report.table_ns }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    #[test]
    fn seeds_differ_by_name_and_by_salt() {
        assert_ne!(seed("a", 0), seed("b", 0));
        assert_ne!(seed("a", 0), seed("a", 1));
        assert_eq!(seed("a", 0), seed("a", 0));
    }
}
