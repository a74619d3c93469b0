//! Faults by phases, and scenarios by layouts.

use super::{CellOnPage, badge};
use crate::fault::Place;
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};
use tumbler_spec::config::Rules;

fn benches<'a>(shown: &[CellOnPage<'a>]) -> BTreeSet<&'a str> {
    shown.iter().map(|s| s.run.bench.as_str()).collect()
}

/// The heat map: faults as rows, grouped by unit; phases as columns; a mark for each rule set.
pub(super) fn matrix(shown: &[CellOnPage<'_>]) -> Markup {
    let cells: Vec<CellOnPage<'_>> = shown.iter().filter(|s| !s.cell.identity.fault.is_empty()).copied().collect();
    html! {
        h2 id="matrix" { "Faults by phases" }
        @if cells.is_empty() { p { "No cell of the matrix is in these results." } }
        @else {
            p class="quiet" {
                "In each cell the worst verdict under the rule sets that it was played under; it opens to a mark a rule set, in the order "
                @for (n, rules) in Rules::ALL.map(Rules::id).iter().enumerate() { @if n > 0 { ", " } (rules) }
                ". P passed, ✖F failed, ?I invalid, – not executed and on the bench's list, ✖N not executed and not on it, · no such cell."
            }
        }
        @for bench in benches(&cells) {
            h3 { "Bench " (bench) }
            (heat(&cells, bench))
        }
    }
}

/// The cells of a fault, by phase and rule set.
type Row<'a> = BTreeMap<(&'a str, &'a str), CellOnPage<'a>>;

fn heat(cells: &[CellOnPage<'_>], bench: &str) -> Markup {
    let mut rows: BTreeMap<(&str, &str), Row<'_>> = BTreeMap::new();
    for s in cells.iter().filter(|s| s.run.bench == bench) {
        let at = &s.cell.identity;
        let unit = at.fault.split('.').next().unwrap_or_default();
        rows.entry((unit, &at.fault)).or_default().insert((&at.phase, &at.rules), *s);
    }
    let mut last = "";
    html! {
        div class="wide" tabindex="0" { table class="heat" {
            thead { tr { th { "fault" } @for (phase, _) in Place::ALL { th { (phase) } } } }
            tbody {
                @for ((unit, fault), row) in &rows {
                    @if core::mem::replace(&mut last, unit) != *unit {
                        tr class="unit" { th colspan=(Place::ALL.len() + 1) { (unit) } }
                    }
                    tr {
                        th scope="row" { (fault) }
                        @for (phase, _) in Place::ALL {
                            td { (marks(row, phase)) }
                        }
                    }
                }
            }
        } }
    }
}

/// The worst verdict of a fault in a phase, which opens to all.
fn marks(row: &Row<'_>, phase: &str) -> Markup {
    let of = |rules: Rules| row.get(&(phase, rules.id()));
    let worst = Rules::ALL.into_iter().filter_map(of).max_by_key(|s| (s.cell.fails(), s.cell.verdict));
    let Some(worst) = worst else { return html! { span class="v none" { "·" } } };
    let (class, letter) = badge(worst.cell);
    html! {
        details class="marks" {
            summary class={"v " (class)} title=(worst.cell.verdict.word()) { (letter) }
            @for rules in Rules::ALL {
                @match of(rules) { Some(s) => (s.link()), None => span class="v none" { "·" } }
            }
        }
    }
}

/// Plain scenarios as rows, layouts as columns.
pub(super) fn scenarios(shown: &[CellOnPage<'_>]) -> Markup {
    let cells: Vec<CellOnPage<'_>> = shown.iter().filter(|s| s.cell.identity.fault.is_empty()).copied().collect();
    html! {
        h2 id="scenarios" { "Scenarios by layouts" }
        @if cells.is_empty() { p { "No plain scenario is in these results." } }
        @for bench in benches(&cells) {
            h3 { "Bench " (bench) }
            (grid(&cells, bench))
        }
    }
}

fn grid(cells: &[CellOnPage<'_>], bench: &str) -> Markup {
    let mut rows: BTreeMap<&str, BTreeMap<&str, CellOnPage<'_>>> = BTreeMap::new();
    let mut layouts: BTreeSet<&str> = BTreeSet::new();
    for s in cells.iter().filter(|s| s.run.bench == bench) {
        let name = s.cell.name.rsplit_once("::").map_or(s.cell.name.as_str(), |(name, _)| name);
        layouts.insert(&s.cell.identity.layout);
        rows.entry(name).or_default().insert(&s.cell.identity.layout, *s);
    }
    html! {
        div class="wide" tabindex="0" { table class="heat" {
            thead { tr { th { "scenario" } @for layout in &layouts { th { (layout) } } } }
            tbody {
                @for (name, row) in &rows {
                    tr {
                        th scope="row" { (name) }
                        @for layout in &layouts {
                            td { @match row.get(layout) { Some(s) => (s.link()), None => span class="v none" { "·" } } }
                        }
                    }
                }
            }
        } }
    }
}
