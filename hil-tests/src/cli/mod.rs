//! The command line.

mod bench;
mod campaign;
mod demo;
mod diff;
mod endure;
mod kills;
mod list;
mod manual;
mod matrix;
mod new;
mod output;
mod replay;
mod report;
mod run;
mod say;
mod schema;
mod search;
mod selftest;
mod serve;
mod shard;
mod shrink;
mod signals;
mod steps;
mod words;

use crate::report::{PASSED, RIG};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use tumbler_bench::process::harness;

/// The rig of tumblerd: plays the outside world of a table, breaks it on purpose, and says whether the daemon did the right thing.
///
/// Exit codes: 0 passed; 1 the table did something else than the rules say, or something was not run that should have
/// been; 2 the bench or the rig is at fault, so that nothing is known about the table; 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "tumbler-hil", version)]
#[command(after_help = "Example:\n  tumbler-hil selftest\n  tumbler-hil matrix --keep-going --out results")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the scenarios, under every layout that they apply to.
    #[command(after_help = "Example:\n  tumbler-hil list stall --rules nz-div9")]
    List(Choice),
    /// Look up the words of scenarios: steps, checks, commands, faults, phases and what else has a name, each with its meaning.
    #[command(after_help = "Example:\n  tumbler-hil steps\n  tumbler-hil steps flicker")]
    Steps(steps::StepsArgs),
    /// Write a scenario to begin with: it plays, passes, and has a comment at each line.
    #[command(after_help = "Example:\n  tumbler-hil new dome-flickers")]
    New(new::NewArgs),
    /// Print the JSON Schema of a kind of file, by which editors complete and mark such files.
    #[command(after_help = "Example:\n  tumbler-hil schema scenario")]
    Schema(schema::SchemaArgs),
    /// Run scenarios on a bench.
    #[command(
        after_help = "Example:\n  tumbler-hil run healthy --bench pure\n  tumbler-hil run mine.toml other.toml --bench pure\n  tumbler-hil run --each-once --keep-going --jobs 6 --out results"
    )]
    Run(RunArgs),
    /// Inject every fault of the catalogue in every phase of a round under every rule set.
    #[command(
        after_help = "Example:\n  tumbler-hil matrix --keep-going\n  tumbler-hil matrix --fault motor.stall --phase tumbling --rules nz-div9"
    )]
    Matrix(matrix::MatrixArgs),
    /// Measure speeds and sizes, each with its baseline from the same run.
    #[command(after_help = "Example:\n  tumbler-hil bench\n  tumbler-hil bench guard --samples 1000")]
    Bench(bench::BenchArgs),
    /// Play rounds on a whole table on this machine, some of which go wrong, with a live commentary.
    #[command(
        after_help = "Example:\n  tumbler-hil demo --rules nz-div9 --layout nz-div9-2 --seed 7 --panel 127.0.0.1:8080\n  tumbler-hil demo --by-hand --panel 127.0.0.1:8080 --accounts accounts"
    )]
    Demo(demo::DemoArgs),
    /// The bare loop that `bench` compares the daemon with.
    #[command(hide = true)]
    EchoLoop {
        /// The socket to connect to.
        socket: PathBuf,
    },
    /// The bare loop that `bench edge` compares the daemon with.
    #[command(hide = true)]
    EdgeLoop {
        /// The label of the chip.
        chip: String,
    },
    /// Play on a disk until this machine loses power, after checking what the last power cut left. For scripts/power-cuts.
    #[command(hide = true)]
    Endure(endure::EndureArgs),
    /// Play random rounds on the pure bench, healthy or with random faults, until the judges find a violation.
    #[command(
        after_help = "Example:\n  tumbler-hil campaign --faults swarm --seed 1 --rounds 5000 --jobs 2 --out found.toml"
    )]
    Campaign(campaign::CampaignArgs),
    /// Say what this build does otherwise than another build, or than what is pinned in the fixtures.
    #[command(
        after_help = "Example:\n  tumbler-hil diff\n  tumbler-hil diff --with ../before/target/debug/tumbler-hil motor.stall"
    )]
    Diff(diff::DiffArgs),
    /// Make the results page again, from one or more results.
    #[command(after_help = "Example:\n  tumbler-hil report bench-1/ bench-2/ --out together/")]
    Report(report::ReportArgs),
    /// Shrink a failing scenario, or the first failing day of a campaign, to the shortest one that fails in the same way.
    #[command(after_help = "Example:\n  tumbler-hil shrink found.toml --out shrunk.toml")]
    Shrink(shrink::ShrinkArgs),
    /// Kill the daemon at each sync and write of a whole round, and check what happens to the table.
    #[command(after_help = "Example:\n  tumbler-hil kills --rules sg-v6")]
    Kills(kills::KillsArgs),
    /// Play a table's recording back against this build's core, and turn it into a scenario.
    #[command(after_help = "Example:\n  tumbler-hil replay 000001-void.jsonl.zst --scenario incident.toml")]
    Replay(replay::ReplayArgs),
    /// Search everything that people and faults can do, in every order up to a depth, and check the invariants.
    #[command(after_help = "Example:\n  tumbler-hil search --depth 2 --rules nz-div9")]
    Search(search::SearchArgs),
    /// Check the rig itself: wires loop back, the clock is steady, the broker is reachable.
    #[command(after_help = "Example:\n  tumbler-hil selftest\n  tumbler-hil selftest --bench pi")]
    Selftest(selftest::SelftestArgs),
    /// Play the cells that another program asks for, over standard input and output, a line of JSON a request and an event.
    ///
    /// hil-tests/docs/serve.md has the requests and the events. Verdicts do not change the exit code.
    #[command(after_help = "Example:\n  tumbler-hil serve --bench pure --out results")]
    Serve(serve::ServeArgs),
    /// Serve the pins of a second Pi to the bench, over standard input and output.
    ///
    /// A bench of kind `pi` starts it itself, with the command `reach` of its [wiring]: hil-tests/docs/pi.md.
    #[command(after_help = "Example:\n  tumbler-hil wires")]
    Wires,
    /// Write the manual pages of this program.
    #[command(after_help = "Example:\n  tumbler-hil man /usr/local/share/man/man1")]
    Man {
        /// The directory to write to; it is created if it does not exist.
        directory: PathBuf,
    },
    /// Print a shell's completions.
    #[command(
        after_help = "Example:\n  tumbler-hil completions bash > ~/.local/share/bash-completion/completions/tumbler-hil"
    )]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// Which scenarios.
