//! One day of a campaign: a trial on a pure bench. A panic counts as a failure.

use super::coverage::Coverage;
use crate::scenario::{Trial, Verdict, judges_alone, run};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use tumbler_bench::Bench;
use tumbler_bench::pure::{Pure, Setup};
use tumbler_core::record::Event;
use tumbler_spec::Exercise;

/// Result of a day.
#[derive(Clone, Debug)]
pub struct DayReport {
    /// The day.
    pub trial: Trial,
    /// The verdict; a panic is a failure.
    pub verdict: Verdict,
    /// Rounds that began.
    pub rounds: u64,
    /// Rounds that were settled.
    pub settled: u64,
    /// Table time, in nanoseconds.
    pub table_ns: u64,
    /// Inputs that the core handled.
    pub events: u64,
    /// Phases, voids, latches, exits and refusals.
    pub reached: Coverage,
    /// Each rule of the specification, and how often it explained what had to come.
    pub rules: Vec<Exercise>,
    /// The trace, if asked for: each wire, transaction, record, truth and effect as a line of JSON.
    pub trace: Vec<u8>,
    /// SHA-256 of the trace, if asked for.
    pub digest: Option<[u8; 32]>,
}

/// How much of a day's trace is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TraceDetail {
    /// Nothing.
    #[default]
    Nothing,
    /// Its SHA-256.
    Digest,
    /// All of it, and its SHA-256.
    Whole,
}

impl DayReport {
    fn of(trial: &Trial) -> Self {
        Self {
            trial: trial.clone(),
            verdict: Verdict::Pass,
            rounds: 0,
            settled: 0,
            table_ns: 0,
            events: 0,
            reached: Coverage::default(),
            rules: Vec::new(),
            trace: Vec::new(),
            digest: None,
        }
    }

    /// Counts what was played.
    fn reckon(&mut self, bench: &Pure) {
        self.table_ns = bench.now();
        self.events = bench.events();
        self.reached = Coverage::of(bench.log(), &bench.observer().rows_used());
        self.rules = bench.observer().exercised();
        for durable in &bench.log().records {
            match &durable.record.event {
                Event::RoundBegan { .. } => self.rounds += 1,
                Event::Settled { .. } => self.settled += 1,
                _ => {}
            }
        }
    }

    /// Whether something was found.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.verdict != Verdict::Pass
    }
}

thread_local! {
    /// Place and message of a panic within a day.
    static PANICKED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic within a day becomes its finding, and prints nothing; all others go to the previous hook.
fn catch_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let within = PANICKED.with_borrow_mut(|told| match told {
                Some(told) => {
                    *told = info.to_string();
                    true
                }
                None => false,
            });
            if !within {
                before(info);
            }
        }));
    });
}

/// Plays a day.
#[must_use]
pub fn play(trial: &Trial) -> DayReport {
    traced(trial, TraceDetail::Nothing, true)
}

/// Plays a day and keeps its trace. `exact`: held to the whole specification.
#[must_use]
pub fn traced(trial: &Trial, detail: TraceDetail, exact: bool) -> DayReport {
    let mut report = DayReport::of(trial);
    if let Err(told) = caught(|| played(trial, detail, exact, &mut report)) {
        report.verdict = Verdict::Fail(vec![format!("panic: {told}")]);
    }
    report
}

/// Plays a day that only the specification can fail: other failures, panics included, are ignored.
#[must_use]
pub fn judged(trial: &Trial) -> DayReport {
    let mut report = DayReport::of(trial);
    let mut bench = match Pure::new(setup(trial, TraceDetail::Nothing)) {
        Ok(bench) => bench,
        Err(trouble) => {
            report.verdict = trouble.into();
            return report;
        }
    };
    let found = caught(|| judges_alone(&mut bench, trial)).unwrap_or_else(|_| bench.first_violation());
    if let Some(found) = found {
        report.verdict = Verdict::Fail(vec![format!("judge: {found}")]);
    }
    report.reckon(&bench);
    report
}

/// The result, or the message of a panic.
fn caught<T>(play: impl FnOnce() -> T) -> Result<T, String> {
    catch_panics();
    PANICKED.with_borrow_mut(|told| *told = Some(String::new()));
    let played = catch_unwind(AssertUnwindSafe(play));
    let told = PANICKED.take().unwrap_or_default();
    played.map_err(|_| told)
}

fn setup(trial: &Trial, detail: TraceDetail) -> Setup {
    let mut setup = Setup::of(&trial.rules, &trial.layout, trial.seed.unwrap_or_default());
    setup.trace = detail != TraceDetail::Nothing;
    setup.settings.reader = trial.reader;
    setup.free_play = trial.free;
    setup
}

fn played(trial: &Trial, detail: TraceDetail, exact: bool, report: &mut DayReport) {
    let mut bench = match Pure::new(Setup { exact, ..setup(trial, detail) }) {
        Ok(bench) => bench,
        Err(trouble) => {
            report.verdict = trouble.into();
            return;
        }
    };
    let outcome = run(&mut bench, trial);
    report.verdict = outcome.verdict;
    report.reckon(&bench);
    if detail != TraceDetail::Nothing {
        report.trace = text(&bench);
        report.digest = Some(Sha256::digest(&report.trace).into());
        if detail == TraceDetail::Digest {
            report.trace = Vec::new();
        }
    }
}

/// The trace: first what the judges saw, then the table's effects, each in order.
fn text(bench: &Pure) -> Vec<u8> {
    let mut text = Vec::new();
    for seen in bench.observer().trace() {
        line(&mut text, seen);
    }
    for effect in bench.effects() {
        line(&mut text, effect);
    }
    text
}

fn line(text: &mut Vec<u8>, what: &impl serde::Serialize) {
    // Neither can fail: everything can be serialised, and it is written to memory.
    let _ = serde_json::to_writer(&mut *text, what);
    text.push(b'\n');
}
