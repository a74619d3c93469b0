//! `tumbler-hil run`, and how any command runs trials.

use super::{How, RunArgs, list, say, signals};
use crate::bench::file::{BenchFile, Kind};
use crate::bench::process::{clock, daemon};
use crate::lane::{CellReport, Lane, Plan};
use crate::report::progress::Progress;
use crate::report::{exit_code, junit, verdicts};
use crate::scenario::Trial;
use anyhow::Context;
use std::time::Instant;

pub(super) fn run(args: &RunArgs) -> anyhow::Result<u8> {
    let (bench, trials) = list::chosen(&args.choice)?;
    play(&bench, trials, &args.how, &verdicts::text)
}

/// Runs trials and tells what came of them, as `told` tells it; the exit code.
pub(super) fn play(
    bench: &BenchFile,
    trials: Vec<Trial>,
    how: &How,
    told: &dyn Fn(&[CellReport]) -> String,
) -> anyhow::Result<u8> {
    let trials = match how.shard {
        Some(shard) => shard.of(trials),
        None => trials,
    };
    if bench.kind == Kind::Virtual {
        // A bench that does not work says nothing about the table.
        super::selftest::quick().context("the rig's self-test failed")?;
    }
    let tumblerd = daemon::find(how.tumblerd.as_deref().or(bench.tumblerd.as_deref()));
    let lane = Lane::of(bench.kind, tumblerd);
    let plan = Plan { jobs: how.jobs.map_or(bench.jobs, usize::from), salt: how.seed, keep_going: how.keep_going };
    let progress = Progress::new(trials.len());
    let begun = Instant::now();
    let reports = lane.run(bench, &trials, plan, &|report| progress.ended(report));
    progress.finish();
    let took = begun.elapsed();
    say::line(&told(&reports));
    let left = trials.len() - reports.len();
    if left > 0 {
        say::line(&format!("{left} of {} were not begun", trials.len()));
    }
    let table: u64 = reports.iter().map(|report| report.table_ns).sum();
    say::line(&format!(
        "{} on bench {} in {:.1} s: {:.0} s of table time, {:.0} times as fast",
        verdicts::summary(&reports),
        bench.kind.name(),
        took.as_secs_f64(),
        table as f64 / 1e9,
        table as f64 / 1e9 / took.as_secs_f64().max(f64::MIN_POSITIVE),
    ));
    if let Some(path) = &how.junit {
        let xml = junit::xml(bench.kind.name(), &reports, took)?;
        std::fs::write(path, xml).with_context(|| format!("write {}", path.display()))?;
    }
    if clock::interrupted() {
        return Ok(signals::INTERRUPTED);
    }
    Ok(exit_code(&reports))
}
