//! The tumbler: motor, dead-man line and cam.
//!
//! ```text
//! Off --run--> Running --target reached--> Stopping --standstill--> Off        spin ended: standstill
//!               |   |                         '--turns on-----> Coasting      defect: dead-man; coast where it slows
//!               |   '--guard edge--> Cut --back within 3 ms--> Running
//!               |         |           '--3 ms--> Coasting                     spin ended: guard
//!               |         '--the fourth in this run--> Coasting               spin ended: guard; the line is latched
//!               '--halt, defect, time limit--> Coasting --standstill--> Off   '--turns on--> defect: coast
//! ```
//!
//! The ordinary stop is also the proof of the dead-man relay: the edges on the dead-man line end first, and
//! `motor_enable` falls only once the cam stands still. A welded relay shows as a shaft that turns on at its speed.
//!
//! Two clocks: how the shaft turns (steps, laps, counts) is judged by when an edge happened; whether the motor may have power
//! (stall, limits, the length of a break) also by when it was read, so that no late or false stamp keeps a motor on.

mod report;

pub use report::{Defect, Report, Stop};

use super::cam::{Cam, STEPS, tumbles};
use super::outputs::Outputs;
use crate::line::{InLine, OutLine};
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
        /// When it did.
        at: Mono,
        /// When that was read.
        read: Mono,
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
    /// Net steps forward of this run, frozen with it.
    steps: u32,
    frozen: bool,
    target: u32,
    stop: Option<Stop>,
    /// Flickers of guard lines in this run.
    flickers: u32,
    /// When the last edge of the cam happened, of either sensor.
    last_edge: Mono,
    /// When the shaft was last found to stand still.
    stood: Mono,
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

    /// Net steps forward of the cam in the run in progress, or in the last one.
    #[must_use]
    pub const fn steps(&self) -> u32 {
        self.steps
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
        self.steps = 0;
        self.frozen = false;
        self.target = target;
        self.stop = None;
        self.flickers = 0;
        self.last_edge = Mono(0);
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

    /// A guard line took itself away at `at`, which was read at `read`: motor off at once, before any debounce.
    pub fn cut(
        &mut self,
        line: InLine,
        at: Mono,
        read: Mono,
        p: &Parameters,
        timers: &mut Timers,
        out: &mut Outputs,
    ) -> Option<Report> {
        match self.state {
            State::Running if self.flickers >= p.flickers => {
                self.halt(broken_by(line), read, p, timers, out)?;
                return Some(Report::Chattered(line));
            }
            State::Running => {
                let limit = timers.is_set(Timer::SpinLimit);
                timers.clear(Timer::Alive);
                timers.clear(Timer::Stall);
                timers.clear(Timer::Period);
                debug_assert!(limit, "a running motor has a time limit");
                out.set(OutLine::MotorEnable, false, read, p, timers);
                self.state = State::Cut { line, at, read };
                timers.after(Timer::Flicker, read, Millis(p.flicker));
            }
            // The tumbles are done and the stop is under way: the cut only brings it forward.
            State::Stopping => {
                self.unpower(read, p, timers, out);
                self.state = State::Coasting;
                self.await_standstill(read, p, timers);
                timers.after(Timer::Coast, read, Millis(p.coast_limit));
            }
            State::Off | State::Cut { .. } | State::Coasting => {}
        }
        None
    }

    /// Whether a guard line has cut the motor, and it may still be a flicker.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        matches!(self.state, State::Cut { .. })
    }

    /// All guards are good again since `at`, which was read at `read`: the same spin goes on, unless it took too long, by
    /// either clock. Then the break ends it for good.
    pub fn resume(
        &mut self,
        at: Mono,
        read: Mono,
        p: &Parameters,
        timers: &mut Timers,
        out: &mut Outputs,
    ) -> Option<Report> {
        let State::Cut { line, at: since, read: since_read } = self.state else { return None };
        timers.clear(Timer::Flicker);
        let flicker = Millis(p.flicker).as_nanos();
        if at.nanos_since(since) >= flicker || read.nanos_since(since_read) >= flicker {
            return self.halt(broken_by(line), read, p, timers, out);
        }
        self.flickers = self.flickers.saturating_add(1);
        self.power(read, p, timers, out);
        Some(Report::Flickered(line))
    }

    /// Whether an edge of the cam that happened at `at` and was read at `read` shows that edges are lost: it is too late to
    /// tell what the shaft does now, or older than one that was counted. Of a shaft that has no power none matters.
    #[must_use]
    pub fn is_lost(&self, at: Mono, read: Mono, p: &Parameters) -> bool {
        matches!(self.state, State::Running | State::Cut { .. } | State::Stopping)
            && (read.nanos_since(at) > Millis(p.edge_late).as_nanos() || at < self.last_edge)
    }

    /// Takes a raw edge of the cam, which happened at `at` and was read at `read`.
    #[expect(clippy::too_many_arguments, reason = "an edge has two times")]
    pub fn edge(
        &mut self,
        line: InLine,
        active: bool,
        at: Mono,
        read: Mono,
        p: &Parameters,
        timers: &mut Timers,
        out: &mut Outputs,
    ) -> Option<Report> {
        let position = self.cam.edge(line == InLine::CamB, active);
        self.last_edge = at;
        match self.state {
            State::Off => {
                self.stride(at);
                // An edge that is read late may be from before the shaft stood.
                if at < self.stood && read.nanos_since(at) <= Millis(p.edge_late).as_nanos() {
                    self.from = position;
                    return None;
                }
                if (position - self.from).abs() < 2 {
                    return None;
                }
                // Watched on from here: the table may stay powered for hours while a hand turns the shaft.
                self.state = State::Coasting;
                self.frozen = true;
                self.furthest = position;
                self.least = position;
                self.stop = None;
                self.await_standstill(read, p, timers);
                timers.after(Timer::Coast, read, Millis(p.coast_limit));
                Some(Report::Defective(Defect::Uncommanded))
            }
            State::Running | State::Cut { .. } => self.turn(position, at, read, p, timers, out),
            State::Stopping | State::Coasting => {
                if position > self.furthest || position < self.least {
                    self.furthest = self.furthest.max(position);
                    self.least = self.least.min(position);
                    self.stride(at);
                    // Without power nothing depends on when it was read.
                    let from = if matches!(self.state, State::Stopping) { read } else { at };
                    self.await_standstill(from, p, timers);
                    return self.count(at);
                }
                None
            }
        }
    }

    fn count(&mut self, at: Mono) -> Option<Report> {
        let gone = self.furthest - self.from;
        if self.frozen {
            return None;
        }
        self.steps = u32::try_from(gone).unwrap_or(0);
        let tumbled = tumbles(gone);
        if tumbled <= self.counted {
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
        read: Mono,
        p: &Parameters,
        timers: &mut Timers,
        out: &mut Outputs,
    ) -> Option<Report> {
        if position <= self.from - STEPS {
            return self.halt(Stop::Defect(Defect::Reverse), read, p, timers, out);
        }
        if self.is_erratic(position, at, p) {
            return self.halt(Stop::Defect(Defect::Erratic), read, p, timers, out);
        }
        if position <= self.furthest {
            return None;
        }
        self.furthest = position;
        self.stride(at);
        if matches!(self.state, State::Running) {
            timers.after(Timer::Stall, read, Millis(p.stall));
        }
        let report = self.count(at);
        if report.is_some() && matches!(self.state, State::Running) {
            timers.after(Timer::Period, read, Millis(p.tumble_period));
            if self.counted.0 >= self.target {
                for timer in [Timer::Alive, Timer::Stall, Timer::Period] {
                    timers.clear(timer);
                }
                self.state = State::Stopping;
                self.driven = self.lap;
                self.stop = Some(Stop::Target);
                self.await_standstill(read, p, timers);
                timers.after(Timer::Coast, read, Millis(p.deadman_drop.saturating_add(p.coast_limit)));
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
                let State::Cut { line, .. } = self.state else { return None };
                self.halt(broken_by(line), at, p, timers, out)
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
        self.stood = at;
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

/// What a guard line that stays away makes of the run: the driver's own fault is a defect.
const fn broken_by(line: InLine) -> Stop {
    match line {
        InLine::MotorFault => Stop::Defect(Defect::Driver),
        line => Stop::Guard(line),
    }
}
