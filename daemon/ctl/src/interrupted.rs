//! `tumblerctl interrupted`: say what became of the dice, where a round waits for that.

use crate::context::{Context, Named};
use crate::ending::Ended;
use clap::ValueEnum;
use tumbler_core::round::Finding;
use tumbler_core::wire::console::Command;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DicePose {
    /// The dice lie flat and undisturbed; under a dome that is on: undisturbed
    Undisturbed,
    /// A die does not lie flat
    NotFlat,
    /// Nobody can tell: a named person decides, and the round is void
    CannotTell,
}

/// Say how the dice lie, in a round that was interrupted (SGV6 5.4) or whose dice were moved
///
/// This asks for a fact, not for a choice: undisturbed dice go on where play stood, one that does not lie flat voids the round, and
/// where nobody can tell a person decides: under Singapore's rules the shift manager or above (5.14), in the group tumbler-manager.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl interrupted undisturbed --name Mei\n  tumblerctl interrupted cannot-tell --reason \"the table was left alone\" --name Ana"
)]
pub(crate) struct Arguments {
    /// What was found
    #[arg(value_enum)]
    found: DicePose,
    /// What there is to say of it; needed where a person decides
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    reason: String,
    #[command(flatten)]
    named: Named,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let finding = match of.found {
        DicePose::Undisturbed => Finding::Undisturbed,
        DicePose::NotFlat => Finding::NotFlat,
        DicePose::CannotTell => Finding::CannotTell,
    };
    context.command(Command::Finding { finding, reason: of.reason.clone(), name: of.named.name() })
}
