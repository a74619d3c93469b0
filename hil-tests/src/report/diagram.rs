//! Timing diagram of a cell: a window of its signals around the fault, small enough to be kept for thousands of cells.

use super::capture::Capture;
use super::waves::{WaveGroup, Waves};
use crate::scenario::timeline::{Mark, MarkKind};
use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// How much is shown before the fault and after it, in nanoseconds.
const BEFORE_NS: u64 = 500_000_000;
const AFTER_NS: u64 = 4_000_000_000;
/// How much of the end is shown where nothing was broken, in nanoseconds.
const END_NS: u64 = 6_000_000_000;
/// Changes closer together than this fraction of the window are drawn as one busy stretch.
const PARTS: u64 = 400;
/// Signals that are shown even if they do not change.
const ALWAYS: [&str; 3] = ["motor_enable", "motor_power", "dome_closed"];

/// Level of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Off.
    Low,
    /// On.
    High,
    /// Changes too fast to be drawn.
    Busy,
}

/// A binary signal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BitTrack {
    /// Its name.
    pub name: String,
    /// Each level with its beginning, in nanoseconds of table time.
    pub levels: Vec<(u64, Level)>,
}

/// A signal whose values are texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextTrack {
    /// Its name.
    pub name: String,
    /// Each value with its beginning, in nanoseconds of table time.
    pub words: Vec<(u64, String)>,
}

/// A window of a cell's signals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagram {
    /// Begin, in nanoseconds of table time.
    pub from_ns: u64,
    /// End, in nanoseconds of table time.
    pub to_ns: u64,
    /// Phase and records.
    pub words: Vec<TextTrack>,
    /// Wires, truths, units of the bus.
    pub lines: Vec<BitTrack>,
}

impl Diagram {
    /// The window around the first fault; of a cell that did not pass, the time before it ended there.
    #[must_use]
    pub fn of(capture: &Capture, failed: bool) -> Self {
        let waves = Waves::of(capture);
        let broken = capture.marks.iter().find(|mark| mark.kind == MarkKind::Broken).map(|mark| mark.at_ns);
        let (from_ns, to_ns) = match broken {
            // Where the fault is not long ago, it is in the window.
            Some(at) if failed && at + 2 * END_NS > waves.end_ns => (at.saturating_sub(BEFORE_NS), waves.end_ns.max(1)),
            Some(at) if !failed => {
                (at.saturating_sub(BEFORE_NS), (at + AFTER_NS).min(waves.end_ns.max(at + BEFORE_NS)))
            }
            _ => (waves.end_ns.saturating_sub(END_NS), waves.end_ns.max(1)),
        };
        let resolution = ((to_ns - from_ns) / PARTS).max(1);
        let mut lines = Vec::new();
        for ((group, name), changes) in waves.bits() {
            if *group == WaveGroup::Rig || name.starts_with("phase_") {
                continue;
            }
            let levels = thin(changes, from_ns, to_ns, resolution);
            if levels.len() > 1 || ALWAYS.contains(&name.as_str()) {
                lines.push(BitTrack { name: name.clone(), levels });
            }
        }
        let mut words = Vec::new();
        for ((group, name), changes) in waves.texts() {
            if *group == WaveGroup::Table && ["phase", "record"].contains(&name.as_str()) {
                let before = changes.iter().rev().find(|(at, _)| *at < from_ns && name == "phase");
                let within = changes.iter().filter(|(at, _)| (from_ns..=to_ns).contains(at));
                let first = before.map(|(_, word)| (from_ns, word.clone()));
                words.push(TextTrack { name: name.clone(), words: first.into_iter().chain(within.cloned()).collect() });
            }
        }
        Self { from_ns, to_ns, words, lines }
    }

