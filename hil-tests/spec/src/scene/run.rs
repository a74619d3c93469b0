//! One run of the motor, as its wires show it: what the cam counts, what ends it, and when the shaft stands still.
//!
//! ```text
//!           ┌── guard back within `flicker` ──┐
//!  at rest ── on ──> RUNS ── a guard breaks ──> CUT ── longer, or once too often ──┐
//!                     ├── 17 steps ──> STOPS: the relay is to stop the shaft       ├──> OVER ── stands still ──> at rest
//!                     └── press, limit, stall, heat, person ───────────────────────┘
//! ```

use super::Scene;
use crate::config::Rules;
use crate::observation::{Line, Observation, Seen, Truth, quarter};
use crate::record::{Fact, Record};

const MS: u64 = 1_000_000;
/// Steps that prove four full tumbles, the target, and three, a valid spin (table.md, How tumbles are counted).
const TARGET: i64 = 17;
pub(crate) const NEEDED: i64 = 13;
/// Parameters of table.md.
const SPIN_LIMIT_NS: u64 = 8_000 * MS;
const STALL_NS: u64 = 700 * MS;
const TUMBLE_PERIOD_NS: u64 = 1_500 * MS;
const COAST_LIMIT_NS: u64 = 2_000 * MS;
const FLICKERS: u32 = 3;
/// No shaft goes on as fast as this: three times as fast as the healthy 600 ms a tumble (table.md, Parameters).
const AT_ONCE_NS: u64 = 50 * MS;

/// Above this the motor is too hot, in thousandths of a degree; so much no reading jumps; and so old a reading says nothing.
pub(crate) const HOT: i32 = 80_000;
const JUMP: u32 = 10_000;
pub(crate) const STALE_NS: u64 = 2_000 * MS;

/// What ended a run, in the words of mqtt.md, What ends a spin.
pub(crate) type How = &'static str;

/// What the cam shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cam {
    /// Steps from where the run began, and the most that were reached.
    position: i64,
    pub(crate) most: i64,
    /// The least before the first step forward: what goes back then moves, too.
    least: i64,
    /// When it last went on, when it last moved, and how long that step took.
    at_ns: u64,
    moved_ns: u64,
    step_ns: u64,
    /// When the tumble under way began: with the motor, or with the last full turn.
    tumble_ns: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    #[default]
    Rest,
    Runs,
    Cut {
        line: Line,
        since_ns: u64,
        stops: bool,
    },
    Stops,
    Over {
        how: How,
        since_ns: u64,
    },
}

/// A run of the motor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub(crate) state: State,
    pub(crate) cam: Cam,
    /// Steps that count: those up to the end.
    pub(crate) counted: i64,
    pub(crate) began_ns: u64,
    target_ns: u64,
    flickers: u32,
    /// The dome's contacts where it rests, under Open Cover.
    rest: [Option<bool>; 2],
    /// When the motor last went on; and if that was in the stop at the target, from when on the shaft has to stand.
    powered_ns: u64,
    again_ns: u64,
    /// From when on the shaft has to stand after its run.
    halted_ns: u64,
    /// The guard line that cut the motor and came back with this observation after no more than a flicker, so that the same run goes
    /// on.
    pub(crate) back: Option<Line>,
    /// When the last spin of a round was granted, and when the record of it was durable.
    pub(crate) granted_ns: u64,
    pub(crate) durable_ns: u64,
    /// How and when the run was judged.
    stood: Option<(How, u64)>,
    /// When its shaft stood still.
    stands_ns: Option<u64>,
}

/// The guard line other than the dome's that forbids the motor, if one does.
fn other_guard(scene: &Scene) -> Option<Line> {
    let guards = [(Line::Seal, false), (Line::PowerGood, false), (Line::MotorFault, true)];
    guards.into_iter().find(|(line, bad)| scene.is(*line, *bad)).map(|(line, _)| line)
}

impl Run {
    /// Whether the table wants the motor on, or will after a flicker.
    pub(crate) const fn goes_on(&self) -> bool {
        matches!(self.state, State::Runs | State::Stops | State::Cut { .. })
    }

    /// The guard line that forbids the motor, if one does.
    pub(crate) fn guard(&self, scene: &Scene) -> Option<Line> {
        let dome = [Line::DomeClosed, Line::DomeOpen];
        let wrong = [true, false];
        let astray = |(line, (rest, closed)): (Line, (Option<bool>, bool))| {
            let right = if scene.rules().covered() { Some(closed) } else { rest };
            (right.is_some() && scene.level(line) != right).then_some(line)
        };
        let dome = dome.into_iter().zip(self.rest.into_iter().zip(wrong)).find_map(astray);
        dome.or_else(|| other_guard(scene))
    }

