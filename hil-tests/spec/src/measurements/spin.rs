//! A spin, measured from the wires: the two sensors of the cam, `motor_enable` and the dead-man edges (hardware-tests.md, motor
//! and cam).

use super::log::{Entry, Expected, Span, micros};
use crate::observation::{Line, quarter};

/// Quarters of a tumble.
const LAP: usize = 4;
/// The step of the cam that proves the fourth full tumble. The table stops the dead-man edges at it.
const TARGET: usize = 4 * LAP;
/// Longest time between two dead-man edges, in ns (design.md, Dead-man line: 10 ms, and some tolerance for the clock).
const ALIVE_NS: u64 = 11_000_000;
/// A guard that comes back within this time, in ns, is a flicker. The spin is over only after it.
const FLICKER_NS: u64 = 3_100_000;
/// The most edges of a wire that a report keeps.
pub(super) const KEPT: usize = 256;

/// A spin.
#[derive(Clone, Debug, Default)]
pub(super) struct Spin {
    on_ns: u64,
    /// The earliest and the latest moment at which the table can have let the shaft coast.
    off_ns: (u64, u64),
    /// Whether the table was still driving the shaft at the end.
    drives: bool,
    /// When the cam advanced to each new quarter.
    steps: Vec<u64>,
    bounce_ns: u64,
    bounces: i64,
    lost: i64,
    waves: [(Option<bool>, Vec<i64>); 2],
}

impl Spin {
    /// The first spin of a test, if there was one.
    pub(super) fn of(span: &Span<'_>) -> Option<Self> {
        let on_ns = span.edges(Line::MotorEnable).find(|(_, on)| *on)?.0;
        let mut spin = Self { on_ns, ..Self::default() };
        let mut levels = [span.level(Line::CamA)?, span.level(Line::CamB)?];
        let (mut place, mut furthest, mut edges) = (0_i64, 0_i64, 0_i64);
        let (mut enabled, mut off_ns, mut beat_ns) = (false, None, on_ns);
        for (at, item) in span.all() {
            match item {
                Entry::Level(line @ (Line::CamA | Line::CamB), active) => {
                    let which = usize::from(line == Line::CamB);
                    let [a, b] = levels;
                    let before = quarter(a, b);
                    if let Some(level) = levels.get_mut(which) {
                        *level = active;
                    }
                    let [a, b] = levels;
                    if !enabled && off_ns.is_none() {
                        continue;
                    }
                    match (quarter(a, b) - before).rem_euclid(4) {
                        1 => place += 1,
                        3 => place -= 1,
                        _ => {
                            spin.lost += 1;
                            continue;
                        }
                    }
                    if let Some((_, wave)) = spin.waves.get_mut(which) {
                        wave.push(micros(on_ns, at));
                    }
                    if place > furthest {
                        furthest = place;
                        edges = 0;
                        spin.steps.push(at);
                    } else if let Some(last) = spin.steps.last() {
                        edges += 1;
                        spin.bounces = spin.bounces.max((edges + 1) / 2);
                        spin.bounce_ns = spin.bounce_ns.max(at - last);
                    }
                }
                Entry::Again(Line::CamA | Line::CamB, _) if enabled || off_ns.is_some() => spin.lost += 1,
                Entry::Level(Line::MotorEnable, on) => {
                    if on && !enabled && off_ns.is_none() {
                        let [a, b] = levels;
                        spin.waves = [(Some(a), Vec::new()), (Some(b), Vec::new())];
                    }
                    enabled = on;
                    off_ns = (!on).then_some(at).filter(|at| *at >= on_ns);
                }
                Entry::Level(Line::MotorAlive, _) if at >= on_ns => beat_ns = at,
                _ => {}
            }
        }
        spin.drives = off_ns.is_none();
        spin.off_ns = spin.over(beat_ns, off_ns, span.to_ns);
        Some(spin)
    }

    /// When the table let the shaft coast: at the step that proves the last tumble, where the dead-man edges end, or when it
    /// switched the motor off.
    fn over(&self, beat_ns: u64, off_ns: Option<u64>, to_ns: u64) -> (u64, u64) {
        let proved = self.steps.get(TARGET).copied();
        if let Some(at) = proved.filter(|at| *at >= beat_ns && at - beat_ns <= ALIVE_NS) {
            return (at, at);
        }
        match off_ns {
            Some(off) if off.saturating_sub(beat_ns) <= ALIVE_NS => (off, (off + FLICKER_NS).min(to_ns)),
            Some(off) => (beat_ns, off),
            None => (beat_ns, to_ns),
        }
    }

    fn driven(&self, off_ns: u64) -> &[u64] {
        let count = self.steps.iter().filter(|at| **at <= off_ns).count();
        self.steps.get(..count).unwrap_or_default()
    }

    fn laps(&self, off_ns: u64) -> Vec<i64> {
        let edges: Vec<u64> = self.driven(off_ns).iter().copied().step_by(LAP).collect();
        edges.iter().zip(edges.iter().skip(1)).map(|(from, to)| micros(*from, *to)).collect()
    }

