//! What is told.

use crate::cli::say;
use crate::report::cell::CellReport;
use crate::report::evidence::Attachment;
use crate::report::results::{Cell, VerdictKind};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The version of requests and events.
pub(super) const PROTOCOL: u32 = 1;

/// An event.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event<'a> {
    /// The bench works, and requests are read.
    Ready { protocol: u32, rig: &'a str, bench: &'a str, out: &'a Path },
    /// A cell that there is.
    Cell {
        cell: &'a str,
        about: &'a str,
        /// Why this bench cannot play it.
        #[serde(skip_serializing_if = "Option::is_none")]
        cannot: Option<&'a str>,
    },
    /// That were all.
    Listed { cells: usize },
    /// A cell is played.
    Began { cell: &'a str, seed: u64, steps: usize },
    /// One of its steps begins.
    Step { step: usize, words: &'a str, table_ns: u64 },
    /// It ended.
    Verdict {
        cell: &'a str,
        verdict: VerdictKind,
        reasons: Vec<String>,
        listed: bool,
        seed: u64,
        table_ns: u64,
        took_ms: u64,
        clauses: Vec<String>,
        notes: Vec<String>,
        attachments: Vec<Attached>,
    },
    /// A request, or the bench, is at fault.
    Error { problem: String },
}

/// A file of a cell.
#[derive(Debug, Serialize)]
pub(super) struct Attached {
    name: &'static str,
    path: PathBuf,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl<'a> Event<'a> {
    /// A cell's verdict, with its files in the directory `out`.
    pub(super) fn verdict(report: &'a CellReport, attachments: &[Attachment], out: &Path) -> Self {
        let Cell { verdict, reasons, clauses, took_ms, .. } = Cell::of(report);
        let attached = |each: &Attachment| Attached { name: each.name, path: out.join(&each.path), kind: each.kind };
        Self::Verdict {
            cell: &report.name,
            verdict,
            reasons,
            listed: report.listed,
            seed: report.seed,
            table_ns: report.table_ns,
            took_ms,
            clauses,
            notes: report.notes.clone(),
            attachments: attachments.iter().map(attached).collect(),
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    id: Option<u64>,
    #[serde(flatten)]
    event: &'a Event<'a>,
}

/// Where events are told: standard output.
#[derive(Debug, Default)]
pub(super) struct Events {
    closed: AtomicBool,
}

impl Events {
    /// Tells an event of the request of this number.
    pub(super) fn tell(&self, id: Option<u64>, event: &Event<'_>) {
        let line = serde_json::to_string(&Line { id, event }).map_err(std::io::Error::other);
        if !line.map_err(say::note).is_ok_and(|line| say::whole(&(line + "\n"))) {
            self.closed.store(true, Ordering::SeqCst);
        }
    }

    /// Nobody listens any more.
    pub(super) fn closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }
}