    /// What time alone does next: how the run ends, and when.
    pub(crate) fn next(&self, scene: &Scene) -> Option<(How, u64)> {
        let limits = &scene.config.given.limits;
        let mut ends = vec![];
        if let (true, Some(due)) = (self.goes_on(), scene.buttons.due(Line::NoSpin)) {
            ends.push(("no-spin", due));
        }
        match self.state {
            State::Runs => self.limits(&mut ends, scene),
            State::Cut { line, since_ns, stops } => {
                if !stops {
                    ends.push(("time-limit", self.began_ns + SPIN_LIMIT_NS));
                }
                let last = if self.flickers >= FLICKERS { 0 } else { limits.flicker_ns };
                ends.push((named(line), since_ns + last));
            }
            State::Stops => {
                ends.push(("target", self.still_ns(self.again_ns, scene)));
                ends.push(("runs-on", self.target_ns + limits.deadman_ns + COAST_LIMIT_NS));
            }
            State::Rest | State::Over { .. } => {}
        }
        ends.into_iter().min_by_key(|(_, at)| *at)
    }

    /// Whether a slow tumbler ends a run: in a test, and under New Zealand's rules (faults.md motor.slow).
    fn fussy(&self, scene: &Scene) -> bool {
        let rules = scene.round.as_ref().and_then(|round| round.rules);
        rules.is_none_or(Rules::is_new_zealand)
    }

    fn limits(&self, ends: &mut Vec<(How, u64)>, scene: &Scene) {
        ends.push(("time-limit", self.began_ns + SPIN_LIMIT_NS));
        // faults.md motor.dead: from motor on, after a flicker as well.
        ends.push(("stall", self.cam.at_ns.max(self.powered_ns) + STALL_NS));
        if self.fussy(scene) {
            ends.push(("slow", self.cam.tumble_ns + TUMBLE_PERIOD_NS));
        }
    }

    /// When the shaft stands still (table.md, How the motor stops), if the cam moves no more after this moment.
    fn still_ns(&self, after_ns: u64, scene: &Scene) -> u64 {
        let standstill = scene.config.given.limits.standstill_ns.max(2 * self.cam.step_ns).min(STALL_NS);
        self.cam.moved_ns.max(after_ns) + standstill
    }

    /// When the run that is over is judged: how it ended then, and the time.
    pub(crate) fn judged(&self, scene: &Scene) -> Option<(How, u64)> {
        let State::Over { how, since_ns } = self.state else { return None };
        if self.stood.is_some() {
            return self.stood;
        }
        if how == "target" {
            let still_ns = self.still_ns(self.again_ns, scene);
            // Neither the relay nor the motor's own switch has ended it: that is the tumbler (NZ 7.1(b)).
            let runs_on = new_zealand(scene) && still_ns > since_ns + COAST_LIMIT_NS;
            return Some(if runs_on { ("runs-on", since_ns + COAST_LIMIT_NS) } else { (how, still_ns) });
        }
        // A round that a word voids at once has no spin any more: New Zealand's claim of three tumbles, or a person's void.
        let claimed = how == "no-spin" && self.counted >= NEEDED && new_zealand(scene);
        // Three tumbles stay made, whatever the cam shows then; New Zealand's tumbler also has to operate correctly (7.1(b)).
        let short = self.counted < NEEDED || new_zealand(scene);
        let wrong = ["stall", "reverse", "erratic"].contains(&how) && short;
        if claimed || wrong || ["runs-on", "decision", "journal", "wires", "interruption"].contains(&how) {
            return Some((how, since_ns));
        }
        let (still_ns, coasts_ns) = (self.still_ns(since_ns, scene), since_ns + COAST_LIMIT_NS);
        let counts = self.counted >= NEEDED && !new_zealand(scene);
        Some(if still_ns < coasts_ns || counts { (how, still_ns) } else { ("runs-on", coasts_ns) })
    }

    /// The guard line that cut the motor for no more than a flicker, if it is back with this edge.
    fn comes_back(&self, scene: &Scene) -> Option<Line> {
        let State::Cut { line, since_ns, .. } = self.state else { return None };
        let flicker = scene.now_ns < since_ns + scene.config.given.limits.flicker_ns;
        (flicker && self.flickers < FLICKERS && self.guard(scene).is_none()).then_some(line)
    }

    /// Why the motor goes off although neither its wires nor the time end the run.
    pub(crate) fn cause(&self, scene: &Scene) -> Option<How> {
        let now_ns = scene.now_ns;
        let cold = |reading: &Option<i32>| reading.is_some_and(|milli| milli <= HOT);
        let readings = scene.past.readings.within(now_ns.saturating_sub(STALE_NS - 1), now_ns);
        let heat = !readings.clone().any(|(_, reading)| cold(reading))
            || scene.past.readings.last().is_some_and(|(at, reading)| at == now_ns && !cold(reading))
            || jumped(readings, now_ns);
        // A round is closed when it ends, a test at once.
        let ends = |command: &str| command == "void" || command == "close" && !spinning(scene);
        let asked = scene.past.asked.last().is_some_and(|(at, asked)| at == now_ns && ends(&asked.command));
        match () {
            () if asked => Some("decision"),
            () if heat => Some("heat"),
            () => None,
        }
    }

