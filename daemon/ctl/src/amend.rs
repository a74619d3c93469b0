//! `tumblerctl amend`: correct the numbers entered.

use crate::context::{Context, Named};
use crate::ending::Ended;
use crate::odds;
use tumbler_core::units::Dice;
use tumbler_core::wire::console::Command;

/// Amend the numbers entered, before the wagers are settled (NZ 7.2)
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl amend --dice 1,3,6 --name Mei")]
pub(crate) struct Arguments {
    /// What the dice show, in any order
    #[arg(long, value_name = "A,B,C", value_parser = odds::dice)]
    dice: Dice,
    /// The dice do show these numbers although the dice reader disagrees: the reader is wrong
    #[arg(long)]
    uphold: bool,
    #[command(flatten)]
    named: Named,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    context.command(Command::Amend { dice: of.dice, uphold: of.uphold, name: of.named.name() })
}
