//! What people are asked to do, each with an id, so that no program reads prose.

use crate::every::every;
use crate::prelude::*;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// What is waited for, as a program knows it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum PromptId {
    /// Every key of the terminal that is left is to be pressed, in any order: `1` to `6` and `entry`.
    Keys,
    /// This key of the terminal is to be pressed: `1` to `6` or `entry`.
    Key,
    /// The dome is to be lifted.
    LiftDome,
    /// The dome is to be put back.
    CloseDome,
    /// This button of the table is to be pressed.
    Button,
    /// This button is to be let go of.
    LetGo,
    /// The supervisor's key is to be turned.
    TurnKey,
    /// The supervisor's key is to be turned back.
    TurnKeyBack,
    /// The dealer's button is to be pressed at the table, within 10 s: a test's spin begins by that.
    Tumble,
    /// Something stands in the way of a test's spin and is to be put right.
    ClearSpin,
    /// Somebody is to say what only a person can see, of each item that is left: the command `witness`.
    Witness,
    /// Somebody is to say how the dice lie, after an interruption: the command `interrupted`.
    Interrupted,
    /// Somebody is to say how the dice lie, which were moved: the command `interrupted`.
    Knocked,
    /// Somebody is to decide on dice that are missing or foreign, under SGV6 and SGOC the shift manager or above: the command
    /// `interrupted`.
    Dice,
    /// Somebody is to decide on a spin in which the controller was lost, of which the text says nothing: the command `interrupted`.
    SpinLost,
    /// The game supervisor is to see wrong numbers amended: the command `supervise`.
    Supervise,
}

impl PromptId {
    /// All of them.
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// Its name, as in messages and documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
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
