//! `tumbler-hil endure`: plays on a disk until the power goes. The next boot looks at what that left.

use super::say;
use crate::endure::{EndReason, EndurePlan, Relayed, play};
use crate::report;
use anyhow::{Context as _, bail};
use clap::Args;
use std::path::PathBuf;
use tumbler_bench::process::config::TableSetup;
use tumbler_bench::process::pins::Wires;
use tumbler_bench::process::workdir::WorkDir;
use tumbler_bench::process::{Setup, daemon};
use tumbler_core::rules;

#[derive(Debug, Args)]
pub(super) struct EndureArgs {
    /// The disk with the table's state directory.
    #[arg(long, value_name = "DEVICE")]
    disk: PathBuf,
    /// The layout that is played on.
    #[arg(long, value_name = "ID", default_value = "nz-div9-1")]
    layout: String,
    /// On a chip that the kernel simulates, instead of the virtual wire.
    #[arg(long)]
    gpio_sim: bool,
    /// The daemon's program; beside this one unless given.
    #[arg(long, value_name = "FILE")]
    tumblerd: Option<PathBuf>,
}

/// Seed of the table's parts, its dice among them: the same over all cuts.
const TABLE: u64 = 1;

pub(super) fn endure(args: &EndureArgs) -> anyhow::Result<u8> {
    let layout = rules::layout(&args.layout).with_context(|| format!("`{}` is no layout", args.layout))?;
    let set = rules::all().iter().find(|set| set.layout(&layout.id).is_some());
    let set = set.with_context(|| format!("no rule set plays on {}", layout.id))?;
    let program = daemon::find(args.tumblerd.as_deref());
    let table = TableSetup::of(&set.id, &layout.id, true);
    let table = if args.gpio_sim { table.on(Wires::Bridge) } else { table };
    let verifier = program.with_file_name("tumblerctl");
    let setup = Setup { program, table, seed: TABLE, judge: true, trace: false, brisk: false, wall: None };

    // The program that cuts the power may snapshot the machine here, and resume it from here repeatedly.
    say::line("ready");
    let mut line = String::new();
    if std::io::stdin().read_line(&mut line)? == 0 {
        bail!("nothing to play: a line `SEED [SEQ AT KIND]` was to come, with the last record that was relayed");
    }
    let line = line.trim();
    let (seed, relayed) = line.split_once(' ').map_or((line, None), |(seed, relayed)| (seed, Some(relayed)));
    let seed = seed.parse().with_context(|| format!("`{seed}` is no seed"))?;
    let relayed = relayed.map(str::parse::<Relayed>).transpose().map_err(anyhow::Error::msg)?;
    let plan = EndurePlan { setup, verifier, seed, relayed };
    let ended = match WorkDir::on_disk(&args.disk) {
        Ok(dir) => play(&plan, dir, &|line| say::line(line)),
        Err(trouble) => EndReason::Rig(trouble),
    };
    Ok(match ended {
        EndReason::Wrong(what) => {
            say::line(&format!("wrong: {what}"));
            report::FAILED
        }
        EndReason::Late(what) => {
            say::line(&format!("late: {what}"));
            report::RIG
        }
        EndReason::Rig(error) => {
            say::line(&format!("rig: {error}"));
            report::RIG
        }
    })
}
