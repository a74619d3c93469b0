//! The report as a page of its own: measurements with bars, and plots as SVG. It loads nothing.

use super::bar;
use crate::pages::bands;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::fmt::Write;
use tumbler_core::hardware_test::{HardwareTest, Measurement, Plots, Report, Verdict, Wave};
use tumbler_core::record::Event;
use tumbler_core::rules::{self, Layout};
use tumbler_core::wall;
use tumbler_core::wire::ask::About;
use tumbler_core::wire::topics::EventMessage;

/// How the page looks.
pub const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#1a1a1a;background:#fff}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3em .6em;border-bottom:1px solid #ccc}td{overflow-wrap:anywhere}\
.pass{color:#0a5c1e}.marginal{color:#7a4b00}.fail{color:#a3000f;font-weight:bold}svg{max-width:100%;height:auto}";
/// Size of the plots, in pixels.
const WIDTH: i64 = 640;
const HEIGHT: i64 = 120;
/// Room for the names of lines.
const LEFT: i64 = 140;
/// Width of the lamp map, and height of its rows.
const FELT: (usize, usize) = (960, 44);

/// Where a page has its looks from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// The page brings them with it: a file of its own.
    Within,
    /// From this address, where the page's policy allows nothing inline.
    At(&'static str),
}

/// The page of the hardware tests among these records of a table, for its file: whatever a stranger has to know to tell what was tested,
/// when, by whom and on what.
#[must_use]
pub fn page(about: &About, records: &[EventMessage], looks: Looks) -> Markup {
    let tests: Vec<(&EventMessage, &Report)> = records.iter().filter_map(|m| Some((m, report(m)?))).collect();
    let worst = tests.iter().map(|(_, report)| report.verdict).max().unwrap_or_default();
    let body = html! {
        table { tbody {
            tr { th scope="row" { "table" } td { (about.table) } }
            tr { th scope="row" { "site" } td { (about.site) } }
            tr { th scope="row" { "hardware" } td { (about.backend) @if about.backend == "virtual" { ": nothing here is a real table" } } }
            tr { th scope="row" { "version" } td { "tumblerd " (about.build) } }
            tr { th scope="row" { "verdict" } td class=(worst.name()) { (worst.name()) } }
        } }
        @for (message, report) in &tests { (section(message, report)) }
    };
    whole("Hardware tests", looks, &body)
}

/// The hardware test that a record is about, if it is one's.
#[must_use]
pub fn report(message: &EventMessage) -> Option<&Report> {
    match &message.record.event {
        Event::HardwareTested(report) => Some(report),
        _ => None,
    }
}

/// A page with this title above this body. It loads nothing but its looks.
#[must_use]
pub fn whole(title: &str, looks: Looks, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { (title) }
                link rel="icon" href="data:,";
                @match looks {
                    Looks::Within => style { (PreEscaped(STYLE)) },
                    Looks::At(address) => link rel="stylesheet" href=(address);,
                }
            }
            body {
                h1 { (title) }
                (body)
            }
        }
    }
}

fn section(message: &EventMessage, report: &Report) -> Markup {
    let clock = if message.wall_quality == "synchronised" { "" } else { " (nobody had set the clock)" };
    html! {
        h2 { (report.test) ": " span class=(report.verdict.name()) { (report.verdict.name()) } }
        p { "by " (report.by) ", " (wall::shown(message.wall)) (clock) ", record " (message.record.seq.0) }
        @if !report.found.is_empty() { p class=(report.verdict.name()) { (report.found) } }
        @if !report.seen.is_empty() { p { "found right by a person: " (report.seen.join(", ")) } }
        @if !report.measurements.is_empty() {
            table {
                thead { tr { th { "measured" } th { "value" } th { "limits" } th { "" } th { "verdict" } th { "what to do" } } }
                tbody { @for m in &report.measurements { (row(m)) } }
            }
        }
        @if !report.plots.periods.is_empty() { h3 { "Tumble periods" } (periods(report)) }
        @if !report.plots.waves.is_empty() { h3 { "Contacts over time" } (waves(report.test, &report.plots.waves)) }
        @if let Some(layout) = rules::layout(&report.plots.layout) { h3 { "Lamp map" } (map(layout, &report.plots)) }
        (areas("dark although told to light", &report.plots.dark))
        (areas("lit although not told", &report.plots.untold))
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
    let cells = bar::bar(m, bar::WIDTH);
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

fn waves(test: HardwareTest, waves: &[Wave]) -> Markup {
    let from = if test == HardwareTest::Dome { "each stroke from its first edge" } else { "from motor on" };
    let end = waves.iter().filter_map(|wave| wave.edges.last()).copied().max().unwrap_or(1).max(1);
    let high = 40 * i64::try_from(waves.len()).unwrap_or(1);
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {high}")) width=(WIDTH) role="img" aria-label="levels of the contacts over time" {
            @for (n, wave) in (0_i64..).zip(waves) {
                text x="0" y=(n * 40 + 22) font-size="12" { (wave.line) }
                path d=(path(wave, n * 40, end)) fill="none" stroke="#4a76a8" {}
            }
        }
        p { (from) " to " (format!("{}.{} ms", end / 1000, end / 100 % 10)) }
    }
}

