//! A directory of results: results.json, the page, the JUnit reports, and the evidence of cells. A cell's dump is written as it ends,
//! so that only traces of running cells are in memory.

use super::cell::CellReport;
use super::diagram::Diagram;
use super::evidence::{self, Attachment, Evidence};
use super::place::{CELLS, FileNames};
use super::results::{Build, Cell, Results, Run, VERSION};
use super::{allure, junit, page, rows, vcd};
use anyhow::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The page's name within a directory.
pub const PAGE: &str = "report.html";

/// What is known of a run before it begins.
#[derive(Clone, Debug)]
pub struct RunInfo {
    /// The bench's kind.
    pub bench: String,
    /// The bench's file.
    pub file: String,
    /// The description in the bench's file.
    pub about: String,
    /// The scenario files, where they are not the bench's own.
    pub scenarios: Vec<PathBuf>,
    /// The daemon's version and program, where there is one.
    pub daemon: Option<Build>,
    /// The commit of the checkout in which the run begins, if it is one.
    pub commit: Option<String>,
    /// What is mixed into every seed.
    pub salt: u64,
    /// How many cells run at once.
    pub jobs: usize,
    /// An address where `{}` stands for a clause.
    pub requirements: Option<String>,
}

/// Results that are being gathered, in a directory where one was asked for.
#[derive(Debug)]
pub struct Directory {
    path: Option<PathBuf>,
    info: RunInfo,
    /// Known once it is asked for: its program is large.
    rig: OnceLock<Build>,
    /// Dumps of all cells, not only of those that fail.
    all_dumps: bool,
    begun: SystemTime,
    files: Mutex<CellFiles>,
}

#[derive(Debug, Default)]
struct CellFiles {
    dumps: BTreeMap<String, PathBuf>,
    diagrams: BTreeMap<String, Diagram>,
    /// Faults and scenarios that already have a cell with a diagram.
    drawn: BTreeSet<String>,
    /// Names of dumps, and of what else there is of a cell.
    names: FileNames,
    pages: FileNames,
    trouble: Option<anyhow::Error>,
}

impl Directory {
    /// Creates the directory, if there is to be one. Files of an earlier run are overwritten.
    ///
    /// # Errors
    /// The directory cannot be created.
    pub fn new(path: Option<&Path>, info: RunInfo, all_dumps: bool) -> anyhow::Result<Self> {
        if let Some(path) = path {
            let cells = path.join(CELLS);
            // What an earlier run left there would pass for evidence of this one.
            if cells.exists() {
                fs::remove_dir_all(&cells).with_context(|| format!("empty {}", cells.display()))?;
            }
            fs::create_dir_all(&cells).with_context(|| format!("make {}", cells.display()))?;
        }
        let files = Mutex::default();
        let (path, rig, begun) = (path.map(Path::to_owned), OnceLock::new(), SystemTime::now());
        Ok(Self { path, info, rig, all_dumps, begun, files })
    }

    /// Takes the capture out of a report, and writes its dump and diagram if they are wanted.
    pub fn take(&self, report: &mut CellReport) {
        let (Some(capture), Some(directory)) = (report.capture.take(), &self.path) else { return };
        {
            // A cell that is asked again has nothing of the time before.
            let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
            files.dumps.remove(&report.name);
            files.diagrams.remove(&report.name);
        }
        let kind = format!("{}{}", report.identity.fault, report.identity.scenario);
        let first = self.files.lock().unwrap_or_else(PoisonError::into_inner).drawn.insert(kind);
        if first || report.fails() {
            let diagram = Diagram::of(&capture, report.fails());
            let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
            files.diagrams.insert(report.name.clone(), diagram);
        }
        if !(self.all_dumps || report.fails()) {
            return;
        }
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let place = Path::new(CELLS).join(format!("{}.vcd", files.names.unused(&report.name)));
        drop(files);
        let path = directory.join(&place);
        let written = File::create(&path)
            .and_then(|file| vcd::write(BufWriter::new(file), &report.name, &capture))
            .with_context(|| format!("write {}", path.display()));
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        match written {
            Ok(()) => drop(files.dumps.insert(report.name.clone(), place)),
            Err(trouble) => files.trouble = files.trouble.take().or(Some(trouble)),
        }
    }

