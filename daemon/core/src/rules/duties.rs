//! What people have to do in play.

use serde::Deserialize;

/// What people have to do in play, where the texts differ beyond the order of play and what voids a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Duties {
    /// Whether the dealer announces "No spin" where the tumbler was not activated or does not operate correctly (NZ 7.1).
    pub dealer_announces_no_spin: bool,
    /// Whether the game supervisor sees wrong numbers amended, which the dealer keys (NZ 7.2).
    pub supervisor_sees_amendments: bool,
    /// Whether the result is entered on the entry terminal and nowhere else, unless terminal or lamps have failed (NZ 6.4, 7.3).
    pub terminal_enters: bool,
}
