//! What the control loop saw of late: levels of the lines, how the units on the field bus answer, and how late the loop was.

use crate::run::trace::{Observation, TracedLine, Traces};
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::{MilliCelsius, Mono};

/// Changes of lines that are kept: some dozens of rounds.
const CHANGES: usize = 8192;
/// Temperatures that are kept, one a minute at most: half a day.
const TEMPERATURES: usize = 720;
/// Time between two temperatures that are kept, in nanoseconds.
const MINUTE: u64 = 60_000_000_000;
/// Upper ends of the steps of a histogram, in microseconds; what is above the last is counted apart.
const STEPS_US: [u32; 12] = [50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000];

/// A change of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// When, in nanoseconds of the monotonic clock.
    pub at: u64,
    /// The line's name.
    pub line: &'static str,
    /// Its logical level from then on.
    pub active: bool,
}

/// Lines over a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waves {
    /// From when, in nanoseconds of the monotonic clock.
    pub from: u64,
    /// To when.
    pub to: u64,
    /// Levels at the beginning, of the lines that were known by then.
    pub before: BTreeMap<&'static str, bool>,
    /// Changes in between.
    pub changes: Vec<Change>,
    /// Whether changes from after `from` have been forgotten, or were lost.
    pub incomplete: bool,
}

/// How many were how long: a count for each of [`STEPS_US`], and one for what was longer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Histogram {
    counts: [u64; STEPS_US.len() + 1],
    /// The longest, in microseconds.
    max_us: u64,
}

impl Histogram {
    fn add(&mut self, nanos: u64) {
        let micros = nanos / 1000;
        let step = STEPS_US.iter().position(|end| micros <= u64::from(*end)).unwrap_or(STEPS_US.len());
        if let Some(count) = self.counts.get_mut(step) {
            *count = count.saturating_add(1);
        }
        self.max_us = self.max_us.max(micros);
    }
}

/// All of it.
#[derive(Debug, Default)]
pub struct Picture {
    changes: VecDeque<Change>,
    /// Levels just before the oldest change that is kept.
    before: BTreeMap<&'static str, bool>,
    /// What was before this moment is forgotten.
    since: u64,
    /// Changes that found no room since the picture began.
    lost: u64,
    took: BTreeMap<u8, Histogram>,
    late: Histogram,
    temperatures: VecDeque<(u64, MilliCelsius)>,
}

/// The parts of the picture that tell of health.
#[derive(Clone, Debug, Serialize)]
pub struct Health {
    /// Upper ends of the histograms' steps, in microseconds.
    pub steps_us: [u32; STEPS_US.len()],
    /// How long the units on the field bus took to answer, by their addresses.
    pub took: BTreeMap<u8, Histogram>,
    /// How late the control loop was woken.
    pub late: Histogram,
    /// The motor's temperature: moment in nanoseconds of the monotonic clock, and thousandths of a degree.
    pub temperatures: Vec<(u64, MilliCelsius)>,
    /// News of the control loop that found no room.
    pub lost: u64,
}

impl Picture {
    /// Takes in one thing more.
    pub fn take(&mut self, seen: Observation) {
        match seen {
            // An edge every 10 ms that says nothing but that the motor is on.
            Observation::Level { line: TracedLine::Out(tumbler_core::line::OutLine::MotorAlive), .. } => {}
            Observation::Level { line, active, at } => self.change(Change { at: at.0, line: line.name(), active }),
            Observation::Answered { unit, took } => self.took.entry(unit).or_default().add(took),
            Observation::Late(nanos) => self.late.add(nanos),
        }
    }

    fn change(&mut self, change: Change) {
        self.changes.push_back(change);
        if self.changes.len() <= CHANGES {
            return;
        }
        if let Some(oldest) = self.changes.pop_front() {
            self.before.insert(oldest.line, oldest.active);
            self.since = oldest.at;
        }
    }

    fn warm(&mut self, at: Mono, temperature: MilliCelsius) {
        if self.temperatures.back().is_some_and(|(last, _)| at.0.saturating_sub(*last) < MINUTE) {
            return;
        }
        self.temperatures.push_back((at.0, temperature));
        if self.temperatures.len() > TEMPERATURES {
            self.temperatures.pop_front();
        }
    }

    /// The lines from one moment to another.
    #[must_use]
    pub fn waves(&self, from: u64, to: u64) -> Waves {
        let mut before = self.before.clone();
        let mut changes = Vec::new();
        for change in &self.changes {
            if change.at < from {
                before.insert(change.line, change.active);
            } else if change.at <= to {
                changes.push(*change);
            }
        }
        Waves { from, to, before, changes, incomplete: self.since > from || self.lost > 0 }
    }

    /// How everything fares.
    #[must_use]
    pub fn health(&self) -> Health {
        Health {
            steps_us: STEPS_US,
            took: self.took.clone(),
            late: self.late.clone(),
            temperatures: self.temperatures.iter().copied().collect(),
            lost: self.lost,
        }
    }
}

/// Collects until the control loop is gone.
pub(super) async fn collect(
    picture: Arc<Mutex<Picture>>,
    mut traces: Traces,
    snapshot: watch::Receiver<Arc<Snapshot>>,
) {
    let mut batch = Vec::new();
    while traces.batch(&mut batch).await {
        let mut picture = picture.lock().unwrap_or_else(PoisonError::into_inner);
        for seen in batch.drain(..) {
            picture.take(seen);
        }
        picture.lost = picture.lost.saturating_add(traces.lost());
        if let Some(temperature) = snapshot.borrow().temperature {
            picture.warm(crate::run::clock::now(), temperature);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::line::InLine;
    use tumbler_core::line::OutLine;

    fn level(at: u64, line: InLine, active: bool) -> Observation {
        Observation::Level { line: TracedLine::In(line), active, at: Mono(at) }
    }

    #[test]
    fn waves_begin_with_the_levels_before_them() {
        let mut picture = Picture::default();
        picture.take(level(1, InLine::DomeClosed, true));
        picture.take(level(5, InLine::CamA, true));
        picture.take(Observation::Level { line: TracedLine::Out(OutLine::MotorAlive), active: true, at: Mono(6) });
        picture.take(level(9, InLine::CamA, false));
        let waves = picture.waves(5, 8);
        assert_eq!(waves.before, BTreeMap::from([("dome_closed", true)]));
        assert_eq!(waves.changes, [Change { at: 5, line: "cam_a", active: true }]);
        assert!(!waves.incomplete);
    }

    #[test]
    fn what_is_forgotten_is_said_and_the_levels_stay_known() {
        let mut picture = Picture::default();
        picture.take(level(1, InLine::Seal, true));
        for n in 0..CHANGES as u64 {
            picture.take(level(10 + n, InLine::CamA, n % 2 == 0));
        }
        assert!(picture.waves(0, 5).incomplete);
        assert!(!picture.waves(2, 5).incomplete);
        assert_eq!(picture.waves(2, 5).before, BTreeMap::from([("seal", true)]));
        assert_eq!(picture.changes.len(), CHANGES);
    }

    #[test]
    fn the_times_of_the_units_are_kept_apart() {
        let mut picture = Picture::default();
        for (unit, took) in [(1, 1_000_000), (2, 300_000_000)] {
            picture.take(Observation::Answered { unit, took });
        }
        let health = picture.health();
        assert_eq!(health.took[&1].counts.iter().sum::<u64>(), 1);
        assert_eq!(health.took[&2].counts.last(), Some(&1), "above the last step");
        assert_eq!(health.took[&2].max_us, 300_000);
    }
}
