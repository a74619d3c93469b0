//! Histograms of the table's reaction times, relative to their deadlines.

use super::CellOnPage;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Columns of a histogram.
const BINS: usize = 24;
/// Columns beyond the deadline.
const BEYOND: usize = 4;

/// A histogram for each deadline of each unit.
pub(super) fn section(shown: &[CellOnPage<'_>]) -> Markup {
    let mut groups: BTreeMap<(&str, &str, &str, u64), Vec<u64>> = BTreeMap::new();
    for s in shown {
        let at = &s.cell.identity;
        let unit = if at.fault.is_empty() { "scenarios" } else { at.fault.split('.').next().unwrap_or_default() };
        for latency in &s.cell.latencies {
            groups.entry((&s.run.bench, unit, &latency.what, latency.limit_ns)).or_default().push(latency.took_ns);
        }
    }
    // Waits without a stated limit have no deadline to compare with.
    let (plots, single): (Vec<_>, Vec<_>) = groups.iter().partition(|(_, took)| took.len() > 1);
    html! {
        h2 id="latencies" { "Latencies against deadlines" }
        p class="quiet" { "Under virtual time these are the table's own; in real time the machine's other work is in them. The dashed line is the deadline." }
        div class="plots" { @for ((bench, unit, what, limit), took) in &plots { (plot(bench, unit, what, *limit, took)) } }
        @if !single.is_empty() {
            details { summary { (single.len()) " that were measured once" }
                ul { @for ((bench, unit, what, limit), took) in &single {
                    li { (bench) ", " (unit) ": " (what) " took " (millis(took.first().copied().unwrap_or(0))) " of " (millis(*limit)) }
                } }
            }
        }
    }
}

fn plot(bench: &str, unit: &str, what: &str, limit: u64, took: &[u64]) -> Markup {
    let mut sorted = took.to_vec();
    sorted.sort_unstable();
    let at = |share: usize| sorted.get(sorted.len() * share / 100).or(sorted.last()).copied().unwrap_or(0);
    let (median, worst) = (at(50), sorted.last().copied().unwrap_or(0));
    // Columns are fractions of the deadline, so that no column is on both sides of it. The last one holds everything far beyond.
    let column = (limit / BINS as u64).max(1);
    let mut bins = [0_usize; BINS + BEYOND];
    for value in &sorted {
        let place = usize::try_from(value.saturating_sub(1) / column).unwrap_or(usize::MAX).min(BINS + BEYOND - 1);
        if let Some(bin) = bins.get_mut(place) {
            *bin += 1;
        }
    }
    let width = 300.0 / (BINS + BEYOND) as f64;
    let most = bins.iter().copied().max().unwrap_or(1).max(1) as f64;
    let said = format!(
        "{} of {bench}: {what}; n {}, median {}, worst {}, deadline {}",
        unit,
        took.len(),
        millis(median),
        millis(worst),
        millis(limit)
    );
    html! {
        figure {
            figcaption {
                b { (unit) } " on " (bench) ": " (what) br;
                span class="quiet" { (took.len()) " times, median " (millis(median)) ", worst " (millis(worst)) " of " (millis(limit)) }
            }
            svg role="img" aria-label=(said) viewBox="0 0 300 76" {
                @for (n, count) in bins.iter().enumerate() {
                    @if *count > 0 {
                        @let height = (*count as f64 / most * 66.0).max(2.0);
                        rect class="bar" x=(format!("{:.1}", n as f64 * width)) y=(format!("{:.1}", 70.0 - height)) width=(format!("{:.1}", width - 1.0)) height=(format!("{height:.1}")) { title { (count) } }
                    }
                }
                path class="limit" d=(format!("M{:.1} 0V74", BINS as f64 * width - 0.5)) {}
                path class="grid" d="M0 70H300" {}
            }
        }
    }
}

fn millis(nanos: u64) -> String {
    format!("{:.1} ms", nanos as f64 / 1e6)
}
