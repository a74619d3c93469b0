//! The results page: one self-contained file, readable without scripts, that shows what a run found.

mod cells;
mod clauses;
mod latencies;
mod tables;

use super::results::{Cell, Results, Run, VerdictKind};
pub(crate) use cells::quoted;
pub(super) use cells::replay;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeMap;
use std::path::Path;
use tumbler_core::wall;

/// Shape and letter of a verdict, because not everybody can tell the colours apart.
const fn badge(cell: &Cell) -> (&'static str, &'static str) {
    match cell.verdict {
        VerdictKind::Pass => ("pass", "P"),
        VerdictKind::Fail => ("fail", "✖F"),
        VerdictKind::Invalid => ("inv", "?I"),
        VerdictKind::NotExecuted if cell.listed => ("not", "–"),
        VerdictKind::NotExecuted => ("fail", "✖N"),
    }
}

/// A cell with its run, and the numbers of both, which are its anchor on the page.
#[derive(Clone, Copy, Debug)]
pub struct CellOnPage<'a> {
    pub(super) cell: &'a Cell,
    run: &'a Run,
    pub(super) place: (usize, usize),
}

impl<'a> CellOnPage<'a> {
    /// The cell of these numbers.
    fn at(results: &'a Results, place: (usize, usize)) -> Option<Self> {
        let run = results.runs.get(place.0)?;
        Some(Self { cell: run.cells.get(place.1)?, run, place })
    }

    fn id(&self) -> String {
        format!("c{}-{}", self.place.0, self.place.1)
    }

    fn link(&self) -> Markup {
        let (class, letter) = badge(self.cell);
        let name = format!("{}: {}", self.cell.name, self.cell.verdict.word());
        html! { a class={"v " (class)} href={"#" (self.id())} title=(name) { (letter) } }
    }
}

/// All cells of these results.
pub(super) fn cells_of(results: &Results) -> Vec<CellOnPage<'_>> {
    results.cells().map(|(place, run, cell)| CellOnPage { cell, run, place }).collect()
}

/// The page of these results.
#[must_use]
pub fn html(results: &Results) -> String {
    let shown = cells_of(results);
    let body = html! {
        (head(results, &shown))
        nav {
            a href="#matrix" { "Faults" } a href="#failed" { "Not passed" } a href="#scenarios" { "Scenarios" } a href="#runs" { "Runs" }
            a href="#open" { "Not proved" } a href="#latencies" { "Latencies" } a href="#clauses" { "Clauses" }
            a href="#cells" { "Cells" }
        }
        (counts(results, &shown))
        (tables::matrix(&shown))
        (cells::failed(&shown))
        (tables::scenarios(&shown))
        (runs(results))
        (open(&shown))
        (latencies::section(&shown))
        (clauses::section(results))
        (cells::section(&shown))
        script { (PreEscaped(include_str!("page.js"))) }
    };
    document("tumbler-hil: what was found", &body)
}

/// A page of this cell alone, for programs that keep evidence with each test.
pub(super) fn of_cell(s: &CellOnPage<'_>) -> String {
    document(
        &s.cell.name,
        &html! { h1 { (s.cell.name) } p class="quiet" { (s.cell.about) } (cells::whole(s, Path::new(".."))) },
    )
}

fn document(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body { (body) }
        }
    };
    page.into_string()
}

