//! Symptoms of malfunctions, as wires, bus and readings show them (faults.md; table.md, Parameters).

use crate::observation::{BusKind, Line, Observation, Part, Seen, Transaction, Truth};
use crate::registers;
use crate::scene::Scene;

const MS: u64 = 1_000_000;

/// Something that is visibly out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symptom {
    Seal,
    Driver,
    Dome,
    Button(Line),
    Silent(u8),
    Lamps,
    HeldKey,
    Display,
    Counter,
    Poses,
    Hot,
    NoReading,
    Pin,
    Turns,
    Knocked,
}

impl Symptom {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Seal => "the seal's loop is open",
            Self::Driver => "the motor driver reports a fault",
            Self::Dome => "the dome's contacts contradict each other",
            Self::Button(_) => "a button or the key is held",
            Self::Silent(_) => "a unit gives no valid answer",
            Self::Lamps => "lamps are not sensed as commanded",
            Self::HeldKey => "a key of the terminal is held",
            Self::Display => "the display does not show what was written to it",
            Self::Counter => "the reader's counter does not advance",
            Self::Poses => "the reader's poses are not valid",
            Self::Hot => "the motor is too hot",
            Self::NoReading => "no temperature is read",
            Self::Pin => "an output does not read back as driven",
            Self::Turns => "the shaft turned without power",
            Self::Knocked => "dice that had come to rest moved",
        }
    }
}

/// A cause of a latch.
pub(super) struct Cause {
    pub(super) code: &'static str,
    pub(super) symptom: Symptom,
    /// How long it must last to be latched.
    pub(super) after_ns: u64,
    /// It lasts until it is mended, and does not come and go.
    pub(super) lasting: bool,
}

const fn cause(code: &'static str, symptom: Symptom, after_ms: u64) -> Cause {
    Cause { code, symptom, after_ns: after_ms * MS, lasting: true }
}

/// What latches which code, and after how long (parameters `seal_debounce`, `dome_travel`, `button_stuck`, `key_stuck`,
/// `unit_lost`, `lamp_verify`, `terminal_stuck`, `display_verify`, `temperature_stale`, `readback`).
pub(super) const CAUSES: [Cause; 22] = [
    cause("seal", Symptom::Seal, 10),
    cause("tumbler", Symptom::Driver, 10),
    cause("dome", Symptom::Dome, 300),
    cause("buttons", Symptom::Button(Line::Tumble), 5_000),
    cause("buttons", Symptom::Button(Line::PlaceBets), 5_000),
    cause("buttons", Symptom::Button(Line::NoMoreBets), 5_000),
    cause("buttons", Symptom::Button(Line::NoSpin), 5_000),
    cause("key", Symptom::Button(Line::SupervisorKey), 1_800_000),
    cause("terminal", Symptom::Silent(registers::TERMINAL), 1_000),
    cause("lamps", Symptom::Silent(registers::LAMPS), 1_000),
    cause("lamps", Symptom::Silent(registers::LAMPS + 1), 1_000),
    cause("reader", Symptom::Silent(registers::READER), 1_000),
    cause("lamps", Symptom::Lamps, 500),
    cause("terminal", Symptom::HeldKey, 5_000),
    cause("terminal", Symptom::Display, 500),
    cause("reader", Symptom::Counter, 1_000),
    cause("reader", Symptom::Poses, 1_000),
    cause("temperature", Symptom::Hot, 0),
    cause("temperature", Symptom::NoReading, 2_000),
    cause("gpio", Symptom::Pin, 100),
    Cause { lasting: false, ..cause("tumbler", Symptom::Turns, 0) },
    Cause { lasting: false, ..cause("interference", Symptom::Knocked, 0) },
];

/// A unit of the field bus.
#[derive(Clone, Copy, Debug, Default)]
struct Unit {
    answered_ns: Option<u64>,
    asked_ns: Option<u64>,
    /// Requests in a row without a valid answer.
    unanswered: u32,
}

const UNITS: [u8; 4] = [registers::TERMINAL, registers::LAMPS, registers::LAMPS + 1, registers::READER];

