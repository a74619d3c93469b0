//! What the twin knows to be true: motor, shaft, dome, dice, lamps, process and supply, and what an injected fault has broken.

use serde::{Deserialize, Serialize};

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
