//! What people are asked to do, each with an id, so that no program reads prose.

use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// What is waited for, as a program knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PromptId {
    /// Every key of the terminal that is left is to be pressed, in any order: `1` to `6` and `entry`.
    Keys,
    /// This key of the terminal is to be pressed: `1` to `6` or `entry`.
    Key,
    /// The dome is to be lifted.
    LiftDome,
    /// The dome is to be put back.
    CloseDome,
    /// Something stands in the way of a test's spin and is to be put right.
    ClearSpin,
    /// Somebody is to say what only a person can see, of each item that is left: the command `witness`.
    Witness,
    /// Somebody is to say how the dice lie, after an interruption: the command `interrupted`.
    Interrupted,
    /// Somebody is to say how the dice lie, which were moved: the command `interrupted`.
    Knocked,
    /// The shift manager or above is to decide on dice that are missing or foreign: the command `interrupted`.
    Dice,
    /// The game supervisor is to see wrong numbers amended: the command `supervise`.
    Supervise,
}

impl PromptId {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Keys,
        Self::Key,
        Self::LiftDome,
        Self::CloseDome,
        Self::ClearSpin,
        Self::Witness,
        Self::Interrupted,
        Self::Knocked,
        Self::Dice,
        Self::Supervise,
    ];

    /// Its name, as in messages and documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::Key => "key",
            Self::LiftDome => "lift-dome",
            Self::CloseDome => "close-dome",
            Self::ClearSpin => "clear-spin",
            Self::Witness => "witness",
            Self::Interrupted => "interrupted",
            Self::Knocked => "knocked",
            Self::Dice => "dice",
            Self::Supervise => "supervise",
        }
    }
}

/// What people are asked to do now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Prompt {
    /// What is waited for.
    pub id: PromptId,
    /// Keys, items or answers that are left, by their names.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub of: Vec<String>,
    /// The same for a person.
    pub text: String,
}
