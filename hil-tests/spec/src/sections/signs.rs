//! Signs that a device is out of order, as a stranger sees them on wires, bus and readings (faults.md).

use super::run::HOT;
use crate::observation::{BusKind, Line, Observation, Part, Seen, Transaction, Truth};
use crate::registers::{self, place};
use crate::scene::Scene;

const MS: u64 = 1_000_000;
/// A reading cannot be so far from the one before (parameter `temperature_jump`).
const JUMP_MC: i32 = 10_000;

/// A sign that lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Seal,
    Driver,
    Dome,
    Button(Line),
    Silent(u8),
    Lamps(usize),
    HeldKey,
    Display,
    Counter,
    Poses,
    Hot,
    Jump,
    NoReading,
    Pin(Line),
    Stalled,
    Disk,
    Chip,
}

/// What each sign latches, and how long it has to last (faults.md; the times are parameters of table.md). A button is pressed, and a key
/// turned, once it is debounced; a break of a guard line is none before `flicker` is over.
pub(super) const SIGNS: [(Sign, &str, u64); 27] = [
    (Sign::Seal, "seal", 10 * MS),
    (Sign::Driver, "tumbler", 3 * MS),
    (Sign::Dome, "dome", 300 * MS),
    (Sign::Button(Line::Tumble), "buttons", 5_020 * MS),
    (Sign::Button(Line::PlaceBets), "buttons", 5_020 * MS),
    (Sign::Button(Line::NoMoreBets), "buttons", 5_020 * MS),
    (Sign::Button(Line::NoSpin), "buttons", 5_020 * MS),
    (Sign::Button(Line::SupervisorKey), "key", 1_800_020 * MS),
    (Sign::Silent(registers::TERMINAL), "terminal", 1_000 * MS),
    (Sign::Silent(registers::LAMPS), "lamps", 1_000 * MS),
    (Sign::Silent(registers::LAMPS + 1), "lamps", 1_000 * MS),
    (Sign::Silent(registers::READER), "reader", 1_000 * MS),
    (Sign::Lamps(0), "lamps", 500 * MS),
    (Sign::Lamps(1), "lamps", 500 * MS),
    (Sign::HeldKey, "terminal", 5_000 * MS),
    (Sign::Display, "terminal", 500 * MS),
    (Sign::Counter, "reader", 1_000 * MS),
    (Sign::Poses, "reader", 1_000 * MS),
    (Sign::Hot, "temperature", 0),
    (Sign::Jump, "temperature", 0),
    (Sign::NoReading, "temperature", 2_000 * MS),
    (Sign::Pin(Line::MotorEnable), "gpio", 100 * MS),
    (Sign::Pin(Line::OutOfService), "gpio", 100 * MS),
    (Sign::Pin(Line::Bell), "gpio", 100 * MS),
    (Sign::Stalled, "tumbler", 700 * MS),
    (Sign::Disk, "journal", 0),
    (Sign::Chip, "gpio", 0),
];

/// A unit of the field bus.
#[derive(Clone, Copy, Debug, Default)]
struct Unit {
    /// When it last gave a valid answer.
    answered_ns: Option<u64>,
    /// When it was first asked after that, or at all, and gave none.
    unanswered_ns: Option<u64>,
}

/// What was seen last of each device.
#[derive(Clone, Debug, Default)]
pub(super) struct Devices {
    units: [Unit; 4],
    /// Keys that are held, and since when.
    held: Option<(u16, u64)>,
    /// What the display was told to show and what it shows, and since when they differ.
    told: Option<u16>,
    shown: Option<u16>,
    wrong_ns: Option<u64>,
    counter: Option<(u16, u64)>,
    /// When the reader last gave poses that it can give.
    posed_ns: Option<u64>,
    poses_wrong: bool,
    /// Since when the disk has been broken, or the chip gone.
    disk_ns: Option<u64>,
    chip_ns: Option<u64>,
    /// Since when a board's lamps have not been sensed as commanded.
    lamps_ns: [Option<u64>; 2],
    written_ns: [u64; 2],
    reading: Option<(Option<i32>, u64)>,
    /// When the last reading came.
    read_ns: Option<u64>,
    jumped_ns: Option<u64>,
    pins: [Option<bool>; Line::COUNT],
    cam_ns: u64,
    /// When a daemon that stood still last went on.
    pub(super) resumed_ns: u64,
}

impl Devices {
    /// A daemon that starts has seen nothing yet.
    pub(super) fn forget(&mut self) {
        *self = Self { pins: self.pins, disk_ns: self.disk_ns, chip_ns: self.chip_ns, ..Self::default() };
    }

    pub(super) fn take(&mut self, seen: &Observation, scene: &Scene) {
        match &seen.what {
            Seen::Bus(bus) => self.bus(bus, scene),
            Seen::Temperature { milli_celsius } => self.reads(*milli_celsius, scene.now_ns),
            Seen::Readback { line, active } => {
                if let Some(pin) = self.pins.get_mut(*line as usize) {
                    *pin = Some(*active);
                }
            }
            Seen::Truth(Truth::Broken { part: Part::Journal, broken }) => self.disk_ns = broken.then_some(scene.now_ns),
            Seen::Truth(Truth::Broken { part: Part::Gpio, broken }) => self.chip_ns = broken.then_some(scene.now_ns),
            Seen::Truth(Truth::Hung { hung: false }) => self.resumed_ns = scene.now_ns,
            Seen::Wire { line: Line::CamA | Line::CamB, .. } => self.cam_ns = scene.now_ns,
            _ => {}
        }
    }

