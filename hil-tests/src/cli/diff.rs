//! `tumbler-hil diff`: what a build does otherwise than another one, or than the pins.

use super::{list, say};
use crate::fault;
use crate::matrix;
use crate::pins::{self, Pin, Pins, Played, kind};
use crate::report;
use crate::scenario::{Trial, Verdict, read_all};
use anyhow::{Context, bail};
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use tumbler_bench::file::BenchFile;

/// Cells of one difference that are named.
const NAMED: usize = 3;
/// Cells whose lines another program is asked for at once.
const AT_ONCE: usize = 200;
/// Before a line of the other program's lists: the name of the next cell.
const CELL: &str = "cell ";

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// Cells whose names contain one of these; default: all scenarios, all cells of the matrix, and 100 days of free play.
    #[arg(value_name = "CELL")]
    cells: Vec<String>,
    /// Match whole names only.
    #[arg(long)]
    only: bool,
    /// The `tumbler-hil` of another build, to compare with instead of the pins.
    #[arg(long, value_name = "PROGRAM")]
    with: Option<PathBuf>,
    /// The file of pins; default: `pins.txt` beside the bench's catalogue of faults.
    #[arg(long, value_name = "FILE")]
    pins: Option<PathBuf>,
    /// Pin what this build does.
    #[arg(long, conflicts_with_all = ["with", "cells"])]
    write: bool,
    /// Hold each cell also against its expectations and the judges, as `run` and `matrix` do on the bench `pure`. Days of free play are not
    /// judged: those are for `campaign`.
    #[arg(long, conflicts_with_all = ["with", "write", "digests", "lines"])]
    judge: bool,
    /// Print the pins of this build.
    #[arg(long, hide = true)]
    digests: bool,
    /// Print what left the table, a line each.
    #[arg(long)]
    lines: bool,
    /// How many cells at once.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

/// The first difference of a cell: what was, and what is.
type Difference = (String, String);

pub(super) fn diff(args: &DiffArgs) -> anyhow::Result<u8> {
    let mut bench = BenchFile::read(&super::bench_file("pure").map_err(anyhow::Error::msg)?)?;
    let catalogue = fault::read(&bench.faults)?;
    matrix::list_what_cannot_run(&mut bench, &catalogue);
    let file = args.pins.clone().unwrap_or_else(|| bench.faults.with_file_name("pins.txt"));
    let trials = chosen(args, &bench)?;
    if args.lines {
        for (name, lines) in
            pins::play(&trials, args.jobs, &|_| false, &|trial, played| (trial.name.clone(), played.lines))
        {
            say::line(&format!("{CELL}{name}\n{}", lines.join("\n")));
        }
        return Ok(report::PASSED);
    }
    if args.write || args.digests {
        let made =
            pins::play(&trials, args.jobs, &|_| false, &|trial, played| (trial.name.clone(), Pin::of(&played.lines)));
        let text = pins::text(&made.into_iter().collect());
        if args.digests {
            say::line(text.trim_end());
        } else {
            std::fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
            say::line(&format!("{} cells pinned in {}", trials.len(), file.display()));
        }
        return Ok(report::PASSED);
    }
    let (was, of) = match &args.with {
        Some(program) => (read(&output(program, args, &["--digests"])?)?, program),
        None => {
            let text = std::fs::read_to_string(&file)
                .with_context(|| format!("{} cannot be read: `tumbler-hil diff --write` makes it", file.display()))?;
            (read(&text).with_context(|| file.display().to_string())?, &file)
        }
    };
    let judge = |trial: &Trial| args.judge && !trial.free && bench.cannot(&trial.name).is_none();
    let (mut differ, failed) = differing(&trials, &was, args.jobs, &judge);
    if let Some(program) = &args.with {
        for part in differ.chunks_mut(AT_ONCE) {
            in_words(program, part, args.jobs)?;
        }
    }
    let gone = was.keys().filter(|name| args.cells.is_empty() && !trials.iter().any(|trial| trial.name == **name));
    differ.extend(gone.map(|name| (name.clone(), ("a cell".into(), "no such cell any more".into()))));
    tell(&differ);
    say::line(&format!("{} of {} cells differ from {}", differ.len(), trials.len(), of.display()));
    if !differ.is_empty() && args.with.is_none() {
        say::line(
            "Is this what was meant? Then pin it with `tumbler-hil diff --write`, and say in the commit what changed and why.",
        );
    }
    if args.judge {
        failed.iter().for_each(|failed| say::line(failed));
        let judged = trials.iter().filter(|trial| judge(trial)).count();
        say::line(&format!("{} of {judged} cells failed before their expectations or a judge", failed.len()));
    }
    Ok(if differ.is_empty() && failed.is_empty() { report::PASSED } else { report::FAILED })
}