    /// The diagram as SVG, with marks where something was broken or mended.
    #[must_use]
    pub fn svg(&self, marks: &[Mark]) -> Markup {
        let rows = self.words.len() + self.lines.len() + 1;
        let height = 22 * rows + 34;
        let span = (self.to_ns - self.from_ns).max(1) as f64;
        let x = |at: u64| 130.0 + 760.0 * (at.clamp(self.from_ns, self.to_ns) - self.from_ns) as f64 / span;
        let row = |n: usize| 22 * n + 14;
        let shown: Vec<&Mark> = marks.iter().filter(|m| (self.from_ns..=self.to_ns).contains(&m.at_ns)).collect();
        html! {
            svg class="wave" role="img" aria-label="timing diagram" viewBox={"0 0 900 " (height)} {
                @for tick in 0..=8_u64 {
                    @let at = self.from_ns + (self.to_ns - self.from_ns) / 8 * tick;
                    path class="grid" d={"M" (fixed(x(at))) " 18V" (height - 20)} {}
                    text class="tick" text-anchor=(if tick == 8 { "end" } else { "start" }) x=(fixed(x(at))) y=(height - 6) { (format!("{:.2} s", at as f64 / 1e9)) }
                }
                text x="4" y="26" { "broken, mended" }
                @for mark in &shown {
                    @let broken = mark.kind == MarkKind::Broken;
                    path class=(if broken { "hit" } else { "mend" }) d={"M" (fixed(x(mark.at_ns))) " 18V" (height - 20)} {}
                    text class=(if broken { "hit" } else { "mend" }) x=(fixed(x(mark.at_ns) + 3.0)) y="26" {
                        (if broken { "✖ " } else { "✚ " }) (mark.what)
                    }
                }
                @for (n, line) in self.words.iter().enumerate() {
                    text x="4" y=(row(n + 1) + 12) { (line.name) }
                    @for (place, (at, word)) in line.words.iter().enumerate() {
                        @let width = line.words.get(place + 1).map_or(900.0, |(next, _)| x(*next)) - x(*at);
                        path class="tag" d={"M" (fixed(x(*at))) " " (row(n + 1)) "v16"} {}
                        @if width > 12.0 {
                            text class="word" x=(fixed(x(*at) + 2.0)) y=(row(n + 1) + 12) {
                                (clip(word, width)) title { (word) " at " (format!("{:.3} s", *at as f64 / 1e9)) }
                            }
                        }
                    }
                }
                @for (n, line) in self.lines.iter().enumerate() {
                    @let top = row(n + 1 + self.words.len());
                    text x="4" y=(top + 12) { (line.name) }
                    (line.draw(top, self.to_ns, &x))
                }
            }
        }
    }
}

impl BitTrack {
    fn draw(&self, top: usize, to_ns: u64, x: &dyn Fn(u64) -> f64) -> Markup {
        let (mut path, mut busy) = (String::new(), String::new());
        for (place, (at, level)) in self.levels.iter().enumerate() {
            let end = self.levels.get(place + 1).map_or(to_ns, |(next, _)| *next);
            let y = match level {
                Level::Low => top + 15,
                Level::High => top + 2,
                Level::Busy => {
                    let _ = write!(busy, "M{} {}H{}v13H{}z", fixed(x(*at)), top + 2, fixed(x(end)), fixed(x(*at)));
                    top + 15
                }
            };
            let begin = if place == 0 { "M" } else { "L" };
            let _ = write!(path, "{begin}{} {y}H{}", fixed(x(*at)), fixed(x(end)));
        }
        html! {
            path class="line" d=(path) {}
            @if !busy.is_empty() { path class="busy" d=(busy) {} }
        }
    }
}

fn fixed(value: f64) -> String {
    format!("{value:.1}")
}

/// Clips a word to this width; a character is about six units wide.
fn clip(word: &str, width: f64) -> String {
    let fits = (width / 6.0) as usize;
    if word.chars().count() <= fits {
        word.to_owned()
    } else {
        word.chars().take(fits.max(2) - 1).chain(['…']).collect()
    }
}

/// The levels within the window, with quick changes put together.
fn thin(changes: &[(u64, bool)], from: u64, to: u64, resolution: u64) -> Vec<(u64, Level)> {
    let level = |on: bool| if on { Level::High } else { Level::Low };
    let mut levels: Vec<(u64, Level)> = Vec::new();
    if let Some((_, on)) = changes.iter().rev().find(|(at, _)| *at <= from) {
        levels.push((from, level(*on)));
    }
    let within: Vec<&(u64, bool)> = changes.iter().filter(|(at, _)| *at > from && *at <= to).collect();
    for (place, (at, on)) in within.iter().enumerate() {
        let hurried = within.get(place + 1).is_some_and(|(next, _)| next - at < resolution);
        let new = if hurried { Level::Busy } else { level(*on) };
        if levels.last().is_none_or(|(_, last)| *last != new) {
            levels.push((*at, new));
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_changes_become_one_busy_stretch() {
        let changes = [(0, false), (10, true), (11, false), (12, true), (50, false)];
        assert_eq!(
            thin(&changes, 5, 100, 5),
            [(5, Level::Low), (10, Level::Busy), (12, Level::High), (50, Level::Low)]
        );
        assert_eq!(thin(&[(20, true)], 5, 100, 5), [(20, Level::High)], "unknown before");
    }

    #[test]
    fn what_a_cell_says_is_escaped_in_the_drawing() {
        let words = vec![TextTrack { name: "phase".into(), words: vec![(0, "<script>".into())] }];
        let diagram = Diagram { from_ns: 0, to_ns: 10, words, lines: Vec::new() };
        let marks = [Mark { at_ns: 5, kind: MarkKind::Broken, what: "a<b".into() }];
        let svg = diagram.svg(&marks).into_string();
        assert!(svg.contains("&lt;script&gt;") && svg.contains("a&lt;b") && !svg.contains("<script"), "{svg}");
    }
}
