//! What is known of a round that ended, or that an interruption cut off.

use super::spin::Spun;
use super::{Reveal, ending};
use crate::prelude::*;
use crate::round::question::Doubt;
use crate::units::{Dice, RoundId, Tumbles};
use serde::{Deserialize, Serialize};

/// Where a round stood when the daemon stopped, as far as it is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interrupted {
    /// The round.
    pub id: RoundId,
    /// Its rule set.
    pub rules: String,
    /// Its layout.
    pub layout: String,
    /// Whether the outcome was established.
    pub established: bool,
    /// Whether its spin began.
    #[serde(default)]
    pub began: bool,
    /// How its spin ended, if it did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub spun: Option<Spun>,
    /// "Place your bets" was called.
    #[serde(default)]
    pub bets_opened: bool,
    /// "No more bets" was called.
    #[serde(default)]
    pub bets_closed: bool,
    /// How the dice were revealed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub revealed: Option<Reveal>,
    /// Why a person is asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asked: Option<Doubt>,
    /// Wrong numbers wait to be amended under the game supervisor.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub supervise: bool,
    /// Full tumbles of its valid spin.
    pub tumbles: Tumbles,
    /// What the reader first said that the dice show, if it did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub read: Option<Dice>,
    /// The result entered, if one was.
    pub result: Option<Dice>,
}

/// A round that ended, for the results display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Past {
    /// The round.
    pub id: RoundId,
    /// Its rule set; empty in what version 1 kept.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub rules: String,
    /// What the dice showed; `None` for a void round.
    pub dice: Option<Dice>,
    /// Why it was void.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub void: Option<ending::VoidReason>,
    /// Why it was found affected after it had ended (SG 5.6), as it was first found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub affected: Option<String>,
}

impl Past {
    /// How many endings are kept for the results display.
    pub const KEPT: usize = 20;

    /// A round that has just ended: with these dice, or void.
    #[must_use]
    pub fn of(id: RoundId, rules: &str, dice: Option<Dice>, void: Option<ending::VoidReason>) -> Self {
        Self { id, rules: rules.to_owned(), dice, void, affected: None }
    }
}

/// Adds an ending to the latest ones.
pub fn remember(recent: &mut Vec<Past>, past: Past) {
    if recent.len() >= Past::KEPT {
        recent.remove(0);
    }
    recent.push(past);
}
