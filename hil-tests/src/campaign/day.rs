//! One table-day: a trial played on a pure bench, with whatever goes wrong in it, a panic too.

use crate::bench::Bench;
use crate::bench::pure::{Pure, Setup};
use crate::scenario::{Trial, Verdict, run};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
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
}

impl DayReport {
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
    catch_panics();
    let mut report =
        DayReport { trial: trial.clone(), verdict: Verdict::Pass, rounds: 0, settled: 0, table_ns: 0, events: 0 };
    PANICKED.with_borrow_mut(|told| *told = Some(String::new()));
    let played = catch_unwind(AssertUnwindSafe(|| played(trial, &mut report)));
    let told = PANICKED.take().unwrap_or_default();
    if played.is_err() {
        report.verdict = Verdict::Fail(vec![format!("panic: {told}")]);
    }
    report
}

fn played(trial: &Trial, report: &mut DayReport) {
    let mut setup = Setup::of(&trial.rules, &trial.layout, trial.seed.unwrap_or_default());
    setup.settings.reader = trial.reader;
    let mut bench = match Pure::new(setup) {
        Ok(bench) => bench,
        Err(trouble) => {
            report.verdict = Verdict::Invalid(trouble.to_string());
            return;
        }
    };
    let outcome = run(&mut bench, trial);
    report.verdict = outcome.verdict;
    report.table_ns = outcome.table_ns;
    report.events = bench.events();
    for durable in &bench.log().records {
        match durable.record.event {
            Event::RoundBegan { .. } => report.rounds += 1,
            Event::Settled { .. } => report.settled += 1,
            _ => {}
        }
    }
}
