//! `tumblerctl void`: void the round in progress.

use crate::context::{Context, Named};
use crate::ending::Ended;
use tumbler_core::wire::console::Command;

/// Void the round in progress (SGV6 5.14)
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl void --reason \"a chip fell into the dome\" --name Mei\n  tumblerctl void --damaged-dice --name Mei"
)]
#[command(group = clap::ArgGroup::new("why").required(true).multiple(true))]
pub(crate) struct Arguments {
    /// Why
    #[arg(long, value_name = "TEXT", group = "why")]
    reason: Option<String>,
    /// A die is damaged: voids even an established outcome where the rules say so (SGV6 5.6; New Zealand's do not). Between rounds
    /// it takes the dice out of service
    #[arg(long, group = "why")]
    damaged_dice: bool,
    /// A die does not lie flat, and the dice reader does not say so (NZ 7.1(a), SGV6 5.5.2)
    #[arg(long, group = "why", conflicts_with = "damaged_dice")]
    not_flat: bool,
    #[command(flatten)]
    named: Named,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let found = if of.damaged_dice { "a die is damaged" } else { "a die does not lie flat" };
    let reason = of.reason.clone().unwrap_or_else(|| found.to_owned());
    let (damaged_dice, not_flat) = (of.damaged_dice, of.not_flat);
    context.command(Command::Void { reason, damaged_dice, not_flat, name: of.named.name() })
}
