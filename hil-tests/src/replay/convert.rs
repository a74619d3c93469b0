//! Converts a playback into a scenario.

use super::events::Events;
use super::playback::{Playback, ReplayedInput};
use super::script::Script;
use super::{acts, motor, parts};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use tumbler_core::line::InLine;
use tumbler_core::record::Event;
use tumbler_core::rules;
use tumbler_core::settings::Settings;
use tumbler_core::table::Table;

/// Why a recording cannot be turned into a scenario.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotConvertible {
    /// The table was never idle.
    #[error(
        "the recorded table was never idle, so that no round in the recording is whole; record earlier, or replay it only"
    )]
    NeverIdle,
    /// The table's rules are not known.
    #[error("the recorded table's {0} is not known to this build")]
    Unknown(String),
}

/// A scenario from a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Its file.
    pub text: String,
    /// What could not be turned into steps.
    pub left_out: Vec<String>,
}

#[derive(Serialize)]
struct File {
    about: String,
    layouts: [String; 1],
    reader: bool,
    steps: Vec<String>,
    endings: BTreeMap<String, Vec<String>>,
    at_end: AtEnd,
}

#[derive(Serialize)]
struct AtEnd {
    latched: Vec<String>,
    latches: Vec<String>,
}

/// State of a table that its snapshot does not show.
struct TableInternals {
    settings: Settings,
    enrolled: Option<[u16; 3]>,
}

fn internals(table: &Table) -> Option<TableInternals> {
    let value = serde_json::to_value(table).ok()?;
    let of = |path: &str| value.pointer(path).cloned().unwrap_or(Value::Null);
    Some(TableInternals {
        settings: serde_json::from_value(of("/ctx/settings")).ok()?,
        enrolled: serde_json::from_value(of("/reader/enrolled")).ok()?,
    })
}

/// The levels of the lines before the input with this place.
fn levels(first: &Table, played: &[ReplayedInput], place: usize) -> BTreeMap<InLine, bool> {
    let raw =
        serde_json::to_value(first).ok().and_then(|table| table.pointer("/inputs/raw").cloned()).unwrap_or(Value::Null);
    let known: Vec<Option<bool>> = serde_json::from_value(raw).unwrap_or_default();
    let mut levels: BTreeMap<InLine, bool> =
        InLine::ALL.into_iter().zip(known).filter_map(|(line, level)| Some((line, level?))).collect();
    for one in played.iter().take(place) {
        use tumbler_core::input::Input::{Edge, Level};
        if let Edge { line, active } | Level { line, active } = one.stamped.input {
            levels.insert(line, active);
        }
    }
    levels
}

/// Turns a playback into a scenario; `first` is the table before its first input, `reason` why it was recorded.
///
/// # Errors
/// [`NotConvertible`].
pub fn convert(first: &Table, playback: &Playback, reason: &str) -> Result<Scenario, NotConvertible> {
    let Some(TableInternals { settings, enrolled }) = internals(first) else {
        return Err(NotConvertible::Unknown("state".into()));
    };
    let set = rules::rule_set(&settings.rules)
        .ok_or_else(|| NotConvertible::Unknown(format!("rule set {}", settings.rules)))?;
    let layout = rules::layout(&settings.layout)
        .ok_or_else(|| NotConvertible::Unknown(format!("layout {}", settings.layout)))?;
    let start = playback.inputs.iter().position(|one| one.idle).ok_or(NotConvertible::NeverIdle)?;
    let played = playback.inputs.get(start..).unwrap_or_default();
    let began = played.first().ok_or(NotConvertible::NeverIdle)?;
    let levels = levels(first, &playback.inputs, start);
    let events = Events::of(played, &levels);
    let mut script = Script::of(layout);
    // Commands first: of several steps at the same time, the command's answer comes first.
    acts::commands(played, &mut script);
    acts::hands(&events, set.order.covered, &mut script);
    acts::keys(&events, &mut script);
    motor::faults(&events, &mut script);
    parts::wires(&events, &mut script);
    parts::silence(&events, &mut script);
    parts::lights(&events, layout, &mut script);
    parts::terminal(&events, u64::from(settings.parameters.terminal_stuck) * 1_000_000, &mut script);
    parts::dice(&events, enrolled, &mut script);
    let left_out = script.left_out.clone();
    let mut steps = vec![if began.open { "open table".to_owned() } else { "pass 1500 ms".to_owned() }];
    let level = |line: InLine| levels.get(&line).copied().unwrap_or_default();
    if set.order.covered && level(InLine::DomeOpen) {
        steps.extend(["lift dome".to_owned(), "pass 400 ms".to_owned()]);
    }
    if !level(InLine::Seal) {
        steps.push("break seal".into());
    }
    steps.extend(script.steps(began.stamped.now.0, events.end));
    let (endings, latches) = endings(&events);
    let latched = playback.table.snapshot().malfunctions.iter().map(|m| m.code.name().to_owned()).collect();
    let file = File {
        about: format!("A table's recording, reason {reason}, layout {}", layout.id),
        // On another one other lamps would light.
        layouts: [layout.id.clone()],
        reader: settings.reader,
        steps,
        endings: BTreeMap::from([(settings.rules, endings)]),
        at_end: AtEnd { latched, latches },
    };
    let text = toml::to_string_pretty(&file).map_err(|bad| NotConvertible::Unknown(bad.to_string()))?;
    Ok(Scenario { text, left_out })
}

/// How the rounds ended and what was latched, by the records that the table made.
fn endings(events: &Events) -> (Vec<String>, Vec<String>) {
    let (mut endings, mut latches, mut begun) = (Vec::new(), Vec::new(), 0);
    for (_, record) in &events.records {
        match &record.event {
            Event::RoundBegan { .. } => begun += 1,
            Event::Settled { dice, .. } => {
                let [a, b, c] = dice.pips();
                endings.push(format!("settled {a} {b} {c}: silent: as recorded"));
            }
            Event::Voided(void) => endings.push(format!("void {}: {}", void.reason.name(), void.clauses.join(", "))),
            Event::Latched { code, .. } => latches.push(code.name().to_owned()),
            _ => {}
        }
    }
    let ended = endings.len();
    endings.extend((ended..begun).map(|_| "unfinished: silent: as recorded".to_owned()));
    (endings, latches)
}
