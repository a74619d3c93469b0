//! The tumbler's cam: two Hall sensors, 90 degrees apart. One full quadrature cycle is one tumble.
//!
//! Forward, (a, b) goes 00 -> 10 -> 11 -> 01 -> 00. The position moves by one step at every edge, forward or back,
//! so that bounce or noise on one sensor, or a stuck one, swings it by one step and never makes a cycle.

use crate::units::Tumbles;
use serde::{Deserialize, Serialize};

/// Steps in one full cycle.
pub const STEPS: i64 = 4;

/// Steps that prove this many full tumbles: the first edge proves nothing.
#[must_use]
pub const fn steps_for(tumbles: u32) -> u32 {
    tumbles * STEPS as u32 + 1
}

/// The cam as its sensors show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cam {
    a: bool,
    b: bool,
    /// Net steps forward since the daemon started.
    position: i64,
    /// Edges that repeated a level: lost partners, counted for the technician.
    repeats: u32,
}

impl Cam {
    /// Net steps forward since the daemon started.
    #[must_use]
    pub const fn position(&self) -> i64 {
        self.position
    }

    /// Edges that repeated a level: lost partners.
    #[must_use]
    pub const fn repeats(&self) -> u32 {
        self.repeats
    }

    /// Takes the level of one sensor at the beginning of watching.
    pub fn level(&mut self, sensor_b: bool, active: bool) {
        if sensor_b {
            self.b = active;
        } else {
            self.a = active;
        }
    }

    /// Takes a raw edge of one sensor and returns the new position.
    pub fn edge(&mut self, sensor_b: bool, active: bool) -> i64 {
        let before = phase(self.a, self.b);
        self.level(sensor_b, active);
        match (phase(self.a, self.b) - before).rem_euclid(STEPS) {
            1 => self.position = self.position.saturating_add(1),
            3 => self.position = self.position.saturating_sub(1),
            _ => self.repeats = self.repeats.saturating_add(1),
        }
        self.position
    }
}

/// Place of (a, b) in the forward cycle.
const fn phase(a: bool, b: bool) -> i64 {
    match (a, b) {
        (false, false) => 0,
        (true, false) => 1,
        (true, true) => 2,
        (false, true) => 3,
    }
}

/// Full tumbles that this many net steps forward prove; none backwards.
///
/// The first edge may come right after the start or a quarter turn later, so it proves nothing: a full cycle is
/// reckoned from one edge to the same edge again, and three tumbles are proved by the thirteenth.
#[must_use]
pub fn tumbles(steps: i64) -> Tumbles {
    Tumbles(u32::try_from(steps.saturating_sub(1) / STEPS).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(cam: &mut Cam, steps: usize) {
        for _ in 0..steps {
            match (cam.a, cam.b) {
                (false, false) => cam.edge(false, true),
                (true, false) => cam.edge(true, true),
                (true, true) => cam.edge(false, false),
                (false, true) => cam.edge(true, false),
            };
        }
    }

    #[test]
    fn three_tumbles_are_proved_by_the_thirteenth_edge() {
        let mut cam = Cam::default();
        assert_eq!(tumbles(cam.position()), Tumbles(0));
        turn(&mut cam, 12);
        assert_eq!(tumbles(cam.position()), Tumbles(2), "may be 2.9 turns of the shaft");
        turn(&mut cam, 1);
        assert_eq!(tumbles(cam.position()), Tumbles(3));
        assert_eq!(tumbles(-9), Tumbles(0));
    }

    /// faults.md cam.bounce: 50 extra edges on one sensor per transition count nothing.
    #[test]
    fn bounce_on_one_sensor_counts_nothing() {
        let mut cam = Cam::default();
        for _ in 0..8 {
            turn(&mut cam, 1);
            let (a, b) = (cam.a, cam.b);
            for _ in 0..25 {
                cam.edge(false, !a);
                cam.edge(false, a);
            }
            assert_eq!((cam.a, cam.b), (a, b));
        }
        assert_eq!(cam.position(), 8);
    }

    /// faults.md cam.a_stuck_*: the other sensor alone never moves the position by more than a step.
    #[test]
    fn one_sensor_alone_makes_no_progress() {
        let mut cam = Cam::default();
        for i in 0..100 {
            let position = cam.edge(true, i % 2 == 0);
            assert!((-1..=0).contains(&position));
        }
    }
}
