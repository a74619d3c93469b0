//! `tumblerctl confirm-dome`: say that the dome is open although its contacts say otherwise.

use crate::context::{Context, Named};
use crate::ending::Ended;
use tumbler_core::wire::console::Command;

/// Confirm that the dome is open although its contacts say otherwise (SGV6 5.14)
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl confirm-dome --reason \"contact is broken, dome is off\" --name Mei")]
pub(crate) struct Arguments {
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    named: Named,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    context.command(Command::ConfirmDome { reason: of.reason.clone(), name: of.named.name() })
}
