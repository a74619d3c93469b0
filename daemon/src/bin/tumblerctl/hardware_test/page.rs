//! The report as a page of its own: measurements with bars, and plots as SVG. It loads nothing.

use super::bar;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::fmt::Write;
use tumbler_core::hardware_test::{Measurement, Report, Verdict, Wave};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#1a1a1a;background:#fff}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3em .6em;border-bottom:1px solid #ccc}\
.pass{color:#0a5c1e}.marginal{color:#7a4b00}.fail{color:#a3000f;font-weight:bold}svg{max-width:100%;height:auto}";
/// Size of the plots, in pixels.
const WIDTH: i64 = 640;
const HEIGHT: i64 = 120;

/// The page of these reports.
pub(super) fn page(reports: &[Report]) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { "Hardware tests" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "Hardware tests" }
                @for report in reports { (section(report)) }
            }
        }
    }
}

fn section(report: &Report) -> Markup {
    html! {
        h2 { (report.test) ": " span class=(report.verdict.name()) { (report.verdict.name()) } }
        p { "by " (report.by) }
        @if !report.found.is_empty() { p class="fail" { (report.found) } }
        @if !report.seen.is_empty() { p { "found right by a person: " (report.seen.join(", ")) } }
        @if !report.measurements.is_empty() {
            table {
                thead { tr { th { "measured" } th { "value" } th { "limits" } th { "" } th { "verdict" } th { "what to do" } } }
                tbody { @for m in &report.measurements { (row(m)) } }
            }
        }
        @if !report.plots.periods.is_empty() { h3 { "Tumble periods" } (periods(report)) }
        @if !report.plots.waves.is_empty() { h3 { "Cam" } (waves(&report.plots.waves)) }
        @if !report.plots.dark.is_empty() || !report.plots.untold.is_empty() {
            h3 { "Lamp map" }
            (areas("dark although told to light", &report.plots.dark))
            (areas("lit although not told", &report.plots.untold))
        }
    }
}

fn row(m: &Measurement) -> Markup {
    html! {
        tr {
            td { (m.quantity.name()) }
            td { (bar::value(m.quantity, m.value)) }
            td { (bar::limits(m)) }
            td { (gauge(m)) }
            td class=(m.verdict.name()) { (m.verdict.name()) }
            td { @if m.verdict != Verdict::Pass { (m.quantity.remedy()) } }
        }
    }
}

/// The limits in colours, and the value as a line across them.
fn gauge(m: &Measurement) -> Markup {
    let cells = bar::bar(m);
    html! {
        svg viewBox="0 0 128 16" width="128" height="16" role="img" aria-label=(m.verdict.name()) {
            @for (cell, what) in cells.chars().enumerate() {
                @let fill = match what { '=' => "#9fd8ae", '~' => "#f2c879", '!' => "#eda1a1", _ => "#000000" };
                rect x=(cell * 4) y=(if what == '#' { 0 } else { 4 }) width="4" height=(if what == '#' { 16 } else { 8 }) fill=(fill) {}
            }
        }
    }
}

fn periods(report: &Report) -> Markup {
    let periods = &report.plots.periods;
    let most = periods.iter().copied().max().unwrap_or(1).max(1);
    let wide = WIDTH / i64::try_from(periods.len()).unwrap_or(1).max(1);
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {}", HEIGHT + 24)) width=(WIDTH) role="img" aria-label="period of each tumble" {
            @for (n, period) in (0_i64..).zip(periods) {
                @let high = period * HEIGHT / most;
                rect x=(n * wide + 2) y=(HEIGHT - high) width=(wide - 4) height=(high) fill="#4a76a8" {}
                text x=(n * wide + wide / 2) y=(HEIGHT + 16) text-anchor="middle" font-size="12" {
                    (format!("{}.{} ms", period / 1000, period / 100 % 10))
                }
            }
        }
    }
}

fn waves(waves: &[Wave]) -> Markup {
    let end = waves.iter().filter_map(|wave| wave.edges.last()).copied().max().unwrap_or(1).max(1);
    let high = 40 * i64::try_from(waves.len()).unwrap_or(1);
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {high}")) width=(WIDTH) role="img" aria-label="levels of the cam's sensors over time" {
            @for (n, wave) in (0_i64..).zip(waves) {
                text x="0" y=(n * 40 + 22) font-size="12" { (wave.line) }
                path d=(path(wave, n * 40, end)) fill="none" stroke="#4a76a8" {}
            }
        }
        p { "from motor on to " (format!("{}.{} ms", end / 1000, end / 100 % 10)) }
    }
}

/// A wave as steps between two heights, right of its name.
fn path(wave: &Wave, top: i64, end: i64) -> String {
    let (left, wide) = (60, WIDTH - 60);
    let x = |at: i64| left + at * wide / end;
    let mut level = wave.active;
    let y = |level: bool| top + if level { 6 } else { 32 };
    let mut d = format!("M{left} {}", y(level));
    for at in &wave.edges {
        level = !level;
        // A string takes whatever is written to it.
        let _ = write!(d, "H{}V{}", x(*at), y(level));
    }
    let _ = write!(d, "H{WIDTH}");
    d
}

fn areas(what: &str, areas: &[String]) -> Markup {
    html! {
        @if !areas.is_empty() {
            p { (what) ":" }
            ul { @for area in areas { li class="fail" { (area) } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::hardware_test::{HardwareTest, Plots, Quantity};
    use tumbler_core::settings::Parameters;

    #[test]
    fn the_page_shows_values_plots_and_what_to_do_and_loads_nothing() {
        let report = Report {
            test: HardwareTest::Motor,
            by: "<Jo>".into(),
            verdict: Verdict::Fail,
            found: String::new(),
            seen: vec![],
            measurements: vec![Measurement::new(Quantity::PeriodMean, 1_600_000, &Parameters::default())],
            plots: Plots {
                periods: vec![600_000, 1_600_000],
                waves: vec![Wave { line: "cam_a".into(), active: false, edges: vec![100_000, 400_000] }],
                dark: vec!["total-10".into()],
                ..Plots::default()
            },
        };
        let page = page(&[report]).into_string();
        for part in ["1600.0 ms", "oil the bearings", "total-10", "&lt;Jo&gt;", "M60 32H205V6H640V32H640"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("http") && !page.contains("<script"), "{page}");
    }
}
