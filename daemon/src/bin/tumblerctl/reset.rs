//! `tumblerctl reset`: open a malfunction's latch.

use crate::context::{Context, Named};
use crate::ending::Ended;
use tumbler_core::latch::Code;
use tumbler_core::wire::console::{Command, Exit};

/// Open a malfunction's latch (NZ 7.4); needs the supervisor's key, turned after the malfunction
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tumblerctl reset dome --rectified --name Mei\n  tumblerctl reset lamps --procedure \"areas are called and marked by hand\" --name Mei"
)]
#[command(group = clap::ArgGroup::new("exit").required(true))]
pub(crate) struct Arguments {
    /// The malfunction, as `tumblerctl faults` names it
    code: Code,
    /// It has been put right: a test of that very device proves it
    #[arg(long, group = "exit")]
    rectified: bool,
    /// This procedure replaces the check until the table closes; for lamps, terminal and reader only
    #[arg(long, value_name = "TEXT", group = "exit")]
    procedure: Option<String>,
    #[command(flatten)]
    named: Named,
}

pub(crate) fn run(context: &Context, of: &Arguments) -> anyhow::Result<Ended> {
    let exit = of.procedure.clone().map_or(Exit::Rectified, Exit::Procedure);
    context.command(Command::Reset { code: of.code, exit, name: of.named.name() })
}
