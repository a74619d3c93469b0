//! Finds the faults of tumbler and shaft in a recording, from the motor's outputs and the cam's raw edges.

use super::events::Events;
use super::script::Script;
use tumbler_core::line::{InLine, OutLine};
use tumbler_twin::Fault;

/// Time without an edge of the cam after which the table gives up a motor that is commanded on (by default 700 ms).
const STALL: u64 = 600_000_000;
/// A healthy shaft stops within this time after its power went off.
const COAST: u64 = 600_000_000;
/// Only on a slow tumbler a quarter of a tumble takes longer than this (a healthy tumble takes 600 ms).
const SLOW_QUARTER: u64 = 375_000_000;
/// The twin's acceleration time, in which edges come later.
const RUN_UP: u64 = 500_000_000;

/// One run of the motor.
struct Run {
    on: u64,
    off: u64,
    last_alive: u64,
    /// Edges of the cam until the next run.
    edges: Vec<(u64, bool, bool)>,
}

fn runs(events: &Events) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut on = false;
    for (at, line, active) in &events.driven {
        match (line, active) {
            (OutLine::MotorEnable, true) if !on => {
                on = true;
                runs.push(Run { on: *at, off: events.end, last_alive: *at, edges: Vec::new() });
            }
            (OutLine::MotorEnable, false) if on => {
                on = false;
                runs.iter_mut().rev().take(1).for_each(|run| run.off = *at);
            }
            (OutLine::MotorAlive, _) => runs.iter_mut().rev().take(1).for_each(|run| run.last_alive = *at),
            _ => {}
        }
    }
    let ends: Vec<u64> = runs.iter().skip(1).map(|run| run.on).chain([u64::MAX]).collect();
    for (run, end) in runs.iter_mut().zip(ends) {
        run.edges = events.cam.iter().filter(|(at, ..)| (run.on..end).contains(at)).copied().collect();
    }
    runs
}

impl Run {
    /// The catalogue's fault that fits this run best, and when it began.
    fn fault(&self) -> Option<(u64, Fault)> {
        let last = self.edges.iter().map(|(at, ..)| *at).take_while(|at| *at <= self.off).last();
        let sensors = |second: bool| self.edges.iter().filter(|(_, sensor, _)| *sensor == second).count();
        let begun = self.on;
        let told = |fault| Some((begun, fault));
        let Some(last) = last else {
            return (self.last_alive > self.on + STALL).then_some((begun, Fault::MotorDead));
        };
        if sensors(false) == 0 || sensors(true) == 0 {
            let line = if sensors(false) == 0 { InLine::CamA } else { InLine::CamB };
            return (self.last_alive > self.on + STALL).then_some((begun, Fault::LineStuck { line, active: false }));
        }
        if self.turned() < 0 {
            return told(Fault::MotorReverse);
        }
        if self.last_alive > last + STALL {
            // Right after the last edge.
            return Some((last + 20_000_000, Fault::MotorStall));
        }
        let after = self.edges.last().map_or(last, |(at, ..)| *at);
        if after > self.off.max(self.last_alive) + COAST {
            return told(if self.off > self.last_alive + COAST { Fault::DeadmanWelded } else { Fault::MotorCoast });
        }
        let slow = self.edges.windows(3).any(|edges| match edges {
            [(a, ..), _, (b, ..)] => *a > self.on + RUN_UP && *b < self.last_alive && b - a > 2 * SLOW_QUARTER,
            _ => false,
        });
        if slow { told(Fault::MotorSlow) } else { None }
    }

    /// Net quarters forward: (a, b) goes 00, 10, 11, 01.
    fn turned(&self) -> i64 {
        quarters(&self.edges)
    }
}

fn quarters(edges: &[(u64, bool, bool)]) -> i64 {
    let (mut a, mut b) = (None, None);
    let mut turned = 0;
    for (_, second, active) in edges {
        let other = if *second { a } else { b };
        if let Some(other) = other {
            // The first sensor leads forward: it rises while the second is low.
            turned += if (*active == other) == *second { 1 } else { -1 };
        }
        if *second { b = Some(*active) } else { a = Some(*active) }
    }
    turned
}

/// Faults of tumbler and shaft.
pub(super) fn faults(events: &Events, script: &mut Script) {
    let runs = runs(events);
    let mut broken: Option<Fault> = None;
    for run in &runs {
        let fault = run.fault();
        if let Some(was) = broken.take_if(|was| Some(*was) != fault.map(|(_, fault)| fault)) {
            script.broken(run.on.saturating_sub(1_000_000), was, false);
        }
        if let Some((at, now)) = fault.filter(|_| broken.is_none()) {
            script.broken(at.saturating_sub(1_000_000), now, true);
            broken = Some(now);
        }
    }
    by_hand(events, &runs, script);
}

/// A shaft that turned without a command.
fn by_hand(events: &Events, runs: &[Run], script: &mut Script) {
    let powered = |at: u64| runs.iter().any(|run| at >= run.on && at <= run.off + 4 * COAST);
    let loose: Vec<_> = events.cam.iter().filter(|(at, ..)| !powered(*at)).copied().collect();
    for turn in loose.chunk_by(|(before, ..), (after, ..)| after - before < COAST) {
        let Some((at, ..)) = turn.first() else { continue };
        let way = if quarters(turn) < 0 { -1 } else { 1 };
        let moved = i64::try_from(turn.len()).unwrap_or(i64::MAX);
        if moved > 1 {
            script.at(at.saturating_sub(100_000_000), 0, format!("turn shaft {} quarters", way * moved));
        }
    }
}
