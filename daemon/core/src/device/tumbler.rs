//! The tumbler: motor, dead-man line and cam.
//!
//! ```text
//! Off --run--> Running --target reached--> Stopping --standstill--> Off        spin ended: standstill
//!               |   |                         '--turns on-----> Coasting      defect: dead-man; coast where it slows
//!               |   '--guard edge--> Cut --back within 3 ms--> Running
//!               |                     '--3 ms--> Coasting                     spin ended: guard
//!               '--halt, defect, time limit--> Coasting --standstill--> Off   '--turns on--> defect: coast
//! ```
//!
//! The ordinary stop is also the proof of the dead-man relay: the edges on the dead-man line end first, and
//! `motor_enable` falls only once the cam stands still. A welded relay shows as a shaft that turns on at its speed.

mod report;

pub use report::{Defect, Report, Stop};

use super::cam::{Cam, STEPS, tumbles};
use super::outputs::Outputs;
use crate::effect::OutLine;
use crate::input::InLine;
use crate::settings::Parameters;
use crate::timer::{Timer, Timers};
use crate::units::{Millis, Mono, Tumbles};
use serde::{Deserialize, Serialize};

/// What the motor does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    /// Not commanded on, and the shaft stands still.
    #[default]
    Off,
    /// Commanded on.
    Running,
    /// Commanded off by the motor guard, for as long as a flicker lasts.
    Cut {
        /// The line that took itself away.
        line: InLine,
    },
    /// The dead-man edges have ended and the shaft is to come to a stand.
    Stopping,
    /// Commanded off; the shaft may turn on for a while.
    Coasting,
}

/// The tumbler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tumbler {
    cam: Cam,
    state: State,
    alive: bool,
    /// Position at which the run began, or at which the shaft came to rest.
    from: i64,
    /// Furthest and least position of this run: progress is what moves them.
    furthest: i64,
    least: i64,
    /// Full tumbles counted in this run; frozen when a guard, a defect or a halt ends it.
    counted: Tumbles,
    frozen: bool,
    target: u32,
    stop: Option<Stop>,
    /// When the present full tumble began, how long the last one took, and the last one under power, in nanoseconds.
    lap_began: Mono,
    lap: u64,
    driven: u64,
    /// When the cam last went on, and how long its last step took, in nanoseconds.
    stepped: Mono,
    step: u64,
}

/// A shaft without power slows down. One whose last tumble took no longer than this many percent of the last one under
/// power still has it: the speed of a motor differs by some 4 percent from tumble to tumble.
const SLOWED_PERCENT: u64 = 108;

/// `tumble_period` is 2.5 healthy tumbles of 4 steps; a third of a healthy step is this part of it.
const LEAST_STEP_PARTS: u64 = 30;

impl Tumbler {
    /// Full tumbles of the run in progress, or of the last one.
    #[must_use]
    pub const fn counted(&self) -> Tumbles {
        self.counted
    }

