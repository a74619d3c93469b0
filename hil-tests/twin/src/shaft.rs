//! The tumbler's shaft: speed, position and cam, integrated exactly from event to event.

/// Time of a healthy tumble: 600 ms, as tumblers of this kind have; each spin differs by up to 4 percent.
pub(super) const TUMBLE_MILLIS: f64 = 600.0;
/// Full speed is reached after 120 ms.
const SPIN_UP_SECONDS: f64 = 0.12;
/// Without power, friction stops the shaft within 100 ms.
const COAST_SECONDS: f64 = 0.1;
/// With `motor.coast` it takes 8 s.
const LONG_COAST_SECONDS: f64 = 8.0;
/// A jam stops the shaft within 10 ms.
const JAM_SECONDS: f64 = 0.01;

/// How the shaft changes its speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpeedChange {
    Drive,
    Coast,
    LongCoast,
    Jam,
}

/// What the shaft did at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShaftEvent {
    /// Nothing visible.
    Nothing,
    /// The cam entered the next quarter, forward or backward.
    Quarter,
    /// The shaft has stopped.
    Rests,
}

/// The shaft.
#[derive(Clone, Debug)]
pub(super) struct Shaft {
    /// Time at which the rest of the state was current, in nanoseconds.
    at: u64,
    /// Position in tumbles.
    position: f64,
    /// Speed in tumbles a second.
    speed: f64,
    /// Target speed, in tumbles a second.
    target: f64,
    /// Acceleration, in tumbles a second squared.
    pull: f64,
    /// The quarter of a tumble that the cam is in, counted over the twin's life.
    quarter: i64,
    /// Quarter up to which a hand turns the shaft.
    hand: Option<i64>,
    /// Position at which the current motion began.
    began: f64,
    moving: bool,
    due: Option<(u64, Kind)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Quarter,
    Speed,
}

/// Seconds to cover `way` at speed `v` with acceleration `a`; infinite if it never does.
fn time_to(way: f64, v: f64, a: f64) -> f64 {
    if a == 0.0 {
        return if v > 0.0 { way / v } else { f64::INFINITY };
    }
    let root = v.mul_add(v, 2.0 * a * way);
    if root < 0.0 {
        return f64::INFINITY;
    }
    let time = 2.0 * way / (v + root.sqrt());
    if time.is_finite() { time.max(0.0) } else { f64::INFINITY }
}

impl Shaft {
    /// A shaft at rest at this position, in tumbles.
    pub(super) fn new(position: f64) -> Self {
        Self {
            at: 0,
            position,
            speed: 0.0,
            target: 0.0,
            pull: 0.0,
            quarter: (position * 4.0).floor() as i64,
            hand: None,
            began: position,
            moving: false,
            due: None,
        }
    }

    /// Levels of the two Hall sensors: forward 00, 10, 11, 01.
    pub(super) const fn cam(&self) -> (bool, bool) {
        match self.quarter.rem_euclid(4) {
            0 => (false, false),
            1 => (true, false),
            2 => (true, true),
            _ => (false, true),
        }
    }

    pub(super) const fn moving(&self) -> bool {
        self.moving
    }

    /// Quarters of a tumble since the twin began.
    pub(super) const fn quarters(&self) -> i64 {
        self.quarter
    }

    pub(super) const fn by_hand(&self) -> bool {
        self.hand.is_some()
    }

    /// Tumbles since the present or last motion began, at the last event.
    pub(super) fn turned(&self) -> f64 {
        self.position - self.began
    }

    /// Tumbles since the present or last motion began, at this moment.
    pub(super) fn turned_at(&self, at: u64) -> f64 {
        let dt = at.saturating_sub(self.at) as f64 / 1e9;
        self.speed.mul_add(dt, 0.5 * self.pull * dt * dt) + self.turned()
    }

    /// Time of the shaft's next event.
    pub(super) fn next(&self) -> Option<u64> {
        self.due.map(|(at, _)| at)
    }

    /// Changes to this speed from `at` on; returns whether the shaft begins to move.
    pub(super) fn turn(&mut self, at: u64, target: f64, way: SpeedChange) -> bool {
        let seconds = match way {
            SpeedChange::Drive => SPIN_UP_SECONDS,
            SpeedChange::Coast => COAST_SECONDS,
            SpeedChange::LongCoast => LONG_COAST_SECONDS,
            SpeedChange::Jam => JAM_SECONDS,
        };
        self.integrate(at);
        // A hand releases a shaft that is driven.
        self.hand = None;
        if self.speed * target < 0.0 {
            self.speed = 0.0;
        }
        self.target = target;
        let full = 1000.0 / TUMBLE_MILLIS;
        let change = target - self.speed;
        self.pull = if change == 0.0 { 0.0 } else { change.signum() * full / seconds };
        let begins = !self.moving && target != 0.0;
        if begins {
            self.moving = true;
            self.began = self.position;
        }
        self.plan();
        begins
    }

    /// Turns by hand through this many quarters; returns whether the shaft begins to move.
    pub(super) fn turn_by_hand(&mut self, at: u64, quarters: i32) -> bool {
        let stop = self.quarter + i64::from(quarters);
        let begins = self.turn(at, if quarters < 0 { -1.0 } else { 1.0 }, SpeedChange::Drive);
        self.hand = Some(stop);
        begins
    }

