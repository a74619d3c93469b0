//! The twin: a simulation of the physical table at the daemon's wires. Pure: time is an argument in nanoseconds, randomness comes
//! from a seed, and its only input is what the daemon drives and people do. It never asks the daemon's `Table`.
//!
//! ```text
//!  people ──> buttons, key, dome, seal ──┐                    ┌── motor_enable, motor_alive
//!  faults ──> every part                 ├─ Wire::Edge        │   out_of_service, bell
//!  shaft  ──> cam ───────────────────────┘                    │
//!    ^                                                        v
//!    └── power = enable && dead-man && dome contact && seal loop && supply
//!  shaft ──> dice ──> reader ──┐
//!  keys ──> terminal ──────────┼── Twin::bus, at register level
//!  coils ──> lamps, current ───┘
//! ```

pub mod act;
mod bus;
mod contact;
mod dice;
mod drive;
mod event_queue;
pub mod fault;
pub mod fault_row;
pub mod fault_table;
mod interventions;
mod lamps;
pub mod name;
mod noise;
pub mod rng;
mod shaft;
mod terminal;
#[cfg(test)]
mod tests;
pub mod wire;

pub use act::Act;
pub use bus::Answer;
pub use fault::{Fault, Garble, LampFault, Noise};
pub use fault_row::Declared;
pub use name::Wrong;
pub use wire::{Truth, Wire};

use contact::Contacts;
use event_queue::{EventQueue, PlannedEvent};
use fault::Faults;
use rng::Rng;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::units::MilliCelsius;

/// From one reading of the motor's temperature to the next, as daemon/docs/virtual-wire.md asks of a bench: a table may
/// miss three before it takes the sensor for dead.
const READING_MILLIS: u64 = 500;

/// Nanoseconds in a millisecond.
pub const MS: u64 = 1_000_000;

/// How the table is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Whether a dome covers the dice, with its contact in series with motor power. Under Open Cover none does, and the contacts
    /// always say open.
    pub covered: bool,
    /// Whether a dice reader is fitted (unit 10).
    pub reader: bool,
    /// Whether a motor temperature sensor is fitted.
    pub temperature: bool,
    /// How many lamp boards there are (units 2 and up): one for each 64 areas.
    pub boards: u8,
    /// Whether contacts and sensors bounce.
    pub bounce: bool,
    /// Time of a healthy tumble in milliseconds.
    pub tumble_millis: u32,
    /// How long after the shaft the dice come to rest, in milliseconds: from, to.
    pub rest_millis: (u32, u32),
}

impl Config {
    /// A table with everything fitted, with lamps for this many areas.
    #[must_use]
    pub fn full(covered: bool, areas: usize) -> Self {
        let boards = u8::try_from(areas.div_ceil(64)).unwrap_or(u8::MAX);
        Self {
            covered,
            reader: true,
            temperature: true,
            boards,
            bounce: true,
            tumble_millis: 600,
            rest_millis: (250, 600),
        }
    }

    /// The same table with the tumbler six times as fast, for measurements over many rounds.
    #[must_use]
    pub fn brisk(self) -> Self {
        Self { tumble_millis: 100, rest_millis: (20, 40), ..self }
    }
}

/// The physical table.
#[derive(Clone, Debug)]
pub struct Twin {
    config: Config,
    rng: Rng,
    queue: EventQueue,
    faults: Faults,
    contacts: Contacts,
    drive: drive::Drive,
    shaft: shaft::Shaft,
    dice: dice::Dice,
    terminal: terminal::Terminal,
    boards: Vec<lamps::Board>,
    pins: [bool; 4],
    supply: bool,
    supply_plan: u32,
    dome_up: bool,
    dome_plan: u32,
    celsius_milli: i32,
    sensed_milli: i32,
    /// Tumbles since the dice last came to rest.
    shaken: f64,
    display_seen: u16,
    sign_seen: bool,
    /// The lamps' supply is briefly interrupted.
    lamps_dip: bool,
}

