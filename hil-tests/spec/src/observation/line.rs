//! The lines on the wires between the table and its equipment (`daemon/docs/wiring.md`).

use serde::{Deserialize, Serialize};

/// A line, by its name.
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
    /// The loop through the seal; active while it is closed.
    Seal,
    /// Active while the supply is good.
    PowerGood,
    /// Gate of the motor driver.
    MotorEnable,
    /// The dead-man line.
    MotorAlive,
    /// The sign "no games".
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

    /// The dealer's buttons.
    pub(crate) const BUTTONS: [Self; 4] = [Self::Tumble, Self::PlaceBets, Self::NoMoreBets, Self::NoSpin];

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

    /// Whether the table drives it.
    #[must_use]
    pub const fn is_output(self) -> bool {
        matches!(self, Self::MotorEnable | Self::MotorAlive | Self::OutOfService | Self::Bell)
    }

    /// Whether it guards the motor.
    #[must_use]
    pub const fn guards(self) -> bool {
        matches!(self, Self::DomeClosed | Self::DomeOpen | Self::Seal | Self::PowerGood | Self::MotorFault)
    }

    /// The line of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|line| line.name() == name)
    }
}

/// Where the cam is in its turn by its two sensors (virtual-wire.md: forwards they run 00, 10, 11, 01).
pub(crate) const fn quarter(a: bool, b: bool) -> i64 {
    match (a, b) {
        (false, false) => 0,
        (true, false) => 1,
        (true, true) => 2,
        (false, true) => 3,
    }
}
