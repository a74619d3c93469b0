//! The common flags of `run` and `matrix`, and the files that they write.

use super::shard::Shard;
use super::words::Words;
use crate::report::cell::CellReport;
use crate::report::directory::{Directory, RunInfo, write_numbered};
use crate::report::junit;
use crate::report::results::Build;
use crate::runner::RunOptions;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tumbler_bench::file::{BenchFile, Kind};

/// Cells for which a VCD file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Dumps {
    /// Those that do not pass.
    Failed,
    /// All of them.
    All,
}

/// Where clauses are kept as requirements.
#[derive(Debug, Args)]
pub(super) struct Requirements {
    /// Link the clauses in Allure's results to this address, where `{}` stands for the clause.
    #[arg(long, value_name = "URL", value_parser = address)]
    requirements: Option<String>,
}

impl Requirements {
    pub(super) fn address(&self) -> Option<&str> {
        self.requirements.as_deref()
    }
}

fn address(word: &str) -> Result<String, String> {
    if word.contains("{}") { Ok(word.to_owned()) } else { Err("`{}` is missing, which stands for the clause".into()) }
}

/// Flags of every command that runs cells: how they are run, and what is written.
#[derive(Debug, Args)]
pub(super) struct RunFlags {
    /// Only the I-th of N parts, for several benches.
    #[arg(long, value_name = "I/N")]
    pub(super) shard: Option<Shard>,
    /// Write report.html, results.json, junit.xml, and the evidence of cells that did not pass into this directory.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Cells for which a VCD file is written.
    #[arg(long, value_name = "CELLS", value_enum, default_value_t = Dumps::Failed, requires = "out")]
    vcd: Dumps,
    /// Write a JUnit report; what is too large for one file goes on in FILE-2.xml and so on.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// How many cells run at once [default: as in the bench file].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    jobs: Option<u16>,
    /// Mixed into the seed of every cell.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Go on after a cell that did not pass.
    #[arg(long)]
    keep_going: bool,
    /// Repeat INVALID cells, two at once, up to N times: the rig or its machine was at fault, and nothing is known about the table. A
    /// failed cell is never repeated.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "keep_going", value_parser = clap::value_parser!(u8).range(0..=9))]
    pub(super) again: u8,
    /// Only cells that EXPRESSION is true of, as in pytest: parts of names with `and`, `or` and `not`.
    #[arg(short = 'k', value_name = "EXPRESSION")]
    pub(super) words: Option<Words>,
    /// Compare with an earlier run, by its directory, results.json or junit.xml: what fails now, what does no more, what wavers.
    #[arg(long, value_name = "FILE")]
    pub(super) against: Option<PathBuf>,
    #[command(flatten)]
    requirements: Requirements,
    /// The daemon's program; beside this one unless given.
    #[arg(long, value_name = "FILE")]
    pub(super) tumblerd: Option<PathBuf>,
}

impl RunFlags {
    /// The options of a run on this bench.
    pub(super) fn options(&self, bench: &BenchFile) -> RunOptions {
        RunOptions {
            jobs: self.jobs.map_or(bench.jobs, usize::from),
            salt: self.seed,
            keep_going: self.keep_going,
            trace: self.out.is_some(),
        }
    }

    /// Begins to gather results, if anything is to be written.
    pub(super) fn begin(
        &self,
        bench: &BenchFile,
        files: &[PathBuf],
        tumblerd: &Path,
    ) -> anyhow::Result<Option<Directory>> {
        if self.out.is_none() && self.junit.is_none() {
            return Ok(None);
        }
        if let Some(file) = &self.junit {
            let missing = |directory: &&Path| !directory.as_os_str().is_empty() && !directory.is_dir();
            if let Some(directory) = file.parent().filter(missing) {
                anyhow::bail!("--junit {}: there is no directory {}", file.display(), directory.display());
            }
        }
        let options = self.options(bench);
        let info = RunInfo {
            scenarios: files.iter().map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone())).collect(),
            requirements: self.requirements.address().map(Into::into),
            ..run_info(bench, tumblerd, options.salt, options.jobs)
        };
        Directory::new(self.out.as_deref(), info, self.vcd == Dumps::All).map(Some)
    }

    /// Writes the results; `left` cells were never begun.
    pub(super) fn finish(
        &self,
        directory: Option<Directory>,
        reports: &[CellReport],
        left: usize,
        took: Duration,
    ) -> anyhow::Result<()> {
        let Some(directory) = directory else { return Ok(()) };
        let (results, evidence) = directory.finish(reports, left, took)?;
        let Some(file) = &self.junit else { return Ok(()) };
        let place = self.out.as_deref().map_or(Ok(PathBuf::new()), std::path::absolute)?;
        write_numbered(file, &junit::documents(&results, &place, &evidence)?)
    }
}

/// What is known of a run on this bench, whatever it plays.
pub(super) fn run_info(bench: &BenchFile, tumblerd: &Path, salt: u64, jobs: usize) -> RunInfo {
    RunInfo {
        bench: bench.kind.name().to_owned(),
        file: bench.path.display().to_string(),
        about: bench.about.clone(),
        scenarios: Vec::new(),
        daemon: (bench.kind != Kind::Pure).then(|| Build::of(&version(tumblerd), tumblerd)),
        commit: commit(),
        salt,
        jobs,
        requirements: None,
    }
}

/// The commit of the checkout in which this runs; none elsewhere, or without git.
fn commit() -> Option<String> {
    let said = Command::new("git").args(["describe", "--always", "--dirty", "--abbrev=12"]).output().ok()?;
    let commit = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    (said.status.success() && !commit.is_empty()).then_some(commit)
}

/// The version that the daemon's program prints.
fn version(tumblerd: &Path) -> String {
    let said = Command::new(tumblerd).arg("--version").output();
    said.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned()).unwrap_or_default()
}
