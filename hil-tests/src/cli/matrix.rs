//! `tumbler-hil matrix`: the catalogue's faults in every phase under every rule set.

use super::output::RunFlags;
use super::{list, run, say};
use crate::fault::{self, Place};
use crate::matrix;
use crate::report::{self, matrix_table};
use crate::scenario::{Trial, names, write};
use anyhow::{Context, bail};
use clap::Args;
use std::path::PathBuf;
use tumbler_bench::Wrong;
use tumbler_bench::file::BenchFile;

#[derive(Debug, Args)]
pub(super) struct MatrixArgs {
    /// Cells whose names contain one of these, such as `mqtt.down@betting::sg-v6-1`; default: all.
    #[arg(value_name = "CELL")]
    cells: Vec<String>,
    /// Match whole names only.
    #[arg(long)]
    only: bool,
    /// The bench: its file, or the name of one that comes with the rig.
    #[arg(long, value_name = "BENCH", default_value = "pure", value_parser = super::bench_file)]
    bench: PathBuf,
    /// Only these faults; a trailing `*` means all whose ids begin so, as in `motor.*`.
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    fault: Vec<String>,
    /// Only in these phases; also `covered` and `spun`.
    #[arg(long, value_name = "P", value_delimiter = ',', value_parser = place)]
    phase: Vec<Place>,
    /// Only under these rule sets.
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = super::rule_set)]
    rules: Vec<String>,
    /// Each fault in each phase only once, under one rule set that changes from cell to cell.
    #[arg(long)]
    each_once: bool,
    /// Only list the cells.
    #[arg(long)]
    list: bool,
    /// Only print the cells, as scenario files.
    #[arg(long, conflicts_with = "list")]
    print: bool,
    #[command(flatten)]
    flags: RunFlags,
}

fn place(name: &str) -> Result<Place, String> {
    names::named("phase", name, Place::ALL, |(name, _)| name).map(|(_, place)| place).map_err(|wrong| wrong.to_string())
}

/// The bench, with the catalogue's exclusions added, and the selected cells.
fn chosen(args: &MatrixArgs) -> anyhow::Result<(BenchFile, Vec<Trial>)> {
    let mut bench = BenchFile::read(&args.bench)?;
    let catalogue = fault::read(&bench.faults)?;
    matrix::list_what_cannot_run(&mut bench, &catalogue);
    let meant = |pattern: &String, id: &str| match pattern.strip_suffix('*') {
        Some(beginning) => id.starts_with(beginning),
        None => id == pattern,
    };
    let ids = || catalogue.fault.iter().map(|fault| fault.id.as_str());
    if let Some(pattern) = args.fault.iter().find(|pattern| !ids().any(|id| meant(pattern, id))) {
        return Err(Wrong::unknown("fault", pattern.trim_end_matches('*'), ids()).into());
    }
    let mut cells = matrix::cells(&catalogue).context("the matrix")?;
    list::all_mean_some(&args.cells, cells.iter().map(|cell| &cell.trial), args.only)?;
    cells.retain(|cell| {
        (args.fault.is_empty() || args.fault.iter().any(|pattern| meant(pattern, &cell.fault)))
            && (args.phase.is_empty() || args.phase.contains(&cell.place))
            && (args.rules.is_empty() || args.rules.contains(&cell.trial.rules))
            && (args.cells.is_empty() || args.cells.iter().any(|words| list::selects(words, &cell.trial, args.only)))
    });
    let mut trials: Vec<Trial> = cells.into_iter().map(|cell| cell.trial).collect();
    if args.each_once {
        trials = list::each_once(trials);
    }
    if trials.is_empty() {
        bail!("no cell of {} is meant by this; `tumbler-hil matrix --list` lists them", bench.faults.display());
    }
    Ok((bench, trials))
}

pub(super) fn matrix(args: &MatrixArgs) -> anyhow::Result<u8> {
    let (bench, trials) = chosen(args)?;
    if args.list {
        for trial in &trials {
            match bench.cannot(&trial.name) {
                Some(reason) => say::line(&format!("{}  (not on this bench: {reason})", trial.name)),
                None => say::line(&trial.name),
            }
        }
        say::line(&format!("{} cells for bench {}", trials.len(), bench.kind.name()));
        return Ok(report::PASSED);
    }
    if args.print {
        for trial in &trials {
            say::line(&format!("# {}\n{}", trial.name, write::text(trial, &trial.about, None)?));
        }
        return Ok(report::PASSED);
    }
    run::play(&bench, trials, &[], &args.flags, &matrix_table::text)
}
