//! `tumbler-hil run`, and how any command runs trials.

use super::output::How;
use super::{RunArgs, list, say, signals};
use crate::bench::file::{BenchFile, Kind};
use crate::bench::process::{clock, daemon};
use crate::lane::Lane;
use crate::report::cell::CellReport;
use crate::report::progress::Progress;
use crate::report::{exit_code, verdicts};
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
    if bench.kind != Kind::Pure {
        // A bench that does not work says nothing about the table.
        super::selftest::quick().context("the rig's self-test failed")?;
    }
    let tumblerd = daemon::find(how.tumblerd.as_deref().or(bench.tumblerd.as_deref()));
    let directory = how.begin(bench, &tumblerd)?;
    let lane = Lane::of(bench.kind, tumblerd);
    let progress = Progress::new(trials.len());
    let begun = Instant::now();
    let reports = lane.run(bench, &trials, how.plan(bench), &|report| {
        if let Some(directory) = &directory {
            directory.take(report);
        }
        progress.ended(report);
    });
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
    how.finish(directory, bench, &reports, left, took)?;
    if clock::interrupted() {
        return Ok(signals::INTERRUPTED);
    }
    Ok(exit_code(&reports))
}
