//! The order of play.

use serde::{Deserialize, Serialize};

/// The order of play: what opens a round, when the tumbler may run, and when the dice may be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Order {
    /// Whether the dome covers the dice until "No more bets".
    pub covered: bool,
    /// Whether the request for a spin begins the round (NZ 6.1); otherwise "Place your bets" does (SGV6 1.7).
    pub spin_begins_round: bool,
    /// Whether the tumbler may run before "No more bets".
    pub spin_before_no_more_bets: bool,
    /// Whether the tumbler may run after "No more bets".
    pub spin_after_no_more_bets: bool,
}
