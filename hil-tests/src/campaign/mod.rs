//! Campaigns: random days at random tables on the pure bench, with all judges on. A day is a scenario in words, drawn from
//! a seed; so a day that fails *is* a scenario, which is shrunk to the shortest that still fails and written as a file.
//!
//! ```text
//!  seed ──schedule──> day: steps in words ──scenario::run──> Pure + judges ──> reached, digest
//!            ^                  ^                                 │
//!          dealer, swarm        └────────── shrink <── violation ─┘ ──> scenario file
//! ```

pub mod coverage;
pub mod day;
mod dealer;
mod errand;
mod hardware;
pub mod schedule;
pub mod shrink;
mod swarm;
mod table;
mod truth_table_rounds;
pub mod violation;

use day::{DayReport, TraceDetail};
use schedule::{DayPlan, Faults};
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, PoisonError};
use tumbler_bench::process::clock;

/// Options of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Campaign {
    /// Seed of all random choices.
    pub seed: u64,
    /// Rounds to be dealt.
    pub rounds: u64,
    /// What breaks.
    pub faults: Faults,
    /// How many days at once; no result depends on it.
    pub jobs: usize,
    /// What is kept of each day's trace.
    pub keep: TraceDetail,
    /// Only the day of this number.
    pub day: Option<u64>,
    /// Only the specification decides whether a day failed.
    pub judges_alone: bool,
    /// Days are held only to what of the specification a bench serves that is late, and to the judges that stand in for the rest.
    pub open_world: bool,
}

/// Most days that are played ahead of the first unfinished one: their reports wait in memory.
const AHEAD: u64 = 64;

struct Course {
    next: u64,
    /// The first day whose report was not handed on yet.
    told: u64,
    waiting: BTreeMap<u64, DayReport>,
    /// No day after this one is begun.
    last: u64,
}

impl Campaign {
    /// Plays the days and hands each report on, in the order of the days whatever `jobs` is, until one failed, all were
    /// played or somebody interrupted. The first day that failed is the last one told.
    pub fn run(&self, tell: &mut (dyn FnMut(DayReport) + Send)) {
        let mut days: Vec<DayPlan> = schedule::plans(self.seed, self.rounds, self.faults);
        days.retain(|plan| self.day.is_none_or(|day| day == plan.number));
        let course = Mutex::new(Course {
            next: 0,
            told: 0,
            waiting: BTreeMap::new(),
            last: (days.len() as u64).saturating_sub(1),
        });
        if days.is_empty() {
            return;
        }
        let turn = Condvar::new();
        let tell = Mutex::new(tell);
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.clamp(1, days.len()) {
                scope.spawn(|| {
                    loop {
                        let mut now = course.lock().unwrap_or_else(PoisonError::into_inner);
                        while now.next <= now.last && now.next >= now.told + AHEAD && !clock::interrupted() {
                            now = turn.wait(now).unwrap_or_else(PoisonError::into_inner);
                        }
                        let number = now.next;
                        if number > now.last || clock::interrupted() {
                            turn.notify_all();
                            return;
                        }
                        now.next += 1;
                        drop(now);
                        let Some(plan) = usize::try_from(number).ok().and_then(|at| days.get(at)) else { return };
                        let report = match self.judges_alone {
                            true => day::judged(&plan.trial()),
                            false => day::traced(&plan.trial(), self.keep, !self.open_world),
                        };
                        let mut now = course.lock().unwrap_or_else(PoisonError::into_inner);
                        if report.failed() {
                            now.last = now.last.min(number);
                        }
                        now.waiting.insert(number, report);
                        let mut tell = tell.lock().unwrap_or_else(PoisonError::into_inner);
                        while let Some(report) = now.next_report() {
                            tell(report);
                        }
                        drop(tell);
                        drop(now);
                        turn.notify_all();
                    }
                });
            }
        });
    }
}

#[cfg(test)]
mod tests;

impl Course {
    fn next_report(&mut self) -> Option<DayReport> {
        if self.told > self.last {
            return None;
        }
        let report = self.waiting.remove(&self.told)?;
        self.told += 1;
        Some(report)
    }
}
