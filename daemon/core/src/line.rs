//! The table's wires and keys by their names: what it watches, what it drives, and what the dealer keys.

use crate::every::every;
use crate::units::DieFace;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// The wires that the table watches. Levels are logical: `true` is active, whatever the polarity on the board.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
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
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// The dealer's buttons.
    pub const BUTTONS: [Self; 4] = [Self::Tumble, Self::PlaceBets, Self::NoMoreBets, Self::NoSpin];

    /// The line's place in [`InLine::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The line's name in configurations, on the virtual wire and in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What its level means, in words for people.
    #[must_use]
    pub const fn means(self, active: bool) -> &'static str {
        match (self, active) {
            (Self::MotorFault, true) => "fault",
            (Self::MotorFault, false) => "no fault",
            (Self::CamA | Self::CamB, true) => "magnet",
            (Self::CamA | Self::CamB, false) => "no magnet",
            (Self::DomeClosed | Self::DomeOpen, true) => "made",
            (Self::DomeClosed | Self::DomeOpen, false) => "open",
            (Self::Tumble | Self::PlaceBets | Self::NoMoreBets | Self::NoSpin, true) => "pressed",
            (Self::Tumble | Self::PlaceBets | Self::NoMoreBets | Self::NoSpin, false) => "released",
            (Self::SupervisorKey, true) => "turned",
            (Self::SupervisorKey, false) => "off",
            (Self::Seal, true) => "whole",
            (Self::Seal, false) => "broken",
            (Self::PowerGood, true) => "good",
            (Self::PowerGood, false) => "not good",
        }
    }

    /// Whether it is one of the dome's two contacts.
    #[must_use]
    pub const fn is_of_dome(self) -> bool {
        matches!(self, Self::DomeClosed | Self::DomeOpen)
    }
}

/// The wires that the table drives. Levels are logical: `true` is active.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
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
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// The line's place in [`OutLine::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// What its level means, in words for people.
    #[must_use]
    pub const fn means(self, active: bool) -> &'static str {
        match (self, active) {
            (Self::MotorEnable, true) => "on",
            (Self::MotorEnable, false) => "off",
            (Self::MotorAlive, true) => "high",
            (Self::MotorAlive, false) => "low",
            (Self::OutOfService, true) => "lit",
            (Self::OutOfService, false) => "dark",
            (Self::Bell, true) => "struck",
            (Self::Bell, false) => "at rest",
        }
    }

    /// The line's name in configurations, on the virtual wire and in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
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
