//! Each cell: its verdict and the reason, the command that repeats it, and its lines over time.

use super::{Cell, CellOnPage, Run, VerdictKind, badge};
use crate::report::cause;
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The cells that did not pass, by cause, each with all that is known of it; the worst first, of whichever run.
pub(super) fn failed(shown: &[CellOnPage<'_>]) -> Markup {
    let mut failed: Vec<&CellOnPage<'_>> = shown.iter().filter(|s| s.cell.fails()).collect();
    failed.sort_by_key(|s| core::cmp::Reverse(s.cell.verdict));
    let mut causes: Vec<(String, Vec<&CellOnPage<'_>>)> = Vec::new();
    for s in failed {
        let why = cause(s.cell.reasons.first().map_or("", String::as_str));
        let cause = format!("{}: {why}", s.cell.verdict.word());
        match causes.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, alike)) => alike.push(s),
            None => causes.push((cause, vec![s])),
        }
    }
    html! {
        @if !causes.is_empty() {
            h2 id="failed" { "Not passed, by cause" }
            @for (cause, alike) in &causes {
                details class="fail cause" open[causes.len() == 1] {
                    summary { b { (alike.len()) " × " } (cause) }
                    @for s in alike {
                        details id=(s.id()) class="fail cell" open[alike.len() == 1] data-verdict=(s.cell.verdict.word()) {
                            (contents(s, Path::new("")))
                        }
                    }
                }
            }
        }
    }
}

/// All cells, by fault or scenario. Those that did not pass are at the top of the page, and only named here.
pub(super) fn section(shown: &[CellOnPage<'_>]) -> Markup {
    let mut groups: BTreeMap<(bool, &str), Vec<CellOnPage<'_>>> = BTreeMap::new();
    for s in shown {
        let at = &s.cell.identity;
        groups.entry((at.fault.is_empty(), at.subject())).or_default().push(*s);
    }
    html! {
        h2 id="cells" { "Cells" }
        (filter())
        @for ((_, name), cells) in &groups {
            @let bad = cells.iter().filter(|s| s.cell.fails()).count();
            details class=(if bad > 0 { "fail group" } else { "group" }) {
                summary { b { (name) } " " span class="quiet" { (cells.len()) " cells" @if bad > 0 { ", " (bad) " not passed" } } }
                p class="quiet" { (cells.first().map_or("", |s| s.cell.about.as_str())) }
                @for s in cells { (cell(s)) }
            }
        }
    }
}

fn cell(s: &CellOnPage<'_>) -> Markup {
    if s.cell.fails() {
        return html! { p class="cell" data-verdict=(s.cell.verdict.word()) { (s.link()) " " a href={"#" (s.id())} { (s.cell.name) } span hidden { (s.cell.clauses.join(" ")) } } };
    }
    html! {
        details id=(s.id()) class="cell" data-verdict=(s.cell.verdict.word()) { (contents(s, Path::new(""))) }
    }
}

/// Narrows the cells down, by words of theirs (names, clauses, reasons) and by verdict. Without scripts there is nothing to press.
fn filter() -> Markup {
    html! {
        form id="filter" hidden {
            label { "Only cells with " input type="search" name="words" placeholder="words, such as motor nz-div9 or 7.1(a)" size="40"; }
            @for verdict in VerdictKind::ALL { label { input type="checkbox" name="verdict" value=(verdict.word()) checked; " " (verdict.word()) } }
            output {}
        }
    }
}

/// The same, open, on a page of its own; `top` leads from there to the directory of the results.
pub(super) fn whole(s: &CellOnPage<'_>, top: &Path) -> Markup {
    html! { details open { (contents(s, top)) } }
}

fn contents(s: &CellOnPage<'_>, top: &Path) -> Markup {
    let cell = s.cell;
    let (class, letter) = badge(cell);
    // Thousands of cells pass, so they are listed in short form; only the first of each fault is complete.
    let whole = cell.verdict != VerdictKind::Pass || cell.diagram.is_some();
    html! {
        summary { span class={"v " (class)} { (letter) } " " (cell.name) " " span class="quiet" { (cell.verdict.word()) " on " (s.run.bench) } }
        @for reason in &cell.reasons { pre { (reason) } }
        dl {
            dt { "run again" } dd { code { (replay(s.run, s.cell)) } }
            dt { "seed" } dd { (cell.seed) }
            dt { "took" } dd { (format!("{:.1} s of table time in {:.2} s", cell.table_ns as f64 / 1e9, cell.took_ms as f64 / 1e3)) @if cell.late_ns > 0 { (format!("; the rig was {:.1} ms late at most", cell.late_ns as f64 / 1e6)) } }
            @if !cell.clauses.is_empty() { dt { "clauses" } dd { (cell.clauses.join(", ")) } }
            @for latency in &cell.latencies {
                dt { (if latency.took_ns < latency.limit_ns { "in time" } else { "late" }) } dd { (latency.what) ": " (format!("{:.1} of {:.0} ms", latency.took_ns as f64 / 1e6, latency.limit_ns as f64 / 1e6)) }
            }
            @if let Some(vcd) = &cell.vcd { @let path = top.join(vcd).display().to_string(); dt { "wires" } dd { a href=(path) { (path) } " for GTKWave or PulseView" } }
            @for note in &cell.notes { dt { "left out" } dd { (note) } }
        }
        @if whole {
            @if let Some(diagram) = &cell.diagram { div class="scroll" tabindex="0" { (diagram.svg(&cell.marks)) } }
            @if !cell.steps.is_empty() { details { summary { (cell.steps.len()) " steps" } ol { @for step in &cell.steps { li { code { (step) } } } } } }
            @if !cell.records.is_empty() { details { summary { (cell.records.len()) " records" } pre { (cell.records.join("\n")) } } }
            @if !cell.log.is_empty() { details { summary { "the end of the daemon's log" } pre { (cell.log) } } }
        }
    }
}

/// A word for a shell.
pub(crate) fn quoted(word: &str) -> String {
    if word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c)) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The command that runs this cell again.
pub(in crate::report) fn replay(run: &Run, cell: &Cell) -> String {
    let name = quoted(&cell.name);
    let seed = if run.salt == 0 { String::new() } else { format!(" --seed {}", run.salt) };
    let bench = format!("--bench {}{seed}", quoted(&run.file));
    if cell.identity.fault.is_empty() {
        // A scenario has the name of its file.
        let own = |file: &&PathBuf| file.file_stem().is_some_and(|stem| *stem == *cell.identity.scenario);
        let files = run.scenarios.iter().filter(own);
        let files: String = files.map(|file| format!("{} ", quoted(&file.display().to_string()))).collect();
        format!("tumbler-hil run {files}--only {name} {bench}")
    } else {
        format!("tumbler-hil matrix {name} --only {bench}")
    }
}
