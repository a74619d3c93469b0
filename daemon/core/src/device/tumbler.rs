//! The tumbler: motor, dead-man line and cam.
//!
//! ```text
//! Off --run--> Running --target reached--> Stopping --standstill--> Off        spin ended: standstill; the relay is proved
//!               |   |                       |  '--turns on-----> Coasting     defect: dead-man; coast where it slows
//!               |   '------guard edge-------'--> Cut --back within 3 ms--> Running, Stopping: where it was
//!               |         |           '--3 ms--> Coasting                     spin ended: guard
//!               |         '--the fourth in this run--> Coasting               spin ended: guard; the line is latched
//!               '--halt, defect, time limit--> Coasting --standstill--> Off   '--turns on--> defect: coast
//! ```
//!
//! The ordinary stop is also the proof of the dead-man relay: the edges on the dead-man line end first, and
//! `motor_enable` falls only once the cam stands still. A welded relay shows as a shaft that turns on at its speed. A stop that
//! a guard ends proves nothing of the relay.
//!
//! Two clocks: how the shaft turns (steps, laps, counts) is judged by when an edge happened; whether the motor may have power
//! (stall, limits, the length of a break) also by when it was read, so that no late or false stamp keeps a motor on.

mod report;
mod way;

pub use report::{Defect, Report, RunsFor, Stop};

use super::cam::{Cam, STEPS, tumbles};
use crate::context::Context;
use crate::line::{InLine, OutLine};
use crate::prelude::*;
use crate::sequence::{Durable, Pending};
use crate::timer::Timer;
use crate::units::{Millis, Mono, Tumbles};
use serde::{Deserialize, Serialize};
use way::Way;

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
        /// The dead-man edges had ended: the relay is to stop the shaft, and none comes after it either.
        stopping: bool,
    },
    /// The dead-man edges have ended and the shaft is to come to a stand.
    Stopping,
    /// Commanded off; the shaft may turn on for a while.
    Coasting,
}

