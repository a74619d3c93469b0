//! The round in progress.

use super::ending::Ground;
use super::past::Interrupted;
use super::question::Doubt;
use super::spin::{Spin, Spun};
use super::{FlatBy, Reveal};
use crate::refusal::Refusal;
use crate::rules::{Layout, Order, RuleSet};
use crate::units::{Dice, Mono, RoundId, Tumbles};
use serde::{Deserialize, Serialize};

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
    /// A spin was granted and not dropped before it started.
    pub began: bool,
    /// How it ended.
    pub spun: Option<Spun>,
    /// A full tumble took longer than a healthy one may.
    pub slow: bool,
    /// Facts that void it where its rule set says so, besides what voids it first.
    pub grounds: Vec<Ground>,
    /// How the dice were revealed.
    pub revealed: Option<Reveal>,
    /// Who said that the dice lie flat: the outcome is established.
    pub established: Option<FlatBy>,
    /// A person is asked what became of the dice; nothing goes on before.
    pub asked: Option<Doubt>,
    /// Three digits and entry were keyed, and the reader has not said what it must say before.
    pub entered: Option<Dice>,
    /// The supervisor upheld the entry against the reader.
    pub upheld: bool,
    /// The result.
    pub result: Option<Dice>,
    /// The lamps of the result were told to light, and whether they are proved. `None` again once proved ones have failed.
    pub lit: Option<bool>,
    /// When the result was taken or amended last, or found by a restart.
    pub result_at: Mono,
    /// When its areas were proved lit last.
    pub lit_at: Mono,
    /// Wrong numbers were keyed, and the game supervisor has not come to see them amended (NZ 7.2).
    pub supervise: bool,
}

impl Round {
    /// Whether the dice of a valid spin may be seen, and nobody has said yet how they lie.
    #[must_use]
    pub const fn lies_open(&self) -> bool {
        self.revealed.is_some() && self.established.is_none() && matches!(self.spin, Spin::Valid { .. })
    }

    /// A round that begins now.
    #[must_use]
    pub fn begin(id: RoundId, rules: &RuleSet, layout: &Layout) -> Self {
        Self::new(id, rules.id.clone(), layout.id.clone(), rules.order)
    }

    /// A round of which nothing is known yet.
    const fn new(id: RoundId, rules: String, layout: String, order: Order) -> Self {
        Self {
            id,
            rules,
            layout,
            order,
            bets_opened: false,
            bets_closed: false,
            spin: Spin::None,
            began: false,
            spun: None,
            slow: false,
            grounds: Vec::new(),
            revealed: None,
            established: None,
            asked: None,
            entered: None,
            upheld: false,
            result: None,
            lit: None,
            result_at: Mono(0),
            lit_at: Mono(0),
            supervise: false,
        }
    }

    /// A round as it stood before an interruption, as far as that is recorded. One whose outcome was established is concluded
    /// (SGV6 5.4.1).
    #[must_use]
    pub fn resume(from: &Interrupted, order: Order) -> Self {
        let valid = from.established || from.spun.is_some_and(|spun| spun.valid);
        Self {
            bets_opened: from.bets_opened || from.established,
            bets_closed: from.bets_closed || from.established,
            spin: if valid { Spin::Valid { tumbles: from.tumbles } } else { Spin::None },
            began: from.began,
            spun: from.spun,
            revealed: from.revealed.or(from.established.then_some(Reveal::Confirmed)),
            established: from.established.then_some(FlatBy::Dealer),
            asked: from.asked,
            result: from.result,
            supervise: from.supervise,
            ..Self::new(from.id, from.rules.clone(), from.layout.clone(), order)
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
            began: self.began,
            spun: self.spun,
            bets_opened: self.bets_opened,
            bets_closed: self.bets_closed,
            revealed: self.revealed,
            asked: self.asked,
            supervise: self.supervise,
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
    pub fn may_spin(&self) -> Result<(), Refusal> {
        if self.asked.is_some() {
            return Err(Refusal::AskedBeforeMotion);
        }
        match self.spin {
            Spin::None => {}
            Spin::Asked | Spin::Running => return Err(Refusal::RunsAlready),
            Spin::Valid { .. } => return Err(Refusal::HasHadItsSpin),
        }
        if self.bets_closed {
            if self.order.spin_after_no_more_bets { Ok(()) } else { Err(Refusal::BetsClosed) }
        } else if self.order.spin_before_no_more_bets {
            Ok(())
        } else {
            Err(Refusal::BetsOpen)
        }
    }
}
