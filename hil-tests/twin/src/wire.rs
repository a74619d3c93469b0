//! What the twin lets the bench see: edges and readings at the wires, and the physical truth behind them.

use tumbler_core::line::{InLine, OutLine};
use tumbler_core::units::MilliCelsius;

/// Something that happened at the twin's wires, or in truth. Times are nanoseconds on the bench's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// An input line of the daemon changed its level.
    Edge {
        /// When.
        at: u64,
        /// The line.
        line: InLine,
        /// Its logical level from now on.
        active: bool,
    },
    /// An input line reports the level that it already had: the edges in between were lost.
    RepeatedLevel {
        /// When.
        at: u64,
        /// The line.
        line: InLine,
        /// Its logical level, as it was.
        active: bool,
    },
    /// What an output pin reads, after it was driven.
    Readback {
        /// When.
        at: u64,
        /// The pin.
        line: OutLine,
        /// Its logical level.
        active: bool,
    },
    /// A reading of the motor's temperature; `None` when the sensor does not answer.
    Temperature {
        /// When.
        at: u64,
        /// The reading.
        reading: Option<MilliCelsius>,
    },
    /// What really happened: for judges and scenarios, never for the daemon.
    Truth {
        /// When.
        at: u64,
        /// What.
        truth: Truth,
    },
}

impl Wire {
    /// When it happened, in nanoseconds.
    #[must_use]
    pub const fn at(&self) -> u64 {
        match self {
            Self::Edge { at, .. }
            | Self::RepeatedLevel { at, .. }
            | Self::Readback { at, .. }
            | Self::Temperature { at, .. }
            | Self::Truth { at, .. } => *at,
        }
    }
}

/// What really happened on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// The motor's supply was switched on or off, whatever the reason.
    MotorPower(bool),
    /// The shaft began to turn.
    ShaftMoves,
    /// The shaft entered another quarter of a tumble.
    Shaft {
        /// Quarters since the twin began; forward counts up, four are one tumble.
        quarters: i64,
    },
    /// The shaft stands still again.
    ShaftRests {
        /// Thousandths of a tumble that it turned since it began; negative is backwards.
        milli_tumbles: i64,
    },
    /// The dice came to rest.
    DiceRest {
        /// Uppermost faces; 0 where there is no such die.
        faces: [u8; 3],
        /// Whether each lies flat.
        flat: [bool; 3],
    },
    /// The dice began to move.
    DiceMove,
    /// The dome left its place (`true`: the dice can be seen) or covers the dice again.
    Exposed(bool),
    /// A hand pressed a button or released it, or turned the key there or back, whatever its line shows.
    Hand {
        /// The button, by the line that is its own.
        button: InLine,
        /// It is pressed.
        down: bool,
    },
    /// A key of the terminal was really pressed: 1 to 6 a digit, 7 entry.
    Key(u8),
    /// The lamps that shine on a board: bit `n` is output `n`.
    Lamps {
        /// Number of the board, counted from 0.
        board: u8,
        /// Lamps that shine.
        shine: u64,
    },
    /// The digits on the terminal's display, as a person reads them.
    Display(u16),
    /// The bell sounded.
    Bell,
    /// The sign "no games" is lit or dark.
    Sign(bool),
    /// The supply is gone (`false`) or back.
    Supply(bool),
    /// The seal is whole (`true`) or broken.
    Seal(bool),
}