    fn reads(&mut self, reading: Option<i32>, now_ns: u64) {
        let before = self.reading.and_then(|(before, _)| before);
        let jumps = before.zip(reading).is_some_and(|(before, now)| (now - before).abs() > JUMP_MC);
        self.jumped_ns = jumps.then_some(now_ns);
        self.read_ns = if reading.is_some() { Some(now_ns) } else { self.read_ns.or(Some(now_ns)) };
        let changed = self.reading.is_none_or(|(is, _)| hot(is) != hot(reading));
        let since_ns = self.reading.filter(|_| !changed).map_or(now_ns, |(_, since)| since);
        self.reading = Some((reading, if hot(reading) { since_ns } else { now_ns }));
    }

    fn bus(&mut self, bus: &Transaction, scene: &Scene) {
        let now_ns = scene.now_ns;
        let Some(unit) = place(bus.unit).and_then(|place| self.units.get_mut(place)) else { return };
        if !bus.ok {
            unit.unanswered_ns.get_or_insert(bus.begun_ns);
            return;
        }
        *unit = Unit { answered_ns: Some(now_ns), unanswered_ns: None };
        match (bus.unit, bus.kind) {
            (registers::TERMINAL, BusKind::WriteHolding) => {
                if let Some(told) = bus.word(registers::DISPLAY) {
                    // What is written anew has its own time.
                    self.wrong_ns = self.wrong_ns.filter(|_| self.told == Some(told));
                    self.told = Some(told);
                    self.compare(now_ns);
                }
            }
            (registers::TERMINAL, BusKind::ReadInput) => {
                if let Some(held) = bus.word(registers::HELD) {
                    let still = self.held.filter(|(keys, _)| *keys == held);
                    self.held = if held == 0 { None } else { still.or(Some((held, now_ns))) };
                }
                self.shown = bus.word(registers::SHOWN).or(self.shown);
                self.compare(now_ns);
            }
            (registers::READER, BusKind::ReadInput) => {
                if let Some(counter) = bus.word(registers::POSES) {
                    self.counter = self.counter.filter(|(was, _)| *was == counter).or(Some((counter, now_ns)));
                    let poses = (0..3).filter_map(|die| bus.word(registers::POSES + 2 + die));
                    let wrong = poses.max().is_some_and(|most| most > 4);
                    self.poses_wrong = wrong;
                    if !wrong || self.posed_ns.is_none() {
                        self.posed_ns = Some(now_ns);
                    }
                }
            }
            (_, BusKind::WriteCoils | BusKind::ReadDiscrete) => self.lamps(bus, scene),
            _ => {}
        }
    }

    fn compare(&mut self, now_ns: u64) {
        let differs = self.shown.zip(self.told).is_some_and(|(shown, told)| shown != told);
        self.wrong_ns = if differs { self.wrong_ns.or(Some(now_ns)) } else { None };
    }

    fn lamps(&mut self, bus: &Transaction, scene: &Scene) {
        let Some(board) = bus.unit.checked_sub(registers::LAMPS).map(usize::from) else { return };
        let (Some(since), Some(written)) = (self.lamps_ns.get_mut(board), self.written_ns.get_mut(board)) else {
            return;
        };
        if bus.kind == BusKind::WriteCoils {
            *written = bus.begun_ns;
            return;
        }
        let (sensed, told) = (scene.sensed.get(board).copied().flatten(), scene.commanded.get(board));
        let differs = sensed.zip(told).is_some_and(|(sensed, told)| sensed != *told);
        *since = if differs { since.or(Some(scene.now_ns)) } else { None };
        if let (Some(since), true) = (since.as_mut(), *written > 0) {
            *since = (*since).min(*written);
        }
        *written = 0;
    }

    /// Since when the sign has shown; `None` if it does not.
    pub(super) fn since(&self, sign: Sign, scene: &Scene) -> Option<u64> {
        let level = |line: Line, active: bool| scene.is(line, active).then(|| scene.since(line));
        match sign {
            Sign::Seal => level(Line::Seal, false),
            Sign::Driver => level(Line::MotorFault, true),
            Sign::Dome => {
                let (closed, open) = (scene.level(Line::DomeClosed), scene.level(Line::DomeOpen));
                let contradict = scene.rules().covered() && closed.is_some() && closed == open;
                contradict.then(|| scene.since(Line::DomeClosed).max(scene.since(Line::DomeOpen)))
            }
            Sign::Button(line) => level(line, true),
            Sign::Silent(unit) => {
                let unit = place(unit).and_then(|place| self.units.get(place))?;
                unit.unanswered_ns.map(|_| unit.answered_ns.unwrap_or(scene.started_ns))
            }
            Sign::Lamps(board) => self.lamps_ns.get(board).copied().flatten(),
            Sign::HeldKey => self.held.map(|(_, since)| since),
            Sign::Display => self.wrong_ns,
            Sign::Counter => self.counter.map(|(_, since)| since),
            Sign::Poses => self.posed_ns.filter(|_| self.poses_wrong),
            Sign::Hot => self.reading.filter(|(reading, _)| hot(*reading)).map(|(_, since)| since),
            Sign::Jump => self.jumped_ns,
            Sign::NoReading => self.read_ns,
            Sign::Pin(line) => {
                let read = self.pins.get(line as usize).copied().flatten();
                let differs = read.is_some() && scene.level(line).is_some() && read != scene.level(line);
                differs.then(|| scene.since(line))
            }
            Sign::Stalled => level(Line::MotorEnable, true).map(|on| on.max(self.cam_ns)),
            Sign::Disk => self.disk_ns,
            Sign::Chip => self.chip_ns,
        }
    }
}

fn hot(reading: Option<i32>) -> bool {
    reading.is_some_and(|reading| reading > HOT)
}
