//! Results as a file: what a run found, so that pages can be made later and shards of several benches can be merged.

use super::cell::{CellReport, Identity};
use super::diagram::Diagram;
use super::reason;
use crate::scenario::Verdict;
use crate::scenario::timeline::{Latency, Mark};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use tumbler_bench::bounded;

/// The version of the file format: this program writes and reads no other.
pub const VERSION: u32 = 1;
/// Results have at most so many bytes: those of the whole matrix have some 20 MB.
const LONGEST: u64 = 1 << 30;
/// The file's name within a directory of results.
pub const FILE: &str = "results.json";

/// What one or more runs found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// Version of the format.
    pub version: u32,
    /// The runs.
    pub runs: Vec<Run>,
    /// Cells that were there twice when results were merged: which one was taken, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twice: Vec<String>,
}

/// Identifies the build of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// Its name and version.
    pub version: String,
    /// SHA-256 of its file, in hexadecimal; empty where it cannot be read.
    pub sha256: String,
}

impl Build {
    /// The build in this file.
    #[must_use]
    pub fn of(version: &str, file: &Path) -> Self {
        let sha256 = std::fs::read(file).map(|bytes| hex::encode(Sha256::digest(bytes)));
        Self { version: version.to_owned(), sha256: sha256.unwrap_or_default() }
    }

    /// The rig itself.
    #[must_use]
    pub fn rig() -> Self {
        let file = std::env::current_exe().unwrap_or_default();
        Self::of(concat!("tumbler-hil ", env!("CARGO_PKG_VERSION")), &file)
    }
}

/// One run on one bench.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The bench's kind.
    pub bench: String,
    /// The bench's file, as given on the command line.
    pub file: String,
    /// The description in the bench's file.
    pub about: String,
    /// The scenario files, where they were not the bench's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenarios: Vec<PathBuf>,
    /// The machine's name.
    pub host: String,
    /// The rig.
    pub rig: Build,
    /// The daemon; `None` if the core runs within the rig.
    pub daemon: Option<Build>,
    /// The commit that was tested, as git names it where the run was begun in a checkout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What was mixed into every seed.
    pub salt: u64,
    /// How many cells ran at once.
    pub jobs: usize,
    /// When it began, in seconds since 1970 by the machine's clock.
    pub begun: u64,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// Number of cells that were never started.
    pub left: usize,
    /// What was found.
    pub cells: Vec<Cell>,
}

impl Run {
    /// The build that was tested: the daemon, or the rig that the core runs within.
    #[must_use]
    pub fn tested(&self) -> &Build {
        self.daemon.as_ref().unwrap_or(&self.rig)
    }

    /// The builds that took part, each with what it is.
    pub fn builds(&self) -> impl Iterator<Item = (&'static str, &Build)> {
        std::iter::once(("rig", &self.rig)).chain(self.daemon.as_ref().map(|build| ("daemon", build)))
    }
}

/// A verdict's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum VerdictKind {
    /// The table did what the rules say.
    Pass,
    /// Not executed.
    NotExecuted,
    /// The rig was at fault.
    Invalid,
    /// The table did something else than the rules say.
    Fail,
}

impl VerdictKind {
    /// All of them, worst last.
    pub const ALL: [Self; 4] = [Self::Pass, Self::NotExecuted, Self::Invalid, Self::Fail];

    /// Its word, as in all reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::NotExecuted => "NOT_EXECUTED",
            Self::Invalid => "INVALID",
            Self::Fail => "FAIL",
        }
    }

    /// What this verdict found.
    #[must_use]
    pub const fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Pass,
            Verdict::NotExecuted(_) => Self::NotExecuted,
            Verdict::Invalid(_) => Self::Invalid,
            Verdict::Fail(_) => Self::Fail,
        }
    }
}