    /// Whether the motor is commanded on, so that the guard lines matter.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        matches!(self.state, State::Running | State::Stopping)
    }

    /// Whether the motor is to have power, now or again after a flicker.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        matches!(self.state, State::Running | State::Cut { .. })
    }

    /// Whether the motor is off and the shaft stands still.
    #[must_use]
    pub const fn is_still(&self) -> bool {
        matches!(self.state, State::Off)
    }

    /// Takes a cam sensor's level at the beginning of watching.
    pub fn level(&mut self, line: InLine, active: bool) {
        self.cam.level(line == InLine::CamB, active);
    }

    /// Commands the motor on until `target` full tumbles are counted.
    pub fn run(&mut self, target: u32, at: Mono, p: &Parameters, timers: &mut Timers, out: &mut Outputs) {
        self.from = self.cam.position();
        self.furthest = self.from;
        self.least = self.from;
        self.counted = Tumbles(0);
        self.frozen = false;
        self.target = target;
        self.stop = None;
        self.lap_began = at;
        self.lap = 0;
        self.driven = 0;
        self.stepped = at;
        self.step = 0;
        timers.after(Timer::SpinLimit, at, Millis(p.spin_limit));
        self.power(at, p, timers, out);
    }

    fn power(&mut self, at: Mono, p: &Parameters, timers: &mut Timers, out: &mut Outputs) {
        self.state = State::Running;
        timers.after(Timer::Stall, at, Millis(p.stall));
        timers.after(Timer::Period, at, Millis(p.tumble_period));
        out.set(OutLine::MotorEnable, true, at, p, timers);
        self.beat(at, p, timers, out);
    }

    /// The next edge of the dead-man line.
    fn beat(&mut self, at: Mono, p: &Parameters, timers: &mut Timers, out: &mut Outputs) {
        self.alive = !self.alive;
        out.set(OutLine::MotorAlive, self.alive, at, p, timers);
        timers.after(Timer::Alive, at, Millis(p.alive));
    }

    /// Takes motor power away at once. A safe call in every state.
    fn unpower(&mut self, at: Mono, p: &Parameters, timers: &mut Timers, out: &mut Outputs) {
        for timer in [Timer::Alive, Timer::Stall, Timer::Period, Timer::SpinLimit, Timer::Flicker] {
            timers.clear(timer);
        }
        out.set(OutLine::MotorEnable, false, at, p, timers);
    }

    /// The cam went on by a step.
    const fn stride(&mut self, at: Mono) {
        self.step = at.nanos_since(self.stepped);
        self.stepped = at;
    }

    /// Standstill is reckoned from `at`. A shaft that creeps has not stopped between two edges: it has the time of its last
    /// step twice over. One that takes longer than a stall under power is given up as standing.
    fn await_standstill(&self, at: Mono, p: &Parameters, timers: &mut Timers) {
        let (least, most) = (Millis(p.standstill).as_nanos(), Millis(p.stall).as_nanos());
        let wait = self.step.saturating_mul(2).min(most).max(least);
        timers.set(Timer::Standstill, Mono(at.0.saturating_add(wait)));
    }

    /// Ends the run: motor off at once, tumbles counted so far stand.
    pub fn halt(
        &mut self,
        stop: Stop,
        at: Mono,
        p: &Parameters,
        timers: &mut Timers,
        out: &mut Outputs,
    ) -> Option<Report> {
        if !matches!(self.state, State::Running | State::Stopping | State::Cut { .. }) {
            return None;
        }
        self.unpower(at, p, timers, out);
        self.state = State::Coasting;
        self.frozen = true;
        self.stop = Some(stop);
        self.await_standstill(at, p, timers);
        timers.after(Timer::Coast, at, Millis(p.coast_limit));
        Some(Report::Stopped(stop))
    }

    /// A guard line took itself away: motor off at once, before any debounce.
    pub fn cut(&mut self, line: InLine, at: Mono, p: &Parameters, timers: &mut Timers, out: &mut Outputs) {
        match self.state {
            State::Running => {
                let limit = timers.is_set(Timer::SpinLimit);
                timers.clear(Timer::Alive);
                timers.clear(Timer::Stall);
                timers.clear(Timer::Period);
                debug_assert!(limit, "a running motor has a time limit");
                out.set(OutLine::MotorEnable, false, at, p, timers);
                self.state = State::Cut { line };
                timers.after(Timer::Flicker, at, Millis(p.flicker));
            }
            // The tumbles are done and the stop is under way: the cut only brings it forward.
            State::Stopping => {
                self.unpower(at, p, timers, out);
                self.state = State::Coasting;
                self.await_standstill(at, p, timers);
                timers.after(Timer::Coast, at, Millis(p.coast_limit));
            }
            State::Off | State::Cut { .. } | State::Coasting => {}
        }
    }

    /// The line that cut the motor, while it may still be a flicker.
    #[must_use]
    pub const fn cut_by(&self) -> Option<InLine> {
        match self.state {
            State::Cut { line } => Some(line),
            _ => None,
        }
    }

    /// The guard line is back in time and all guards are good: the same spin goes on.
    pub fn resume(&mut self, at: Mono, p: &Parameters, timers: &mut Timers, out: &mut Outputs) -> Option<Report> {
        let State::Cut { line } = self.state else { return None };
        timers.clear(Timer::Flicker);
        self.power(at, p, timers, out);
        Some(Report::Flickered(line))
    }

    /// Takes a raw edge of the cam.
    pub fn edge(
        &mut self,
        line: InLine,
        active: bool,
        at: Mono,
        p: &Parameters,
        timers: &mut Timers,
        out: &mut Outputs,
    ) -> Option<Report> {
        let position = self.cam.edge(line == InLine::CamB, active);
        match self.state {
            State::Off => {
                self.stride(at);
                if (position - self.from).abs() < 2 {
                    return None;
                }
                // Watched on from here: the table may stay powered for hours while a hand turns the shaft.
                self.state = State::Coasting;
                self.frozen = true;
                self.furthest = position;
                self.least = position;
                self.stop = None;
                self.await_standstill(at, p, timers);
                timers.after(Timer::Coast, at, Millis(p.coast_limit));
                Some(Report::Defective(Defect::Uncommanded))
            }
            State::Running | State::Cut { .. } => self.turn(position, at, p, timers, out),
            State::Stopping | State::Coasting => {
                if position > self.furthest || position < self.least {
                    self.furthest = self.furthest.max(position);
                    self.least = self.least.min(position);
                    self.stride(at);
                    self.await_standstill(at, p, timers);
                    return self.count(at);
                }
                None
            }
        }
    }

    fn count(&mut self, at: Mono) -> Option<Report> {
        let tumbled = tumbles(self.furthest - self.from);
        if self.frozen || tumbled <= self.counted {
            return None;
        }
        self.lap = at.nanos_since(self.lap_began);
        self.lap_began = at;
        self.counted = tumbled;
        Some(Report::Tumbled)
    }

    fn turn(
        &mut self,
        position: i64,
        at: Mono,
        p: &Parameters,
        timers: &mut Timers,
        out: &mut Outputs,
    ) -> Option<Report> {
        if position <= self.from - STEPS {
            return self.halt(Stop::Defect(Defect::Reverse), at, p, timers, out);
        }
        if self.is_erratic(position, at, p) {
            return self.halt(Stop::Defect(Defect::Erratic), at, p, timers, out);
        }
        if position <= self.furthest {
            return None;
        }
        self.furthest = position;
        self.stride(at);
        if matches!(self.state, State::Running) {
            timers.after(Timer::Stall, at, Millis(p.stall));
        }
        let report = self.count(at);
        if report.is_some() && matches!(self.state, State::Running) {
            timers.after(Timer::Period, at, Millis(p.tumble_period));
            if self.counted.0 >= self.target {
                for timer in [Timer::Alive, Timer::Stall, Timer::Period] {
                    timers.clear(timer);
                }
                self.state = State::Stopping;
                self.driven = self.lap;
                self.stop = Some(Stop::Target);
                self.await_standstill(at, p, timers);
                timers.after(Timer::Coast, at, Millis(p.deadman_drop.saturating_add(p.coast_limit)));
            }
        }
        report
    }

    /// Whether the cam shows what a driven shaft does not: then the count proves nothing (NZ 6.1).
    ///
    /// One sensor, however it bounces, swings the position by one step; only both, or a shaft that is thrown back, by
    /// two. And no motor turns at three times its speed. The first two steps say nothing: the shaft may stand on an edge,
    /// and a sensor that was wrong at rest is right again once it turns.
    fn is_erratic(&self, position: i64, at: Mono, p: &Parameters) -> bool {
        let (gone, back) = (self.furthest - self.from, self.furthest - position);
        let least = Millis(p.tumble_period).as_nanos() / LEAST_STEP_PARTS;
        back >= 2 && gone > 0 || back < 0 && gone >= 2 && at.nanos_since(self.stepped) < least
    }

    /// Edges of the cam were lost: what was counted cannot be believed.
    pub fn gap(&mut self, at: Mono, p: &Parameters, timers: &mut Timers, out: &mut Outputs) -> Option<Report> {
        self.from = self.cam.position();
        self.halt(Stop::Defect(Defect::LostEdges), at, p, timers, out)
    }

    /// One of the tumbler's own deadlines.
    pub fn timer(
        &mut self,
        timer: Timer,
        at: Mono,
        p: &Parameters,
        timers: &mut Timers,
        out: &mut Outputs,
    ) -> Option<Report> {
        match timer {
            Timer::Alive if matches!(self.state, State::Running) => {
                self.beat(at, p, timers, out);
                None
            }
            Timer::Stall => self.halt(Stop::Defect(Defect::Stall), at, p, timers, out),
            Timer::Period => Some(Report::Slow),
            Timer::SpinLimit => self.halt(Stop::TimeLimit, at, p, timers, out),
            Timer::Flicker => {
                let State::Cut { line } = self.state else { return None };
                let stop = if line == InLine::MotorFault { Stop::Defect(Defect::Driver) } else { Stop::Guard(line) };
                self.halt(stop, at, p, timers, out)
            }
            Timer::Standstill => self.stand(at, p, timers, out),
            Timer::Coast => {
                let stopping = matches!(self.state, State::Stopping);
                if stopping {
                    let lap = self.lap.max(at.nanos_since(self.lap_began));
                    let slowed = lap * 100 > self.driven * SLOWED_PERCENT;
                    self.unpower(at, p, timers, out);
                    self.state = State::Coasting;
                    if slowed {
                        return Some(Report::Defective(Defect::Coast));
                    }
                    timers.after(Timer::Coast, at, Millis(p.coast_limit));
                    return Some(Report::Defective(Defect::Deadman));
                }
                // Still turning: stay on watch until it stands, but say it only once.
                matches!(self.state, State::Coasting).then_some(Report::Defective(Defect::Coast))
            }
            _ => None,
        }
    }

    fn stand(&mut self, at: Mono, p: &Parameters, timers: &mut Timers, out: &mut Outputs) -> Option<Report> {
        timers.clear(Timer::Coast);
        match self.state {
            State::Stopping => self.unpower(at, p, timers, out),
            State::Coasting => {}
            State::Off | State::Running | State::Cut { .. } => return None,
        }
        self.state = State::Off;
        self.from = self.cam.position();
        // A shaft that turned without a command has no run to report.
        self.stop.map(|_| Report::Still)
    }

    /// How the last run was stopped.
    #[must_use]
    pub const fn stopped_by(&self) -> Option<Stop> {
        self.stop
    }

    /// The run's result was taken: what comes next is a new run.
    pub fn clear_stop(&mut self) {
        self.stop = None;
    }
}
