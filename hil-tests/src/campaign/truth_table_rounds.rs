//! Rounds that exercise the truth table of the rule texts: something happens at one stage of a round, and a person answers what became of
//! the dice. Stage, event and answer are drawn independently, so that all combinations occur.

use super::table::{Table, TableFilter, pick};
use crate::scenario::order;
use tumbler_core::rules;
use tumbler_twin::rng::Rng;

/// Steps, separated by semicolons.
type Words = &'static str;

/// An event: steps before the round, and steps at its stage.
struct Event {
    before: Words,
    then: Words,
    /// Only where a reader is fitted.
    reader: bool,
}

/// Chance that the settings change at a restart instead, in thousandths.
const OTHER_SETTINGS: u32 = 40;
/// Chance that a round is one of [`SCENES`], in thousandths.
const SCENE: u32 = 400;

const fn event(then: Words) -> Event {
    Event { before: "", then, reader: false }
}

const fn prepared(before: Words, then: Words) -> Event {
    Event { before, then, reader: false }
}

const fn read(before: Words, then: Words) -> Event {
    Event { before, then, reader: true }
}

/// Enrolled dice, without which none are foreign.
const ENROLLED: Words = "turn key; ask enrol-dice; pass 500 ms";

const EVENTS: &[Event] = &[
    event(""),
    event("press no_spin"),
    event("press no_spin"),
    event("lift dome; pass 700 ms; lower dome"),
    event("lift dome; pass 300 ms; hold no_more_bets; pass 60 ms; release no_more_bets"),
    // The call and the hand at the dome come at once.
    event("hold no_more_bets; pass 12 ms; lift dome; pass 120 ms; release no_more_bets"),
    prepared("try fault dice.cocked_1", "hold no_more_bets; pass 12 ms; lift dome; pass 120 ms; release no_more_bets"),
    event("try kill; try start"),
    event("try kill; try start"),
    event("try stop; try start"),
    event("try power off; pass 2 s; try power on"),
    event("try fault proc.hang; pass 1200 ms; heal proc.hang"),
    event("dip supply"),
    event("lose edge no_spin; lose edge seal; lose edge power_good"),
    event("break seal; pass 400 ms; mend seal"),
    event("try fault motor.stall; pass 2 s"),
    event("try fault motor.hot; pass 2 s"),
    event("try fault cam.a_stuck_0; pass 2 s"),
    event("try fault line.stuck_inactive:dome_closed; pass 1 s"),
    event("turn shaft 5 quarters; pass 2 s"),
    event("turn shaft 13 quarters; pass 4 s"),
    event("turn key; ask void damaged; pass 100 ms"),
    event("turn key; ask void damaged; pass 100 ms"),
    event("turn key; ask void not-flat; pass 100 ms"),
    event("turn key; ask void; pass 100 ms"),
    event("turn key; ask void; pass 100 ms"),
    event("turn key; as manager; ask void; pass 100 ms; as supervisor"),
    event("lay die 1 face 4 flat; pass 1 s"),
    event("lay die 1 face 4 flat; pass 1 s"),
    event("lay die 3 face 2 cocked; pass 1 s"),
    event("lay die 3 face 2 cocked; pass 1 s"),
    prepared("try fault dice.cocked_1", ""),
    prepared("try fault dice.cocked_2", "press no_spin"),
    // One sight shows both.
    prepared("try fault dice.cocked_3", "turn key; ask void damaged; pass 100 ms"),
    prepared("try fault dice.cocked_2", "turn key; ask void damaged; pass 100 ms"),
    prepared("try fault dice.cocked_1", "turn key; ask void not-flat; pass 100 ms"),
    // The result is keyed, and not taken yet, when the dealer sees how the dice lie.
    prepared("try fault dice.cocked_1", "pass 600 ms; key 1 entry; press no_spin"),
    prepared("try fault dice.cocked_1", "pass 600 ms; key 1 2 3 entry; turn key; ask void not-flat"),
    prepared("try fault dice.not_tumbled", ""),
    // Bets are closed before anybody knows how the dice lie.
    prepared(
        "try fault dice.not_tumbled",
        "wait record spin-ended within 4000 ms; press place_bets for 40 ms; press no_more_bets for 40 ms",
    ),
    prepared("try fault lamps.partial", ""),
    prepared("try fault lamps.psu_dead", ""),
    read(ENROLLED, "try fault dice.foreign; pass 1500 ms"),
    read(ENROLLED, "try fault dice.extra; pass 1500 ms"),
    read("", "try fault reader.silent; pass 2500 ms; press no_spin"),
];