#[derive(Debug, Args)]
struct Choice {
    /// Scenarios whose names contain one of these; default: all. `stall::nz-1998` selects one under one layout. Paths that end in
    /// `.toml` are scenario files, which are played instead of the bench's own.
    #[arg(value_name = "SCENARIO")]
    scenarios: Vec<String>,
    /// The bench: its file, or the name of one that comes with the rig.
    #[arg(long, value_name = "BENCH", default_value = "virtual", value_parser = bench_file)]
    bench: PathBuf,
    /// Only under these rule sets.
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    rules: Vec<String>,
    /// Only under these layouts.
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    layout: Vec<String>,
    /// Match whole names only.
    #[arg(long)]
    only: bool,
    /// Each variant of each scenario only once, under one layout that changes from variant to variant.
    #[arg(long)]
    each_once: bool,
}

#[derive(Debug, Args)]
struct RunArgs {
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    flags: output::RunFlags,
}

/// The file of a bench, for the command line.
fn bench_file(given: &str) -> Result<PathBuf, String> {
    tumbler_bench::file::find(given).map_err(|wrong| wrong.to_string())
}

/// A rule set's id, for the command line.
fn rule_set(id: &str) -> Result<String, String> {
    crate::scenario::names::rule_set(id).map(|set| set.id.clone()).map_err(|wrong| wrong.to_string())
}

/// Runs the command line.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => {
            // Help is told so, too.
            let code = if told.print().is_ok() { u8::try_from(told.exit_code()).unwrap_or(RIG) } else { RIG };
            return ExitCode::from(code);
        }
    };
    signals::watch();
    tumbler_bench::process::workdir::sweep();
    let code = match cli.command {
        Command::List(choice) => list::list(&choice),
        Command::Steps(args) => steps::steps(&args),
        Command::New(args) => new::new(&args),
        Command::Schema(args) => schema::schema(&args),
        Command::Run(args) => run::run(&args),
        Command::Matrix(args) => matrix::matrix(&args),
        Command::Bench(args) => bench::bench(&args),
        Command::EchoLoop { socket } => {
            crate::measure::guard::echo(&socket).map(|()| PASSED).map_err(anyhow::Error::from)
        }
        Command::EdgeLoop { chip } => crate::measure::edge::answer(&chip).map(|()| PASSED),
        Command::Demo(args) => demo::demo(&args),
        Command::Campaign(args) => campaign::campaign(&args),
        Command::Diff(args) => diff::diff(&args),
        Command::Report(args) => report::report(&args),
        Command::Shrink(args) => shrink::shrink(&args),
        Command::Kills(args) => kills::kills(&args),
        Command::Endure(args) => endure::endure(&args),
        Command::Replay(args) => replay::replay(&args),
        Command::Search(args) => search::search(&args),
        Command::Selftest(args) => selftest::selftest(&args),
        Command::Serve(args) => serve::serve(&args),
        Command::Wires => harness::serve::serve(std::io::stdin(), std::io::stdout()).map(|()| PASSED),
        Command::Man { directory } => manual::man(&directory),
        Command::Completions { shell } => manual::completions(shell),
    };
    if let Some(why) = say::lost() {
        say::error(&format!("the output could not be written: {why}"));
    }
    match code {
        Ok(PASSED) if say::lost().is_some() => ExitCode::from(RIG),
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            say::error(&format!("{error:#}"));
            ExitCode::from(RIG)
        }
    }
}
