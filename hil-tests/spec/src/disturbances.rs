//! Disturbances: whether anything was out of order, and since when nothing has been.

use crate::observation::{Line, Observation, Part, Seen, Truth};
use crate::scene::Scene;

const MS: u64 = 1_000_000;
/// A button that is down for longer counts as held.
const HELD_NS: u64 = 2_000 * MS;
/// The key may stay turned this long.
const TURNED_NS: u64 = 60_000 * MS;
/// A healthy shaft coasts for a tenth of a second after its motor lost power. What turns it after this time is a hand.
const RUN_OUT_NS: u64 = 200 * MS;
/// A healthy motor takes 150 ms for a quarter turn, and longer for the first: what turns faster than this is a hand.
const QUARTER_NS: u64 = 50 * MS;
/// A powered shaft that stands for this long is held; when the motor starts, for [`STARTS_NS`].
const HELD_UP_NS: u64 = 210 * MS;
const STARTS_NS: u64 = 400 * MS;
/// The dice have come to rest this long after the shaft.
const LIE_NS: u64 = 1_100 * MS;
/// The contacts change within this time of a movement of the dome.
const TRAVEL_NS: u64 = 1_000 * MS;

/// What is out of order, and when something last was.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disturbances {
    broken: [bool; Part::COUNT],
    /// Something was broken at some time.
    ever: bool,
    disturbed_ns: Option<u64>,
    started: bool,
    power_ns: Option<u64>,
    /// Last position of the shaft, and since when it has it.
    shaft: Option<(i64, u64)>,
}

impl Disturbances {
    /// Takes an observation. Returns whether it is a disturbance.
    pub(crate) fn observe(&mut self, seen: &Observation, scene: &Scene) -> bool {
        let disturbs = match &seen.what {
            // Publishing does not disturb the table.
            Seen::Truth(Truth::Broken { part: Part::Network, .. }) => false,
            // Noise, which a sound table ignores.
            Seen::Truth(Truth::Broken { .. }) if scene.config.given.sound => false,
            Seen::Truth(Truth::Broken { part, broken }) => {
                if let Some(is) = self.broken.get_mut(*part as usize) {
                    *is = *broken;
                }
                self.ever = true;
                true
            }
            Seen::Truth(Truth::Process { alive: true }) => core::mem::replace(&mut self.started, true),
            Seen::Truth(Truth::Process { .. } | Truth::Hung { .. }) | Seen::InitialState { .. } => true,
            Seen::Truth(Truth::Supply { .. }) => self.started,
            Seen::Truth(Truth::MotorPower { .. }) => {
                self.power_ns = Some(scene.now_ns);
                false
            }
            Seen::Truth(Truth::Shaft { quarters }) => {
                // A motor turns the shaft forward, and only so fast. Anything else is a hand.
                let by_hand = self
                    .shaft
                    .replace((*quarters, scene.now_ns))
                    .is_some_and(|(from, since)| *quarters < from || scene.now_ns.saturating_sub(since) < QUARTER_NS);
                self.started && (by_hand || self.rests(scene, self.power_ns, RUN_OUT_NS))
            }
            Seen::Truth(Truth::Dice { flat, .. }) => {
                self.started && (self.rests(scene, Some(scene.moved_ns), LIE_NS) || flat.contains(&false))
            }
            // In a spin the motor moves them. Without it, a hand does.
            Seen::Truth(Truth::DiceMoved) => self.started && scene.motor_power != Some(true),
            Seen::Truth(Truth::Dome { .. }) => scene.is(Line::MotorEnable, true),
            Seen::ConsoleCommand { command, with, .. } => match command.as_str() {
                "open" | "record" => false,
                "witness" => with.get("right") != Some(&serde_json::Value::Bool(true)),
                _ => true,
            },
            Seen::Wire { line, .. } => scene.edge.is_some() && self.edge(*line, scene),
            Seen::Record(record) => matches!(record.kind.as_str(), "asked" | "resumed"),
            _ => false,
        };
        // Disturbances that last.
        let held = [Line::Tumble, Line::PlaceBets, Line::NoMoreBets, Line::NoSpin];
        let down = |line: Line, for_ns: u64| scene.is(line, true) && scene.now_ns > scene.since(line) + for_ns;
        let goes_on = held.iter().any(|line| down(*line, HELD_NS)) || down(Line::SupervisorKey, TURNED_NS);
        let goes_on = goes_on || self.held_up(scene);
        if disturbs || goes_on {
            self.disturbed_ns = Some(scene.now_ns);
        }
        disturbs || goes_on
    }

    /// Whether a powered shaft stands, or turns more slowly than its motor should turn it.
    fn held_up(&self, scene: &Scene) -> bool {
        let Some(power) = self.power_ns.filter(|_| scene.motor_power == Some(true)) else { return false };
        let turned = self.shaft.map(|(_, since)| since).filter(|since| *since > power);
        let limit = turned.map_or(power + STARTS_NS, |since| since + HELD_UP_NS);
        scene.now_ns > limit
    }

    /// Whether the motor has been off for so long that whatever moves now is moved by a hand.
    fn rests(&self, scene: &Scene, since: Option<u64>, for_ns: u64) -> bool {
        scene.motor_power != Some(true) && since.is_none_or(|since| scene.now_ns > since.saturating_add(for_ns))
    }

    fn edge(&self, line: Line, scene: &Scene) -> bool {
        match line {
            _ if scene.config.given.sound => false,
            Line::Seal | Line::PowerGood | Line::MotorFault | Line::NoSpin => true,
            Line::DomeClosed | Line::DomeOpen => {
                scene.is(Line::MotorEnable, true)
                    || scene.dome.is_some_and(|(_, since)| scene.now_ns.saturating_sub(since) > TRAVEL_NS)
            }
            _ => false,
        }
    }

    /// Whether nothing has been out of order for this long.
    pub(crate) fn none_for(&self, scene: &Scene, for_ns: u64) -> bool {
        scene.alive == Some(true)
            && !self.broken.iter().zip(0..).any(|(is, part)| *is && part != Part::Network as usize)
            && self.disturbed_ns.is_none_or(|at| scene.now_ns.saturating_sub(at) > for_ns)
    }

    /// Whether nothing has ever been out of order.
    pub(crate) fn never_any(&self) -> bool {
        !self.ever && self.disturbed_ns.is_none()
    }
}