    /// When the shaft stands still after a run that is over, whatever became of its spin.
    fn stands_ns(&self, scene: &Scene) -> Option<u64> {
        matches!(self.state, State::Over { .. }).then(|| self.still_ns(self.halted_ns, scene))
    }

    /// Whether the shaft has stood still at this moment since its last run was called off.
    pub(crate) fn rests(&self, scene: &Scene, at_ns: u64) -> bool {
        self.stands_ns.or_else(|| self.stands_ns(scene)).is_none_or(|still_ns| still_ns <= at_ns)
    }

    /// The run is over.
    fn end(&mut self, how: How, at_ns: u64) {
        self.state = State::Over { how, since_ns: at_ns };
        self.halted_ns = if ["target", "stall"].contains(&how) { self.again_ns } else { at_ns };
        (self.stood, self.stands_ns) = (None, None);
    }

    /// Takes what is seen, after the scene has.
    pub(crate) fn notice(&mut self, seen: &Observation, scene: &Scene) {
        let hung = scene.alive == Some(false) || matches!(seen.what, Seen::Truth(Truth::Hung { .. }));
        if !hung {
            self.pass_time(seen, scene);
            self.stood = self.judged(scene).filter(|(_, still_ns)| *still_ns < seen.at_ns);
            self.stands_ns = self.stands_ns.or_else(|| self.stands_ns(scene).filter(|still_ns| *still_ns < seen.at_ns));
        }
        self.back = None;
        // Behind a welded relay the shaft of a spin that has reached its target turns on, and counts.
        let reached = matches!(self.state, State::Over { how: "target", .. });
        let turns_on = self.judged(scene).is_some_and(|(how, at)| (reached || how == "target") && seen.at_ns < at);
        match &seen.what {
            Seen::Truth(Truth::Process { .. }) => self.state = State::Rest,
            Seen::Record(record) => self.record(record, scene),
            Seen::Truth(Truth::Hung { hung: false }) if self.goes_on() => {
                self.end("interruption", seen.at_ns);
                // The relay has stopped it meanwhile.
                self.halted_ns = 0;
            }
            Seen::Wire { line: Line::CamA | Line::CamB, initial: false, .. } => self.step(scene),
            Seen::Wire { line: Line::MotorEnable, active: true, initial: false } => self.on(scene),
            Seen::Wire { line: Line::MotorEnable, active: false, initial: false } => self.off(scene),
            Seen::Wire { line, initial: false, .. } if line.guards() => self.guarded(scene),
            _ => {}
        }
        if (self.goes_on() || turns_on) && !hung {
            self.counted = self.cam.most;
        }
    }

    fn record(&mut self, record: &Record, scene: &Scene) {
        match &record.fact {
            Fact::SpinBegan => {
                // What the shaft does after another spin was granted belongs to no spin before.
                if !self.goes_on() {
                    self.state = State::Rest;
                }
                (self.granted_ns, self.durable_ns) = (record.at_ns, scene.now_ns);
            }
            Fact::Latched { code } => {
                let lost = match code.as_str() {
                    "journal" => "journal",
                    "gpio" => "wires",
                    _ => return,
                };
                let off = State::Over { how: "interruption", since_ns: record.at_ns };
                if self.goes_on() || self.state == off {
                    self.end(lost, record.at_ns);
                }
            }
            // A shaft that turns on behind a welded relay ends no spin; a person does.
            fact if fact.answers_void()
                && spinning(scene)
                && matches!(self.state, State::Over { how: "target", .. }) =>
            {
                self.end("decision", record.at_ns);
            }
            _ => {}
        }
    }

    /// Time has ended the run before what is seen, or just now, as the motor's pin shows.
    fn pass_time(&mut self, seen: &Observation, scene: &Scene) {
        let off = matches!(seen.what, Seen::Wire { line: Line::MotorEnable, active: false, .. });
        if let Some((how, at_ns)) = self.next(scene).filter(|(_, at)| *at < seen.at_ns || off && *at == seen.at_ns) {
            // The relay is no tumbler (NZ 7.1(b)); and under Singapore's rules a tumbler that runs on has tumbled all the same.
            let counts = how == "runs-on" && (scene.motor_power == Some(true) || !new_zealand(scene));
            self.end(if counts { "target" } else { how }, at_ns);
        }
    }

