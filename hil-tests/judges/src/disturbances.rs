//! Whether anything is, or was lately, out of order.

use crate::observation::{Line, Observation, Part, Seen, Truth};
use crate::scene::Scene;

const MS: u64 = 1_000_000;
/// A button that is down for longer is held.
const HELD_NS: u64 = 2_000 * MS;
/// The key may be left turned for longer.
const TURNED_NS: u64 = 60_000 * MS;
/// After the motor lost its power a healthy shaft runs out for a tenth of a second, and stands by then: whatever turns it on is a hand.
const RUN_OUT_NS: u64 = 200 * MS;
/// A healthy motor takes 150 ms for a quarter turn, and some more for the first.
const QUARTER_NS: u64 = 50 * MS;
/// A shaft that has power and stands for so long is held, or turned by a hand.
const HELD_UP_NS: u64 = 210 * MS;
const STARTS_NS: u64 = 400 * MS;
/// After the shaft came to rest the dice lie by then.
const LIE_NS: u64 = 1_100 * MS;
/// The contacts of a dome that a hand moves change around then.
const TRAVEL_NS: u64 = 1_000 * MS;

/// Since when nothing was out of order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disturbances {
    broken: [bool; Part::COUNT],
    /// Whatever was broken, ever.
    ever: bool,
    disturbed_ns: Option<u64>,
    started: bool,
    power_ns: Option<u64>,
    /// Where the shaft stood last, and since when.
    shaft: Option<(i64, u64)>,
}

impl Disturbances {
    /// Takes an observation; whether it disturbs.
    pub(crate) fn observe(&mut self, seen: &Observation, scene: &Scene) -> bool {
        let disturbs = match &seen.what {
            // What is published is no matter here.
            Seen::Truth(Truth::Broken { part: Part::Network, .. }) => false,
            // Noise, which a sound table sees through.
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
                // A motor turns it forward, and no faster than it can: the rest is a hand's.
                let by_hand = self
                    .shaft
                    .replace((*quarters, scene.now_ns))
                    .is_some_and(|(from, since)| *quarters < from || scene.now_ns.saturating_sub(since) < QUARTER_NS);
                self.started && (by_hand || self.rests(scene, self.power_ns, RUN_OUT_NS))
            }
            Seen::Truth(Truth::Dice { flat, .. }) => {
                self.started && (self.rests(scene, Some(scene.moved_ns), LIE_NS) || flat.contains(&false))
            }
            // A spin shakes them with its motor's first turn; whoever moves them later is a hand.
            Seen::Truth(Truth::DiceMoved) => self.started && scene.motor_power != Some(true),
            Seen::Truth(Truth::Dome { .. }) => scene.is(Line::MotorEnable, true),
            Seen::ConsoleCommand { command, with } => match command.as_str() {
                "open" | "record" => false,
                "witness" => with.get("right") != Some(&serde_json::Value::Bool(true)),
                _ => true,
            },
            Seen::Wire { line, .. } => scene.edge.is_some() && self.edge(*line, scene),
            Seen::Record(record) => matches!(record.kind.as_str(), "asked" | "resumed"),
            _ => false,
        };
        // Something that goes on.
        let held = [Line::Tumble, Line::PlaceBets, Line::NoMoreBets, Line::NoSpin];
        let down = |line: Line, for_ns: u64| scene.is(line, true) && scene.now_ns > scene.since(line) + for_ns;
        let goes_on = held.iter().any(|line| down(*line, HELD_NS)) || down(Line::SupervisorKey, TURNED_NS);
        let goes_on = goes_on || self.held_up(scene);
        if disturbs || goes_on {
            self.disturbed_ns = Some(scene.now_ns);
        }
        disturbs || goes_on
    }

    /// Whether a shaft that has power stands, or turns slower than its motor does.
    fn held_up(&self, scene: &Scene) -> bool {
        let Some(power) = self.power_ns.filter(|_| scene.motor_power == Some(true)) else { return false };
        let turned = self.shaft.map(|(_, since)| since).filter(|since| *since > power);
        let limit = turned.map_or(power + STARTS_NS, |since| since + HELD_UP_NS);
        scene.now_ns > limit
    }

    /// No motor has turned anything for so long that whatever moves is moved by a hand.
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

    /// Whether nothing was out of order for so long.
    pub(crate) fn none_for(&self, scene: &Scene, for_ns: u64) -> bool {
        scene.alive == Some(true)
            && !self.broken.iter().zip(0..).any(|(is, part)| *is && part != Part::Network as usize)
            && self.disturbed_ns.is_none_or(|at| scene.now_ns.saturating_sub(at) > for_ns)
    }

    /// Whether nothing was ever out of order.
    pub(crate) fn never_any(&self) -> bool {
        !self.ever && self.disturbed_ns.is_none()
    }
}
