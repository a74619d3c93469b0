//! `tumblerctl supervise`: see wrong numbers amended, which the dealer keys.

use crate::context::{Context, Named};
use crate::ending::Ended;
use tumbler_core::wire::console::Command;

/// Supervise the amendment of wrong numbers that the dice reader noticed: the dealer keys them again (NZ 7.2)
///
/// Until then the terminal takes no others. Where a result stands already, `amend` is for it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl supervise --name Mei")]
pub(crate) struct Arguments {
    #[command(flatten)]
    named: Named,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    context.command(Command::Supervise { name: of.named.name() })
}
