//! `tumblerctl record`: write out the recording of raw inputs.

use crate::context::Context;
use crate::ending::Ended;
use tumbler_core::wire::console::Command;

/// Write out the ring of raw inputs now and print the path of the file, which `tumblerctl replay` reads
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl record")]
pub(crate) struct Arguments {}

pub(crate) fn run(context: &Context) -> anyhow::Result<Ended> {
    context.command(Command::Record)
}