/// The tumbler.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tumbler {
    cam: Cam,
    state: State,
    alive: bool,
    /// Position at which the run began, or at which the shaft came to rest.
    from: i64,
    /// Where the shaft was in this run.
    way: Way,
    /// Edges of each cam sensor in this run, `cam_a` first.
    seen: [u32; 2],
    /// Full tumbles counted in this run; frozen when a guard, a defect or a halt ends it.
    counted: Tumbles,
    /// Net steps forward of this run, frozen with it.
    steps: u32,
    frozen: bool,
    target: u32,
    /// What waits for the end of this run.
    runs_for: Option<RunsFor>,
    /// The record by which this run began.
    run_by: Option<Pending>,
    stop: Option<Stop>,
    /// Flickers of guard lines in this run.
    flickers: u32,
    /// Spins in a row that counted and proved nothing of the dead-man relay.
    unproved: u32,
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

    /// What was found of a run, with the cam sensor that did not do its part named first: one without an edge while the shaft took
    /// the other one past its magnet, there and away. Where neither has any, it may as well be the shaft.
    #[must_use]
    pub fn names(&self, found: &str) -> String {
        let [a, b] = self.seen;
        let still = match (a, b) {
            (0, 0) => "neither cam_a nor cam_b moved",
            (0, 2..) => "cam_a did not move, and cam_b did: check its sensor, magnet and cable",
            (2.., 0) => "cam_b did not move, and cam_a did: check its sensor, magnet and cable",
            _ => return found.to_owned(),
        };
        format!("{still}; {found}")
    }

    /// Whether the motor is commanded on, so that the guard lines matter.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        matches!(self.state, State::Running | State::Stopping)
    }

    /// Whether the motor is to have power, now or again after a flicker.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        matches!(self.state, State::Running | State::Cut { stopping: false, .. })
    }

    /// Whether the dead-man relay is to stop the shaft, now or again after a flicker.
    const fn is_stopping(&self) -> bool {
        matches!(self.state, State::Stopping | State::Cut { stopping: true, .. })
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
    pub fn run(&mut self, runs_for: RunsFor, target: u32, by: Durable, ctx: &mut Context) {
        let at = ctx.at();
        self.from = self.cam.position();
        self.way = Way::from(self.from);
        self.seen = [0; 2];
        self.counted = Tumbles(0);
        self.steps = 0;
        self.frozen = false;
        self.target = target;
        self.runs_for = Some(runs_for);
        self.stop = None;
        self.flickers = 0;
        self.last_edge = Mono(0);
        self.lap_began = at;
        self.lap = 0;
        self.driven = 0;
        self.stepped = at;
        self.step = 0;
        ctx.after_from(Timer::SpinLimit, at, Millis(ctx.p().spin_limit));
        self.run_by = Some(by.record());
        self.power(by, at, ctx);
    }

    fn power(&mut self, by: Durable, from: Mono, ctx: &mut Context) {
        self.state = State::Running;
        ctx.after_from(Timer::Stall, from, Millis(ctx.p().stall));
        ctx.after_from(Timer::Period, from, Millis(ctx.p().tumble_period));
        ctx.energise(OutLine::MotorEnable, from, by);
        self.beat(from, ctx);
    }

    /// The next edge of the dead-man line.
    fn beat(&mut self, from: Mono, ctx: &mut Context) {
        self.alive = !self.alive;
        ctx.beat(self.alive, from);
        ctx.after_from(Timer::Alive, from, Millis(ctx.p().alive));
    }

    /// Takes motor power away at once. A safe call in every state.
    fn unpower(&mut self, from: Mono, ctx: &mut Context) {
        for timer in [Timer::Alive, Timer::Stall, Timer::Period, Timer::SpinLimit, Timer::Flicker] {
            ctx.clear(timer);
        }
        ctx.rest_from(OutLine::MotorEnable, from);
    }

    /// The cam went on by a step.
    const fn stride(&mut self, at: Mono) {
        self.step = at.nanos_since(self.stepped);
        self.stepped = at;
    }

    /// Standstill is reckoned from `at`. A shaft that creeps has not stopped between two edges: it has the time of its last
    /// step twice over. One that takes longer than a stall under power is given up as standing.
    fn await_standstill(&self, from: Mono, ctx: &mut Context) {
        let (least, most) = (Millis(ctx.p().standstill).as_nanos(), Millis(ctx.p().stall).as_nanos());
        let wait = self.step.saturating_mul(2).min(most).max(least);
        ctx.fire_at(Timer::Standstill, Mono(from.0.saturating_add(wait)));
    }

    /// Ends the run: motor off at once, tumbles counted so far stand.
    pub fn halt(&mut self, stop: Stop, ctx: &mut Context) -> Option<Report> {
        self.end_run(stop, ctx.at(), ctx)
    }

    fn end_run(&mut self, stop: Stop, from: Mono, ctx: &mut Context) -> Option<Report> {
        if !matches!(self.state, State::Running | State::Stopping | State::Cut { .. }) {
            return None;
        }
        self.unpower(from, ctx);
        self.state = State::Coasting;
        self.frozen = true;
        self.stop = Some(stop);
        self.await_standstill(from, ctx);
        ctx.after_from(Timer::Coast, from, Millis(ctx.p().coast_limit));
        Some(Report::Stopped(stop))
    }

    /// A guard line took itself away at `at`, which was read at `read`: motor off at once, before any debounce.
    pub fn cut(&mut self, line: InLine, ctx: &mut Context) -> Option<Report> {
        let (at, read) = (ctx.stamp(), ctx.read());
        match self.state {
            State::Running | State::Stopping if self.flickers >= ctx.p().flickers => {
                self.end_run(broken_by(line), read, ctx)?;
                return Some(Report::Chattered(line));
            }
            State::Running | State::Stopping => {
                debug_assert!(ctx.is_set(Timer::SpinLimit), "a running motor has a time limit");
                // A shaft proves the relay by coming to a stand with `motor_enable` on, and not while that is off.
                for timer in [Timer::Alive, Timer::Stall, Timer::Period, Timer::Standstill] {
                    ctx.clear(timer);
                }
                ctx.rest_from(OutLine::MotorEnable, read);
                self.state = State::Cut { line, at, read, stopping: self.is_stopping() };
                ctx.after_from(Timer::Flicker, read, Millis(ctx.p().flicker));
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
    /// either clock. Then the break ends it for good. `by` is what confirms [`Tumbler::run_by`].
    pub fn resume(&mut self, by: Option<Durable>, ctx: &mut Context) -> Option<Report> {
        let (at, read) = (ctx.stamp(), ctx.read());
        let State::Cut { line, at: since, read: since_read, stopping } = self.state else { return None };
        ctx.clear(Timer::Flicker);
        let flicker = Millis(ctx.p().flicker).as_nanos();
        if at.nanos_since(since) >= flicker || read.nanos_since(since_read) >= flicker {
            return self.end_run(broken_by(line), read, ctx);
        }
        let Some(by) = by else { return self.end_run(broken_by(line), read, ctx) };
        self.flickers = self.flickers.saturating_add(1);
        if stopping {
            // Without an edge of the dead-man line: the relay has dropped, or drops as it would have.
            self.state = State::Stopping;
            ctx.energise(OutLine::MotorEnable, read, by);
            self.await_standstill(read, ctx);
        } else {
            self.power(by, read, ctx);
        }
        Some(Report::Flickered(line))
    }

    /// Whether an edge of the cam that happened at `at` and was read at `read` shows that edges are lost: it is too late to
    /// tell what the shaft does now, or older than one that was counted. Of a shaft that has no power none matters.
    #[must_use]
    pub fn is_lost(&self, ctx: &Context) -> bool {
        let (at, read) = (ctx.stamp(), ctx.read());
        matches!(self.state, State::Running | State::Cut { .. } | State::Stopping)
            && (read.nanos_since(at) > Millis(ctx.p().edge_late).as_nanos() || at < self.last_edge)
    }

    /// Takes a raw edge of the cam, which happened at `at` and was read at `read`.
    pub fn edge(&mut self, line: InLine, active: bool, ctx: &mut Context) -> Option<Report> {
        let (at, read) = (ctx.stamp(), ctx.read());
        let position = self.cam.edge(line == InLine::CamB, active);
        let [a, b] = &mut self.seen;
        let sensor = if line == InLine::CamB { b } else { a };
        *sensor = sensor.saturating_add(1);
        let fast = at.nanos_since(self.last_edge) < least_step(ctx);
        self.last_edge = at;
        match self.state {
            State::Off => {
                self.stride(at);
                // An edge that is read late may be from before the shaft stood.
                if at < self.stood && read.nanos_since(at) <= Millis(ctx.p().edge_late).as_nanos() {
                    self.from = position;
                    return None;
                }
                if (position - self.from).abs() < 2 {
                    return None;
                }
                // Watched on from here: the table may stay powered for hours while a hand turns the shaft.
                self.state = State::Coasting;
                self.frozen = true;
                self.way = Way::from(position);
                self.stop = None;
                self.await_standstill(read, ctx);
                ctx.after_from(Timer::Coast, read, Millis(ctx.p().coast_limit));
                Some(Report::Defective(Defect::Uncommanded))
            }
            State::Running | State::Cut { stopping: false, .. } => self.turn(position, ctx),
            State::Stopping | State::Cut { .. } | State::Coasting => {
                if self.way.moves(position, fast) {
                    self.stride(at);
                    // Without power nothing depends on when it was read.
                    let from = if self.is_stopping() { read } else { at };
                    self.await_standstill(from, ctx);
                    return self.count(at);
                }
                None
            }
        }
    }

    fn count(&mut self, at: Mono) -> Option<Report> {
        let gone = self.way.furthest() - self.from;
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

    fn turn(&mut self, position: i64, ctx: &mut Context) -> Option<Report> {
        let (at, read) = (ctx.stamp(), ctx.read());
        if position <= self.from - STEPS {
            return self.end_run(Stop::Defect(Defect::Reverse), read, ctx);
        }
        if self.is_erratic(position, ctx) {
            self.doubt_last_step(ctx);
            return self.end_run(Stop::Defect(Defect::Erratic), read, ctx);
        }
        if position <= self.way.furthest() {
            return None;
        }
        self.way.go_on(position);
        self.stride(at);
        if matches!(self.state, State::Running) {
            ctx.after_from(Timer::Stall, read, Millis(ctx.p().stall));
        }
        let report = self.count(at);
        if report.is_some() && matches!(self.state, State::Running) {
            ctx.after_from(Timer::Period, read, Millis(ctx.p().tumble_period));
        }
        if report.is_some() && self.counted.0 >= self.target {
            self.reach_target(ctx);
        }
        report
    }

    /// The last tumble is made. In a flicker of a guard line, too: the motor comes back only to have the relay stop it.
    fn reach_target(&mut self, ctx: &mut Context) {
        let read = ctx.read();
        for timer in [Timer::Alive, Timer::Stall, Timer::Period] {
            ctx.clear(timer);
        }
        self.driven = self.lap;
        self.stop = Some(Stop::Target);
        ctx.after_from(Timer::Coast, read, Millis(ctx.p().deadman_drop.saturating_add(ctx.p().coast_limit)));
        if let State::Cut { stopping, .. } = &mut self.state {
            *stopping = true;
        } else {
            self.state = State::Stopping;
            self.await_standstill(read, ctx);
        }
    }

    /// Whether the cam shows what a driven shaft does not: then the count proves nothing (NZ 6.1).
    ///
    /// One sensor, however it bounces, swings the position by one step; only both, or a shaft that is thrown back, by
    /// two. And no motor turns at three times its speed. The first two steps say nothing: the shaft may stand on an edge,
    /// and a sensor that was wrong at rest is right again once it turns.
    fn is_erratic(&self, position: i64, ctx: &Context) -> bool {
        let (gone, back) = (self.way.furthest() - self.from, self.way.furthest() - position);
        back >= 2 && gone > 0 || back < 0 && gone >= 2 && self.steps_at_once(ctx)
    }

    /// Whether this edge comes sooner after the last step than any motor turns.
    fn steps_at_once(&self, ctx: &Context) -> bool {
        ctx.stamp().nanos_since(self.stepped) < least_step(ctx)
    }

    /// The edge that shows the cam to be wrong came at once after the last step: which of the two is false nobody can tell, and so the
    /// step proves nothing either.
    fn doubt_last_step(&mut self, ctx: &Context) {
        if self.steps_at_once(ctx) {
            let gone = self.way.furthest() - self.from - 1;
            self.steps = u32::try_from(gone).unwrap_or(0);
            self.counted = tumbles(gone);
        }
    }

    /// Edges of the cam were lost: what was counted cannot be believed.
    pub fn gap(&mut self, ctx: &mut Context) -> Option<Report> {
        let at = ctx.at();
        self.from = self.cam.position();
        self.end_run(Stop::Defect(Defect::LostEdges), at, ctx)
    }

    /// One of the tumbler's own deadlines.
    pub fn timer(&mut self, timer: Timer, ctx: &mut Context) -> Option<Report> {
        let at = ctx.at();
        match timer {
            Timer::Alive if matches!(self.state, State::Running) => {
                self.beat(at, ctx);
                None
            }
            Timer::Stall => self.end_run(Stop::Defect(Defect::Stall), at, ctx),
            Timer::Period => Some(Report::Slow),
            Timer::SpinLimit => self.end_run(Stop::TimeLimit, at, ctx),
            Timer::Flicker => {
                let State::Cut { line, .. } = self.state else { return None };
                self.end_run(broken_by(line), at, ctx)
            }
            Timer::Standstill => self.stand(ctx),
            Timer::Coast => {
                if self.is_stopping() {
                    let lap = self.lap.max(at.nanos_since(self.lap_began));
                    let slowed = lap * 100 > self.driven * SLOWED_PERCENT;
                    self.unpower(at, ctx);
                    self.state = State::Coasting;
                    if slowed {
                        return Some(Report::Defective(Defect::Coast));
                    }
                    ctx.after_from(Timer::Coast, at, Millis(ctx.p().coast_limit));
                    return Some(Report::Defective(Defect::Deadman));
                }
                // Still turning: stay on watch until it stands, but say it only once.
                matches!(self.state, State::Coasting).then_some(Report::Defective(Defect::Coast))
            }
            _ => None,
        }
    }

    fn stand(&mut self, ctx: &mut Context) -> Option<Report> {
        ctx.clear(Timer::Coast);
        match self.state {
            State::Stopping => {
                self.unpower(ctx.at(), ctx);
                self.unproved = 0;
            }
            State::Coasting => {}
            State::Off | State::Running | State::Cut { .. } => return None,
        }
        self.state = State::Off;
        self.stood = ctx.at();
        self.from = self.cam.position();
        // A shaft that turned without a command has no run to report.
        self.stop.map(|_| Report::Still)
    }

    /// The record by which the run in progress, or the last one, began.
    #[must_use]
    pub const fn run_by(&self) -> Option<&Pending> {
        self.run_by.as_ref()
    }

    /// How the last run was stopped.
    #[must_use]
    pub const fn stopped_by(&self) -> Option<Stop> {
        self.stop
    }

    /// A spin counted, and something else than the dead-man relay stopped it; gives how many in a row that makes.
    pub const fn miss_proof(&mut self) -> u32 {
        self.unproved = self.unproved.saturating_add(1);
        self.unproved
    }

    /// What the run in progress, or the last one, is for; `None` once nobody waits for its end any more.
    #[must_use]
    pub const fn runs_for(&self) -> Option<RunsFor> {
        self.runs_for
    }

    /// Nobody waits for the end of the run any more.
    pub const fn disown(&mut self) {
        self.runs_for = None;
    }

    /// The run's result was taken: what comes next is a new run.
    pub fn clear_stop(&mut self) {
        self.stop = None;
    }
}

/// No motor makes a step of the cam in less than this, in nanoseconds: a third of a healthy step, of which `tumble_period`
/// has ten (2.5 tumbles of 4).
const fn least_step(ctx: &Context) -> u64 {
    Millis(ctx.p().tumble_period).as_nanos() / 30
}

/// What a guard line that stays away makes of the run: the driver's own fault is a defect.
const fn broken_by(line: InLine) -> Stop {
    match line {
        InLine::MotorFault => Stop::Defect(Defect::Driver),
        line => Stop::Guard(line),
    }
}
