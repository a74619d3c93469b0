//! The orders of play, written from the rules and not from the core's data.

use super::step::Stage;
use tumbler_spec::config::{Order, Rules};

/// An action of the dealer in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Put the dome over the dice.
    Cover,
    /// Press "tumble".
    Tumble,
    /// Wait until the tumbler and the dice are at rest.
    AwaitSpun,
    /// Call "Place your bets".
    PlaceBets,
    /// Call "No more bets".
    NoMoreBets,
    /// Take the dome away.
    Uncover,
    /// Wait until the outcome is established.
    AwaitOutcome,
    /// Key what the dice show.
    Enter,
    /// Key "all paid".
    AllPaid,
}

impl Action {
    /// What the dealer does, in the words of a scenario.
    pub const fn words(self) -> &'static str {
        match self {
            Cover => "lower dome",
            Tumble => "press tumble",
            AwaitSpun => "wait for the spin",
            PlaceBets => "press place_bets",
            NoMoreBets => "press no_more_bets",
            Uncover => "lift dome",
            AwaitOutcome => "wait for the outcome",
            Enter => "enter dice",
            AllPaid => "key entry",
        }
    }
}

use Action::{AllPaid, AwaitOutcome, AwaitSpun, Cover, Enter, NoMoreBets, PlaceBets, Tumble, Uncover};

/// NZ98 and NZ9 6.1 to 6.4, 4.4: tumble, place bets, no more bets, uncover, result, losers and winners.
const NEW_ZEALAND: &[(Action, Stage)] = &[
    (Cover, Stage::Covered),
    (Tumble, Stage::Spinning),
    (AwaitSpun, Stage::Spun),
    (PlaceBets, Stage::Betting),
    (NoMoreBets, Stage::BetsClosed),
    (Uncover, Stage::BetsClosed),
    (AwaitOutcome, Stage::Revealed),
    (Enter, Stage::Entered),
    (AllPaid, Stage::Settled),
];

/// SGV6 1.7, 3.2 to 3.10: place bets opens the round; tumble while covered; uncover only after no more bets.
const COVERED: &[(Action, Stage)] = &[
    (Cover, Stage::Covered),
    (PlaceBets, Stage::Betting),
    (Tumble, Stage::Spinning),
    (AwaitSpun, Stage::Spun),
    (NoMoreBets, Stage::BetsClosed),
    (Uncover, Stage::BetsClosed),
    (AwaitOutcome, Stage::Revealed),
    (Enter, Stage::Entered),
    (AllPaid, Stage::Settled),
];

/// SGOC and SGOC-early: place bets, no more bets, tumble in the open.
const OPEN: &[(Action, Stage)] = &[
    (PlaceBets, Stage::Betting),
    (NoMoreBets, Stage::BetsClosed),
    (Tumble, Stage::Spinning),
    (AwaitSpun, Stage::Spun),
    (AwaitOutcome, Stage::Revealed),
    (Enter, Stage::Entered),
    (AllPaid, Stage::Settled),
];

/// The order of play under this rule set: each action with the stage that the round is at afterwards. Empty under a rule set that
/// the judges do not know.
#[must_use]
pub fn of(rules: &str) -> &'static [(Action, Stage)] {
    Rules::named(rules).map_or(&[], |rules| match rules.order() {
        Order::BeforeBets => NEW_ZEALAND,
        Order::DuringBets => COVERED,
        Order::AfterBets => OPEN,
    })
}

/// Whether a dome covers the dice under this rule set.
#[must_use]
pub fn covered(rules: &str) -> bool {
    Rules::named(rules).is_some_and(Rules::covered)
}