    /// Does what is due at `at`.
    pub(super) fn step(&mut self, at: u64) -> ShaftEvent {
        let Some((_, kind)) = self.due.filter(|(due, _)| *due <= at) else { return ShaftEvent::Nothing };
        let forward = self.direction() > 0.0;
        self.integrate(at);
        let moved = match kind {
            Kind::Quarter => {
                // Exactly on the boundary, so that rounding errors do not add up.
                self.position = (if forward { self.quarter + 1 } else { self.quarter }) as f64 / 4.0;
                self.quarter += if forward { 1 } else { -1 };
                if self.hand == Some(self.quarter) {
                    self.hand = None;
                    self.target = 0.0;
                    self.pull = -self.speed.signum() * (1000.0 / TUMBLE_MILLIS) / JAM_SECONDS;
                }
                ShaftEvent::Quarter
            }
            Kind::Speed => {
                self.speed = self.target;
                self.pull = 0.0;
                if self.target == 0.0 && self.moving {
                    self.moving = false;
                    ShaftEvent::Rests
                } else {
                    ShaftEvent::Nothing
                }
            }
        };
        self.plan();
        moved
    }

    fn direction(&self) -> f64 {
        if self.speed == 0.0 { self.pull.signum() * f64::from(u8::from(self.pull != 0.0)) } else { self.speed.signum() }
    }

    fn integrate(&mut self, at: u64) {
        let dt = at.saturating_sub(self.at) as f64 / 1e9;
        self.position += self.speed.mul_add(dt, 0.5 * self.pull * dt * dt);
        self.speed = self.pull.mul_add(dt, self.speed);
        self.at = self.at.max(at);
        // Clamped to the quarter that the cam shows.
        self.position = self.position.clamp(self.quarter as f64 / 4.0, (self.quarter + 1) as f64 / 4.0);
    }

    fn plan(&mut self) {
        let direction = self.direction();
        if direction == 0.0 {
            // Power came and went at the same moment: the shaft rests at once.
            self.due = self.moving.then_some((self.at, Kind::Speed));
            return;
        }
        let to_speed = if self.pull == 0.0 { f64::INFINITY } else { ((self.target - self.speed) / self.pull).max(0.0) };
        let boundary = if direction > 0.0 { self.quarter + 1 } else { self.quarter } as f64 / 4.0;
        let way = ((boundary - self.position) * direction).max(0.0);
        let to_quarter = time_to(way, self.speed.abs(), self.pull * direction);
        let (seconds, kind) =
            if to_quarter <= to_speed { (to_quarter, Kind::Quarter) } else { (to_speed, Kind::Speed) };
        self.due = seconds.is_finite().then(|| (self.at + (seconds * 1e9).ceil() as u64, kind));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(shaft: &mut Shaft, until: u64) -> Vec<(u64, ShaftEvent, (bool, bool))> {
        let mut seen = Vec::new();
        while let Some(at) = shaft.next().filter(|at| *at <= until) {
            let moved = shaft.step(at);
            if moved != ShaftEvent::Nothing {
                seen.push((at, moved, shaft.cam()));
            }
        }
        seen
    }

    /// design.md, Wires: one full quadrature cycle is one tumble; forward is 00, 10, 11, 01, 00.
    #[test]
    fn four_quarters_in_the_forward_order_are_a_tumble_of_600_ms() {
        let mut shaft = Shaft::new(0.1);
        assert!(shaft.turn(0, 1000.0 / TUMBLE_MILLIS, SpeedChange::Drive));
        let seen = run(&mut shaft, 2_000_000_000);
        let cams: Vec<(bool, bool)> = seen.iter().map(|s| s.2).take(4).collect();
        assert_eq!(cams, [(true, false), (true, true), (false, true), (false, false)]);
        let tumble = seen[8].0 - seen[4].0;
        assert!((599_000_000..601_000_000).contains(&tumble), "{tumble}");
    }

    #[test]
    fn without_power_the_shaft_coasts_a_tenth_of_a_second_and_rests() {
        let mut shaft = Shaft::new(0.0);
        shaft.turn(0, 1000.0 / TUMBLE_MILLIS, SpeedChange::Drive);
        run(&mut shaft, 1_000_000_000);
        let before = shaft.turned_at(1_000_000_000);
        shaft.turn(1_000_000_000, 0.0, SpeedChange::Coast);
        let seen = run(&mut shaft, 3_000_000_000);
        let (at, moved, _) = *seen.last().unwrap();
        assert_eq!(moved, ShaftEvent::Rests);
        assert!((1_099_000_000..=1_101_000_000).contains(&at), "{at}");
        let coasted = shaft.turned() - before;
        assert!((0.07..0.1).contains(&coasted), "{coasted}");
        assert_eq!(shaft.next(), None);
    }

    #[test]
    fn a_reversed_motor_runs_the_cam_backwards() {
        let mut shaft = Shaft::new(0.1);
        shaft.turn(0, -1.5, SpeedChange::Drive);
        let cams: Vec<(bool, bool)> = run(&mut shaft, 1_000_000_000).iter().map(|s| s.2).take(3).collect();
        assert_eq!(cams, [(false, true), (true, true), (true, false)]);
    }

    #[test]
    fn a_hand_turns_the_shaft_by_as_many_quarters_as_told() {
        for quarters in [1, 2, 5, -3] {
            let mut shaft = Shaft::new(0.6);
            shaft.turn_by_hand(0, quarters);
            let seen = run(&mut shaft, 10_000_000_000);
            assert_eq!(seen.len() as i32, quarters.abs() + 1, "{quarters}: {seen:?}");
            assert_eq!(seen.last().unwrap().1, ShaftEvent::Rests);
        }
    }
}
