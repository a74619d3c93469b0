//! Progress of a run: a bar on a terminal, elsewhere a line for each scenario.

use super::word;
use crate::report::cell::CellReport;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Shows the progress of a run on standard error.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    ended: AtomicUsize,
    total: usize,
}

impl Progress {
    /// Progress of a run of `total` scenarios.
    #[must_use]
    pub fn new(total: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total as u64);
            let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        Self { bar, ended: AtomicUsize::new(0), total }
    }

    /// A scenario ended.
    pub fn ended(&self, report: &CellReport) {
        let ended = self.ended.fetch_add(1, Ordering::SeqCst) + 1;
        let line = format!("{:<12} {:>6.1} s  {}", word(&report.verdict), report.took.as_secs_f64(), report.name);
        match &self.bar {
            Some(bar) => {
                if report.fails() {
                    bar.println(&line);
                }
                bar.set_message(report.name.clone());
                bar.inc(1);
            }
            // A closed standard error is no reason to fail.
            None => drop(writeln!(std::io::stderr(), "[{ended:>4}/{}] {line}", self.total)),
        }
    }

    /// The run is over.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
