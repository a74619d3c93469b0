//! How `run` and `matrix` go, and what they write.

use super::shard::Shard;
use crate::report::cell::CellReport;
use crate::report::directory::{Directory, RunInfo};
use crate::report::junit;
use crate::report::results::Build;
use crate::runner::RunOptions;
use anyhow::Context;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tumbler_bench::file::{BenchFile, Kind};

/// Of which cells the wires are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Dumps {
    /// Of those that do not pass.
    Failed,
    /// Of all of them.
    All,
}

/// How cells are run, and what is written of them: flags of every command that runs some.
#[derive(Debug, Args)]
pub(super) struct How {
    /// Only the I-th of N parts, for several benches.
    #[arg(long, value_name = "I/N")]
    pub(super) shard: Option<Shard>,
    /// Write report.html, results.json, junit.xml, and the wires of cells as cells/NAME.vcd into this directory.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Of which cells a VCD file is written.
    #[arg(long, value_name = "CELLS", value_enum, default_value_t = Dumps::Failed, requires = "out")]
    vcd: Dumps,
    /// Write a JUnit report.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// How many cells at once; the bench's file says otherwise.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: Option<u16>,
    /// Mixed into every cell's own seed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Go on after a cell that did not pass.
    #[arg(long)]
    keep_going: bool,
    /// Ask cells that are INVALID again, two at once, at most so many times: there the rig or its machine was at fault, and
    /// nothing is known of the table. One that failed is never asked again.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "keep_going", value_parser = clap::value_parser!(u8).range(0..=9))]
    pub(super) again: u8,
    /// The daemon's program; beside this one unless given.
    #[arg(long, value_name = "FILE")]
    pub(super) tumblerd: Option<PathBuf>,
}

impl How {
    /// How the run goes on this bench.
    pub(super) fn options(&self, bench: &BenchFile) -> RunOptions {
        RunOptions {
            jobs: self.jobs.map_or(bench.jobs, usize::from),
            salt: self.seed,
            keep_going: self.keep_going,
            trace: self.out.is_some(),
        }
    }

    /// Begins the directory of results, where one is asked for.
    pub(super) fn begin(&self, bench: &BenchFile, tumblerd: &Path) -> anyhow::Result<Option<Directory>> {
        let Some(path) = &self.out else { return Ok(None) };
        let options = self.options(bench);
        let info = RunInfo {
            bench: bench.kind.name().to_owned(),
            file: bench.path.display().to_string(),
            about: bench.about.clone(),
            daemon: (bench.kind != Kind::Pure).then(|| Build::of(&version(tumblerd), tumblerd)),
            salt: options.salt,
            jobs: options.jobs,
        };
        Directory::new(path, info, self.vcd == Dumps::All).map(Some)
    }

    /// Writes what was found; `left` cells were never begun.
    pub(super) fn finish(
        &self,
        directory: Option<Directory>,
        bench: &BenchFile,
        reports: &[CellReport],
        left: usize,
        took: Duration,
    ) -> anyhow::Result<()> {
        if let Some(path) = &self.junit {
            let xml = junit::xml(bench.kind.name(), reports, took)?;
            std::fs::write(path, xml).with_context(|| format!("write {}", path.display()))?;
        }
        directory.map_or(Ok(()), |directory| directory.finish(reports, left, took))
    }
}

/// What the daemon's program says that it is.
fn version(tumblerd: &Path) -> String {
    let said = Command::new(tumblerd).arg("--version").output();
    said.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned()).unwrap_or_default()
}
