//! What the house's own procedures say where a rule set's text says nothing.

use crate::every::every;
use crate::prelude::*;
use crate::round::ending::Ground;
use crate::rules::RuleSet;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// What befalls a round on which a text may be silent. Where it is not, its clauses decide and nobody asks the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Situation {
    /// Something keeps the motor off, and the round's spin is still to come.
    MotorHeld,
    /// The controller was lost in the spin, or knows nothing of the round but its number.
    SpinLost,
    /// The reader sees dice that are not the three enrolled ones.
    WrongDice,
}

impl Situation {
    /// All of them.
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// Its key in the configuration, under `house`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether this text has no clause for it. SGV6 and SGOC void after a technical interruption (5.4.2), and leave to the shift manager or
    /// above what they do not provide for (5.14).
    #[must_use]
    pub fn is_left_open(self, rules: &RuleSet) -> bool {
        let ground = match self {
            Self::MotorHeld | Self::SpinLost => Ground::Interruption,
            Self::WrongDice => Ground::Decision,
        };
        !rules.voids(ground)
    }
}

/// Who ends a round on which the text is silent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Procedure {
    /// A named person decides.
    #[default]
    Person,
    /// The house's document voids it.
    Void,
}

/// The house's procedures: a named document, and what it says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct House {
    /// Name and date of the document, as records cite it; empty where the house has none.
    pub document: String,
    /// [`Situation::MotorHeld`].
    pub motor_held: Procedure,
    /// [`Situation::SpinLost`].
    pub spin_lost: Procedure,
    /// [`Situation::WrongDice`].
    pub wrong_dice: Procedure,
}

impl House {
    /// Whether there is no such document, and a named person decides everything.
    #[must_use]
    pub fn says_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// What it says of this.
    #[must_use]
    pub const fn procedure(&self, situation: Situation) -> Procedure {
        match situation {
            Situation::MotorHeld => self.motor_held,
            Situation::SpinLost => self.spin_lost,
            Situation::WrongDice => self.wrong_dice,
        }
    }

    /// The document that voids a round in this situation, if one does.
    #[must_use]
    pub fn voids(&self, situation: Situation) -> Option<&str> {
        (self.procedure(situation) == Procedure::Void).then_some(self.document.as_str())
    }
}
