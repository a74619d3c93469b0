//! What the twin knows to be true: motor, shaft, dome, dice, lamps, process and supply, and what an injected fault has broken.

use super::Line;
use serde::{Deserialize, Serialize};

/// A fact about the physical table, whatever its sensors say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Truth {
    /// The position of the shaft, reported at every quarter turn.
    Shaft {
        /// Quarter turns since the twin started. Forward counts up; four are one tumble.
        quarters: i64,
    },
    /// Whether the motor really has power.
    MotorPower {
        /// It has.
        on: bool,
    },
    /// The dome was lifted or put back, whatever its contacts say.
    Dome {
        /// It is away.
        open: bool,
    },
    /// The dice begin to move, in a spin or by a hand.
    DiceMoved,
    /// The dice came to rest, after a spin or after a hand moved them.
    Dice {
        /// Uppermost faces, 1 to 6.
        faces: [u8; 3],
        /// Whether each lies flat.
        flat: [bool; 3],
    },
    /// The lamps that shine changed. Bit `i` of board `b` is the lamp of area `64 b + i`.
    Lamps {
        /// One word per board.
        boards: [u64; 2],
    },
    /// A hand pressed a button or released it, or turned the supervisor's key there or back, whatever its line shows.
    Hand {
        /// The button, by the line that is its own.
        button: Line,
        /// It is pressed.
        down: bool,
    },
    /// The dealer pressed a key of the terminal.
    Pressed(Key),
    /// The daemon's process started or ended.
    Process {
        /// It runs.
        alive: bool,
    },
    /// The daemon's process was stopped, as by SIGSTOP, or continued.
    Hung {
        /// It is stopped.
        hung: bool,
    },
    /// The supply came back or failed.
    Supply {
        /// It is there.
        good: bool,
    },
    /// An injected fault broke a part, or was healed. Judges do not blame the table for what a broken part alone can cause.
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
    /// The dice reader: it reports what is not so, or nothing.
    Reader,
    /// The dice: missing, foreign, damaged, moved by a hand.
    Dice,
    /// The terminal or its display.
    Terminal,
    /// A lamp, its wiring, its board or supply.
    Lamps,
    /// A button or the key switch.
    Buttons,
    /// The bus: frames are damaged.
    Bus,
    /// The GPIO: lines cannot be driven or watched.
    Gpio,
    /// The journal: it cannot be written, or only slowly.
    Journal,
    /// The path to the broker.
    Network,
}

impl Part {
    /// How many there are.
    pub const COUNT: usize = 13;
}