/// What was seen last.
#[derive(Clone, Debug, Default)]
pub(super) struct Symptoms {
    units: [Unit; UNITS.len()],
    /// Keys that have been held all the time since then.
    keys: Option<(u16, u64)>,
    /// Since when key events have been read and not acknowledged.
    unacknowledged_ns: Option<u64>,
    /// What the display was told to show, and since when.
    commanded: Option<(u16, u64)>,
    shown: Option<u16>,
    counter: Option<(u16, u64)>,
    poses: bool,
    dice: DiceMotion,
    reading: Option<Option<i32>>,
    pins: [Option<bool>; Line::COUNT],
    turn: Option<UnpoweredTurn>,
    /// Guard lines that broke recently, and when.
    breaks: Vec<(Line, u64)>,
    /// How often each line that people touch came on without a rest between, and when it did last.
    bursts: [(u32, u64); Line::COUNT],
    /// When a person last gave a command that may find a device out of order.
    said_ns: Option<u64>,
}

/// What the reader reports of dice that have fallen.
#[derive(Clone, Copy, Debug, Default)]
struct DiceMotion {
    /// Its motion counter, and since when it has not changed.
    motion: Option<(u16, u64)>,
    /// When it was last read.
    read_ns: Option<u64>,
    /// When it last reported that dice moved which had come to rest after a valid spin.
    knocked_ns: Option<u64>,
    /// Since when a die of a valid spin has been moving.
    moving_ns: Option<u64>,
}

/// How far the shaft went while the motor was off.
#[derive(Clone, Copy, Debug)]
struct UnpoweredTurn {
    from: i64,
    to: i64,
    at_ns: u64,
}

pub(super) fn is_dead_man(scene: &Scene) -> bool {
    scene.edge.is_some_and(|(line, _)| line == Line::MotorAlive)
}

/// No hand presses a button so often without a rest of `REST_NS` (parameters `presses`, `press_rest`).
const MOST_PRESSES: u32 = 30;
const REST_NS: u64 = 5_000 * MS;
/// How long breaks of a guard line are remembered.
const KEPT_NS: u64 = 15_000 * MS;
/// A motor is too hot above this, in thousandths of a degree Celsius (parameter `temperature_limit`).
const LIMIT_MC: i32 = 80_000;
/// The shaft has stopped coasting by then (parameters `deadman_drop`, `coast_limit`).
const COAST_NS: u64 = 2_100 * MS;
/// A unit that is polled was read within this time (parameter `poll_slow`: 450 ms).
const LOOKED_NS: u64 = 700 * MS;
/// Dice that have lain for this long have come to rest (parameter `settle`).
const LAIN_NS: u64 = 2_000 * MS;
/// How long a movement of the shaft or the dice counts as a symptom.
const SHOWN_NS: u64 = 4_000 * MS;

impl Symptoms {
    pub(super) fn forget(&mut self) {
        *self = Self { reading: self.reading, pins: self.pins, ..Self::default() };
    }

    pub(super) fn take(&mut self, seen: &Observation, scene: &Scene) {
        match &seen.what {
            Seen::Bus(bus) => self.bus(bus, scene),
            Seen::Temperature { milli_celsius } => self.reading = Some(*milli_celsius),
            Seen::Readback { line, active } => {
                if let Some(pin) = self.pins.get_mut(*line as usize) {
                    *pin = Some(*active);
                }
            }
            Seen::ConsoleCommand { command, .. } if command != "open" => self.said_ns = Some(scene.now_ns),
            Seen::RepeatedLevel { line, .. } => self.breaks.push((*line, scene.now_ns)),
            Seen::Wire { line, active, initial: false } => {
                if *active && (Line::BUTTONS.contains(line) || *line == Line::SupervisorKey) {
                    let without_rest = |at: &u64| scene.now_ns < at.saturating_add(REST_NS);
                    let burst = self.bursts.get_mut(*line as usize);
                    if let Some((count, last)) = burst {
                        *count = if without_rest(last) { count.saturating_add(1) } else { 1 };
                        *last = scene.now_ns;
                    }
                }
                if matches!(
                    (line, active),
                    (Line::Seal | Line::DomeClosed | Line::PowerGood, false) | (Line::DomeOpen, true)
                ) {
                    self.breaks.retain(|(_, at)| scene.now_ns < at.saturating_add(KEPT_NS));
                    self.breaks.push((*line, scene.now_ns));
                }
            }
            Seen::Truth(Truth::Shaft { quarters }) => {
                let off = scene.is(Line::MotorEnable, false)
                    && !scene.broken(Part::Cam)
                    && scene.now_ns > scene.since(Line::MotorEnable).saturating_add(COAST_NS);
                self.turned(*quarters, off, scene.now_ns);
            }
            _ => {}
        }
    }

