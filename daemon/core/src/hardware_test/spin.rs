//! A spin as the cam's edges tell it.
//!
//! The first edge that takes the cam on by a step is the step's moment; whatever edges follow before the next step are its
//! bounce. So bounce on one sensor changes no period, and its length and number are measured apart.

use super::{Plots, Quantity, Wave};
use crate::device::cam::{Cam, STEPS};
use crate::line::InLine;
use crate::prelude::*;
use crate::units::Mono;
use serde::{Deserialize, Serialize};

/// Steps of one tumble.
const LAP: usize = STEPS as usize;
/// Most steps that are kept: a spin of 20 tumbles has some 90.
const KEPT: usize = 400;
/// Nanoseconds in a microsecond.
const MICRO: u64 = 1000;

/// What was seen of a spin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spin {
    cam: Cam,
    /// When the motor was commanded on.
    on: Option<Mono>,
    /// When the dead-man edges ended.
    off: Option<Mono>,
    furthest: i64,
    /// When the first edge came that repeats no level.
    first: Option<Mono>,
    /// When the cam went on by a step, from the first one on.
    steps: Vec<Mono>,
    /// When the last edge came that took the cam on.
    last: Option<Mono>,
    bounces: i64,
    most_bounces: i64,
    longest_bounce: u64,
    repeats: i64,
    waves: [Wave; 2],
}

/// Whole microseconds from one moment to another.
fn micros(from: Mono, to: Mono) -> i64 {
    i64::try_from(to.nanos_since(from) / MICRO).unwrap_or(i64::MAX)
}

impl Spin {
    /// The motor was commanded on, with the sensors at these levels.
    pub fn begin(&mut self, at: Mono, a: bool, b: bool) {
        self.on = Some(at);
        self.cam.level(false, a);
        self.cam.level(true, b);
        for (wave, (line, active)) in self.waves.iter_mut().zip([(InLine::CamA, a), (InLine::CamB, b)]) {
            *wave = Wave { line: line.name().to_owned(), active, edges: Vec::new() };
        }
    }

    /// Whether the motor was commanded on.
    #[must_use]
    pub const fn has_begun(&self) -> bool {
        self.on.is_some()
    }

    /// The dead-man edges ended; said again, it changes nothing.
    pub fn end(&mut self, at: Mono) {
        self.off.get_or_insert(at);
    }

    /// A raw edge of one of the sensors.
    pub fn edge(&mut self, line: InLine, active: bool, at: Mono) {
        let Some(on) = self.on else { return };
        let (before, repeats) = (self.cam.position(), self.cam.repeats());
        let position = self.cam.edge(line == InLine::CamB, active);
        if self.cam.repeats() != repeats {
            self.repeats += 1;
            return;
        }
        self.first.get_or_insert(at);
        let wave = if line == InLine::CamA { &mut self.waves[0] } else { &mut self.waves[1] };
        if wave.edges.len() < Wave::KEPT {
            wave.edges.push(micros(on, at));
        }
        debug_assert_ne!(position, before, "an edge that repeats nothing moves the cam");
        if position > self.furthest {
            self.furthest = position;
            self.bounces = 0;
            self.last = Some(at);
            if self.steps.len() < KEPT {
                self.steps.push(at);
            }
        } else if let Some(last) = self.last {
            // Away and back again are one bounce.
            self.bounces += 1;
            self.most_bounces = self.most_bounces.max((self.bounces + 1) / 2);
            self.longest_bounce = self.longest_bounce.max(at.nanos_since(last));
        }
    }

    /// Steps under power: what comes later slows down.
    fn driven(&self) -> &[Mono] {
        let count = self.off.map_or(self.steps.len(), |off| self.steps.iter().filter(|at| **at <= off).count());
        self.steps.get(..count).unwrap_or_default()
    }

    /// Periods of the tumbles under power, in microseconds, from the first edge to the same edge again.
    fn periods(&self) -> Vec<i64> {
        let edges: Vec<Mono> = self.driven().iter().copied().step_by(LAP).collect();
        edges.iter().zip(edges.iter().skip(1)).map(|(from, to)| micros(*from, *to)).collect()
    }

