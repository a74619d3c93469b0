//! `tumblerctl settle`: settle the round by the dice as they lie.

use crate::context::{Context, Named};
use crate::ending::Ended;
use crate::odds;
use tumbler_core::units::Dice;
use tumbler_core::wire::console::Command;

/// Settle the round by the dice as they lie, where the equipment cannot (NZ 7.3, SGV6 5.10)
///
/// In two steps where no result was entered: with --dice this enters it; then losers are collected and winners paid, and once all are
/// paid, some seconds later, a second `settle` without --dice ends the round. Where a result stands, only the second is needed; one
/// that is wrong is amended first (`amend`).
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl settle --dice 2,2,5 --reason \"terminal is dead\" --name Mei\n  tumblerctl settle --reason \"terminal is dead\" --name Mei"
)]
pub(crate) struct Arguments {
    /// What the dice show, in any order: needed where no result was entered, and refused where another stands
    #[arg(long, value_name = "A,B,C", value_parser = odds::dice)]
    dice: Option<Dice>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    named: Named,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    context.command(Command::Settle { dice: of.dice, reason: of.reason.clone(), name: of.named.name() })
}