/// A person's answers: mostly one of the three findings, in the role that may give it.
const ANSWERS: &[Words] = &[
    "",
    "turn key; ask interrupted undisturbed; pass 100 ms",
    "turn key; ask interrupted undisturbed; pass 100 ms",
    "turn key; ask interrupted not-flat; pass 100 ms",
    "turn key; ask interrupted not-flat; pass 100 ms",
    "turn key; as manager; ask interrupted not-flat; pass 100 ms; as supervisor",
    "try play to revealed; turn key; ask interrupted not-flat; pass 100 ms",
    "turn key; as manager; ask interrupted cannot-tell; pass 100 ms; as supervisor",
    "turn key; as manager; ask interrupted cannot-tell; pass 100 ms; as supervisor",
    "turn key; ask interrupted cannot-tell; pass 100 ms",
];

/// Parameters to change. No judge depends on them.
const PARAMETERS: &[(&str, u32)] = &[("lamp_dwell", 500), ("all_paid", 9_000), ("coast_limit", 2_500)];
const RESTARTS: &[(Words, Words)] =
    &[("try stop", "try start"), ("try kill", "try start"), ("try power off", "try power on")];

/// Stages at which the event happens, for each order of play.
const NEW_ZEALAND: &[Words] = &[
    "press place_bets",
    "try play to spinning; pass 300 ms",
    "try play to spinning; pass 2000 ms",
    "try play to spun",
    "try play to spun; pass 2 s",
    "try play to betting; pass 2 s",
    "try play to bets-closed; pass 100 ms",
    "try play to revealed",
    "try play to revealed; pass 700 ms",
    "try play to entered",
];
const COVERED: &[Words] = &[
    "try play to betting",
    "try play to betting; press no_more_bets; at betting",
    "try play to spinning; pass 300 ms",
    "try play to spinning; pass 2000 ms",
    // The spin may come after the call (SGV6 3.7).
    "try play to betting; press no_more_bets; at betting; try play to spinning; pass 300 ms",
    "try play to betting; press no_more_bets; at betting; try play to spinning; pass 2000 ms",
    "try play to spun",
    "try play to spun; pass 2 s",
    "try play to bets-closed; pass 100 ms",
    "try play to revealed",
    "try play to revealed; pass 700 ms",
    "try play to entered",
];
const OPEN: &[Words] = &[
    "try play to betting",
    "try play to bets-closed",
    "try play to spinning; pass 300 ms",
    "try play to spinning; pass 2000 ms",
    "try play to spinning; wait record spin-ended within 4000 ms",
    "try play to spun",
    "try play to revealed",
    "try play to revealed; pass 700 ms",
    "try play to entered",
];