fn chosen(args: &DiffArgs, bench: &BenchFile) -> anyhow::Result<Vec<Trial>> {
    let mut trials = read_all(&bench.scenarios)?;
    let cells = matrix::cells(&fault::read(&bench.faults)?).context("the matrix")?;
    trials.extend(cells.into_iter().map(|cell| cell.trial));
    trials.extend(pins::free_play());
    list::all_mean_some(&args.cells, trials.iter(), args.only)?;
    trials
        .retain(|trial| args.cells.is_empty() || args.cells.iter().any(|words| list::selects(words, trial, args.only)));
    Ok(trials)
}

/// The cells that differ from these pins, with the part of their lines in which the first difference is; and what is wrong with those that
/// did not pass.
fn differing(
    trials: &[Trial],
    was: &Pins,
    jobs: usize,
    judge: &(dyn Fn(&Trial) -> bool + Sync),
) -> (Vec<(String, Difference)>, Vec<String>) {
    let came = pins::play(trials, jobs, judge, &|trial, Played { lines, verdict }| {
        let why = (judge(trial) && verdict != Verdict::Pass)
            .then(|| format!("{} {}: {}", report::word(&verdict), trial.name, report::reason(&verdict)));
        let Some(pin) = was.get(&trial.name) else {
            return (Some((trial.name.clone(), ("no such cell".into(), "a new cell".into()))), why);
        };
        let Some(place) = pin.differs(&lines) else { return (None, why) };
        let part = lines.get(place).unwrap_or_default();
        let (first, last) = (part.first().map_or("its end", String::as_str), part.last().map_or("", String::as_str));
        let until = last.split(' ').next().unwrap_or_default();
        let is = format!("{first} (or what follows until {until} s)");
        (Some((trial.name.clone(), ("not told by a digest".into(), is))), why)
    });
    let (differ, failed): (Vec<_>, Vec<_>) = came.into_iter().unzip();
    let (mut differ, mut failed): (Vec<_>, Vec<_>) =
        (differ.into_iter().flatten().collect(), failed.into_iter().flatten().collect());
    differ.sort();
    failed.sort();
    (differ, failed)
}

/// Asks the other build what it did in these cells, and finds the first difference of each.
fn in_words(program: &PathBuf, differ: &mut [(String, Difference)], jobs: usize) -> anyhow::Result<()> {
    let names: Vec<String> = differ.iter().map(|(name, _)| name.clone()).collect();
    let asked = DiffArgs {
        cells: names,
        only: true,
        with: None,
        pins: None,
        write: false,
        judge: false,
        digests: false,
        lines: true,
        jobs,
    };
    let bench = BenchFile::read(&super::bench_file("pure").map_err(anyhow::Error::msg)?)?;
    let trials = chosen(&asked, &bench)?;
    let is: BTreeMap<_, _> = pins::play(&trials, jobs, &|_| false, &|trial, played| (trial.name.clone(), played.lines))
        .into_iter()
        .collect();
    let told = output(program, &asked, &["--lines", "--only"])?;
    let mut was: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut of = "";
    for line in told.lines() {
        match line.strip_prefix(CELL) {
            Some(name) => of = name,
            None => was.entry(of).or_default().push(line),
        }
    }
    for (name, difference) in differ {
        let (Some(was), Some(is)) = (was.get(name.as_str()), is.get(name)) else { continue };
        let place = was.iter().zip(is).take_while(|(was, is)| **was == is.as_str()).count();
        let line = |line: Option<&str>| line.unwrap_or("nothing more").to_owned();
        *difference = (line(was.get(place).copied()), line(is.get(place).map(String::as_str)));
    }
    Ok(())
}

/// What the other build prints for these cells.
fn output(program: &PathBuf, args: &DiffArgs, flags: &[&str]) -> anyhow::Result<String> {
    let run = Command::new(program).arg("diff").args(flags).arg("--").args(&args.cells).output();
    let run = run.with_context(|| format!("{} cannot be started", program.display()))?;
    if !run.status.success() {
        bail!("{}: {}", program.display(), String::from_utf8_lossy(&run.stderr).trim());
    }
    Ok(String::from_utf8(run.stdout)?)
}

fn read(text: &str) -> anyhow::Result<Pins> {
    pins::read(text).map_err(|line| anyhow::anyhow!("line {line} is no pin: NAME COUNT DIGEST"))
}

/// Tells the differences, those that are alike together.
fn tell(differ: &[(String, Difference)]) {
    let mut alike: BTreeMap<(String, String), Vec<&(String, Difference)>> = BTreeMap::new();
    for cell in differ {
        let (was, is) = &cell.1;
        alike.entry((kind(was), kind(is))).or_default().push(cell);
    }
    for cells in alike.values() {
        let Some((_, (was, is))) = cells.first() else { continue };
        let names: Vec<&str> = cells.iter().take(NAMED).map(|(name, _)| name.as_str()).collect();
        let more = if cells.len() > NAMED { " ..." } else { "" };
        say::line(&format!("{} cells: {}{more}\n  was: {was}\n  is:  {is}", cells.len(), names.join(", ")));
    }
}