    /// Writes the results, if there is a directory, and gives them with the evidence there; `left` cells were never started.
    ///
    /// # Errors
    /// A file cannot be written, or an earlier dump could not be.
    pub fn finish(self, reports: &[CellReport], left: usize, took: Duration) -> anyhow::Result<(Results, Evidence)> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(trouble) = files.trouble.take() {
            return Err(trouble);
        }
        let results = Results::of(self.run(&files, &self.info.scenarios, reports, left, took));
        drop(files);
        let Some(path) = &self.path else { return Ok((results, Evidence::default())) };
        results.write(path)?;
        let evidence = write(&results, self.info.requirements.as_deref(), path)?;
        Ok((results, evidence))
    }

    /// Writes the evidence of a cell of this scenario file that has just ended, after [`Self::take`], and gives it. Whoever asks for this must not
    /// [`finish`](Self::finish), which writes that of all cells.
    ///
    /// # Errors
    /// A file cannot be written, or the dump could not be.
    pub fn evidence(&self, report: &CellReport, file: Option<&Path>) -> anyhow::Result<Vec<Attachment>> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(trouble) = files.trouble.take() {
            return Err(trouble);
        }
        if !report.fails() && !files.dumps.contains_key(&report.name) {
            return Ok(Vec::new());
        }
        let scenarios: Vec<PathBuf> = file.map(Path::to_owned).into_iter().collect();
        let results = Results::of(self.run(&files, &scenarios, std::slice::from_ref(report), 0, report.took));
        let Some(path) = &self.path else { return Ok(Vec::new()) };
        evidence::of_each(&results, &mut files.pages, path).map(|all| all.into_values().flatten().collect())
    }

    /// Writes results.json alone, a run for each of these scenario files, or for the matrix where there is none. `tumbler-hil report`
    /// makes everything else of it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_served(&self, by_file: &BTreeMap<Option<PathBuf>, Vec<CellReport>>) -> anyhow::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let runs = by_file.iter().map(|(file, reports)| {
            let scenarios: Vec<PathBuf> = file.iter().cloned().collect();
            self.run(&files, &scenarios, reports, 0, reports.iter().map(|report| report.took).sum())
        });
        Ok(Results { version: VERSION, runs: runs.collect(), twice: Vec::new() }.write(path)?)
    }

    fn run(
        &self,
        files: &CellFiles,
        scenarios: &[PathBuf],
        reports: &[CellReport],
        left: usize,
        took: Duration,
    ) -> Run {
        let info = self.info.clone();
        Run {
            bench: info.bench,
            file: info.file,
            about: info.about,
            scenarios: scenarios.to_vec(),
            host: fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned(),
            rig: self.rig.get_or_init(Build::rig).clone(),
            daemon: info.daemon,
            commit: info.commit,
            salt: info.salt,
            jobs: info.jobs,
            begun: self.begun.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
            took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            left,
            cells: reports.iter().map(|report| files.cell(report)).collect(),
        }
    }
}

impl CellFiles {
    /// The cell with its dump and its diagram.
    fn cell(&self, report: &CellReport) -> Cell {
        let (vcd, diagram) = (self.dumps.get(&report.name).cloned(), self.diagrams.get(&report.name).cloned());
        Cell { vcd, diagram, ..Cell::of(report) }
    }
}

/// Writes what is made of the results into their directory: the page, the JUnit reports, rows for spreadsheets, Allure's
/// results, and the evidence of cells, which it gives. `requirements` is an address where `{}` stands for a clause.
///
/// # Errors
/// A file cannot be written.
pub fn write(results: &Results, requirements: Option<&str>, directory: &Path) -> anyhow::Result<Evidence> {
    let evidence = Evidence::write(results, directory)?;
    let page = directory.join(PAGE);
    fs::write(&page, page::html(results)).with_context(|| format!("write {}", page.display()))?;
    let documents = junit::documents(results, directory, &evidence)?;
    write_numbered(&directory.join("junit.xml"), &documents)?;
    rows::write(results, directory)?;
    allure::write(results, &evidence, requirements, directory)?;
    Ok(evidence)
}

/// Writes these texts into the file and `NAME-2.ENDING` and so on beside it, and removes those with the numbers after them.
///
/// # Errors
/// A file cannot be written or removed.
pub fn write_numbered(path: &Path, texts: &[String]) -> anyhow::Result<()> {
    let place = |number: usize| {
        let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        match number {
            1 => path.to_owned(),
            _ => path.with_file_name(format!("{}-{number}.{}", part(path.file_stem()), part(path.extension()))),
        }
    };
    for (number, text) in (1..).zip(texts) {
        fs::write(place(number), text).with_context(|| format!("write {}", place(number).display()))?;
    }
    for stale in (texts.len() + 1..).map(place).take_while(|stale| stale.exists()) {
        fs::remove_file(&stale).with_context(|| format!("remove {}", stale.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::capture::Capture;
    use super::super::tests::cell;
    use super::*;
    use crate::scenario::Verdict;

    #[test]
    fn cells_whose_names_look_alike_as_files_have_a_dump_each() {
        let place = tempfile::tempdir().unwrap();
        let info = RunInfo {
            bench: String::new(),
            file: String::new(),
            about: String::new(),
            scenarios: Vec::new(),
            daemon: None,
            commit: None,
            salt: 0,
            jobs: 1,
            requirements: None,
        };
        fs::create_dir(place.path().join(CELLS)).unwrap();
        fs::write(place.path().join(CELLS).join("old.vcd"), "").unwrap();
        let directory = Directory::new(Some(place.path()), info, true).unwrap();
        assert!(!place.path().join(CELLS).join("old.vcd").exists(), "of an earlier run");
        let names = ["mine[a b]::nz-1998", "mine[a,b]::nz-1998"];
        for name in names {
            directory.take(&mut CellReport { capture: Some(Capture::default()), ..cell(name, Verdict::Pass, false) });
        }
        let files = directory.files.into_inner().unwrap();
        let dumps: BTreeSet<&PathBuf> = files.dumps.values().collect();
        assert_eq!(dumps.len(), names.len(), "{dumps:?}");
        for (name, dump) in &files.dumps {
            let text = fs::read_to_string(place.path().join(dump)).unwrap();
            assert!(text.contains(&name.replace(' ', "_")), "{name}: {text}");
        }
    }
}
