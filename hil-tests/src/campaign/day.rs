//! One table-day: a trial played on a pure bench, with whatever goes wrong in it, a panic too.

use super::coverage::Reached;
use crate::scenario::{Trial, Verdict, judges_alone, run};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use tumbler_bench::Bench;
use tumbler_bench::pure::{Pure, Setup};
use tumbler_core::record::Event;

/// What came of a day.
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
    /// Inputs that the table took.
    pub events: u64,
    /// Phases, voids, latches, exits and refusals.
    pub reached: Reached,
    /// Everything that happened: each wire, transaction, record, truth and effect on a line of JSON; where it was asked for.
    pub trace: Vec<u8>,
    /// SHA-256 of the trace, where it was asked for.
    pub digest: Option<[u8; 32]>,
}

/// What is kept of a day's trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
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
            reached: Reached::default(),
            trace: Vec::new(),
            digest: None,
        }
    }

    /// Counts what was played.
    fn reckon(&mut self, bench: &Pure) {
        self.table_ns = bench.now();
        self.events = bench.events();
        self.reached = Reached::of(bench.log(), &bench.observer().rows_used());
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
    /// Within a day: where and with what words the thread panicked.
    static PANICKED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Panics within a day are a day's findings, and tell nobody; all others go where they always went.
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
    traced(trial, Keep::Nothing)
}

/// Plays a day and keeps its trace.
#[must_use]
pub fn traced(trial: &Trial, keep: Keep) -> DayReport {
    let mut report = DayReport::of(trial);
    if let Err(told) = caught(|| played(trial, keep, &mut report)) {
        report.verdict = Verdict::Fail(vec![format!("panic: {told}")]);
    }
    report
}

/// Plays a day on which nobody is asked but the judges: whatever else goes wrong, a panic too, is no matter. `sound`: nothing breaks on
/// it but for noise. `without`: the judge of this name is not asked either.
#[must_use]
pub fn judged(trial: &Trial, sound: bool, without: Option<&'static str>) -> DayReport {
    let mut report = DayReport::of(trial);
    let setup = Setup { alone: true, sound, without, ..setup(trial, Keep::Nothing) };
    let mut bench = match Pure::new(setup) {
        Ok(bench) => bench,
        // Rule set and layout are of the judges' own list.
        Err(trouble) => {
            let of = format!("no table can be set up by `{}` and `{}`", trial.rules, trial.layout);
            report.verdict = Verdict::Fail(vec![format!("judge: rules: {of}: {trouble} [texts: every rule set]")]);
            return report;
        }
    };
    let found = caught(|| judges_alone(&mut bench, trial)).unwrap_or_else(|_| bench.found());
    if let Some(found) = found {
        report.verdict = Verdict::Fail(vec![format!("judge: {found}")]);
    }
    report.reckon(&bench);
    report
}

/// What comes of it, or the words of a panic.
fn caught<T>(play: impl FnOnce() -> T) -> Result<T, String> {
    catch_panics();
    PANICKED.with_borrow_mut(|told| *told = Some(String::new()));
    let played = catch_unwind(AssertUnwindSafe(play));
    let told = PANICKED.take().unwrap_or_default();
    played.map_err(|_| told)
}

fn setup(trial: &Trial, keep: Keep) -> Setup {
    let mut setup = Setup::of(&trial.rules, &trial.layout, trial.seed.unwrap_or_default());
    setup.trace = keep != Keep::Nothing;
    setup.settings.reader = trial.reader;
    setup.free_play = true;
    setup
}

fn played(trial: &Trial, keep: Keep, report: &mut DayReport) {
    let mut bench = match Pure::new(setup(trial, keep)) {
        Ok(bench) => bench,
        Err(trouble) => {
            report.verdict = Verdict::Invalid(trouble.to_string());
            return;
        }
    };
    let outcome = run(&mut bench, trial);
    report.verdict = outcome.verdict;
    report.reckon(&bench);
    if keep != Keep::Nothing {
        report.trace = text(&bench);
        report.digest = Some(Sha256::digest(&report.trace).into());
        if keep == Keep::Digest {
            report.trace = Vec::new();
        }
    }
}

/// What the judges were told, then what the table did, each in its order.
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
    // Nothing of it fails to be JSON, and memory takes whatever is written.
    let _ = serde_json::to_writer(&mut *text, what);
    text.push(b'\n');
}