/// A wave as steps between two heights, right of its name.
fn path(wave: &Wave, top: i64, end: i64) -> String {
    let (left, wide) = (LEFT, WIDTH - LEFT);
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

/// The layout as it lies on the table, each area with what its lamp did.
fn map(layout: &Layout, plots: &Plots) -> Markup {
    let rows = bands::rows(layout);
    let (wide, high) = FELT;
    html! {
        svg viewBox=(format!("0 0 {wide} {}", rows.len() * high)) width=(wide) role="img" aria-label="the layout with its lamps" {
            @for (row, areas) in rows.iter().enumerate() {
                @let each = wide / areas.len().max(1);
                @for (place, area) in areas.iter().enumerate() {
                    @let dark = plots.dark.contains(&area.id);
                    @let untold = plots.untold.contains(&area.id);
                    @let (fill, ink, sign) = match (dark, untold) {
                        (false, false) => ("#ffcf3f", "#2a2000", ""),
                        (true, false) => ("#3a3a3a", "#ffffff", "dark"),
                        (false, true) => ("#a3000f", "#ffffff", "untold"),
                        (true, true) => ("#5b004f", "#ffffff", "both"),
                    };
                    @let (x, y) = (place * each, row * high);
                    rect x=(x + 1) y=(y + 1) width=(each - 2) height=(high - 2) rx="4" fill=(fill) {}
                    text x=(x + each / 2) y=(y + 18) text-anchor="middle" font-size="10" fill=(ink) { (label(&area.id)) }
                    text x=(x + each / 2) y=(y + 34) text-anchor="middle" font-size="11" font-weight="bold" fill=(ink) { (sign) }
                }
            }
        }
        p { "yellow: lit as told and dark as told; grey: dark although told to light; red: lit although not told" }
    }
}

/// An area's id in the little room that it has: `combo-1-3` is 1 3, `double-5` is 5 5.
fn label(id: &str) -> String {
    let (kind, faces) = id.split_once('-').unwrap_or((id, ""));
    match kind {
        "double" => [faces, faces].join(" "),
        "triple" => [faces, faces, faces].join(" "),
        _ if faces.starts_with(|c: char| c.is_ascii_digit()) => faces.replace('-', " "),
        _ => id.replace('-', " "),
    }
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
    use crate::history::records::testing::message;
    use tumbler_core::hardware_test::Quantity;
    use tumbler_core::settings::Parameters;
    use tumbler_core::units::Seq;

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
                layout: "nz-div9-2".into(),
                dark: vec!["total-10".into()],
                ..Plots::default()
            },
        };
        let mut tested = message(Seq(39), None, Event::HardwareTested(Box::new(report)));
        tested.wall = 1_795_231_445_000;
        let other = message(Seq(40), None, Event::KeyTurned);
        let about = About { site: "pit".into(), table: "t1".into(), build: "0.1.0".into(), backend: "virtual".into() };
        let page = page(&about, &[tested, other], Looks::Within).into_string();
        for part in [
            "<th scope=\"row\">table</th><td>t1</td>",
            "<th scope=\"row\">site</th><td>pit</td>",
            "virtual: nothing here is a real table",
            "tumblerd 0.1.0",
            "<td class=\"fail\">fail</td>",
            "by &lt;Jo&gt;, 2026-11-21 03:24:05Z, record 39",
            "1600.0 ms",
            "oil the bearings",
            "total-10",
            "&lt;Jo&gt;",
            "M140 32H265V6H640V32H640",
            "the layout with its lamps",
            ">dark<",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("http") && !page.contains("<script"), "{page}");
    }
}
