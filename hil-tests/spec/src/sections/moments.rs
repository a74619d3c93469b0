//! Signs that show at one moment: what shaft, dice and lamps do that they must not (faults.md).
//!
//! ```text
//!  shaft at rest ── second step of the cam without a command ──────────────> tumbler
//!  run ── stall, reverse, erratic, slow ──> tumbler     ── turns on after the stop ──> tumbler, or the relay
//!  dice at rest ── another reading ──> interference     ── not three, or others ──> dice     ── never stirred ──> tumbler
//!  lamps as told ── they change by themselves, twice ──> lamps
//! ```

use super::run::{Run, State};
use crate::observation::{BusKind, Line, Observation, Part, Seen, Transaction, Truth, quarter};
use crate::past::remember;
use crate::record::Fact;
use crate::registers::{LAMPS, MOVING, POSES, READER};
use crate::scene::Scene;
use serde_json::Value;
use std::collections::VecDeque;

const MS: u64 = 1_000_000;
/// As many moments are remembered.
const MOST: usize = 256;
/// Dice that have lain for so long have settled (parameter `settle`: 300 ms), and a shaft has come to rest.
const LONG_NS: u64 = 1_000 * MS;
/// Lamps that change by themselves twice within this time flicker (registers.md).
const FLICKER_NS: u64 = 500 * MS;
/// A part that was mended so recently may still be wrong.
const MENDED_NS: u64 = 6_000 * MS;
/// A movement of the shaft that is no noise (faults.md cam.both_noise, motor.runaway: the second edge).
const TURN: i64 = 2;

/// A moment at which a sign showed: the code that it latches, and whether it has to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) code: &'static str,
    pub(super) at_ns: u64,
    pub(super) firm: bool,
}

/// The dice, as the reader last told.
#[derive(Clone, Debug, Default)]
struct Poses {
    /// Seen, poses and identities, and the counter of motion.
    last: Option<([u16; 7], u16)>,
    /// Since when they have been read alike, and at rest.
    still_ns: Option<u64>,
    /// The counter of motion when the motor was switched on.
    began: Option<u16>,
    /// Readings: when they ended, whether these are not the dice of the table, and whether they have not moved since the motor was on.
    read: VecDeque<(u64, bool, bool)>,
}

/// Watches for such moments.
#[derive(Clone, Debug, Default)]
pub(super) struct Moments {
    run: Run,
    known: VecDeque<Moment>,
    /// How many of them were taken.
    fresh: usize,
    /// The position of the cam, and where it stood when the shaft came to rest.
    position: i64,
    stood: Option<i64>,
    poses: Poses,
    /// Identities of the sealed set, once it was enrolled.
    enrolled: Option<Vec<u64>>,
    /// When the last spin of a round was judged.
    spun_ns: u64,
    /// What each board's lamps did, and when they last changed by themselves.
    lamps: [(Option<u64>, u64); 2],
}

impl Moments {
    /// What it takes notice of; the moments that it found.
    pub(super) fn notice(&mut self, seen: &Observation, scene: &Scene) -> Vec<Moment> {
        let planned = self.run.next(scene);
        let before = self.run.state;
        self.run.notice(seen, scene);
        self.ended(planned, before, scene);
        match &seen.what {
            Seen::Truth(Truth::Process { .. }) => {
                (self.poses, self.lamps, self.stood) = (Poses::default(), Default::default(), None);
            }
            Seen::Wire { line: line @ (Line::CamA | Line::CamB), active, initial: false } => {
                self.step(*line, *active, scene);
            }
            Seen::Wire { line: Line::MotorEnable, active: true, initial: false }
                if matches!(before, State::Rest | State::Over { .. }) =>
            {
                self.poses.began = self.poses.last.map(|(_, motion)| motion);
            }
            Seen::Bus(bus) if bus.unit == READER && bus.address == POSES && bus.ok => self.posed(bus, scene),
            Seen::Bus(bus) => self.sensed(bus, scene),
            Seen::Record(record) => match &record.fact {
                Fact::SpinEnded { .. } => {
                    self.spun_ns = record.at_ns;
                    let how = record.data.get("how").and_then(Value::as_str);
                    if how.is_some_and(|how| ["slow", "time-limit"].contains(&how)) {
                        self.found("tumbler", record.at_ns, true);
                    }
                }
                Fact::DiceEnrolled { .. } | Fact::Keyframe(_) => {
                    let dice = record.data.get("dice").and_then(Value::as_array);
                    self.enrolled = dice.map(|dice| dice.iter().filter_map(Value::as_u64).collect());
                }
                _ => {}
            },
            _ => {}
        }
        let fresh = core::mem::take(&mut self.fresh);
        self.known.iter().rev().take(fresh).copied().collect()
    }

    /// Whether a sign that latches this showed at this moment.
    pub(super) fn at(&self, code: &str, at_ns: u64) -> bool {
        let read = self.poses.read.iter().rev().find(|(read_ns, ..)| *read_ns <= at_ns);
        let shows = read.is_some_and(|(_, wrong, unmoved)| match code {
            "dice" => *wrong,
            "tumbler" => *unmoved,
            _ => false,
        });
        shows || self.known.iter().any(|known| known.code == code && known.at_ns == at_ns)
    }

