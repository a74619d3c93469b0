//! Running many scenarios on a bench: which, how many at once, and what came of each.

use crate::bench::file::{BenchFile, Kind};
use crate::bench::process::clock;
use crate::bench::process::template::Templates;
use crate::bench::pure::{Pure, Setup};
use crate::scenario::{Trial, Verdict, run};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What came of one scenario on one bench.
#[derive(Clone, Debug)]
pub struct CellReport {
    /// Name of the trial.
    pub name: String,
    /// What it shows.
    pub about: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the bench's file says that it cannot run this.
    pub listed: bool,
    /// Wall time.
    pub took: Duration,
    /// Table time, in nanoseconds.
    pub table_ns: u64,
    /// The journal's records in short, for whoever looks into a failure.
    pub records: Vec<String>,
    /// What was left out of the scenario on this bench, and why.
    pub notes: Vec<String>,
    /// The end of the daemon's log, where there was a process and the verdict is no pass.
    pub log: String,
    /// Seed of the twin.
    pub seed: u64,
    /// The rig's longest lateness at its own deadlines, in nanoseconds; 0 under virtual time.
    pub late_ns: u64,
}

impl CellReport {
    /// Whether it stands in the way of a passed run.
    #[must_use]
    pub fn fails(&self) -> bool {
        match self.verdict {
            Verdict::Pass => false,
            Verdict::NotExecuted(_) => !self.listed,
            Verdict::Fail(_) | Verdict::Invalid(_) => true,
        }
    }
}

/// A bench that scenarios can be run on.
#[derive(Debug)]
pub enum Lane {
    /// Core and twin on a virtual clock.
    Pure,
    /// The daemon's process, with its opened tables.
    Virtual(Templates),
}

impl Lane {
    /// The lane of this bench.
    #[must_use]
    pub fn of(kind: Kind, tumblerd: PathBuf) -> Self {
        match kind {
            Kind::Pure => Self::Pure,
            Kind::Virtual => Self::Virtual(Templates::new(tumblerd)),
        }
    }

    /// Runs one trial.
    #[must_use]
    pub fn cell(&self, bench: &BenchFile, trial: &Trial, salt: u64) -> CellReport {
        let begun = Instant::now();
        let seed = trial.seed.unwrap_or_else(|| seed(&trial.name, salt));
        let mut report = CellReport {
            name: trial.name.clone(),
            about: trial.about.clone(),
            verdict: Verdict::Invalid(String::new()),
            listed: bench.cannot(&trial.name).is_some(),
            took: Duration::ZERO,
            table_ns: 0,
            records: Vec::new(),
            notes: Vec::new(),
            log: String::new(),
            seed,
            late_ns: 0,
        };
        match (bench.cannot(&trial.name), self) {
            (Some(reason), _) => report.verdict = Verdict::NotExecuted(reason.to_owned()),
            (None, Self::Pure) => on_pure(trial, &mut report),
            (None, Self::Virtual(templates)) => on_virtual(templates, trial, &mut report),
        }
        report.took = begun.elapsed();
        report
    }

    /// Runs trials, so many at once, and tells of each as it ends. With `keep_going` false no more are begun after the
    /// first one that fails. The reports come in the order of the trials.
    pub fn run(
        &self,
        bench: &BenchFile,
        trials: &[Trial],
        plan: Plan,
        ended: &(dyn Fn(&CellReport) + Sync),
    ) -> Vec<CellReport> {
        let next = AtomicUsize::new(0);
        let reports = Mutex::new(Vec::with_capacity(trials.len()));
        std::thread::scope(|scope| {
            for _ in 0..plan.jobs.clamp(1, trials.len().max(1)) {
                scope.spawn(|| {
                    loop {
                        let place = next.fetch_add(1, Ordering::SeqCst);
                        let Some(trial) = trials.get(place) else { return };
                        if clock::interrupted() {
                            return;
                        }
                        let report = self.cell(bench, trial, plan.salt);
                        ended(&report);
                        if report.fails() && !plan.keep_going {
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

/// How a run goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How many scenarios at once.
    pub jobs: usize,
    /// Mixed into every trial's seed.
    pub salt: u64,
    /// Go on after a failure.
    pub keep_going: bool,
}

/// The seed of a trial: from its name, so that trials differ and each stays the same (FNV-1a).
#[must_use]
pub fn seed(name: &str, salt: u64) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325 ^ salt, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn on_pure(trial: &Trial, report: &mut CellReport) {
    let mut setup = Setup::of(&trial.rules, &trial.layout, report.seed);
    setup.settings.reader = trial.reader;
    match Pure::new(setup) {
        Ok(mut bench) => {
            let outcome = run(&mut bench, trial);
            report.verdict = outcome.verdict;
            report.table_ns = outcome.table_ns;
            report.records = outcome.records;
            report.notes = outcome.notes;
        }
        Err(trouble) => report.verdict = Verdict::Invalid(trouble.to_string()),
    }
}

fn on_virtual(templates: &Templates, trial: &Trial, report: &mut CellReport) {
    let mut bench = match templates.table(trial, report.seed) {
        Ok(bench) => bench,
        Err(fault) => {
            report.verdict = Verdict::Invalid(fault.to_string());
            return;
        }
    };
    let outcome = run(&mut bench, trial);
    report.table_ns = outcome.table_ns;
    report.records = outcome.records;
    report.notes = outcome.notes;
    report.late_ns = bench.stalls().worst;
    report.verdict = match (outcome.verdict, bench.stalls().verdict()) {
        // A rig that came late may have made the table fail.
        (Verdict::Fail(why), Some(stall)) => {
            Verdict::Invalid(format!("{stall}, and so says nothing: {}", why.join("; ")))
        }
        (verdict, _) => verdict,
    };
    if matches!(report.verdict, Verdict::Fail(_) | Verdict::Invalid(_)) {
        report.log = bench.log_tail(20);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(verdict: Verdict, listed: bool) -> CellReport {
        CellReport {
            name: "stall::nz-1998".into(),
            about: String::new(),
            verdict,
            listed,
            took: Duration::ZERO,
            table_ns: 0,
            records: Vec::new(),
            notes: Vec::new(),
            log: String::new(),
            seed: 0,
            late_ns: 0,
        }
    }

    #[test]
    fn what_is_not_executed_fails_the_run_unless_the_bench_lists_it() {
        assert!(!report(Verdict::Pass, false).fails());
        assert!(!report(Verdict::NotExecuted("no".into()), true).fails());
        assert!(report(Verdict::NotExecuted("no".into()), false).fails());
        assert!(report(Verdict::Fail(vec![]), true).fails());
        assert!(report(Verdict::Invalid("late".into()), true).fails());
    }

    #[test]
    fn seeds_differ_by_name_and_by_salt() {
        assert_ne!(seed("a", 0), seed("b", 0));
        assert_ne!(seed("a", 0), seed("a", 1));
        assert_eq!(seed("a", 0), seed("a", 0));
    }
}
