//! `tumblerctl interrupted`: say what became of the dice, where a round waits for that.

use crate::context::{Context, Named};
use crate::ending::Ended;
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::ContextKind;
use clap::{Arg, Command, Error, ValueEnum};
use std::ffi::OsStr;
use tumbler_core::round::Finding;
use tumbler_core::wire::console;

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
    #[arg(value_parser = Untipped(EnumValueParser::new()))]
    found: DicePose,
    /// What there is to say of it; needed where a person decides
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    reason: String,
    #[command(flatten)]
    named: Named,
}

/// Reads what was found. A word that is none of these gets no tip: the nearest may say the opposite, as `undisturbed` does of `disturbed`.
#[derive(Clone, Debug)]
struct Untipped(EnumValueParser<DicePose>);

impl TypedValueParser for Untipped {
    type Value = DicePose;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<DicePose, Error> {
        self.0.parse_ref(command, argument, value).map_err(|mut error| {
            error.remove(ContextKind::SuggestedValue);
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let finding = match of.found {
        DicePose::Undisturbed => Finding::Undisturbed,
        DicePose::NotFlat => Finding::NotFlat,
        DicePose::CannotTell => Finding::CannotTell,
    };
    context.command(console::Command::Finding { finding, reason: of.reason.clone(), name: of.named.name() })
}