    fn found(&mut self, code: &'static str, at_ns: u64, firm: bool) {
        if !self.known.iter().any(|known| known.code == code && known.at_ns == at_ns) {
            remember(&mut self.known, MOST, Moment { code, at_ns, firm });
            self.fresh += 1;
        }
    }

    /// How a run of the motor ended, or what it did after its end.
    fn ended(&mut self, planned: Option<(&'static str, u64)>, before: State, scene: &Scene) {
        if let (State::Over { how, since_ns }, false) = (self.run.state, self.run.state == before) {
            match planned {
                Some(("runs-on", at_ns)) if at_ns == since_ns => {
                    let code = if scene.motor_power == Some(true) { "deadman" } else { "tumbler" };
                    self.found(code, since_ns, true);
                }
                _ if ["stall", "reverse", "erratic", "slow"].contains(&how) => {
                    self.found("tumbler", since_ns, how != "slow");
                }
                _ => {}
            }
        }
        if let Some(("runs-on", at_ns)) = self.run.judged(scene).filter(|(_, at_ns)| *at_ns <= scene.now_ns) {
            self.found("tumbler", at_ns, false);
        }
    }

    fn step(&mut self, line: Line, active: bool, scene: &Scene) {
        let (a, b) = (scene.is(Line::CamA, true), scene.is(Line::CamB, true));
        let before = if line == Line::CamA { quarter(!active, b) } else { quarter(a, !active) };
        let rests = !scene.is(Line::MotorEnable, true) && self.run.rests(scene, scene.now_ns);
        self.stood = rests.then(|| self.stood.unwrap_or(self.position));
        self.position += if (quarter(a, b) - before).rem_euclid(4) == 1 { 1 } else { -1 };
        if self.stood.is_some_and(|stood| (self.position - stood).abs() >= TURN) {
            self.stood = Some(self.position);
            self.found("tumbler", scene.now_ns, scene.alive == Some(true));
        }
    }

    fn posed(&mut self, bus: &Transaction, scene: &Scene) {
        let word = |at: u16| bus.word(POSES + at).unwrap_or(0);
        let read = ([word(1), word(2), word(3), word(4), word(5), word(6), word(7)], word(8));
        let [seen, a, b, c, ids @ ..] = read.0;
        if [a, b, c].into_iter().any(|pose| pose > 4) {
            return;
        }
        let now_ns = scene.now_ns;
        let moving = [a, b, c].contains(&MOVING);
        let changed = self.poses.last.is_some_and(|last| last != read);
        let was_still = self.poses.still_ns.is_some();
        self.poses.last = Some(read);
        self.poses.still_ns = if moving { None } else { self.poses.still_ns.filter(|_| !changed).or(Some(now_ns)) };
        let off = !scene.is(Line::MotorEnable, true);
        let owes = self.owes(scene);
        let foreign = self.enrolled.as_ref().is_some_and(|all| ids.iter().any(|id| !all.contains(&u64::from(*id))));
        let twins = ids.iter().enumerate().any(|(at, id)| *id != 0 && ids.iter().skip(at + 1).any(|other| other == id));
        let wrong = seen != 3 || foreign || twins || [a, b, c].contains(&4);
        if was_still && (changed || moving) && off {
            self.found("interference", now_ns, false);
        }
        let unmoved = self.poses.began == Some(read.1);
        remember(&mut self.poses.read, MOST, (now_ns, wrong, unmoved));
        if unmoved && off && owes && self.spun_ns + LONG_NS < now_ns {
            self.found("tumbler", now_ns, true);
        }
    }

    /// Whether what the reader sees of the dice of a valid spin has to be latched.
    fn owes(&self, scene: &Scene) -> bool {
        let parts = [Part::Reader, Part::Bus];
        let sound = scene.in_service("reader") && !parts.iter().any(|part| scene.recently_broken(*part, MENDED_NS));
        let round = scene.round.as_ref();
        sound && round.is_some_and(|round| round.valid_spin && round.result.is_none() && round.asked.is_none())
    }

    /// Lamps that had done as they were told, and change.
    fn sensed(&mut self, bus: &Transaction, scene: &Scene) {
        let board = bus.unit.checked_sub(LAMPS).map(usize::from);
        let Some((last, changed_ns)) = board.and_then(|board| self.lamps.get_mut(board)) else { return };
        match bus.kind {
            BusKind::WriteCoils => (*last, *changed_ns) = (None, 0),
            BusKind::ReadDiscrete if bus.ok => {
                let now_ns = scene.now_ns;
                if last.replace(bus.bits).is_some_and(|last| last != bus.bits) {
                    let before_ns = core::mem::replace(changed_ns, now_ns);
                    if before_ns > 0 && now_ns < before_ns + FLICKER_NS {
                        self.found("lamps", now_ns, false);
                    }
                }
            }
            _ => {}
        }
    }
}
