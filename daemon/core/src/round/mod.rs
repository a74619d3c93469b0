//! One round: its facts, the transitions between them, and its ending.

pub mod call;
pub mod ending;

use crate::rules::{Layout, Order, RuleSet};
use crate::units::{Dice, RoundId, Tumbles};
use serde::{Deserialize, Serialize};

/// How the dice were revealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reveal {
    /// The dome was taken away.
    Dome,
    /// Open Cover: the spin ended.
    SpinEnded,
    /// The supervisor confirmed that the dome is open although its contacts say otherwise.
    Confirmed,
}

/// Who said that the dice lie flat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FlatBy {
    /// The dice reader.
    Reader,
    /// The dealer's eye: an entry says flat.
    Dealer,
    /// The supervisor.
    Supervisor,
}

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
    /// What the dice showed; `None` for a void round.
    pub dice: Option<Dice>,
    /// Why it was void.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub void: Option<ending::VoidReason>,
}

/// How far the spin of a round is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spin {
    /// Not asked for.
    #[default]
    None,
    /// Asked for and granted; the motor waits for the record to be durable.
    Asked,
    /// The motor was commanded on, and the shaft does not stand still yet.
    Running,
    /// Over and valid.
    Valid {
        /// Full tumbles.
        tumbles: Tumbles,
    },
}

/// The facts of the round in progress. Which order they may come in is the rule set's [`Order`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Its number.
    pub id: RoundId,
    /// The rule set it keeps to its end.
    pub rules: String,
    /// The layout it keeps to its end.
    pub layout: String,
    /// That rule set's order of play.
    pub order: Order,
    /// "Place your bets" was called.
    pub bets_opened: bool,
    /// "No more bets" was called.
    pub bets_closed: bool,
    /// The spin.
    pub spin: Spin,
    /// A full tumble took longer than a healthy one may.
    pub slow: bool,
    /// How the dice were revealed.
    pub revealed: Option<Reveal>,
    /// Who said that the dice lie flat: the outcome is established.
    pub established: Option<FlatBy>,
    /// Three digits and entry were keyed, and the reader has not said what it must say before.
    pub entered: Option<Dice>,
    /// The supervisor upheld the entry against the reader.
    pub upheld: bool,
    /// The result.
    pub result: Option<Dice>,
    /// The lamps of the result were told to light, and whether they are proved.
    pub lit: Option<bool>,
}

impl Round {
    /// A round that begins now.
    #[must_use]
    pub fn begin(id: RoundId, rules: &RuleSet, layout: &Layout) -> Self {
        Self {
            id,
            rules: rules.id.clone(),
            layout: layout.id.clone(),
            order: rules.order,
            bets_opened: false,
            bets_closed: false,
            spin: Spin::None,
            slow: false,
            revealed: None,
            established: None,
            entered: None,
            upheld: false,
            result: None,
            lit: None,
        }
    }

    /// A round whose outcome was established before an interruption, and which is concluded (SGV6 5.4.1).
    #[must_use]
    pub fn conclude(from: &Interrupted, order: Order) -> Self {
        Self {
            id: from.id,
            rules: from.rules.clone(),
            layout: from.layout.clone(),
            order,
            bets_opened: true,
            bets_closed: true,
            spin: Spin::Valid { tumbles: from.tumbles },
            slow: false,
            revealed: Some(Reveal::Confirmed),
            established: Some(FlatBy::Dealer),
            entered: None,
            upheld: false,
            result: from.result,
            lit: None,
        }
    }

    /// What a restart needs to know of it; `read` is what the reader first said that the dice show.
    #[must_use]
    pub fn interrupted(&self, read: Option<Dice>) -> Interrupted {
        Interrupted {
            id: self.id,
            rules: self.rules.clone(),
            layout: self.layout.clone(),
            established: self.established.is_some(),
            tumbles: match self.spin {
                Spin::Valid { tumbles } => tumbles,
                Spin::None | Spin::Asked | Spin::Running => Tumbles(0),
            },
            read,
            result: self.result,
        }
    }

    /// Whether a spin began in this round: concealed dice may be exposed from here on.
    #[must_use]
    pub const fn has_spun(&self) -> bool {
        matches!(self.spin, Spin::Running | Spin::Valid { .. })
    }

    /// Whether the tumbler may run now, by the order of play; otherwise why not.
    ///
    /// # Errors
    /// What the dealer is told.
    pub fn may_spin(&self) -> Result<(), &'static str> {
        match self.spin {
            Spin::None => {}
            Spin::Asked | Spin::Running => return Err("the tumbler runs already"),
            Spin::Valid { .. } => return Err("this round has had its valid spin"),
        }
        if self.bets_closed {
            if self.order.spin_after_no_more_bets { Ok(()) } else { Err("\"No more bets\" was called") }
        } else if self.order.spin_before_no_more_bets {
            Ok(())
        } else {
            Err("the tumbler runs only after \"No more bets\"")
        }
    }
}