impl Twin {
    /// A healthy table at rest: dome down, seal whole, supply good. Everything else is drawn from the seed.
    #[must_use]
    pub fn new(config: Config, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut contacts = Contacts::new();
        let shaft = shaft::Shaft::new(rng.range(0, 1000) as f64 / 1000.0);
        let (a, b) = shaft.cam();
        for (line, active) in [
            (InLine::DomeClosed, config.covered),
            (InLine::DomeOpen, !config.covered),
            (InLine::Seal, true),
            (InLine::PowerGood, true),
            (InLine::CamA, a),
            (InLine::CamB, b),
        ] {
            contacts.begin(line, active);
        }
        let dice = dice::Dice::new(&mut rng);
        let mut queue = EventQueue::default();
        if config.temperature {
            queue.plan(rng.range(0, READING_MILLIS) * MS, PlannedEvent::Temperature);
        }
        Self {
            boards: vec![lamps::Board::default(); usize::from(config.boards)],
            dome_up: !config.covered,
            drive: drive::Drive::new(config.tumble_millis),
            config,
            rng,
            queue,
            faults: Faults::default(),
            contacts,
            shaft,
            dice,
            terminal: terminal::Terminal::new(),
            pins: [false; 4],
            supply: true,
            supply_plan: 0,
            dome_plan: 0,
            celsius_milli: 31_000,
            sensed_milli: 31_000,
            shaken: 0.0,
            display_seen: 0x0FFF,
            sign_seen: false,
            lamps_dip: false,
        }
    }

