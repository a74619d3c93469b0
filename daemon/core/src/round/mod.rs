//! One round: its facts, the transitions between them, and its ending.

pub mod call;
pub mod ending;

use crate::units::{Dice, RoundId, Tumbles};
use serde::{Deserialize, Serialize};

/// Where a round stood when the daemon stopped, as far as it is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interrupted {
    /// The round.
    pub id: RoundId,
    /// Its rule set.
    pub rules: String,
    /// Its layout.
    pub layout: String,
    /// Whether the outcome was established.
    pub established: bool,
    /// Full tumbles of its valid spin.
    pub tumbles: Tumbles,
    /// The result entered, if one was.
    pub result: Option<Dice>,
}

/// A round that ended, for the results display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// The round.
    pub id: RoundId,
    /// What the dice showed; `None` for a void round.
    pub dice: Option<Dice>,
    /// Why it was void.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub void: Option<ending::VoidReason>,
}