/// What was tested, when, and the verdict in a word: what a reader wants first.
fn head(results: &Results, shown: &[CellOnPage<'_>]) -> Markup {
    let failed = shown.iter().filter(|s| s.cell.fails()).count();
    let left: usize = results.runs.iter().map(|run| run.left).sum();
    let worst = shown.iter().filter(|s| s.cell.fails()).map(|s| s.cell.verdict).max();
    let (class, verdict) = match worst {
        Some(VerdictKind::Invalid) => ("inv", VerdictKind::Invalid.word()),
        Some(_) => ("fail", VerdictKind::Fail.word()),
        None if shown.is_empty() || left > 0 => ("inv", "INCOMPLETE"),
        None => ("pass", VerdictKind::Pass.word()),
    };
    let of = |each: fn(&Run) -> String| {
        let mut all: Vec<String> = results.runs.iter().map(each).filter(|text| !text.is_empty()).collect();
        all.dedup();
        all.join(", ")
    };
    let commit = of(|run| run.commit.clone().unwrap_or_default());
    let build = |run: &Run| format!("{} {}", run.tested().version, run.tested().sha256.get(..12).unwrap_or("?"));
    html! {
        h1 { span class={"verdict " (class)} { (verdict) } " " (failed) " of " (shown.len()) " cells not passed" }
        dl {
            dt { "commit" } dd { code { @if commit.is_empty() { "not known: the run was not begun in a checkout" } @else { (commit) } } }
            dt { "begun (UTC)" } dd { (of(|run| utc(run.begun))) }
            dt { "tested" } dd { (of(build)) }
            dt { "on" } dd { (of(|run| format!("bench {} of {}", run.bench, run.host))) }
        }
    }
}

fn counts(results: &Results, shown: &[CellOnPage<'_>]) -> Markup {
    let count = |verdict: VerdictKind| shown.iter().filter(|s| s.cell.verdict == verdict).count();
    let left: usize = results.runs.iter().map(|run| run.left).sum();
    html! {
        div class="counts" {
            div class="pass" { b { (count(VerdictKind::Pass)) } "PASS" }
            div class=(if count(VerdictKind::Fail) > 0 { "fail" } else { "not" }) { b { (count(VerdictKind::Fail)) } "FAIL" }
            div class=(if count(VerdictKind::Invalid) > 0 { "inv" } else { "not" }) { b { (count(VerdictKind::Invalid)) } "INVALID: the rig was at fault" }
            div class="not" { b { (count(VerdictKind::NotExecuted)) } "NOT_EXECUTED" }
            @if left > 0 { div class="inv" { b { (left) } "never begun" } }
        }
    }
}

fn runs(results: &Results) -> Markup {
    html! {
        h2 id="runs" { "Runs" }
        div class="wide" tabindex="0" { table {
            thead { tr { th { "bench" } th { "begun (UTC)" } th { "took" } th { "cells" } th { "seed" } th { "at once" } th { "machine" } th { "builds" } } }
            tbody {
                @for run in &results.runs {
                    @let table_s = run.cells.iter().map(|cell| cell.table_ns).sum::<u64>() as f64 / 1e9;
                    tr {
                        td { b { (run.bench) } br; span class="quiet" { (run.about) } }
                        td { (utc(run.begun)) }
                        td { (format!("{:.1} s for {table_s:.0} s of table time", run.took_ms as f64 / 1e3)) }
                        td { (run.cells.len()) } td { (run.salt) } td { (run.jobs) } td { (run.host) }
                        td {
                            @for (_, build) in run.builds() {
                                div { (build.version) " " code class="quiet" title=(build.sha256) { (build.sha256.get(..12).unwrap_or("?")) } }
                            }
                        }
                    }
                }
            }
        } }
        @if !results.twice.is_empty() {
            details { summary { (results.twice.len()) " cells were run more than once" } ul { @for line in &results.twice { li { (line) } } } }
        }
    }
}

/// What was not proved, and why, grouped by reason.
fn open(shown: &[CellOnPage<'_>]) -> Markup {
    let mut reasons: BTreeMap<(VerdictKind, String), Vec<&CellOnPage<'_>>> = BTreeMap::new();
    for s in shown.iter().filter(|s| matches!(s.cell.verdict, VerdictKind::Invalid | VerdictKind::NotExecuted)) {
        reasons.entry((s.cell.verdict, s.cell.reasons.join("; "))).or_default().push(s);
    }
    let mut notes: BTreeMap<&str, usize> = BTreeMap::new();
    for note in shown.iter().flat_map(|s| &s.cell.notes) {
        *notes.entry(note).or_default() += 1;
    }
    html! {
        h2 id="open" { "What was INVALID or NOT_EXECUTED, and why" }
        @if reasons.is_empty() && notes.is_empty() { p { "Nothing: every cell has a verdict about the table." } }
        @for ((verdict, why), of) in &reasons {
            details {
                summary {
                    b { (of.len()) " " (verdict.word()) } " on " (of.first().map_or("", |s| s.run.bench.as_str()))
                    @if *verdict == VerdictKind::NotExecuted { (if of.iter().all(|s| s.cell.listed) { ", on the bench's list" } else { ", NOT on the bench's list" }) }
                    ": " (why)
                }
                p { @for s in of { a href={"#" (s.id())} { (s.cell.name) } " " } }
            }
        }
        @if !notes.is_empty() {
            h3 { "Left out of cells that ran" }
            ul { @for (note, count) in &notes { li { (count) " × " (note) } } }
        }
    }
}

/// Seconds since 1970 as date and time, without a time zone: the column's heading says UTC.
fn utc(seconds: u64) -> String {
    let ms = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1000);
    wall::shown(ms).trim_end_matches('Z').to_owned()
}

#[cfg(test)]
mod tests;
