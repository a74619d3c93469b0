//! `tumblerctl maintenance`: hand the table to a technician, and back.

use crate::context::{Context, Named};
use crate::ending::Ended;
use clap::ValueEnum;
use tumbler_core::wire::console::Command;

/// Enter or leave maintenance: the table is closed, and no game can start meanwhile
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl maintenance on --name Jo")]
pub(crate) struct Arguments {
    /// Enter or leave
    #[arg(value_enum)]
    what: What,
    #[command(flatten)]
    named: Named,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// Enter
    On,
    /// Leave
    Off,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    context.command(Command::Maintenance { on: of.what == What::On, name: of.named.name() })
}
