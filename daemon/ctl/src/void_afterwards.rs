//! `tumblerctl void-afterwards`: find an earlier round affected.

use crate::context::{Context, Named};
use crate::ending::Ended;
use tumbler_core::units::RoundId;
use tumbler_core::wire::console::Command;

/// Record that an earlier round was affected by damaged dice (SGV6 5.6); its first ending stays
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl void-afterwards 1207 --reason \"chipped die found at 04:10\" --name Mei"
)]
pub(crate) struct Arguments {
    /// The round's number
    round: u64,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    named: Named,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let (round, reason) = (RoundId(of.round), of.reason.clone());
    context.command(Command::VoidAfterwards { round, reason, name: of.named.name() })
}
