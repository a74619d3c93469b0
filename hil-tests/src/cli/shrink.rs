//! `tumbler-hil shrink`: the shortest scenario that still fails in the same way.

use super::{say, signals};
use crate::campaign::day::{self, TraceDetail};
use crate::campaign::schedule::Faults;
use crate::campaign::{Campaign, shrink as search};
use crate::report::{self, quoted, reason, word};
use crate::runner::seeded;
use crate::scenario::write;
use crate::scenario::{Trial, Verdict, file};
use anyhow::{Context, bail, ensure};
use clap::Args;
use std::path::{Path, PathBuf};
use tumbler_bench::process::clock;

/// Most attempts: the result is short enough for a person by then.
const MOST: u32 = 3000;

#[derive(Debug, Args)]
pub(super) struct ShrinkArgs {
    /// A scenario's file that fails on the pure bench.
    #[arg(value_name = "FILE", required_unless_present = "seed", conflicts_with = "seed")]
    file: Option<PathBuf>,
    /// The first failing day of the campaign with this seed instead.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Rounds of that campaign.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    rounds: u64,
    /// What breaks in it.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Faults::None)]
    faults: Faults,
    /// Where to write the shrunk scenario.
    #[arg(long, value_name = "FILE", default_value = "shrunk.toml")]
    out: PathBuf,
}

pub(super) fn shrink(args: &ShrinkArgs) -> anyhow::Result<u8> {
    is_playable(&args.out)?;
    make_place(&args.out)?;
    let (trial, from) = match (&args.file, args.seed) {
        (Some(path), _) => (failing(path)?, path.display().to_string()),
        (None, Some(seed)) => {
            let mut failed = None;
            let faults = args.faults;
            Campaign {
                seed,
                rounds: args.rounds,
                faults,
                jobs: 1,
                keep: TraceDetail::Nothing,
                day: None,
                judges_alone: false,
                open_world: false,
            }
            .run(&mut |day| failed = Some(day).filter(day::DayReport::failed));
            (failed.map(|day| day.trial), format!("campaign --seed {seed}"))
        }
        (None, None) => bail!("name a scenario's file or a campaign's --seed"),
    };
    match trial {
        Some(trial) => to_file(&trial, &args.out, &from),
        None if clock::interrupted() => Ok(signals::INTERRUPTED),
        None => {
            say::line("nothing fails, so there is nothing to shrink");
            Ok(report::PASSED)
        }
    }
}

/// Whether `run` takes a file of this name for a scenario.
pub(super) fn is_playable(out: &Path) -> anyhow::Result<()> {
    let ending = out.extension().is_some_and(|ending| ending == "toml");
    ensure!(ending, "--out {}: a scenario's file ends in .toml, or it cannot be played", out.display());
    Ok(())
}

/// Makes the directory of a file that is to be written after much work.
fn make_place(file: &Path) -> anyhow::Result<()> {
    let Some(directory) = file.parent().filter(|directory| !directory.as_os_str().is_empty()) else { return Ok(()) };
    std::fs::create_dir_all(directory).with_context(|| format!("make {}", directory.display()))
}

/// The first trial of the file that fails.
fn failing(path: &Path) -> anyhow::Result<Option<Trial>> {
    Ok(file::read(path)?.into_iter().map(seeded).find(|trial| day::play(trial).failed()))
}

/// Shrinks a failing trial, writes it and says how to replay it.
pub(super) fn to_file(trial: &Trial, out: &Path, from: &str) -> anyhow::Result<u8> {
    let Some(shrunk) = search::shrink(trial, MOST) else {
        bail!("{from} failed once and passes now: it does not follow from its seed");
    };
    let why = reason(&shrunk.verdict);
    let short = why.lines().next().unwrap_or_default();
    let about = format!("Shrunk from {from}, {}: {short}", trial.name);
    let text = write::text(&shrunk.trial, &about, None)?;
    make_place(out)?;
    std::fs::write(out, text).with_context(|| format!("write {}", out.display()))?;
    say::line(&format!("{} {}: {why}", word(&shrunk.verdict), trial.name));
    say::line(&format!(
        "shrunk from {} steps to {} in {} attempts; replay it with\n  tumbler-hil run {} --bench pure",
        trial.steps.len(),
        shrunk.trial.steps.len(),
        shrunk.tried,
        quoted(&out.display().to_string())
    ));
    Ok(if matches!(shrunk.verdict, Verdict::Fail(_)) { report::FAILED } else { report::RIG })
}
