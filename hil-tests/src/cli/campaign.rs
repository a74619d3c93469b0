//! `tumbler-hil campaign`: random days at random tables, with all judges on.

use super::{say, shrink, signals};
use crate::campaign::Campaign;
use crate::campaign::coverage::{self, Coverage};
use crate::campaign::day::{DayReport, TraceDetail};
use crate::campaign::schedule::Faults;
use crate::report::{self, reason, word};
use anyhow::{Context, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tumbler_bench::process::clock;

#[derive(Debug, Args)]
pub(super) struct CampaignArgs {
    /// Seed of the campaign: the same seed gives the same trace, byte for byte.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Rounds to be dealt.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// What breaks.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Faults::None)]
    faults: Faults,
    /// How many days are played at once; the results do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: u16,
    /// Play only the day with this number.
    #[arg(long, value_name = "N")]
    day: Option<u64>,
    /// Only the judges' violations count: steps may fail, panics and missing coverage are ignored. Prints the violation without
    /// shrinking it.
    #[arg(long, conflicts_with_all = ["trace", "digests", "out"])]
    judges_alone: bool,
    /// Hold days only to what of the specification a bench serves that is late, and to the judges that stand in for the rest: for
    /// campaigns so long that an error of the specification itself would end them.
    #[arg(long, conflicts_with = "judges_alone")]
    open_world: bool,
    /// Where to write the scenario of a violation [default: campaign-SEED-FAULTS.toml].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the whole trace: every wire, transaction, record and effect on a line of JSON.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write the SHA-256 of each day's trace.
    #[arg(long, value_name = "FILE")]
    digests: Option<PathBuf>,
}

/// Totals of a campaign so far.
#[derive(Debug, Default)]
struct Sum {
    days: u64,
    rounds: u64,
    settled: u64,
    table_ns: u64,
    events: u64,
    reached: Coverage,
    /// How often each rule of the specification explained what had to come.
    rules: BTreeMap<&'static str, u64>,
    failed: Option<DayReport>,
}

/// Plays it, and ends with the verdict in a word.
pub(super) fn campaign(args: &CampaignArgs) -> anyhow::Result<u8> {
    args.out.as_deref().map_or(Ok(()), shrink::is_playable)?;
    let code = play(args)?;
    say::line(match code {
        report::PASSED => "PASS",
        report::FAILED => "FAIL",
        signals::INTERRUPTED => "INTERRUPTED: nothing was found until then",
        _ => "INVALID",
    });
    Ok(code)
}

fn play(args: &CampaignArgs) -> anyhow::Result<u8> {
    let faults = args.faults;
    let keep = match (&args.trace, &args.digests) {
        (Some(_), _) => TraceDetail::Whole,
        (None, Some(_)) => TraceDetail::Digest,
        (None, None) => TraceDetail::Nothing,
    };
    let mut trace = args.trace.as_deref().map(create).transpose()?;
    let mut digests = args.digests.as_deref().map(create).transpose()?;
    let mut written = Ok(());
    let campaign = Campaign {
        seed: args.seed,
        rounds: args.rounds,
        faults,
        jobs: usize::from(args.jobs),
        keep,
        day: args.day,
        judges_alone: args.judges_alone,
        open_world: args.open_world,
    };
    let bar = bar(args.rounds);
    let mut sum = Sum::default();
    let begun = Instant::now();
    campaign.run(&mut |day| {
        sum.days += 1;
        sum.rounds += day.rounds;
        sum.settled += day.settled;
        sum.table_ns += day.table_ns;
        sum.events += day.events;
        sum.reached.add(day.reached.clone());
        day.rules.iter().for_each(|one| *sum.rules.entry(one.rule).or_default() += one.times);
        bar.set_position(sum.rounds);
        let kept = keep_trace(&day, trace.as_mut(), digests.as_mut());
        if written.is_ok() {
            written = kept;
        }
        if day.failed() {
            sum.failed = Some(day);
        }
    });
    bar.finish_and_clear();
    if let (Some(day), 0, false) = (args.day, sum.days, clock::interrupted()) {
        bail!("--day {day}: {} rounds of this seed have no such day; days are numbered from 0", args.rounds);
    }
    written.context("write the trace")?;
    let took = begun.elapsed();
    say::line(&format!(
        "{} days, {} rounds, {} settled; {:.0} s of table time in {:.1} s: {:.0} x on {} {}, {:.0} events/s",
        sum.days,
        sum.rounds,
        sum.settled,
        sum.table_ns as f64 / 1e9,
        took.as_secs_f64(),
        sum.table_ns as f64 / 1e9 / took.as_secs_f64(),
        args.jobs,
        if args.jobs == 1 { "core" } else { "cores" },
        sum.events as f64 / took.as_secs_f64()
    ));
    if !args.judges_alone {
        sum.reached.table().iter().for_each(|line| say::line(line));
        if !args.open_world {
            let silent: Vec<&str> = sum.rules.iter().filter(|(_, times)| **times == 0).map(|(rule, _)| *rule).collect();
            say::line(&format!("rules by which nothing had to come ({}): {}", silent.len(), silent.join(", ")));
        }
    }
    if let Some(day) = sum.failed {
        say::line(&format!("{} {}: {}", word(&day.verdict), day.trial.name, reason(&day.verdict)));
        if args.judges_alone {
            return Ok(report::FAILED);
        }
        let out = args.out.clone().unwrap_or_else(|| format!("campaign-{}-{}.toml", args.seed, faults.name()).into());
        return shrink::to_file(&day.trial, &out, &format!("campaign --seed {} --faults {}", args.seed, faults.name()));
    }
    if clock::interrupted() {
        return Ok(signals::INTERRUPTED);
    }
    if args.judges_alone {
        return Ok(report::PASSED);
    }
    let (why, found) = match faults {
        Faults::None => ("a healthy table gave false alarms", sum.reached.alarms()),
        Faults::Swarm if args.rounds >= coverage::LEAST_ROUNDS && args.day.is_none() => {
            ("never reached", sum.reached.missing(args.rounds))
        }
        Faults::Swarm => return Ok(report::PASSED),
    };
    if found.is_empty() {
        return Ok(report::PASSED);
    }
    say::line(&format!("FAIL: {why}:"));
    found.iter().for_each(|item| say::line(&format!("  {item}")));
    Ok(report::FAILED)
}

fn create(path: &Path) -> anyhow::Result<BufWriter<File>> {
    Ok(BufWriter::new(File::create(path).with_context(|| format!("create {}", path.display()))?))
}

/// Writes a day's trace or its digest.
fn keep_trace(
    day: &DayReport,
    trace: Option<&mut BufWriter<File>>,
    digests: Option<&mut BufWriter<File>>,
) -> std::io::Result<()> {
    if let Some(trace) = trace {
        trace.write_all(&day.trace)?;
        trace.flush()?;
    }
    if let (Some(digests), Some(digest)) = (digests, day.digest) {
        writeln!(digests, "{}  {}", hex::encode(digest), day.trial.name)?;
        digests.flush()?;
    }
    Ok(())
}

/// One line of progress, on a terminal only.
fn bar(rounds: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(rounds).with_message("rounds");
    let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} {msg}, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}
