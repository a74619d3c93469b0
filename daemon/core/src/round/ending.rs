//! How a round ends: exactly once, settled or void.

use crate::every::every;
use crate::prelude::*;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// A fact that voids a round where its rule set says so. Facts decide, not causes: a round may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, VariantArray)]
#[serde(rename_all = "kebab-case")]
pub enum Ground {
    /// The tumbler was activated and did not tumble three times, whatever ended its spin.
    FewerThanThree,
    /// The controller was lost in the spin, before three tumbles were on record: nobody knows how many were made.
    Uncounted,
    /// The shaft turned, and the dice did not tumble.
    DiceNotTumbled,
    /// The tumbler did not operate correctly.
    Misoperation,
    /// A die does not lie flat.
    NotFlat,
    /// The dice were exposed before "No more bets".
    Exposed,
    /// The tumbler was activated before "No more bets" under Open Cover.
    ActivatedEarly,
    /// The tumbler was not activated for the game.
    NeverActivated,
    /// A die is damaged.
    DamagedDice,
    /// A technical interruption that the round cannot go on after, and no outcome is established.
    Interruption,
    /// A person decided what the rules leave open.
    Decision,
}

impl Ground {
    /// All grounds.
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// What it is, for a person.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::FewerThanThree => {
                "the tumbler was activated and three full tumbles are not proved, whatever ended the spin"
            }
            Self::Uncounted => "the controller was lost in the spin, and nobody knows whether three tumbles were made",
            Self::DiceNotTumbled => "the shaft turned, and the dice did not tumble",
            Self::Misoperation => "the tumbler did not operate correctly",
            Self::NotFlat => "a die does not lie flat",
            Self::Exposed => "the dice were exposed before \"No more bets\"",
            Self::ActivatedEarly => "the tumbler was activated before \"No more bets\" under Open Cover",
            Self::NeverActivated => "the tumbler was not activated for the game",
            Self::DamagedDice => "a die is damaged",
            Self::Interruption => {
                "equipment failed or the controller was interrupted, so that the round cannot go on, with no outcome established"
            }
            Self::Decision => "a person decided what the rules leave open",
        }
    }
}

/// Why a round is void: what happened first. Its clauses are those of every ground that applies.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum VoidReason {
    /// Fewer than three tumbles, ended by somebody's act or by a guard (NZ 7.1(b) with 6.1, SGV6 5.5.1).
    FewerThanThree,
    /// A die is not lying flat (NZ 7.1(a), SGV6 5.5.2).
    NotFlat,
    /// Equipment failed before an outcome was established (NZ 7.1(b) for the tumbler; SGV6 5.4.2).
    Equipment,
    /// The dice were exposed before "No more bets" (NZ 7.1(c), SGV6 5.5.3).
    Exposed,
    /// The tumbler turned before "No more bets" under Open Cover (SGOC 5.5.3).
    ActivatedEarly,
    /// The tumbler was not activated for the game (NZ 7.1(d)).
    NeverActivated,
    /// A die is damaged (SGV6 5.6, SGOC-early 5.1.1).
    DamagedDice,
    /// A technical interruption with no outcome established (SGV6 5.4.2).
    Interruption,
    /// The dealer announced "No spin" for what no sensor sees of the tumbler (NZ 7.1(b)).
    Declared,
    /// A named person decided so: under SGV6 and SGOC the shift manager or above (5.14).
    Supervisor,
}

impl VoidReason {
    /// All reasons.
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// The fact that it is in the rules' terms; "No spin" has the dealer's own ground.
    #[must_use]
    pub const fn ground(self) -> Ground {
        match self {
            Self::FewerThanThree => Ground::FewerThanThree,
            Self::NotFlat => Ground::NotFlat,
            Self::Equipment | Self::Interruption => Ground::Interruption,
            Self::Exposed => Ground::Exposed,
            Self::ActivatedEarly => Ground::ActivatedEarly,
            Self::NeverActivated => Ground::NeverActivated,
            Self::DamagedDice => Ground::DamagedDice,
            Self::Declared => Ground::Misoperation,
            Self::Supervisor => Ground::Decision,
        }
    }

    /// The reason's name, as in records and documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The record of a void ending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Void {
    /// Why: what happened first.
    pub reason: VoidReason,
    /// Every clause of the round's rule set that applies word for word, such as `NZ9 7.1(a)`, in the order in which the rule
    /// set is cited. Records of version 1 had one, `clause`.
    #[serde(default, alias = "clause", deserialize_with = "one_or_more")]
    pub clauses: Vec<String>,
    /// Where no clause applies: which text is silent, and whose decision or which procedure of the house stands in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub silent: Option<String>,
    /// What was found, for a person.
    pub detail: String,
}

impl Void {
    /// The clauses in one line; where there is none, who stands in.
    #[must_use]
    pub fn cited(&self) -> String {
        if self.clauses.is_empty() { self.silent.clone().unwrap_or_default() } else { self.clauses.join(", ") }
    }
}

/// A list of clauses, or the one of a record of version 1, where the empty text was none.
pub(crate) fn one_or_more<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        List(Vec<String>),
        One(String),
    }
    Ok(match Either::deserialize(deserializer)? {
        Either::List(list) => list,
        Either::One(one) if one.is_empty() => Vec::new(),
        Either::One(one) => vec![one],
    })
}