    fn on(&mut self, scene: &Scene) {
        self.powered_ns = scene.now_ns;
        match self.state {
            State::Cut { stops, .. } => {
                self.flickers += 1;
                self.state = if stops { State::Stops } else { State::Runs };
                self.again_ns = if stops { scene.now_ns } else { 0 };
            }
            State::Runs | State::Stops => {}
            State::Rest | State::Over { .. } => {
                let now_ns = scene.now_ns;
                self.cam = Cam { at_ns: now_ns, moved_ns: now_ns, tumble_ns: now_ns, ..Cam::default() };
                (self.began_ns, self.again_ns, self.flickers, self.counted) = (now_ns, 0, 0, 0);
                self.rest = [scene.level(Line::DomeClosed), scene.level(Line::DomeOpen)];
                self.state = State::Runs;
            }
        }
    }

    fn off(&mut self, scene: &Scene) {
        if matches!(self.state, State::Runs | State::Stops) {
            self.end(self.cause(scene).unwrap_or("interruption"), scene.now_ns);
        }
    }

    fn guarded(&mut self, scene: &Scene) {
        self.back = self.comes_back(scene);
        if let (State::Runs | State::Stops, Some(line)) = (self.state, self.guard(scene)) {
            self.state = State::Cut { line, since_ns: scene.now_ns, stops: self.state == State::Stops };
        }
    }

    fn step(&mut self, scene: &Scene) {
        let Some((line, active)) = scene.edge else { return };
        let (a, b) = (scene.is(Line::CamA, true), scene.is(Line::CamB, true));
        let before = if line == Line::CamA { quarter(!active, b) } else { quarter(a, !active) };
        let forward = (quarter(a, b) - before).rem_euclid(4) == 1;
        self.cam.position += if forward { 1 } else { -1 };
        if self.cam.position > self.cam.most {
            // A step that comes at once is none, and the one before it proves nothing either. The first may come at any time.
            let drives = matches!(self.state, State::Runs | State::Cut { stops: false, .. });
            if drives && self.cam.most > 1 && scene.now_ns < self.cam.at_ns + AT_ONCE_NS {
                self.counted = self.cam.most - 1;
                self.end("erratic", scene.now_ns);
            } else {
                self.go_on(scene.now_ns);
            }
        }
        // Before the first step forward nobody knows which way the shaft goes.
        if self.cam.most == 0 && self.cam.position < self.cam.least {
            self.cam.least = self.cam.position;
            self.moved(scene.now_ns);
        }
        let back = self.cam.most - self.cam.position;
        if matches!(self.state, State::Runs) && (back >= 4 || back >= 2 && self.cam.most > 0) {
            self.end(if back >= 4 { "reverse" } else { "erratic" }, scene.now_ns);
        }
    }

    fn moved(&mut self, now_ns: u64) {
        self.cam.step_ns = now_ns.saturating_sub(self.cam.moved_ns);
        self.cam.moved_ns = now_ns;
    }

    fn go_on(&mut self, now_ns: u64) {
        self.cam.most = self.cam.position;
        self.moved(now_ns);
        self.cam.at_ns = now_ns;
        if self.cam.most > 1 && self.cam.most % 4 == 1 {
            self.cam.tumble_ns = now_ns;
        }
        match self.state {
            State::Runs if self.cam.most == TARGET => {
                self.state = State::Stops;
                self.target_ns = now_ns;
            }
            State::Cut { line, since_ns, .. } if self.cam.most == TARGET => {
                self.state = State::Cut { line, since_ns, stops: true };
                self.target_ns = now_ns;
            }
            _ => {}
        }
    }

    /// Whether these steps have just been reached.
    pub(crate) fn reached(&self, steps: i64, seen: &Observation) -> bool {
        self.cam.most == steps && self.cam.at_ns == seen.at_ns && self.goes_on()
    }
}

/// Whether the reading of this moment jumps.
fn jumped<'a>(mut latest: impl Iterator<Item = (u64, &'a Option<i32>)>, now_ns: u64) -> bool {
    let Some((at, Some(new))) = latest.next() else { return false };
    let before = latest.find_map(|(_, reading)| *reading);
    at == now_ns && before.is_some_and(|old| new.abs_diff(old) > JUMP)
}

pub(crate) fn new_zealand(scene: &Scene) -> bool {
    scene.rules().is_new_zealand()
}

/// Whether the spin of a round is under way, and not that of a test.
pub(crate) fn spinning(scene: &Scene) -> bool {
    scene.round.as_ref().is_some_and(|round| round.spinning)
}

/// What a break of this guard line is called, as the end of a spin.
const fn named(line: Line) -> How {
    match line {
        Line::DomeClosed | Line::DomeOpen => "dome",
        Line::Seal => "seal",
        Line::PowerGood => "supply",
        _ => "driver",
    }
}
