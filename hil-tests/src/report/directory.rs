//! A directory of results: the file, the JUnit report, and the dumps of cells. Cells are taken up as they end, so that
//! no more traces are held than cells run at once.

use super::cell::CellReport;
use super::diagram::Diagram;
use super::results::{Build, Cell, Results, Run};
use super::{junit, page, vcd};
use anyhow::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where dumps lie within the directory.
const CELLS: &str = "cells";

/// The page's name within a directory.
pub const PAGE: &str = "report.html";

/// What a run is, before it is known what it finds.
#[derive(Clone, Debug)]
pub struct About {
    /// The bench's kind.
    pub bench: String,
    /// The bench's file.
    pub file: String,
    /// What the bench's file says that it is.
    pub about: String,
    /// The daemon's version and program, where there is one.
    pub daemon: Option<Build>,
    /// What is mixed into every seed.
    pub salt: u64,
    /// How many cells run at once.
    pub jobs: usize,
}

/// A directory that is being filled.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    about: About,
    /// Dumps of all cells, not only of those that fail.
    all_dumps: bool,
    begun: SystemTime,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    dumps: BTreeMap<String, PathBuf>,
    diagrams: BTreeMap<String, Diagram>,
    /// Faults and scenarios of which a cell is drawn.
    drawn: BTreeSet<String>,
    trouble: Option<anyhow::Error>,
}

impl Directory {
    /// Makes the directory. What an earlier run left in it under the same names is overwritten.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new(path: &Path, about: About, all_dumps: bool) -> anyhow::Result<Self> {
        let cells = path.join(CELLS);
        fs::create_dir_all(&cells).with_context(|| format!("make {}", cells.display()))?;
        let taken = Mutex::default();
        Ok(Self { path: path.to_owned(), about, all_dumps, begun: SystemTime::now(), taken })
    }

    /// Takes up what a cell has captured, and lets go of it.
    pub fn take(&self, report: &mut CellReport) {
        let Some(capture) = report.capture.take() else { return };
        let kind = format!("{}{}", report.identity.fault, report.identity.scenario);
        let first = self.taken.lock().unwrap_or_else(PoisonError::into_inner).drawn.insert(kind);
        if first || report.fails() {
            let diagram = Diagram::of(&capture);
            let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
            taken.diagrams.insert(report.name.clone(), diagram);
        }
        if !(self.all_dumps || report.fails()) {
            return;
        }
        let place = Path::new(CELLS).join(format!("{}.vcd", file_name(&report.name)));
        let path = self.path.join(&place);
        let written = File::create(&path)
            .and_then(|file| vcd::write(BufWriter::new(file), &report.name, &capture))
            .with_context(|| format!("write {}", path.display()));
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        match written {
            Ok(()) => drop(taken.dumps.insert(report.name.clone(), place)),
            Err(trouble) => taken.trouble = taken.trouble.take().or(Some(trouble)),
        }
    }

    /// Writes what the run found; `left` cells were never begun.
    ///
    /// # Errors
    /// Something cannot be written, or could not when a cell was taken up.
    pub fn finish(self, reports: &[CellReport], left: usize, took: Duration) -> anyhow::Result<()> {
        let mut taken = self.taken.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(trouble) = taken.trouble {
            return Err(trouble);
        }
        let cells = reports.iter().map(|report| Cell {
            vcd: taken.dumps.remove(&report.name),
            diagram: taken.diagrams.remove(&report.name),
            ..Cell::of(report)
        });
        let results = Results::of(Run {
            bench: self.about.bench.clone(),
            file: self.about.file,
            about: self.about.about,
            host: fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned(),
            rig: Build::rig(),
            daemon: self.about.daemon,
            salt: self.about.salt,
            jobs: self.about.jobs,
            begun: self.begun.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
            took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            left,
            cells: cells.collect(),
        });
        results.write(&self.path)?;
        let page = self.path.join(PAGE);
        fs::write(&page, page::html(&results)).with_context(|| format!("write {}", page.display()))?;
        let path = self.path.join("junit.xml");
        let xml = junit::xml(&self.about.bench, reports, took)?;
        fs::write(&path, xml).with_context(|| format!("write {}", path.display()))
    }
}

/// A cell's name as that of a file: what shells and file systems read otherwise becomes `_`.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-.+@".contains(c) { c } else { '_' }).collect()
}