    /// The shaft entered a quarter of a tumble.
    fn turned(&mut self, quarters: i64, off: bool, now_ns: u64) {
        let turn = self.turn.filter(|turn| now_ns < turn.at_ns.saturating_add(1_000 * MS));
        let from = turn.map_or(quarters, |turn| turn.from);
        self.turn = off.then_some(UnpoweredTurn { from, to: quarters, at_ns: now_ns });
    }

    fn bus(&mut self, bus: &Transaction, scene: &Scene) {
        let place = UNITS.iter().position(|unit| *unit == bus.unit);
        let Some(unit) = place.and_then(|place| self.units.get_mut(place)) else { return };
        unit.asked_ns = Some(scene.now_ns);
        if bus.ok {
            unit.answered_ns = Some(scene.now_ns);
            unit.unanswered = 0;
        } else {
            unit.unanswered = unit.unanswered.saturating_add(1);
            self.unacknowledged_ns = self.unacknowledged_ns.filter(|_| bus.unit != registers::TERMINAL);
            return;
        }
        match (bus.unit, bus.kind) {
            (registers::TERMINAL, BusKind::WriteHolding) => {
                if let Some(commanded) = bus.word(registers::DISPLAY) {
                    self.commanded =
                        self.commanded.filter(|(before, _)| *before == commanded).or(Some((commanded, scene.now_ns)));
                }
                if bus.word(registers::ACKNOWLEDGE).is_some() {
                    self.unacknowledged_ns = None;
                }
            }
            (registers::TERMINAL, BusKind::ReadInput) => {
                if let Some(held) = bus.word(registers::HELD) {
                    let still = self.keys.map(|(keys, since)| (keys & held, since)).filter(|(keys, _)| *keys != 0);
                    self.keys = still.or_else(|| (held != 0).then_some((held, scene.now_ns)));
                }
                self.shown = bus.word(registers::SHOWN).or(self.shown);
                let events = bus.word(registers::EVENTS).is_some_and(|count| (1..=8).contains(&count));
                self.unacknowledged_ns = events.then(|| self.unacknowledged_ns.unwrap_or(scene.now_ns));
            }
            (registers::READER, BusKind::ReadInput) => {
                if let Some(counter) = bus.word(registers::POSES) {
                    let (was, since) = self.counter.unwrap_or((counter, scene.now_ns));
                    self.counter = Some((counter, if was == counter { since } else { scene.now_ns }));
                    let poses = (0..3).filter_map(|die| bus.word(registers::POSES + 2 + die));
                    let moving = poses.clone().any(|pose| pose == registers::MOVING);
                    self.poses = poses.max().is_some_and(|most| most > 4);
                    self.dice.take(bus.word(registers::POSES + 8).unwrap_or(0), moving, scene);
                }
            }
            _ => {}
        }
    }

    /// Whether the symptom shows now.
    pub(super) fn shows(&self, symptom: Symptom, scene: &Scene) -> bool {
        match symptom {
            Symptom::Seal => scene.is(Line::Seal, false),
            Symptom::Driver => scene.is(Line::MotorFault, true),
            Symptom::Dome => {
                scene.rules().covered()
                    && scene.level(Line::DomeClosed).is_some()
                    && scene.level(Line::DomeClosed) == scene.level(Line::DomeOpen)
            }
            Symptom::Button(line) => scene.is(line, true),
            Symptom::Silent(address) => self.unit(address).is_some_and(|unit| {
                unit.unanswered >= 3 && scene.now_ns > unit.answered_ns.unwrap_or(0).saturating_add(500 * MS)
            }),
            Symptom::Lamps => {
                let differ = |(sensed, commanded): (&Option<u64>, &u64)| sensed.is_some_and(|is| is != *commanded);
                scene.sensed.iter().zip(&scene.commanded).any(differ)
            }
            Symptom::HeldKey => self.keys.is_some_and(|(_, since)| scene.now_ns > since.saturating_add(500 * MS)),
            Symptom::Display => self.commanded.is_some_and(|(commanded, since)| {
                self.shown.is_some_and(|shown| shown != commanded) && scene.now_ns > since.saturating_add(400 * MS)
            }),
            Symptom::Counter => self.counter.is_some_and(|(_, since)| scene.now_ns > since.saturating_add(500 * MS)),
            Symptom::Poses => self.poses,
            Symptom::Hot => matches!(self.reading, Some(Some(reading)) if reading > LIMIT_MC),
            Symptom::NoReading => self.reading == Some(None),
            Symptom::Pin => [Line::MotorEnable, Line::OutOfService, Line::Bell].into_iter().any(|line| {
                let read = self.pins.get(line as usize).copied().flatten();
                read.is_some() && scene.level(line).is_some() && read != scene.level(line)
            }),
            Symptom::Knocked => {
                let undecided = scene.round.as_ref().is_some_and(|round| round.valid_spin && round.result.is_none());
                undecided && self.dice.knocked_ns.is_some_and(|at| scene.now_ns < at.saturating_add(SHOWN_NS))
            }
            Symptom::Turns => self.turn.is_some_and(|turn| {
                (turn.to - turn.from).abs() >= 4 && scene.now_ns < turn.at_ns.saturating_add(SHOWN_NS)
            }),
        }
    }

