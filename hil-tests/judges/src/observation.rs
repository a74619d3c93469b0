//! What the judges see: everything that can be watched at the table's wires, bus, broker, journal and people,
//! and what the twin knows to be true. Serialises to JSON, one observation a line.

use crate::record::Record;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One thing seen, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// When, in nanoseconds on the monotonic clock that the table stamps its records with. Never decreases in a [`Trace`].
    pub at_ns: u64,
    /// What.
    pub what: Seen,
}

impl Observation {
    /// Something seen at this moment.
    #[must_use]
    pub const fn new(at_ns: u64, what: Seen) -> Self {
        Self { at_ns, what }
    }
}

/// What was seen, in the order in which it was seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Trace(pub Vec<Observation>);

/// A thing that judges can see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// A wire's level, in either direction.
    Wire {
        /// The line.
        line: Line,
        /// Its logical level now.
        active: bool,
        /// Whether this is the level when watching began, and no edge.
        #[serde(default)]
        initial: bool,
    },
    /// A line reported the level that it already had: the edges in between never reached the table.
    RepeatedLevel {
        /// The line.
        line: Line,
        /// Its logical level, now as before.
        active: bool,
    },
    /// A reading of the motor's temperature, as the table gets it.
    Temperature {
        /// In thousandths of a degree Celsius; `None` where the sensor did not answer.
        milli_celsius: Option<i32>,
    },
    /// A transaction on the field bus, at its end.
    Bus(Transaction),
    /// What an output pin reads after it was driven.
    Readback {
        /// The pin.
        line: Line,
        /// Its logical level.
        active: bool,
    },
    /// A message as a subscriber that keeps the retain flag as published receives it.
    Mqtt {
        /// The topic.
        topic: String,
        /// The payload; `None` for an empty one, which deletes a retained message.
        payload: Option<Value>,
        /// Whether it was published with the retain flag.
        retained: bool,
    },
    /// The state of the table, from its journal, when the judges start watching a table that has already been in use.
    InitialState {
        /// Whether it was open.
        open: bool,
        /// Codes of what was latched.
        latched: Vec<String>,
        /// Whether a round was in progress.
        in_round: bool,
    },
    /// A record of the journal, at the moment it became durable (or merged in by its own time, where the rig reads the journal later).
    Record(Record),
    /// A command that a person gave on the console: `{"command":"open","with":{...}}`.
    ConsoleCommand {
        /// Its name.
        command: String,
        /// Its arguments.
        #[serde(default)]
        with: Value,
    },
    /// Text that the table showed or sent to people, other than by bus and broker.
    Text {
        /// Where.
        outlet: Outlet,
        /// What.
        text: String,
    },
    /// The console answered that a command was carried out. Only a rig that sees the answer at that moment reports it.
    CommandDone,
    /// The table as it says that it is: its state, as MQTT and the panel tell it.
    Status(Value),
    /// What the twin knows to be true.
    Truth(Truth),
}

/// Where the table tells people something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outlet {
    /// The console's answers.
    Console,
    /// The panel or the results display.
    Panel,
    /// The daemon's log.
    Log,
}

/// A line on the wires, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// Fault output of the motor driver.
    MotorFault,
    /// First Hall sensor of the cam.
    CamA,
    /// Second Hall sensor of the cam.
    CamB,
    /// Made while the dome is down.
    DomeClosed,
    /// Made while the dome is away.
    DomeOpen,
    /// The dealer's button for a spin.
    Tumble,
    /// The dealer's button for "Place your bets".
    PlaceBets,
    /// The dealer's button for "No more bets".
    NoMoreBets,
    /// The dealer's button for "No spin".
    NoSpin,
    /// The supervisor's key switch.
    SupervisorKey,
    /// The loop through the seal; active while whole.
    Seal,
    /// Active while the supply is good.
    PowerGood,
    /// Gate of the motor driver.
    MotorEnable,
    /// The dead-man line.
    MotorAlive,
    /// The sign: no games.
    OutOfService,
    /// The bell.
    Bell,
}

impl Line {
    /// How many lines there are.
    pub const COUNT: usize = 16;
    /// All lines: twelve inputs, then four outputs.
    pub const ALL: [Self; Self::COUNT] = [
        Self::MotorFault,
        Self::CamA,
        Self::CamB,
        Self::DomeClosed,
        Self::DomeOpen,
        Self::Tumble,
        Self::PlaceBets,
        Self::NoMoreBets,
        Self::NoSpin,
        Self::SupervisorKey,
        Self::Seal,
        Self::PowerGood,
        Self::MotorEnable,
        Self::MotorAlive,
        Self::OutOfService,
        Self::Bell,
    ];

    /// The name, as in configurations and on the virtual wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MotorFault => "motor_fault",
            Self::CamA => "cam_a",
            Self::CamB => "cam_b",
            Self::DomeClosed => "dome_closed",
            Self::DomeOpen => "dome_open",
            Self::Tumble => "tumble",
            Self::PlaceBets => "place_bets",
            Self::NoMoreBets => "no_more_bets",
            Self::NoSpin => "no_spin",
            Self::SupervisorKey => "supervisor_key",
            Self::Seal => "seal",
            Self::PowerGood => "power_good",
            Self::MotorEnable => "motor_enable",
            Self::MotorAlive => "motor_alive",
            Self::OutOfService => "out_of_service",
            Self::Bell => "bell",
        }
    }

    /// The line of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|line| line.name() == name)
    }
}

