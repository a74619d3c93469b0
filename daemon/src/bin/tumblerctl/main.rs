//! The command line of the table: what technicians and supervisors type.
//!
//! Exit codes: 0 done, 1 refused or found wrong, 2 wrong usage or the daemon cannot be reached.

mod ending;
mod layouts;
mod odds;
mod say;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Talks to the daemon of a Tai-Sai table, and knows the layouts without one.
///
/// Exit codes: 0 done, 1 refused or found wrong, 2 wrong usage or the daemon cannot be reached.
#[derive(Debug, Parser)]
#[command(name = "tumblerctl", version, max_term_width = 100)]
struct Arguments {
    /// Answer in JSON, for scripts
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Layouts(layouts::Arguments),
    Odds(odds::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let ended = match arguments.what {
        What::Layouts(_) => layouts::run(arguments.json),
        What::Odds(of) => odds::run(&of, arguments.json),
    };
    ending::code(ended)
}