    /// Since when a die of a valid spin has been moving, by the reader.
    pub(super) fn moving(&self) -> Option<u64> {
        self.dice.moving_ns
    }

    fn unit(&self, address: u8) -> Option<&Unit> {
        self.units.get(UNITS.iter().position(|unit| *unit == address)?)
    }

    /// Whether key events have been read again and again for this long and not acknowledged.
    pub(super) fn unacknowledged(&self, scene: &Scene, for_ns: u64) -> bool {
        self.unacknowledged_ns.is_some_and(|since| scene.now_ns > since.saturating_add(for_ns))
    }

    /// A unit that was polled after the start, and has not been polled for this long.
    pub(super) fn unasked(&self, scene: &Scene, for_ns: u64) -> Option<u8> {
        let unasked = |unit: &Unit| unit.asked_ns.is_some_and(|at| scene.now_ns > at.saturating_add(for_ns));
        UNITS.iter().zip(&self.units).find(|(_, unit)| unasked(unit)).map(|(address, _)| *address)
    }

    /// Whether something else explains the latch: a part that is or recently was broken, a line that flickered, or what a person
    /// said.
    pub(super) fn otherwise(&self, code: &str, scene: &Scene, lately_ns: u64) -> bool {
        let recent = |at: u64| scene.now_ns < at.saturating_add(lately_ns);
        let any = |parts: &[Part]| parts.iter().any(|part| scene.recently_broken(*part, lately_ns));
        let flickers = |line: Line| self.breaks.iter().filter(|(of, _)| *of == line).count() > 2;
        let chatters = |line: Line| self.bursts.get(line as usize).is_some_and(|(count, _)| *count > MOST_PRESSES);
        let said = self.said_ns.is_some_and(recent);
        match code {
            "seal" => flickers(Line::Seal),
            "lamps" => any(&[Part::Lamps, Part::Bus]) || said,
            "terminal" => any(&[Part::Terminal, Part::Bus]) || said,
            "reader" => any(&[Part::Reader, Part::Bus, Part::Dice]) || said,
            "temperature" => any(&[Part::Motor]),
            "dome" => any(&[Part::DomeContacts]) || said || flickers(Line::DomeClosed) || flickers(Line::DomeOpen),
            "buttons" => Line::BUTTONS.into_iter().any(chatters),
            "key" => chatters(Line::SupervisorKey),
            "gpio" => flickers(Line::PowerGood),
            _ => true,
        }
    }
}

impl DiceMotion {
    fn take(&mut self, motion: u16, moving: bool, scene: &Scene) {
        let now_ns = scene.now_ns;
        // Reports of a broken reader do not count.
        if scene.recently_broken(Part::Reader, LAIN_NS) {
            *self = Self::default();
            return;
        }
        // A movement between two distant polls was not seen.
        let looked = self.read_ns.replace(now_ns).is_some_and(|at| now_ns < at.saturating_add(LOOKED_NS));
        let (was, since) = self.motion.filter(|_| looked).unwrap_or((motion, now_ns));
        self.motion = Some((motion, if was == motion { since } else { now_ns }));
        let fallen = scene.round.as_ref().filter(|round| round.valid_spin && !round.established);
        self.moving_ns = fallen.filter(|_| moving).map(|_| self.moving_ns.unwrap_or(now_ns));
        // They have lain at rest for a while with the shaft still, and the table has not restarted in that time.
        let stood = scene.is(Line::MotorEnable, false)
            && now_ns.saturating_sub(scene.moved_ns) > LAIN_NS
            && since.saturating_add(LAIN_NS) < now_ns
            && scene.started_ns.saturating_add(LAIN_NS) < since;
        let spun = scene.round.as_ref().is_some_and(|round| round.valid_spin && round.result.is_none());
        if was != motion && stood && spun {
            self.knocked_ns = Some(now_ns);
        }
    }
}