    /// What a motor's test measures.
    pub(super) fn motor(&self, now: Mono) -> Vec<(Quantity, i64)> {
        let mut found = Vec::new();
        let Some(on) = self.on else { return found };
        // Of a shaft that never moves, the time so far is what is known. Where a sensor is stuck, the other one shows its start.
        let first = self.first;
        found.push((Quantity::StartTime, micros(on, first.unwrap_or_else(|| self.off.unwrap_or(now)))));
        let tumbles = crate::device::cam::tumbles(i64::try_from(self.driven().len()).unwrap_or(0));
        found.push((Quantity::Tumbles, i64::from(tumbles.0)));
        let mut periods = self.periods();
        if periods.len() > 1 {
            // The first one has the start in it.
            periods.remove(0);
        }
        // The first tumble is reckoned from motor on, as its deadline is.
        let began = if periods.is_empty() { Some(on) } else { self.driven().iter().copied().step_by(LAP).next_back() };
        let open = began.map(|began| micros(began, self.off.unwrap_or(now)));
        let greatest = periods.iter().copied().chain(open).max();
        if let (Some(least), Some(greatest)) = (periods.iter().copied().min(), greatest) {
            let mean = periods.iter().sum::<i64>() / i64::try_from(periods.len()).unwrap_or(1).max(1);
            found.push((Quantity::PeriodMean, mean));
            found.push((Quantity::PeriodLeast, least));
            found.push((Quantity::PeriodGreatest, greatest));
            found.push((Quantity::PeriodSpread, (greatest - least) * 1000 / mean.max(1)));
        } else if let Some(greatest) = greatest {
            found.push((Quantity::PeriodGreatest, greatest));
        }
        if let Some((off, last)) = self.off.zip(self.last).filter(|(off, last)| last > off) {
            found.push((Quantity::CoastTime, micros(off, last)));
        }
        found
    }

    /// What a cam's test measures.
    pub(super) fn cam(&self) -> Vec<(Quantity, i64)> {
        if self.on.is_none() {
            return Vec::new();
        }
        let mut found = vec![
            (Quantity::CamBounce, i64::try_from(self.longest_bounce / MICRO).unwrap_or(i64::MAX)),
            (Quantity::CamBounces, self.most_bounces),
            (Quantity::CamRepeats, self.repeats),
        ];
        let shares = self.shares();
        if let (Some(least), Some(greatest)) = (
            shares.iter().map(|share| share.iter().min()).min().flatten(),
            shares.iter().map(|share| share.iter().max()).max().flatten(),
        ) {
            // Each quarter is the angle between the two sensors, or what it leaves of the half turn that a magnet is seen:
            // the one farthest from a right angle is said.
            let far = if 250 - least >= greatest - 250 { least } else { greatest };
            found.push((Quantity::CamAngle, far * 360 / 1000));
        }
        let apart = (0..LAP).filter_map(|quarter| {
            let of = shares.iter().filter_map(|share| share.get(quarter));
            Some(of.clone().max()? - of.min()?)
        });
        if let Some(jitter) = apart.max().filter(|_| shares.len() > 1) {
            found.push((Quantity::CamJitter, jitter));
        }
        found
    }

    /// How each tumble under power but the first is shared among its quarters, in thousandths.
    fn shares(&self) -> Vec<[i64; LAP]> {
        let steps = self.driven().get(LAP..).unwrap_or_default();
        let mut shares = Vec::new();
        for lap in (0..).map_while(|lap| steps.get(lap * LAP..=lap * LAP + LAP)) {
            let (Some(from), Some(to)) = (lap.first(), lap.last()) else { continue };
            let whole = micros(*from, *to).max(1);
            let mut share = [0; LAP];
            for (quarter, (from, to)) in share.iter_mut().zip(lap.iter().zip(lap.iter().skip(1))) {
                *quarter = micros(*from, *to) * 1000 / whole;
            }
            shares.push(share);
        }
        shares
    }

