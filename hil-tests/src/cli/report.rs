//! `tumbler-hil report`: makes the page again, from one or more results.

use super::output::Requirements;
use super::say;
use crate::report;
use crate::report::directory::{self, PAGE};
use crate::report::earlier::Earlier;
use crate::report::merge::merge;
use crate::report::results::{FILE, Results};
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// Directories that `run --out` or `matrix --out` wrote, or their results.json; several are merged.
    #[arg(value_name = "DIR", required = true)]
    results: Vec<PathBuf>,
    /// Write the page into this directory, with the merged results if there are several DIRs [default: the only DIR].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Compare with an earlier run, by its directory, results.json or junit.xml: what fails now, what does no more, what wavers.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    #[command(flatten)]
    requirements: Requirements,
}

pub(super) fn report(args: &ReportArgs) -> anyhow::Result<u8> {
    let earlier = args.against.as_deref().map(Earlier::read).transpose()?;
    let all = args.results.iter().map(|path| Results::read(path)).collect::<Result<Vec<_>, _>>()?;
    let out = match (&args.out, args.results.as_slice()) {
        (Some(out), _) => out,
        (None, [only]) if only.is_dir() => only,
        (None, _) => anyhow::bail!("--out DIR is needed: there is more than one result, or a file"),
    };
    std::fs::create_dir_all(out).with_context(|| format!("make {}", out.display()))?;
    let mut results = all;
    if let Some(out) = &args.out {
        for (number, (from, results)) in args.results.iter().zip(&mut results).enumerate() {
            let from = if from.is_dir() { from.as_path() } else { from.parent().unwrap_or(from) };
            results.take_dumps(from, out, number + 1)?;
        }
    }
    let merged = merge(results);
    if args.out.is_some() {
        merged.write(out)?;
    }
    directory::write(&merged, args.requirements.address(), out)?;
    let page = out.join(PAGE);
    merged.twice.iter().for_each(|line| say::line(line));
    let cells = merged.runs.iter().flat_map(|run| &run.cells);
    let failing = cells.clone().filter(|cell| cell.fails()).count();
    say::line(&format!(
        "{} cells of {} runs, {failing} not passed: {}",
        cells.count(),
        merged.runs.len(),
        page.display()
    ));
    if let Some(earlier) = earlier {
        say::line(&earlier.beside(&merged));
    }
    if args.out.is_some() {
        say::line(&format!("merged in {}", out.join(FILE).display()));
    }
    Ok(if failing > 0 { report::FAILED } else { report::PASSED })
}
