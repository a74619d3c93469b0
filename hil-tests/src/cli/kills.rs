//! `tumbler-hil kills`: kills the daemon at each sync and write of a round.

use super::{say, signals};
use crate::kills::{self, KillPoint};
use crate::report;
use crate::report::{reason, word};
use crate::runner::Runner;
use crate::scenario::Verdict;
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;
use tumbler_bench::file::BenchFile;
use tumbler_bench::process::{clock, daemon};

#[derive(Debug, Args)]
pub(super) struct KillsArgs {
    /// The bench: its file, or the name of one that comes with the rig.
    #[arg(long, value_name = "BENCH", default_value = "virtual", value_parser = super::bench_file)]
    bench: PathBuf,
    /// Under these rule sets.
    #[arg(long, value_name = "ID", value_delimiter = ',', default_values = ["nz-div9", "sg-v6", "sg-open"], value_parser = super::rule_set)]
    rules: Vec<String>,
    /// How many tables run at once; each of them is idle most of the time.
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,
    /// Mixed into every table's own seed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The daemon's program; beside this one unless given.
    #[arg(long, value_name = "FILE")]
    tumblerd: Option<PathBuf>,
}

pub(super) fn kills(args: &KillsArgs) -> anyhow::Result<u8> {
    let bench = BenchFile::read(&args.bench)?;
    let runner = Runner::of(&bench, daemon::find(args.tumblerd.as_deref().or(bench.tumblerd.as_deref())));
    let (begun, mut worst) = (Instant::now(), report::PASSED);
    for rules in &args.rules {
        for at in KillPoint::ALL {
            let all = kills::each(&runner, rules, at, usize::from(args.jobs), args.seed);
            let right = all.iter().filter(|killed| killed.verdict == Verdict::Pass).count();
            say::line(&format!("{rules}: killed at each {} of a round: {} times, {right} right", at.name(), all.len()));
            for killed in all.iter().filter(|killed| killed.verdict != Verdict::Pass) {
                let (verdict, why) = (word(&killed.verdict), reason(&killed.verdict));
                say::line(&format!("  {verdict} at {} {}, after `{}`: {why}", at.name(), killed.n, killed.after));
                worst = worst.max(if verdict == "INVALID" { report::RIG } else { report::FAILED });
            }
            if all.is_empty() {
                worst = worst.max(report::FAILED);
            }
        }
    }
    say::line(&format!("in {:.1} s", begun.elapsed().as_secs_f64()));
    Ok(if clock::interrupted() { signals::INTERRUPTED } else { worst })
}