    pub(super) fn plots(&self) -> Plots {
        let waves = self.waves.iter().filter(|w| !w.line.is_empty()).cloned().collect();
        Plots { periods: self.periods(), waves, ..Plots::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware_test::{Measurement, Verdict};
    use crate::settings::Parameters;

    /// A spin of 17 steps, each with what it takes and what bounces after it, in milliseconds.
    fn spun(step: impl Fn(u64) -> u64, bounces: &[u64]) -> Spin {
        let mut spin = Spin::default();
        spin.begin(Mono::from_millis(1000), false, false);
        let mut at = 1000;
        for n in 1..=18 {
            at += step(n);
            let line = if n % 2 == 1 { InLine::CamA } else { InLine::CamB };
            let active = matches!(n % 4, 1 | 2);
            spin.edge(line, active, Mono::from_millis(at));
            for bounce in bounces {
                spin.edge(line, !active, Mono::from_millis(at + bounce));
                spin.edge(line, active, Mono::from_millis(at + bounce + 1));
            }
            if n == 17 {
                spin.end(Mono::from_millis(at));
            }
        }
        spin
    }

    fn of(found: &[(Quantity, i64)], quantity: Quantity) -> i64 {
        found.iter().find(|(q, _)| *q == quantity).map(|(_, value)| *value).unwrap()
    }

    #[test]
    fn a_healthy_spin_is_measured_and_passes() {
        let spin = spun(|_| 150, &[]);
        let found = spin.motor(Mono::from_millis(9000));
        for (quantity, value) in [
            (Quantity::StartTime, 150_000),
            (Quantity::Tumbles, 4),
            (Quantity::PeriodMean, 600_000),
            (Quantity::PeriodSpread, 0),
            (Quantity::CoastTime, 150_000),
        ] {
            assert_eq!(of(&found, quantity), value, "{quantity:?}");
        }
        let cam = spin.cam();
        assert_eq!((of(&cam, Quantity::CamAngle), of(&cam, Quantity::CamJitter)), (90, 0));
        let p = Parameters::default();
        for (quantity, value) in found.into_iter().chain(cam) {
            assert_eq!(Measurement::new(quantity, value, &p).verdict, Verdict::Pass, "{quantity:?} {value}");
        }
        assert_eq!(spin.plots().periods, [600_000; 4]);
        assert_eq!(spin.plots().waves.iter().map(|wave| wave.edges.len()).collect::<Vec<_>>(), [9, 9]);
    }

    /// faults.md cam.bounce: it changes no period, and is measured.
    #[test]
    fn bounce_is_measured_apart_from_the_periods() {
        let spin = spun(|_| 150, &[1, 3, 5]);
        assert_eq!(of(&spin.motor(Mono::from_millis(9000)), Quantity::PeriodMean), 600_000);
        let cam = spin.cam();
        assert_eq!((of(&cam, Quantity::CamBounce), of(&cam, Quantity::CamBounces)), (6_000, 3));
        assert_eq!(of(&cam, Quantity::CamJitter), 0);
    }

    #[test]
    fn a_shaft_that_turns_unevenly_shows_as_spread_and_one_with_a_loose_cam_as_jitter() {
        // The third tumble is slower by a tenth.
        let uneven = spun(|n| if (10..=13).contains(&n) { 165 } else { 150 }, &[]);
        assert_eq!(of(&uneven.motor(Mono::from_millis(9000)), Quantity::PeriodSpread), 60_000 * 1000 / 620_000);
        // One quarter takes from its neighbour, in one tumble only.
        let loose = spun(
            |n| {
                if n == 10 {
                    90
                } else if n == 11 {
                    210
                } else {
                    150
                }
            },
            &[],
        );
        assert_eq!(of(&loose.cam(), Quantity::CamJitter), 100);
        assert_eq!(of(&loose.motor(Mono::from_millis(9000)), Quantity::PeriodSpread), 0);
        // Sensors set 45 degrees apart: the same in every tumble.
        let set = spun(|n| if n % 2 == 0 { 75 } else { 225 }, &[]);
        assert_eq!((of(&set.cam(), Quantity::CamAngle), of(&set.cam(), Quantity::CamJitter)), (45, 0));
    }

    /// faults.md motor.stall, cam.lost_edges.
    #[test]
    fn a_shaft_that_never_moves_and_edges_that_are_lost_show() {
        let mut spin = Spin::default();
        spin.begin(Mono::from_millis(1000), false, false);
        assert_eq!(spin.motor(Mono::from_millis(1700)).first(), Some(&(Quantity::StartTime, 700_000)));
        spin.edge(InLine::CamA, true, Mono::from_millis(1750));
        spin.edge(InLine::CamA, true, Mono::from_millis(1800));
        assert_eq!(of(&spin.cam(), Quantity::CamRepeats), 1);
    }
}