    /// The periods that a report draws, computed with the earliest and with the latest end.
    pub(super) fn periods(&self) -> [Vec<i64>; 2] {
        [self.laps(self.off_ns.0), self.laps(self.off_ns.1)]
    }

    /// The waveforms that a report draws: names, initial levels, and edges.
    pub(super) fn waves(&self) -> Vec<(String, bool, Vec<i64>)> {
        let names = ["cam_a", "cam_b"];
        let kept = |edges: &[i64]| edges.iter().copied().take(KEPT).collect();
        let waves = names.iter().zip(&self.waves);
        waves.map(|(name, (level, edges))| ((*name).to_owned(), level.unwrap_or(false), kept(edges))).collect()
    }

    /// Whether the spin was over when the test ended.
    pub(super) fn ended(&self) -> bool {
        !self.drives
    }

    pub(super) fn motor(&self) -> Vec<Expected> {
        let mut all = Vec::new();
        both(&mut all, self.motor_until(self.off_ns.0), &self.motor_until(self.off_ns.1));
        all
    }

    fn motor_until(&self, off_ns: u64) -> Vec<(&'static str, i64)> {
        let driven = self.driven(off_ns);
        let first = self.steps.first().copied().unwrap_or(off_ns);
        let mut found = vec![("start-time", micros(self.on_ns, first))];
        let tumbles = driven.len().saturating_sub(1) / LAP;
        found.push(("tumbles", i64::try_from(tumbles).unwrap_or(i64::MAX)));
        let mut periods = self.laps(off_ns);
        if periods.len() > 1 {
            // The first period includes the start.
            periods.remove(0);
        }
        // The period that a slow shaft has not completed. Before its first tumble there is no other.
        let began = if periods.is_empty() { Some(self.on_ns) } else { driven.iter().copied().step_by(LAP).next_back() };
        let open = began.map_or(0, |began| micros(began, off_ns));
        let longest = periods.iter().copied().max().unwrap_or(0).max(open);
        found.push(("period-greatest", longest));
        if let Some(least) = periods.iter().copied().min() {
            let mean = periods.iter().sum::<i64>() / i64::try_from(periods.len()).unwrap_or(1);
            found.extend([("period-mean", mean), ("period-least", least)]);
            found.push(("period-spread", (longest - least) * 1_000 / mean.max(1)));
        }
        if let Some(last) = self.steps.last().filter(|last| **last > off_ns) {
            found.push(("coast-time", micros(off_ns, *last)));
        }
        found
    }

    pub(super) fn cam(&self) -> Vec<Expected> {
        let mut all = Vec::new();
        both(&mut all, self.cam_until(self.off_ns.0), &self.cam_until(self.off_ns.1));
        all
    }

    fn cam_until(&self, off_ns: u64) -> Vec<(&'static str, i64)> {
        let bounce = micros(0, self.bounce_ns);
        let mut found = vec![("cam-bounce", bounce), ("cam-bounces", self.bounces), ("cam-repeats", self.lost)];
        let shares = self.shares(off_ns);
        let all = || shares.iter().flatten().copied();
        if let (Some(least), Some(most)) = (all().min(), all().max()) {
            // A quarter is 250 thousandths, and 90 degrees.
            let far = if 250 - least >= most - 250 { least } else { most };
            found.push(("cam-angle", far * 360 / 1_000));
        }
        let apart = (0..LAP).filter_map(|quarter| {
            let of = || shares.iter().filter_map(|lap| lap.get(quarter));
            Some(of().max()? - of().min()?)
        });
        if let Some(jitter) = apart.max().filter(|_| shares.len() > 1) {
            found.push(("cam-jitter", jitter));
        }
        found
    }

    /// The share of each quarter, in thousandths, of every tumble under power after the first.
    fn shares(&self, off_ns: u64) -> Vec<Vec<i64>> {
        let driven = self.driven(off_ns).get(LAP..).unwrap_or_default();
        let laps = (0..driven.len().saturating_sub(1) / LAP).filter_map(|n| driven.get(n * LAP..=n * LAP + LAP));
        laps.map(|lap| {
            let whole = lap.first().zip(lap.last()).map_or(1, |(from, to)| micros(*from, *to)).max(1);
            lap.iter().zip(lap.iter().skip(1)).map(|(from, to)| micros(*from, *to) * 1_000 / whole).collect()
        })
        .collect()
    }
}

/// The range of each quantity that has a value for both ends of the spin.
fn both(all: &mut Vec<Expected>, early: Vec<(&'static str, i64)>, late: &[(&'static str, i64)]) {
    for (quantity, value) in early {
        if let Some((_, other)) = late.iter().find(|(name, _)| *name == quantity) {
            all.push(Expected { quantity, least: value.min(*other), most: value.max(*other) });
        }
    }
}
