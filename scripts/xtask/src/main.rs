//! What the scripts do: lanes, canaries, mutants, flakes, and the tools that they need. Each script is a door: it installs what builds
//! this program, and becomes it.

mod bill;
mod canary;
mod ci;
mod copy;
mod flakes;
mod guard;
mod install;
mod lanes;
mod mutants;
mod play;
mod repository;
mod rotation;
mod say;
mod schedule;
mod shard;
mod shell;
mod work;
mod workspace;

use crate::shell::{NOT_CHECKED, NotChecked};
use anyhow::Result;
use bill::BillArgs;
use canary::CanaryArgs;
use clap::{Args, Parser, Subcommand};
use flakes::FlakesArgs;
use install::{Installer, Tool};
use lanes::{LANES, Lane, Plays};
use mutants::MutantsArgs;
use repository::Repository;
use std::process::ExitCode;

/// What the scripts do.
#[derive(Debug, Parser)]
#[command(name = "xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// The tests, lane by lane; exits 1 if any lane failed. Installs what it needs.
    #[command(override_usage = "scripts/test [--quick] [--yes] [LANE]...", after_help = listed())]
    Test(TestArgs),
    /// Everything that must hold before a change lands.
    #[command(override_usage = ".ci/run [--yes]")]
    Ci {
        /// Install what is missing without a question.
        #[arg(long)]
        yes: bool,
    },
    #[command(override_usage = "scripts/canary [--shard I/N] [--list | --check] [NAME]...\n       \
                                scripts/canary --free-play [--shard I/N] [NAME]...")]
    Canary(CanaryArgs),
    #[command(
        override_usage = "scripts/mutants [--in-diff BASE | --changed | --shard I/N | --missed] [--at-most N] [--summary]\n       \
                                scripts/mutants --judges-alone [--at-most N] [--rounds N]"
    )]
    Mutants(MutantsArgs),
    #[command(override_usage = "scripts/flakes [N] [--from I] [--beside COMMAND] [ARGUMENT OF tumbler-hil run]...")]
    Flakes(FlakesArgs),
    /// Compares what a program holds, what its bill of materials says and Cargo.lock.
    #[command(hide = true)]
    Bill(BillArgs),
    /// One lane, in this process.
    #[command(hide = true)]
    Lane {
        /// Its name.
        name: String,
    },
    /// Installs packages and tools, and prints PATH with the tools.
    #[command(hide = true)]
    Need {
        /// Debian packages.
        packages: Vec<String>,
        /// A tool from crates.io.
        #[arg(long)]
        tool: Vec<String>,
        /// What `scripts/NAME/package-lock.json` asks for; prints its directory.
        #[arg(long)]
        node: Option<String>,
        /// QEMU's program and Debian's package with it.
        #[arg(long, num_args = 2)]
        qemu: Vec<String>,
    },
}

#[derive(Debug, Args)]
struct TestArgs {
    /// The lanes `quick` and `doc`.
    #[arg(long, conflicts_with = "lanes")]
    quick: bool,
    /// Install what is missing without a question.
    #[arg(long)]
    yes: bool,
    /// Lanes, in any order; all that run always, where none is named.
    #[arg(value_name = "LANE")]
    lanes: Vec<String>,
}

fn listed() -> String {
    let list = |wanted: fn(Plays) -> bool| {
        let lanes = LANES.iter().filter(|lane| wanted(lane.plays));
        lanes.map(|lane| format!("  {:<15} {}", lane.name, lane.about)).collect::<Vec<_>>().join("\n")
    };
    format!(
        "Lanes:\n{}\n\nOf these each commit has one, by turns:\n{}\n\nThese run only when they are named, as they take long:\n{}",
        list(|plays| plays == Plays::Always),
        list(|plays| matches!(plays, Plays::InTurn(_))),
        list(|plays| plays == Plays::Named)
    )
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(why) => {
            let _ = why.print();
            return if why.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    match run(cli.task) {
        Err(why) if why.is::<NotChecked>() => ExitCode::from(NOT_CHECKED),
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            say::error(&format!("{why:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Whether all is well.
fn run(task: Task) -> Result<bool> {
    let repository = Repository::find()?;
    match task {
        Task::Test(args) => {
            let lanes = chosen(&repository, &args)?;
            play::play(&repository, &lanes, args.yes)
        }
        Task::Ci { yes } => ci::ci(&repository, yes),
        Task::Canary(args) => canary::canary(&repository, &args),
        Task::Mutants(args) => mutants::mutants(&repository, &args),
        Task::Flakes(args) => flakes::flakes(&repository, &args),
        Task::Lane { name } => match play::lane(&repository, &name) {
            Err(why) if why.is::<NotChecked>() => Err(why),
            done => Ok(done.is_ok()),
        },
        Task::Bill(args) => bill::bill(&repository, &args).map(|()| true),
        Task::Need { packages, tool, node, qemu } => {
            let mut installer = Installer::new(&repository, false);
            installer.packages(&packages.iter().map(String::as_str).collect::<Vec<_>>())?;
            for name in tool {
                installer.tool(Tool::named(&name)?)?;
            }
            if let [program, package] = &qemu[..] {
                installer.qemu(program, package)?;
            }
            installer.tell_path()?;
            if let Some(name) = node {
                say::line(&installer.node(&name)?.display().to_string());
            }
            Ok(true)
        }
    }
}

/// The lanes that were asked for, in the order in which all of them run.
fn chosen(repository: &Repository, args: &TestArgs) -> Result<Vec<&'static Lane>> {
    let names: &[String] = if args.quick { &["quick".into(), "doc".into()] } else { &args.lanes };
    if names.is_empty() {
        return lanes::of_commit(repository);
    }
    for name in names {
        lanes::named(name)?;
    }
    Ok(LANES.iter().filter(|lane| names.iter().any(|name| name == lane.name)).collect())
}
