//! What a person is asked about a round, and what the answer may be.

use crate::every::every;
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
}

impl Doubt {
    /// All of them.
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// Its name, as in records and documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What the person is asked.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Interrupted => {
                "Play was interrupted after a valid spin. Do the dice lie flat and undisturbed, does one not lie flat, or can nobody tell?"
            }
            Self::Knocked => {
                "The dice were moved after they had come to rest. Do they lie flat and undisturbed, does one not lie flat, or can nobody tell?"
            }
            Self::Dice => "The dice are not the three enrolled ones. The shift manager or above decides.",
        }
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
}