/// Whole rounds, for rows that random stages and events seldom reach.
const SCENES: &[(TableFilter, Words)] = &[
    (TableFilter::Every, "press place_bets; press no_spin"),
    (TableFilter::Every, "turn key; try play to spinning; pass 300 ms; ask void damaged; pass 100 ms"),
    (TableFilter::Every, "try play to entered; turn key; ask void damaged; pass 100 ms"),
    (TableFilter::Every, "press place_bets; turn key; ask void damaged; pass 100 ms"),
    (TableFilter::Every, "try play to spun; dip supply"),
    (TableFilter::Covered, "try play to spinning; pass 300 ms; lift dome; pass 1 s"),
    // The hand at the dome is a little sooner than the call.
    (
        TableFilter::Covered,
        "try play to spun; pass 1 s; lift dome; pass 130 ms; hold no_more_bets; pass 100 ms; release no_more_bets",
    ),
    (
        TableFilter::Covered,
        "try play to spun; pass 1 s; lift dome; pass 145 ms; hold no_more_bets; pass 100 ms; release no_more_bets",
    ),
    (
        TableFilter::Covered,
        "try play to spun; pass 1 s; lift dome; pass 160 ms; hold no_more_bets; pass 100 ms; release no_more_bets",
    ),
    (
        TableFilter::CoveredWithReader,
        "try play to spun; pass 1 s; lay die 1 face 4 flat; pass 1 s; try play to revealed; turn key; as manager; ask interrupted not-flat; as supervisor",
    ),
    // Bets are closed before a reader has found how the dice lie.
    (
        TableFilter::CoveredWithReader,
        "try fault dice.not_tumbled; try play to spinning; try wait record spin-ended within 4000 ms; press place_bets for 40 ms; press no_more_bets for 40 ms; pass 2 s",
    ),
    (
        TableFilter::CoveredWithReader,
        "try fault dice.not_tumbled; try play to spinning; try wait record spin-ended within 4000 ms; press place_bets for 60 ms; press no_more_bets for 60 ms; pass 2 s",
    ),
    (
        TableFilter::CoveredWithReader,
        "try fault dice.not_tumbled; try play to spinning; try wait record spin-ended within 4000 ms; press place_bets for 30 ms; press no_more_bets for 30 ms; pass 2 s",
    ),
    (
        TableFilter::CoveredWithReader,
        "try fault dice.not_tumbled; try play to spinning; try wait record spin-ended within 4000 ms; press place_bets for 40 ms; press no_more_bets for 40 ms; pass 2 s",
    ),
    (TableFilter::Open, "try play to spinning; pass 2000 ms; dip supply"),
    (TableFilter::Open, "try play to spinning; pass 2200 ms; dip supply"),
    // A hand moves the dice before the reader has read them.
    (
        TableFilter::OpenWithReader,
        "try play to spun; lay die 1 face 4 flat; pass 1 s; turn key; as manager; ask interrupted not-flat; as supervisor",
    ),
    (
        TableFilter::OpenWithReader,
        "try play to spun; lay die 1 face 4 flat; pass 1 s; turn key; as manager; ask interrupted cannot-tell; as supervisor",
    ),
    (
        TableFilter::OpenWithReader,
        "try play to spun; lay die 2 face 5 flat; pass 1 s; turn key; ask interrupted undisturbed",
    ),
    (
        TableFilter::OpenWithReader,
        "try play to spun; lay die 1 face 4 cocked; pass 1 s; turn key; as manager; ask interrupted not-flat; as supervisor",
    ),
    (
        TableFilter::OpenWithReader,
        "try play to spun; lay die 1 face 4 cocked; pass 1 s; turn key; ask interrupted undisturbed",
    ),
    (
        TableFilter::Reader,
        "turn key; ask enrol-dice; pass 500 ms; try play to revealed; try fault dice.foreign; pass 1500 ms",
    ),
    (TableFilter::Reader, "try play to revealed; press no_spin"),
    (TableFilter::Reader, "try play to revealed; turn key; ask void damaged; pass 100 ms"),
    // Only people know how the dice lie.
    (TableFilter::NoReader, "try fault dice.cocked_1; try play to revealed; pass 600 ms; key 1 entry; press no_spin"),
    (TableFilter::NoReader, "try fault dice.cocked_1; try play to revealed; pass 600 ms; key 1 entry; press no_spin"),
    (TableFilter::NoReader, "try play to revealed; turn key; ask void; pass 100 ms"),
    (TableFilter::NoReader, "try play to revealed; turn key; as manager; ask void; pass 100 ms; as supervisor"),
    (TableFilter::NoReader, "try play to revealed; turn key; ask void damaged; pass 100 ms"),
    (TableFilter::NoReader, "try play to revealed; press no_spin"),
    (
        TableFilter::NoReader,
        "try play to revealed; try kill; try start; pass 300 ms; turn key; ask interrupted not-flat",
    ),
    (
        TableFilter::NoReader,
        "try play to revealed; try stop; try start; pass 300 ms; turn key; as manager; ask interrupted cannot-tell; as supervisor",
    ),
    (
        TableFilter::NoReader,
        "try play to revealed; break seal; pass 300 ms; mend seal; turn key; ask interrupted undisturbed",
    ),
];

