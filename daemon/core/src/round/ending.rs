//! How a round ends: exactly once, settled or void.

use serde::{Deserialize, Serialize};

/// Why a round is void. The rule set names the clause; where it is silent, the clause is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum VoidReason {
    /// Fewer than three tumbles, by an operator's act (NZ 6.1, SGV6 5.5.1).
    FewerThanThree,
    /// A die is not lying flat (NZ 7.1(a), SGV6 5.5.2).
    NotFlat,
    /// A defect of the equipment makes the outcome doubtful (NZ 7.1(b) for the tumbler; otherwise no clause).
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
    /// The dealer announced "No spin" for what no sensor sees (NZ 7.1).
    Declared,
    /// The supervisor voided it (SGV6 5.14).
    Supervisor,
}

impl VoidReason {
    /// All reasons.
    pub const ALL: [Self; 10] = [
        Self::FewerThanThree,
        Self::NotFlat,
        Self::Equipment,
        Self::Exposed,
        Self::ActivatedEarly,
        Self::NeverActivated,
        Self::DamagedDice,
        Self::Interruption,
        Self::Declared,
        Self::Supervisor,
    ];

    /// The reason's name, as in records and documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FewerThanThree => "fewer-than-three",
            Self::NotFlat => "not-flat",
            Self::Equipment => "equipment",
            Self::Exposed => "exposed",
            Self::ActivatedEarly => "activated-early",
            Self::NeverActivated => "never-activated",
            Self::DamagedDice => "damaged-dice",
            Self::Interruption => "interruption",
            Self::Declared => "declared",
            Self::Supervisor => "supervisor",
        }
    }
}

/// The record of a void ending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Void {
    /// Why.
    pub reason: VoidReason,
    /// The clause that says so, such as `NZ9 7.1(a)`; empty where the rule set is silent.
    pub clause: String,
    /// What was found, for a person.
    pub detail: String,
}
