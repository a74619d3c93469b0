//! What a person is asked about a round, and what the answer may be.

use crate::every::every;
use crate::prelude::*;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// Why a person is asked what became of the dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Doubt {
    /// The daemon was away after a valid spin, or equipment failed, and no outcome is on record: there may be one that people can see.
    Interrupted,
    /// Dice that had come to rest were moved.
    Knocked,
    /// Dice are missing or foreign, which the rules leave to a person.
    Dice,
    /// The controller was lost in the spin, and the text says nothing of that.
    SpinLost,
}

impl Doubt {
    /// All of them.
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// Its name, as in records and documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Why the person is asked.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Interrupted => "Play was interrupted after a valid spin. A person says how the dice lie.",
            Self::Knocked => "The dice were moved after they had come to rest. A person says how they lie.",
            Self::Dice => {
                "The dice are not the three enrolled ones. A named person decides, under SGV6 and SGOC the shift manager or above (5.14)."
            }
            Self::SpinLost => {
                "The controller was lost in the spin, and the rules say nothing of that. A named person decides."
            }
        }
    }

    /// The question itself, in the words of the answers that it may have.
    #[must_use]
    pub fn asks(self, answers: &[Finding]) -> String {
        if matches!(self, Self::Dice | Self::SpinLost) {
            return self.text().to_owned();
        }
        let flat = answers.contains(&Finding::NotFlat);
        let offered: Vec<&str> = answers.iter().map(|finding| finding.asked(flat)).collect();
        let (last, before) = offered.split_last().unwrap_or((&"", &[]));
        let all = if before.is_empty() { (*last).to_owned() } else { format!("{}, or {last}", before.join(", ")) };
        format!("{} What is found: {all}?", self.text())
    }
}

/// What a person found who was asked.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Finding {
    /// The dice lie flat and undisturbed; under a dome that is on: undisturbed.
    Undisturbed,
    /// A die does not lie flat.
    NotFlat,
    /// Nobody can tell: a named person decides, and the round is void.
    CannotTell,
}

impl Finding {
    /// All of them.
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// Its name, as in commands and records.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What it says, behind its name; whether one lies flat is not asked under a dome that is on.
    const fn asked(self, flat: bool) -> &'static str {
        match self {
            Self::Undisturbed if flat => "undisturbed (they lie flat, as they came to rest)",
            Self::Undisturbed => "undisturbed (they lie as they came to rest)",
            Self::NotFlat => "not-flat (one does not lie flat)",
            Self::CannotTell => "cannot-tell (nobody can tell)",
        }
    }
}
