//! `tumblerctl witness`: say what only a person can see in the opening tests.

use crate::context::{Context, Named};
use crate::ending::Ended;
use clap::ValueEnum;
use tumbler_core::wire::console::{Command, Witness};

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Item {
    /// The areas that lit were the ones of each test result
    Areas,
    /// The dice compartment's seal looks whole
    Seal,
    /// The bell was heard
    Bell,
    /// The sign was seen
    Sign,
    /// Three dice lie in the compartment under the seal: asked where no dice reader sees them
    Dice,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WitnessAnswer {
    /// It was right
    Yes,
    /// It was not
    No,
}

impl Item {
    /// All, in the order in which they are asked for.
    pub(crate) const ALL: [Self; 5] = [Self::Areas, Self::Seal, Self::Bell, Self::Sign, Self::Dice];

    /// Its name, as in prompts.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// What answers it, as it is typed.
    pub(crate) fn command(self) -> String {
        format!("tumblerctl witness {} yes|no --name NAME", self.name())
    }

    /// As the console names it.
    pub(crate) const fn witness(self) -> Witness {
        match self {
            Self::Areas => Witness::Areas,
            Self::Seal => Witness::Seal,
            Self::Bell => Witness::Bell,
            Self::Sign => Witness::Sign,
            Self::Dice => Witness::Dice,
        }
    }
}

/// Say what only a person can see in the opening tests (NZ 5)
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl witness seal yes --name Mei")]
pub(crate) struct Arguments {
    /// What was looked at
    #[arg(value_enum)]
    item: Item,
    /// Whether it was right
    #[arg(value_enum)]
    found: WitnessAnswer,
    #[command(flatten)]
    named: Named,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let (item, right) = (of.item.witness(), of.found == WitnessAnswer::Yes);
    context.command(Command::Witness { item, right, name: of.named.name() })
}
