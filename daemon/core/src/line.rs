//! The table's wires and keys by their names: what it watches, what it drives, and what the dealer keys.

use crate::units::DieFace;
use serde::{Deserialize, Serialize};

/// The wires that the table watches. Levels are logical: `true` is active, whatever the polarity on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InLine {
    /// Fault output of the motor driver.
    MotorFault,
    /// First Hall sensor on the tumbler's cam.
    CamA,
    /// Second Hall sensor, 90 degrees after the first.
    CamB,
    /// Contact that is made while the dome is down.
    DomeClosed,
    /// Contact that is made while the dome is away; antivalent to [`InLine::DomeClosed`].
    DomeOpen,
    /// The dealer's button that asks for a spin.
    Tumble,
    /// The dealer's button for the call "Place your bets".
    PlaceBets,
    /// The dealer's button for the call "No more bets".
    NoMoreBets,
    /// The dealer's button for the call "No spin".
    NoSpin,
    /// The supervisor's key switch.
    SupervisorKey,
    /// The loop through the dice compartment's seal; active while whole.
    Seal,
    /// Active while the supply is good; drops some 20 ms or more before it fails.
    PowerGood,
}

impl InLine {
    /// All input lines, in the order of [`InLine::index`].
    pub const ALL: [Self; 12] = [
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
    ];

    /// The line's place in [`InLine::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The line's name in configurations, on the virtual wire and in documents.
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
        }
    }
}

/// The wires that the table drives. Levels are logical: `true` is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutLine {
    /// Gate of the motor driver.
    MotorEnable,
    /// Dead-man line: an edge every 10 ms keeps the outside monostable (100 ms) from dropping motor power.
    MotorAlive,
    /// Sign: no games at this table.
    OutOfService,
    /// Strikes the bell on "No more bets" (NZ 6.2).
    Bell,
}

impl OutLine {
    /// All output lines, in the order of [`OutLine::index`].
    pub const ALL: [Self; 4] = [Self::MotorEnable, Self::MotorAlive, Self::OutOfService, Self::Bell];

    /// The line's place in [`OutLine::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The line's name in configurations, on the virtual wire and in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MotorEnable => "motor_enable",
            Self::MotorAlive => "motor_alive",
            Self::OutOfService => "out_of_service",
            Self::Bell => "bell",
        }
    }
}

/// A key of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Which one may not be known yet.
    Hidden,
    /// A number.
    Digit(DieFace),
    /// The entry key.
    Entry,
}
