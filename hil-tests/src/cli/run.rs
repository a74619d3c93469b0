//! `tumbler-hil run`, and how any command runs trials.

use super::output::RunFlags;
use super::{RunArgs, list, say, signals};
use crate::report::cell::CellReport;
use crate::report::earlier::{Earlier, Ended};
use crate::report::progress::Progress;
use crate::report::results::{Build, VerdictKind};
use crate::report::{exit_code, scenario_table};
use crate::runner::{RunOptions, Runner};
use crate::scenario::{Trial, Verdict};
use anyhow::Context;
use std::path::PathBuf;
use std::time::Instant;
use tumbler_bench::file::{BenchFile, Kind};
use tumbler_bench::process::{clock, daemon};

pub(super) fn run(args: &RunArgs) -> anyhow::Result<u8> {
    let (bench, trials) = list::chosen(&args.choice)?;
    let (files, _) = list::files_and_names(&args.choice.scenarios);
    play(&bench, trials, &files, &args.flags, &scenario_table::text)
}

/// Runs trials, of these files where they are not the bench's own, and prints the results as formatted by `summary`. Returns the exit
/// code.
pub(super) fn play(
    bench: &BenchFile,
    trials: Vec<Trial>,
    files: &[PathBuf],
    flags: &RunFlags,
    summary: &dyn Fn(&[CellReport]) -> String,
) -> anyhow::Result<u8> {
    let earlier = flags.against.as_deref().map(Earlier::read).transpose()?;
    let trials = match &flags.words {
        Some(words) => {
            let count = trials.len();
            let meant: Vec<Trial> = trials.into_iter().filter(|trial| words.mean(&trial.name)).collect();
            anyhow::ensure!(!meant.is_empty(), "-k means none of {count} cells");
            meant
        }
        None => trials,
    };
    let trials = match flags.shard {
        Some(shard) => {
            let count = trials.len();
            let part = shard.of(trials);
            anyhow::ensure!(!part.is_empty(), "part {shard} of {count} is empty: there are fewer cells than parts");
            part
        }
        None => trials,
    };
    if bench.kind != Kind::Pure {
        // A bench that does not work says nothing about the table.
        super::selftest::quick_on(bench).context("the rig's self-test failed")?;
    }
    let tumblerd = daemon::find(flags.tumblerd.as_deref().or(bench.tumblerd.as_deref()));
    let directory = flags.begin(bench, files, &tumblerd)?;
    let program = tumblerd.clone();
    let runner = Runner::of(bench, tumblerd);
    let begun = Instant::now();
    let ask = |trials: &[Trial], options: RunOptions| {
        let progress = Progress::new(trials.len());
        let reports = runner.run(bench, trials, options, &|report| {
            if let Some(directory) = &directory {
                directory.take(report);
            }
            progress.ended(report);
        });
        progress.finish();
        reports
    };
    let options = flags.options(bench);
    let mut reports = ask(&trials, options);
    for _ in 0..flags.again {
        if clock::interrupted() || !ask_again(&trials, &mut reports, |again| ask(again, options.calmer())) {
            break;
        }
    }
    let took = begun.elapsed();
    say::line(&summary(&reports));
    let left = trials.len() - reports.len();
    if left > 0 {
        say::line(&format!("{left} of {} were not begun", trials.len()));
    }
    let table: u64 = reports.iter().map(|report| report.table_ns).sum();
    say::line(&format!(
        "{} on bench {} in {:.1} s: {:.0} s of table time, {:.0} times as fast",
        scenario_table::summary(&reports),
        bench.kind.name(),
        took.as_secs_f64(),
        table as f64 / 1e9,
        table as f64 / 1e9 / took.as_secs_f64().max(f64::MIN_POSITIVE),
    ));
    if let Some(earlier) = earlier {
        let tested = if bench.kind == Kind::Pure { Build::rig() } else { Build::of("", &program) };
        let ended = |report: &CellReport| Ended { verdict: VerdictKind::of(&report.verdict), seed: Some(report.seed) };
        say::line(&earlier.compared(Some(&tested), reports.iter().map(|report| (report.name.as_str(), ended(report)))));
    }
    flags.finish(directory, &reports, left, took)?;
    if clock::interrupted() {
        return Ok(signals::INTERRUPTED);
    }
    Ok(exit_code(&reports))
}

/// Repeats the trials that were INVALID; `false` if there are none. Each report gets a note with the reason.
fn ask_again(trials: &[Trial], reports: &mut [CellReport], ask: impl FnOnce(&[Trial]) -> Vec<CellReport>) -> bool {
    let why = |report: &CellReport| match &report.verdict {
        Verdict::Invalid(why) => Some(why.clone()),
        _ => None,
    };
    let unknown: Vec<&str> = reports.iter().filter(|r| why(r).is_some()).map(|r| r.name.as_str()).collect();
    if unknown.is_empty() {
        return false;
    }
    say::line(&format!("the rig was at fault in {}: asked once more", unknown.len()));
    let again: Vec<Trial> = trials.iter().filter(|t| unknown.contains(&t.name.as_str())).cloned().collect();
    for mut second in ask(&again) {
        let Some(first) = reports.iter_mut().find(|report| report.name == second.name) else { continue };
        second.notes.splice(0..0, first.notes.iter().filter(|note| note.starts_with(AGAIN)).cloned());
        second.notes.extend(why(first).map(|why| format!("{AGAIN}: {why}")));
        *first = second;
    }
    true
}

/// Beginning of the note that says why a trial was repeated.
const AGAIN: &str = "asked again";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;
    use crate::scenario::file::parse;
    use std::path::Path;

    /// design.md, Verdicts: INVALID says nothing of the table, and so may be asked again; a table that failed once has failed.
    #[test]
    fn only_what_is_unknown_is_asked_again_and_says_why() {
        let trial = |name: &str| {
            let text = "about = \"a\"\nsteps = [\"open table\"]\n[endings]\nnz-div9 = []";
            parse(Path::new(&format!("{name}.toml")), text).unwrap().swap_remove(0)
        };
        let report = |trial: &Trial, verdict: Verdict| CellReport { verdict, ..CellReport::of(trial, 1, false) };
        let trials = ["late", "wrong", "right"].map(trial);
        let verdicts = [Verdict::Invalid("late".into()), Verdict::Fail(vec!["wrong".into()]), Verdict::Pass];
        let mut reports: Vec<_> = trials.iter().zip(&verdicts).map(|(trial, v)| report(trial, v.clone())).collect();
        for second in [Verdict::Invalid("late again".into()), Verdict::Pass] {
            let asked = |again: &[Trial]| {
                assert_eq!(again.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["late::nz-div9-1"]);
                again.iter().map(|trial| report(trial, second.clone())).collect()
            };
            assert!(ask_again(&trials, &mut reports, asked));
            assert_eq!(reports[0].verdict, second);
        }
        assert_eq!(reports[0].notes, ["asked again: late", "asked again: late again"]);
        assert_eq!(reports[1..].iter().map(|r| &r.verdict).collect::<Vec<_>>(), [&verdicts[1], &verdicts[2]]);
        assert!(!ask_again(&trials, &mut reports, |_| Vec::new()), "nothing is unknown any more");
    }
}