/// A transaction on the field bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transaction {
    /// When the request was made, in nanoseconds; the observation's own time is when it ended.
    pub begun_ns: u64,
    /// Modbus unit address.
    pub unit: u8,
    /// What kind.
    pub kind: BusKind,
    /// First address.
    pub address: u16,
    /// How many registers or bits were asked for.
    pub count: u16,
    /// Registers read or written.
    #[serde(default)]
    pub words: Words,
    /// Bits read or written; bit 0 is the first address.
    #[serde(default)]
    pub bits: u64,
    /// Whether a valid reply came. A write that failed may have reached the unit all the same.
    pub ok: bool,
}

impl Transaction {
    /// Whether it touches an address from `first` to `last`.
    #[must_use]
    pub const fn touches(&self, first: u16, last: u16) -> bool {
        let begin = self.address as u32;
        let end = begin + self.count as u32;
        begin <= last as u32 && end > first as u32
    }

    /// The value of one register, if it was among those read or written.
    #[must_use]
    pub fn word(&self, address: u16) -> Option<u16> {
        let offset = address.checked_sub(self.address)?;
        self.words.as_slice().get(usize::from(offset)).copied()
    }
}

/// Kinds of transactions, in Modbus terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BusKind {
    /// Function 01.
    ReadCoils,
    /// Function 02.
    ReadDiscrete,
    /// Function 03.
    ReadHolding,
    /// Function 04.
    ReadInput,
    /// Function 05 or 15.
    WriteCoils,
    /// Function 06 or 16.
    WriteHolding,
}

/// Up to 32 registers, kept in place: transactions are seen too often for a heap allocation each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<u16>", into = "Vec<u16>")]
pub struct Words {
    count: u8,
    words: [u16; Self::MOST],
}

impl Words {
    /// How many fit.
    pub const MOST: usize = 32;

    /// These registers; what does not fit is left out.
    #[must_use]
    pub fn new(from: &[u16]) -> Self {
        let mut words = Self::default();
        for (to, word) in words.words.iter_mut().zip(from) {
            *to = *word;
            words.count = words.count.saturating_add(1);
        }
        words
    }
    /// The registers.
    #[must_use]
    pub fn as_slice(&self) -> &[u16] {
        self.words.get(..usize::from(self.count)).unwrap_or(&[])
    }
}

impl core::fmt::Debug for Words {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

impl From<Vec<u16>> for Words {
    fn from(words: Vec<u16>) -> Self {
        Self::new(&words)
    }
}

impl From<Words> for Vec<u16> {
    fn from(words: Words) -> Self {
        words.as_slice().to_vec()
    }
}

/// What is really so, whatever the sensors say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Truth {
    /// The shaft's position in quarter turns; forward counts up. Told at every quarter turn.
    Shaft {
        /// Quarter turns since the twin began; four are one tumble.
        quarters: i64,
    },
    /// Whether the motor really has power.
    MotorPower {
        /// It has.
        on: bool,
    },
    /// The dome is really away (`true`) or on; told when it leaves and when it is down.
    Dome {
        /// It is away.
        open: bool,
    },
    /// The dice begin to move: in a spin, or by a hand.
    DiceMoved,
    /// The dice came to rest, or were moved and came to rest again.
    Dice {
        /// Uppermost faces, 1 to 6.
        faces: [u8; 3],
        /// Whether each lies flat.
        flat: [bool; 3],
    },
    /// Lamps that really shine: bit `i` of board `b` is the lamp of area `64 b + i`. Told when they change.
    Lamps {
        /// One word a board.
        boards: [u64; 2],
    },
    /// The dealer pressed a key of the terminal.
    Pressed(Key),
    /// The daemon's process started or ended.
    Process {
        /// It runs.
        alive: bool,
    },
    /// The daemon's process stands still, as SIGSTOP makes it, or goes on.
    Hung {
        /// It stands still.
        hung: bool,
    },
    /// The supply came or went.
    Supply {
        /// It is there.
        good: bool,
    },
    /// Something in the world is broken (by an injected fault), or whole again: judges do not hold against the
    /// table what the broken part alone can cause.
    Broken {
        /// What.
        part: Part,
        /// It is broken.
        broken: bool,
    },
}

/// A key of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Key {
    /// A digit, 1 to 6.
    Digit(u8),
    /// Entry.
    Entry,
}

/// A part that a fault can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The dead-man relay: welded.
    Relay,
    /// The motor or its driver: shorted, reversed, stalls.
    Motor,
    /// A sensor of the cam.
    Cam,
    /// A contact of the dome.
    DomeContacts,
    /// The dice reader tells what is not so, or nothing.
    Reader,
    /// The dice: missing, foreign, damaged, moved by a hand.
    Dice,
    /// The terminal or its display.
    Terminal,
    /// A lamp, its wiring, its board or supply.
    Lamps,
    /// A button or the key switch.
    Buttons,
    /// Frames on the bus are hit.
    Bus,
    /// The lines cannot be driven or watched.
    Gpio,
    /// The journal cannot be written.
    Journal,
    /// The path to the broker.
    Network,
}

impl Part {
    /// How many there are.
    pub const COUNT: usize = 13;
}

#[cfg(test)]
mod tests;
