//! `tumbler-hil run`.

use super::{RunArgs, list, say, signals};
use crate::bench::file::Kind;
use crate::bench::process::{clock, daemon};
use crate::lane::{Lane, Plan};
use crate::report::progress::Progress;
use crate::report::{exit_code, junit, verdicts};
use anyhow::Context;
use std::time::Instant;

pub(super) fn run(args: &RunArgs) -> anyhow::Result<u8> {
    let (bench, trials) = list::chosen(&args.choice)?;
    if bench.kind == Kind::Virtual {
        // A bench that does not work says nothing about the table.
        super::selftest::quick().context("the rig's self-test failed")?;
    }
    let tumblerd = daemon::find(args.tumblerd.as_deref().or(bench.tumblerd.as_deref()));
    let lane = Lane::of(bench.kind, tumblerd);
    let plan = Plan { jobs: args.jobs.map_or(bench.jobs, usize::from), salt: args.seed, keep_going: args.keep_going };
    let progress = Progress::new(trials.len());
    let begun = Instant::now();
    let reports = lane.run(&bench, &trials, plan, &|report| progress.ended(report));
    progress.finish();
    let took = begun.elapsed();
    say::line(&verdicts::text(&reports));
    let left = trials.len() - reports.len();
    if left > 0 {
        say::line(&format!("{left} of {} were not begun", trials.len()));
    }
    say::line(&format!(
        "{} on bench {} in {:.1} s",
        verdicts::summary(&reports),
        bench.kind.name(),
        took.as_secs_f64()
    ));
    if let Some(path) = &args.junit {
        let xml = junit::xml(bench.kind.name(), &reports, took)?;
        std::fs::write(path, xml).with_context(|| format!("write {}", path.display()))?;
    }
    if clock::interrupted() {
        return Ok(signals::INTERRUPTED);
    }
    Ok(exit_code(&reports))
}