/// One cell: a [`CellReport`] without what is too large for a file with thousands of cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are those of CellReport, under their names there")]
pub struct Cell {
    pub name: String,
    pub identity: Identity,
    pub about: String,
    pub verdict: VerdictKind,
    /// Why it did not pass, one entry for each finding.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub listed: bool,
    pub seed: u64,
    pub table_ns: u64,
    pub took_ms: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub log: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latencies: Vec<Latency>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late_ns: u64,
    /// The dump of its wires, relative to the directory of the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vcd: Option<PathBuf>,
    /// Diagram of its lines around the fault, for every cell that does not pass and for the first of each fault or scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagram: Option<Diagram>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands in a reference")]
const fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl Cell {
    /// The result of this cell. Of a passed cell only the kinds of its records are kept, because with thousands of cells the
    /// file would be too large to open.
    #[must_use]
    pub fn of(report: &CellReport) -> Self {
        let verdict = VerdictKind::of(&report.verdict);
        let brief = |record: &String| {
            let kind = record.find(['{', '[', '"']).and_then(|end| record.get(..end));
            kind.unwrap_or(record).to_owned()
        };
        let reasons = match &report.verdict {
            Verdict::Pass => Vec::new(),
            Verdict::Fail(why) => why.clone(),
            other => vec![reason(other)],
        };
        Self {
            name: report.name.clone(),
            identity: report.identity.clone(),
            about: report.about.clone(),
            verdict,
            reasons,
            listed: report.listed,
            seed: report.seed,
            table_ns: report.table_ns,
            took_ms: u64::try_from(report.took.as_millis()).unwrap_or(u64::MAX),
            steps: report.steps.clone(),
            records: match verdict {
                VerdictKind::Pass => report.records.iter().map(brief).collect(),
                _ => report.records.clone(),
            },
            log: report.log.clone(),
            notes: report.notes.clone(),
            clauses: super::clause::cited(report),
            marks: report.marks.clone(),
            latencies: report.latencies.clone(),
            late_ns: report.late_ns,
            vcd: None,
            diagram: None,
        }
    }

    /// Whether it keeps the run from passing.
    #[must_use]
    pub const fn fails(&self) -> bool {
        match self.verdict {
            VerdictKind::Pass => false,
            VerdictKind::NotExecuted => !self.listed,
            VerdictKind::Invalid | VerdictKind::Fail => true,
        }
    }
}

/// Results that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct BadResults {
    /// The file.
    pub path: PathBuf,
    /// What is wrong, where, and what is allowed.
    pub problem: String,
}

impl Results {
    /// The results of one run.
    #[must_use]
    pub fn of(run: Run) -> Self {
        Self { version: VERSION, runs: vec![run], twice: Vec::new() }
    }

    /// All cells with their runs, and the numbers of both.
    pub fn cells(&self) -> impl Iterator<Item = ((usize, usize), &Run, &Cell)> {
        let of_run = |(number, run): (usize, _)| cells_of(number, run);
        self.runs.iter().enumerate().flat_map(of_run)
    }

    /// Reads the results in a directory, or in a file.
    ///
    /// # Errors
    /// [`BadResults`] with the key and what is allowed.
    pub fn read(path: &Path) -> Result<Self, BadResults> {
        let path = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
        let bad = |problem: String| BadResults { path: path.clone(), problem };
        let text = bounded::read(&path, LONGEST).map_err(|e| bad(e.to_string()))?;
        let version: Version = serde_json::from_slice(&text).map_err(|e| bad(e.to_string()))?;
        if version.version != VERSION {
            return Err(bad(format!("version {} is not allowed; {VERSION} is", version.version)));
        }
        serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_slice(&text))
            .map_err(|e| bad(format!("{}: {}", e.path(), e.inner())))
    }

    /// Copies the dumps of cells from one directory to another, into a subdirectory of their own.
    ///
    /// # Errors
    /// [`BadResults`] with the dump that cannot be copied.
    pub fn take_dumps(&mut self, from: &Path, to: &Path, number: usize) -> Result<(), BadResults> {
        for dump in self.runs.iter_mut().flat_map(|run| &mut run.cells).filter_map(|cell| cell.vcd.as_mut()) {
            let source = from.join(&*dump);
            let bad = |problem: String| BadResults { path: source.clone(), problem };
            let name = dump.file_name().ok_or_else(|| bad("is no file".into()))?;
            let place = Path::new(&format!("cells-{number}")).join(name);
            let target = to.join(&place);
            let made = target.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.and_then(|()| std::fs::copy(&source, &target)).map_err(|e| bad(e.to_string()))?;
            *dump = place;
        }
        Ok(())
    }

    /// Writes the results into a directory.
    ///
    /// # Errors
    /// [`BadResults`] when the file cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), BadResults> {
        let path = directory.join(FILE);
        let text = serde_json::to_string(self).map_err(|e| e.to_string());
        let written = text.and_then(|text| std::fs::write(&path, text).map_err(|e| e.to_string()));
        written.map_err(|problem| BadResults { path, problem })
    }
}

fn cells_of(number: usize, run: &Run) -> impl Iterator<Item = ((usize, usize), &Run, &Cell)> {
    run.cells.iter().enumerate().map(move |(n, cell)| ((number, n), run, cell))
}

/// The format's version, which is read first because another version may have any other structure.
#[derive(Deserialize)]
struct Version {
    version: u32,
}