/// Draws a scene for this table.
fn scene(rng: &mut Rng, table: Table) -> Vec<String> {
    let fitting: Vec<Words> =
        SCENES.iter().filter(|(filter, _)| filter.matches(table)).map(|(_, words)| *words).collect();
    [steps(pick(rng, &fitting).copied().unwrap_or_default()), steps("try play to settled")].concat()
}

fn steps(words: Words) -> Vec<String> {
    words.split(';').map(str::trim).filter(|words| !words.is_empty()).map(tried).collect()
}

/// Draws a round.
pub(super) fn round(rng: &mut Rng, table: Table) -> Vec<String> {
    if rng.chance(SCENE) {
        return scene(rng, table);
    }
    let stages = match table.rules {
        rules if rules.starts_with("nz") => NEW_ZEALAND,
        rules if order::covered(rules) => COVERED,
        _ => OPEN,
    };
    let mut drawn = pick(rng, EVENTS);
    while drawn.is_some_and(|event| event.reader && !table.reader) {
        drawn = pick(rng, EVENTS);
    }
    let stage = pick(rng, stages).copied().unwrap_or_default();
    let answer = pick(rng, ANSWERS).copied().unwrap_or_default();
    let (before, then) = drawn.map_or(("", ""), |event| (event.before, event.then));
    if rng.chance(OTHER_SETTINGS) {
        return [steps(stage), other_settings(rng), steps(answer), steps("try play to settled")].concat();
    }
    let pause = pick(rng, &["", "pass 300 ms", "pass 1500 ms"]).copied().unwrap_or_default();
    let whole = [before, stage, then, pause, answer, "try play to settled"];
    whole.iter().flat_map(|words| steps(words)).collect()
}

/// Restarts the daemon with other settings: the round in progress keeps its own rules.
pub(super) fn other_settings(rng: &mut Rng) -> Vec<String> {
    let layouts: Vec<&str> =
        rules::all().iter().flat_map(|set| &set.layouts).map(|layout| layout.id.as_str()).collect();
    let layout = pick(rng, &layouts).copied().unwrap_or("nz-1998");
    let (name, value) = pick(rng, PARAMETERS).copied().unwrap_or(("lamp_dwell", 20));
    let (off, on) = pick(rng, RESTARTS).copied().unwrap_or(("try stop", "try start"));
    let change = if rng.chance(700) {
        format!("settings layout {layout}")
    } else {
        format!("settings parameter {name} {value}")
    };
    vec![change, off.to_owned(), on.to_owned()]
}

/// Any step may fail; only the judges decide whether that is right.
fn tried(words: &str) -> String {
    if words.starts_with("wait ") { format!("try {words}") } else { words.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse;

    #[test]
    fn every_word_can_be_read() {
        let stages = [NEW_ZEALAND, COVERED, OPEN].concat();
        let events = EVENTS.iter().flat_map(|event| [event.before, event.then]);
        for words in stages
            .into_iter()
            .chain(events)
            .chain(ANSWERS.iter().copied())
            .chain(SCENES.iter().map(|(_, words)| *words))
        {
            for step in words.split(';').map(str::trim).filter(|step| !step.is_empty()) {
                let read = parse::step(step, "nz-div9-1");
                assert!(read.is_ok(), "{step}: {read:?}");
            }
        }
    }
}
