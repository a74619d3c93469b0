//! `tumblerctl dice`: the sealed set of dice.

use crate::context::{Context, Named};
use crate::ending::Ended;
use tumbler_core::wire::console::Command;

/// The sealed set of dice
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl dice enrol --reason \"new sealed set 4711\" --name Mei")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Enrol(Enrol),
}

/// Enrol the sealed set of dice that the reader sees now: from here on no others are accepted
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl dice enrol --reason \"new sealed set 4711\" --name Mei")]
struct Enrol {
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    named: Named,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let What::Enrol(of) = &of.what;
    context.command(Command::EnrolDice { reason: of.reason.clone(), name: of.named.name() })
}