    /// Time of the twin's next event, in nanoseconds.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        [self.queue.next(), self.shaft.next(), self.drive.next()].into_iter().flatten().min()
    }

    /// Advances to `to`, inclusive, in order of time; appends what shows at the wires to `out`.
    pub fn advance(&mut self, to: u64, out: &mut Vec<Wire>) {
        while let Some(at) = self.next().filter(|at| *at <= to) {
            if self.shaft.next() == Some(at) {
                self.shaft_steps(at, out);
            } else if self.drive.next() == Some(at) {
                self.drive.dropped();
                self.motor(at, out);
            } else if let Some((at, due)) = self.queue.pop() {
                self.happens(at, due, out);
            }
        }
    }

    fn happens(&mut self, at: u64, due: PlannedEvent, out: &mut Vec<Wire>) {
        match due {
            PlannedEvent::Contact { line, active, plan } => {
                if self.contacts.current(line, plan) {
                    self.contact(line, active, at, out);
                }
            }
            PlannedEvent::Release { hand, line } => self.hand(hand, line, false, at, out),
            PlannedEvent::KeyUp(key) => self.terminal.hold(key, false),
            PlannedEvent::KeyAgain(key) => {
                self.terminal.event(key);
            }
            PlannedEvent::DomeArrived { plan } => {
                if plan == self.dome_plan && !self.dome_up {
                    out.push(Wire::Truth { at, truth: Truth::Exposed(false) });
                }
            }
            PlannedEvent::DiceRest { plan } => {
                // No die rests in a turning tumbler, even one laid by hand: the dice come to rest after the shaft.
                if plan == self.dice.plan && !self.shaft.moving() {
                    self.dice_rest(at, out);
                }
            }
            PlannedEvent::Temperature => self.temperature(at, out),
            PlannedEvent::SupplyGone { plan } => {
                if plan == self.supply_plan {
                    self.supply_gone(at, out);
                }
            }
            PlannedEvent::DipOver => {
                if self.supply {
                    self.contact(InLine::PowerGood, true, at, out);
                }
            }
            PlannedEvent::Noise(noise) => self.noise(noise, at, out),
            PlannedEvent::LampsBack => self.lamps_back(at, out),
            PlannedEvent::Slip => self.slip(at, out),
        }
    }

    /// A contact or sensor takes a level. Its line follows unless a fault holds it; motor power follows the guards' contacts.
    fn contact(&mut self, line: InLine, active: bool, at: u64, out: &mut Vec<Wire>) {
        self.contacts.moves(line, active, at, &mut self.faults, out);
        if matches!(line, InLine::DomeClosed | InLine::Seal) {
            self.motor(at, out);
        }
    }

    fn move_contact(&mut self, line: InLine, active: bool, at: u64, bounce: contact::Bounce) {
        let bounce = if self.config.bounce || bounce.is_fault() { bounce } else { contact::CLEAN };
        self.contacts.plan(line, active, at, bounce, &mut self.queue, &mut self.rng);
    }

    /// The daemon drives an output. The pin's readback follows at once.
    pub fn output(&mut self, at: u64, line: OutLine, active: bool, out: &mut Vec<Wire>) {
        self.advance(at, out);
        let Some(pin) = self.pins.get_mut(line.index()) else { return };
        let changed = if self.faults.has(Fault::PinStuck(line)) {
            if *pin != active {
                self.faults.note_hold(Fault::PinStuck(line));
            }
            false
        } else {
            core::mem::replace(pin, active) != active
        };
        match line {
            OutLine::MotorAlive => {
                if changed {
                    self.drive.alive(at);
                    self.motor(at, out);
                }
                return;
            }
            OutLine::MotorEnable => self.motor(at, out),
            OutLine::Bell => {
                if changed && active && !self.faults.takes_effect(Fault::BellDead) {
                    out.push(Wire::Truth { at, truth: Truth::Bell });
                }
            }
            OutLine::OutOfService => self.sign(at, out),
        }
        out.push(Wire::Readback { at, line, active: self.pin(line) });
    }

    fn sign(&mut self, at: u64, out: &mut Vec<Wire>) {
        let told = self.pin(OutLine::OutOfService) && self.supply;
        let lit = told && !self.faults.takes_effect(Fault::SignDead);
        if lit != self.sign_seen {
            self.sign_seen = lit;
            out.push(Wire::Truth { at, truth: Truth::Sign(lit) });
        }
    }

    fn temperature(&mut self, at: u64, out: &mut Vec<Wire>) {
        self.queue.plan(at + READING_MILLIS * MS, PlannedEvent::Temperature);
        // Heats by 0.4 K a second while it runs, cools by 0.05 K a second; a fault heats by 8 K a second.
        if self.faults.takes_effect(Fault::MotorHot) {
            self.celsius_milli = (self.celsius_milli + 4_000).min(95_000);
        } else if self.drive.powered() {
            self.celsius_milli += 200;
        } else if self.celsius_milli > 60_000 {
            self.celsius_milli -= 4_000;
        } else {
            self.celsius_milli = (self.celsius_milli - 25).max(31_000);
        }
        let reading = if self.faults.takes_effect(Fault::TemperatureDead) {
            None
        } else if self.faults.takes_effect(Fault::TemperatureAbsurd) {
            let jump = if self.sensed_milli < 60_000 { 60_000 } else { 0 };
            Some(self.celsius_milli + jump)
        } else {
            Some(self.celsius_milli)
        };
        self.sensed_milli = reading.unwrap_or(self.sensed_milli);
        if self.supply {
            out.push(Wire::Temperature { at, reading: reading.map(MilliCelsius) });
        }
    }

    fn pin(&self, line: OutLine) -> bool {
        self.pins.get(line.index()).copied().unwrap_or(false)
    }

    /// Current level of an input line, for a daemon that starts.
    #[must_use]
    pub fn level(&self, line: InLine) -> bool {
        self.contacts.level(line)
    }

    /// Current readback of an output pin, for a daemon that starts.
    #[must_use]
    pub fn pin_level(&self, line: OutLine) -> bool {
        self.pin(line)
    }

    /// Faces that the dice show from the next throw on; `None`: random.
    pub const fn dictate(&mut self, faces: Option<[u8; 3]>) {
        self.dice.dictate(faces);
    }

    /// The truth: uppermost faces of the dice, and whether each lies flat.
    #[must_use]
    pub const fn dice(&self) -> ([u8; 3], [bool; 3]) {
        (self.dice.faces, self.dice.flat)
    }

    /// The truth: whether the dice are still moving.
    #[must_use]
    pub const fn dice_move(&self) -> bool {
        self.dice.moving()
    }

    /// The truth: whether the motor has power.
    #[must_use]
    pub const fn motor_power(&self) -> bool {
        self.drive.powered()
    }

    /// The truth: whether the shaft turns.
    #[must_use]
    pub const fn shaft_moves(&self) -> bool {
        self.shaft.moving()
    }

    /// The truth: thousandths of a tumble since the shaft's current or last motion began.
    #[must_use]
    pub fn milli_tumbles(&self, at: u64) -> i64 {
        (self.shaft.turned_at(at) * 1000.0) as i64
    }

    /// The truth: lamps that shine on a board, counted from 0; bit `n` is output `n`.
    #[must_use]
    pub fn shining(&self, board: u8) -> u64 {
        self.boards.get(usize::from(board)).map_or(0, lamps::Board::shine)
    }

    /// The truth: the digits on the terminal's display.
    #[must_use]
    pub const fn display(&self) -> u16 {
        self.display_seen
    }

    /// The truth: whether the dome is away and the dice are visible.
    #[must_use]
    pub const fn dome_up(&self) -> bool {
        self.dome_up
    }

    /// The truth: whether the sign "no games" is lit.
    #[must_use]
    pub const fn sign_lit(&self) -> bool {
        self.sign_seen
    }

    /// The truth: what is broken.
    pub fn faults(&self) -> impl Iterator<Item = Fault> + '_ {
        self.faults.iter()
    }

    /// The truth: whether the supply is there.
    #[must_use]
    pub const fn supply(&self) -> bool {
        self.supply
    }
}
