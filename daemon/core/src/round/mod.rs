//! One round: its facts, the transitions between them, and its ending.

pub mod call;
pub mod ending;
pub mod question;

use crate::refusal::Refusal;
use crate::rules::{Layout, Order, RuleSet};
use crate::units::{Dice, Mono, RoundId, Tumbles};
use ending::Ground;
pub use question::{Doubt, Finding};
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

/// How the spin of an interrupted round had ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spun {
    /// Whether it is a valid spin.
    pub valid: bool,
    /// Net steps of the cam that were counted.
    pub steps: u32,
    /// What ended it.
    pub how: SpinEnd,
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
    /// A round that has just ended: with these dice, or void.
    #[must_use]
    pub fn of(id: RoundId, rules: &str, dice: Option<Dice>, void: Option<ending::VoidReason>) -> Self {
        Self { id, rules: rules.to_owned(), dice, void, affected: None }
    }
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

/// What ended a spin: the first thing that did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SpinEnd {
    /// It reached its target and came to a stand.
    Target,
    /// The spin's time limit.
    TimeLimit,
    /// The dome's contacts: it was opened, or they broke.
    Dome,
    /// The seal's loop.
    Seal,
    /// The supply dipped.
    Supply,
    /// The motor driver reported a fault.
    Driver,
    /// The cam made no progress.
    Stall,
    /// The cam ran backwards.
    Reverse,
    /// The cam showed steps that a driven shaft does not make.
    Erratic,
    /// Edges of the cam were lost.
    LostEdges,
    /// The shaft turned on too long, or motor power stayed.
    RunsOn,
    /// A tumble took longer than a healthy one may.
    Slow,
    /// The motor was too hot, or its sensor cannot be believed.
    Heat,
    /// The dealer's button "No spin".
    NoSpin,
    /// The wires can no longer be watched or driven.
    Wires,
    /// The journal cannot be written.
    Journal,
    /// The daemon stood still, or was stopped.
    Interruption,
    /// A person voided the round.
    Decision,
    /// A record of version 1, which told it in words.
    Unknown,
}

impl SpinEnd {
    /// All of them.
    pub const ALL: [Self; 19] = [
        Self::Target,
        Self::TimeLimit,
        Self::Dome,
        Self::Seal,
        Self::Supply,
        Self::Driver,
        Self::Stall,
        Self::Reverse,
        Self::Erratic,
        Self::LostEdges,
        Self::RunsOn,
        Self::Slow,
        Self::Heat,
        Self::NoSpin,
        Self::Wires,
        Self::Journal,
        Self::Interruption,
        Self::Decision,
        Self::Unknown,
    ];

    /// Its name, as in records and documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::TimeLimit => "time-limit",
            Self::Dome => "dome",
            Self::Seal => "seal",
            Self::Supply => "supply",
            Self::Driver => "driver",
            Self::Stall => "stall",
            Self::Reverse => "reverse",
            Self::Erratic => "erratic",
            Self::LostEdges => "lost-edges",
            Self::RunsOn => "runs-on",
            Self::Slow => "slow",
            Self::Heat => "heat",
            Self::NoSpin => "no-spin",
            Self::Wires => "wires",
            Self::Journal => "journal",
            Self::Interruption => "interruption",
            Self::Decision => "decision",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the steps counted until then can be believed.
    #[must_use]
    pub const fn is_counted(self) -> bool {
        !matches!(self, Self::Reverse | Self::Erratic | Self::LostEdges)
    }
}

impl<'de> Deserialize<'de> for SpinEnd {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(Self::ALL.into_iter().find(|end| end.name() == name).unwrap_or(Self::Unknown))
    }
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
