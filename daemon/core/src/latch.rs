//! Malfunctions: what latches, and what may open it again. The latch itself survives restarts through the journal.

use crate::every::every;
use crate::hardware_test::HardwareTest;
use crate::prelude::*;
use crate::units::Mono;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// A kind of malfunction. While any is latched, no further game is conducted (NZ 7.4).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
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
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// The code's name, as in topics, commands and documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What a person does about it before the reset, in plain words.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Tumbler => {
                "Switch motor power off. Look for what blocks or turns the shaft; check both cam sensors (1 mm gap, connectors) and the motor driver."
            }
            Self::Deadman => {
                "The dead-man relay did not drop motor power: keep hands away, switch motor power off, replace the relay."
            }
            Self::Temperature => {
                "Where the motor is too hot, let it cool and check its bearings; where its sensor jumped or is silent, check that and its cable."
            }
            Self::Dome => {
                "Check that the dome closes and opens freely, then both contacts and their cable: never both made, never neither for long."
            }
            Self::Buttons => "Free or replace the button that is held or stuck, and check its cable for a short.",
            Self::Key => "Turn the supervisor's key back; if it is back already, replace the switch.",
            Self::Interference => {
                "Find out who or what moved the dice. Lay them as the supervisor decides, and let nothing move them."
            }
            Self::Dice => "Count and look at the dice. Put the enrolled set in, or enrol a new sealed set.",
            Self::Reader => {
                "Clean the reader's window, check its cable and address (unit 10), and lay the dice flat under it."
            }
            Self::Terminal => {
                "Free a stuck key, check the terminal's cable and address (unit 1), and compare its display with what is keyed."
            }
            Self::Lamps => {
                "Replace the lamps that stay dark or shine untold, and check the lamp boards' cables and addresses (units 2 and up)."
            }
            Self::Seal => {
                "Look at the dice compartment with the supervisor; seal it again, and enrol the dice if they were changed."
            }
            Self::Gpio => {
                "Check the board and its cables; if the lines stay lost, restart the controller, then replace it."
            }
            Self::Journal => {
                "Check the disk: free space, read-only mount, errors in `journalctl -k`. Keep the state directory as it is for the inspector."
            }
        }
    }

    /// The hardware test that measures the device in question: the reset runs it, and only its pass rectifies the malfunction.
    /// The others have no device to measure, or a look at their lines is enough: their reset is their test.
    #[must_use]
    pub const fn hardware_test(self) -> Option<HardwareTest> {
        Some(match self {
            Self::Tumbler | Self::Deadman => HardwareTest::Motor,
            Self::Temperature => HardwareTest::Temperature,
            Self::Dome => HardwareTest::Dome,
            Self::Reader => HardwareTest::Reader,
            Self::Terminal => HardwareTest::Terminal,
            Self::Lamps => HardwareTest::Lamps,
            Self::Seal => HardwareTest::Seal,
            Self::Buttons | Self::Key | Self::Interference | Self::Dice | Self::Gpio | Self::Journal => return None,
        })
    }

    /// Whether the motor may not run while this is latched, also for the round in progress: a latch blocks further
    /// games, and a round that waits for its spin may still have it where nothing about the tumbler is in doubt.
    #[must_use]
    pub const fn inhibits_motor(self) -> bool {
        !matches!(self, Self::Buttons | Self::Key | Self::Reader | Self::Terminal | Self::Lamps)
    }

    /// Whether a stated procedure may replace the check until the table closes (NZ 7.4: "procedures that do not compromise the
    /// integrity of the game"): only where the dealer's and the supervisor's eyes can stand in for the device.
    ///
    /// # Errors
    /// Why none may.
    pub const fn may_be_replaced(self) -> Result<(), &'static str> {
        match self {
            Self::Lamps | Self::Terminal | Self::Reader => Ok(()),
            Self::Tumbler => Err("no eye counts tumbles, and the shaft may turn when it must not: fingers"),
            Self::Deadman => Err("nothing else stops a motor that is left on: fingers"),
            Self::Temperature => {
                Err("nobody feels how hot a covered motor is: burns, and a shaft that seizes in a spin")
            }
            Self::Dome => Err("its contacts keep hands from the shaft, and eyes from the dice: fingers, secrecy"),
            Self::Seal => Err("its loop keeps hands from the shaft and from the dice: fingers, integrity of the dice"),
            Self::Buttons => {
                Err("no call and no spin counts that no button tells, and `no_spin` stops the shaft: fingers")
            }
            Self::Key => Err("the key is what shows that a supervisor stands at the table: evidence"),
            Self::Interference => {
                Err("the dice are looked at and laid as they should lie, and nothing is left to replace")
            }
            Self::Dice => Err("dice that are damaged, missing or foreign decide nothing: integrity of the dice"),
            Self::Gpio => Err("lines that nobody watches guard nothing: fingers"),
            Self::Journal => Err("what is not written down cannot be proved: evidence"),
        }
    }

    /// Whether a stated procedure may replace the check ([`Code::may_be_replaced`]).
    #[must_use]
    pub const fn allows_procedure(self) -> bool {
        self.may_be_replaced().is_ok()
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
    /// Whether it showed only while the tumbler ran, so that only a spin can prove it gone.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub in_spin: bool,
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
