//! Malfunctions: what latches, and what may open it again. The latch itself survives restarts through the journal.

use crate::units::Mono;
use serde::{Deserialize, Serialize};

/// A kind of malfunction. While any is latched, no further game is conducted (NZ 7.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// Motor, cam or shaft: the tumbler does not operate correctly.
    Tumbler,
    /// The dead-man relay does not drop motor power.
    Deadman,
    /// The motor is too hot, or its sensor cannot be believed.
    Temperature,
    /// The dome's contacts contradict each other or the supervisor's eyes.
    Dome,
    /// A dealer's button is stuck.
    Buttons,
    /// The supervisor's key switch is stuck.
    Key,
    /// The dice were moved unlawfully.
    Interference,
    /// Dice are missing, too many, foreign or damaged.
    Dice,
    /// The dice reader does not answer or is wrong.
    Reader,
    /// The entry terminal does not answer, shows something else, or has a stuck key.
    Terminal,
    /// Lamps do not do as they are told.
    Lamps,
    /// The seal of the dice compartment is broken.
    Seal,
    /// Wires can no longer be watched or driven.
    Gpio,
    /// The journal cannot be written, or is not what it was.
    Journal,
}

impl Code {
    /// All codes, in the order of declaration.
    pub const ALL: [Self; 14] = [
        Self::Tumbler,
        Self::Deadman,
        Self::Temperature,
        Self::Dome,
        Self::Buttons,
        Self::Key,
        Self::Interference,
        Self::Dice,
        Self::Reader,
        Self::Terminal,
        Self::Lamps,
        Self::Seal,
        Self::Gpio,
        Self::Journal,
    ];

    /// The code's name, as in topics, commands and documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tumbler => "tumbler",
            Self::Deadman => "deadman",
            Self::Temperature => "temperature",
            Self::Dome => "dome",
            Self::Buttons => "buttons",
            Self::Key => "key",
            Self::Interference => "interference",
            Self::Dice => "dice",
            Self::Reader => "reader",
            Self::Terminal => "terminal",
            Self::Lamps => "lamps",
            Self::Seal => "seal",
            Self::Gpio => "gpio",
            Self::Journal => "journal",
        }
    }

    /// Whether the motor may not run while this is latched, also for the round in progress: a latch blocks further
    /// games, and a round that waits for its spin may still have it where nothing about the tumbler is in doubt.
    #[must_use]
    pub const fn inhibits_motor(self) -> bool {
        !matches!(self, Self::Buttons | Self::Key | Self::Reader | Self::Terminal | Self::Lamps)
    }

    /// Whether a stated procedure may replace the check until the table closes: only where the dealer's and the
    /// supervisor's eyes can stand in for the device (NZ 7.4).
    #[must_use]
    pub const fn allows_procedure(self) -> bool {
        matches!(self, Self::Lamps | Self::Terminal | Self::Reader)
    }
}

impl core::fmt::Display for Code {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

impl core::str::FromStr for Code {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|c| c.name() == name).ok_or_else(|| {
            let all: Vec<&str> = Self::ALL.iter().map(|c| c.name()).collect();
            format!("`{name}` is no malfunction; known are {}", all.join(", "))
        })
    }
}

/// A latched malfunction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Malfunction {
    /// Which one.
    pub code: Code,
    /// What was found, for a person.
    pub cause: String,
    /// When it was latched. After a restart within the same boot this is the recorded moment; after a reboot, zero.
    pub since: Mono,
}

/// A check that a stated procedure replaces until the table closes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waiver {
    /// The check.
    pub code: Code,
    /// The procedure, as the supervisor stated it.
    pub procedure: String,
    /// Who introduced it.
    pub by: String,
}
