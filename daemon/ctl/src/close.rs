//! `tumblerctl close`: close the table.

use crate::context::{Context, Named};
use crate::ending::Ended;
use tumbler_core::wire::console::Command;

/// Close the table for gaming; in mid-round, after the round
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl close --name Mei")]
pub(crate) struct Arguments {
    #[command(flatten)]
    named: Named,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    context.command(Command::Close { name: of.named.name() })
}
