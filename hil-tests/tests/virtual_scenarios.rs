//! Every scenario under every rule set that it applies to, on the virtual bench: the real daemon, in real time.
//! Ignored unless asked for: the lanes play them through the rig, many at once, on the release build. This is for one of them at a
//! developer's desk: `cargo build -p tumblerd && cargo test -p tumbler-hil --test virtual_scenarios -- --ignored NAME`.

#![allow(clippy::print_stderr, reason = "a test target without a harness tells on stderr why it cannot run")]

use libtest_mimic::{Arguments, Failed, Trial as Test};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tumbler_bench::file::BenchFile;
use tumbler_bench::process::daemon;
use tumbler_hil::report::cell::CellReport;
use tumbler_hil::report::{reason, word};
use tumbler_hil::runner::Runner;
use tumbler_hil::scenario::{Trial, Verdict, read_all};

fn judged(report: &CellReport) -> Result<(), Failed> {
    if matches!(report.verdict, Verdict::Pass) || !report.fails() {
        return Ok(());
    }
    let why = reason(&report.verdict);
    let records = report.records.join("\n  ");
    Err(format!("{}: {why}\nrecords:\n  {records}\nthe daemon's log ends:\n{}", word(&report.verdict), report.log)
        .into())
}

fn main() -> ExitCode {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/benches/virtual.toml");
    let read = BenchFile::read(&file).map_err(|e| e.to_string()).and_then(|bench| {
        let trials = read_all(&bench.scenarios).map_err(|e| e.to_string())?;
        Ok((bench, trials))
    });
    let (bench, trials) = match read {
        Ok((bench, trials)) => (Arc::new(bench), trials),
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    let runner = Arc::new(Runner::of(&bench, daemon::find(bench.tumblerd.as_deref())));
    // What the bench cannot run is not listed: there would be nothing to run.
    let run: Vec<Trial> = trials.into_iter().filter(|trial| bench.cannot(&trial.name).is_none()).collect();
    let tests = run
        .into_iter()
        .map(|trial| {
            let (runner, bench) = (Arc::clone(&runner), Arc::clone(&bench));
            Test::test(trial.name.clone(), move || judged(&runner.cell(&bench, &trial, 0, false, None)))
                .with_kind("virtual")
                .with_ignored_flag(true)
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}
