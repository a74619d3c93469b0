//! The kinds of records, and of what is recorded in words, so that programs need not read them.

use super::{Event, Kind};
use crate::every::every;
use crate::prelude::*;
use crate::round::call;
use crate::units::Dice;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

impl Kind {
    /// All kinds.
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// Its name, as in records and documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What was found wrong and changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Remark {
    /// The tumbler is activated after "Place your bets" (NZ 6.1 has the spin first).
    LateSpin,
    /// What would have voided the round, but its dice had fallen: people are asked how they lie.
    AfterSpin,
    /// What would have voided the round, but its outcome was established.
    AfterOutcome,
    /// The dice moved after they had settled, and their faces had been read.
    DiceMoved,
    /// Another board took the table over, with its journal.
    BoardReplaced,
}

/// What a person decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The round is void, which the rules leave open (SGV6 5.14).
    Void,
    /// A die does not lie flat, and the round is void.
    NotFlat,
    /// A die is damaged, and no round is in progress.
    DiceDamaged,
    /// A die is damaged; the result of the round in progress stands (NZ 4.9).
    DiceDamagedResultStands,
    /// A die is damaged, and the round in progress is void.
    DiceDamagedVoid,
    /// The dome is open although its contacts say otherwise.
    DomeOpen,
    /// What the dice show, which nobody keyed.
    DiceShow,
    /// What was keyed is what the dice show, whatever the reader reads.
    Upheld,
    /// The round is settled by the dice.
    SettledByDice,
    /// The dice on the table are those that belong there.
    DiceEnrolled,
}

impl Decision {
    /// In words, for people. Of the dice it says what they show besides.
    const fn text(self) -> &'static str {
        match self {
            Self::Void => "void",
            Self::NotFlat => "a die does not lie flat",
            Self::DiceDamaged => "a die is damaged",
            Self::DiceDamagedResultStands => "a die is damaged; the result stands",
            Self::DiceDamagedVoid => "a die is damaged; the round is void",
            Self::DomeOpen => "the dome is open although its contacts say otherwise",
            Self::DiceShow | Self::Upheld => "the dice show",
            Self::SettledByDice => "settled by the dice",
            Self::DiceEnrolled => "dice enrolled",
        }
    }
}

/// Records that have one, with their words.
impl Event {
    /// Something was found wrong that changes nothing.
    #[must_use]
    pub const fn noted(kind: Remark, what: String) -> Self {
        Self::Noted { kind: Some(kind), what }
    }

    /// A person decided this.
    #[must_use]
    pub fn decided(kind: Decision, reason: &str, by: &str) -> Self {
        let what = kind.text().to_owned();
        Self::Decided { kind: Some(kind), what, reason: reason.to_owned(), by: by.to_owned() }
    }

    /// A person decided what the dice show: `kind` is [`Decision::DiceShow`] or [`Decision::Upheld`].
    #[must_use]
    pub fn dice_show(kind: Decision, dice: Dice, reason: &str, by: &str) -> Self {
        let what = format!("{} {}", kind.text(), call::result(dice));
        Self::Decided { kind: Some(kind), what, reason: reason.to_owned(), by: by.to_owned() }
    }
}
