//! Times, dice and records as people read them.

use crate::say::Tone;
use tumbler_core::record::Event;
use tumbler_core::units::Dice;
pub(crate) use tumbler_core::wall::shown as wall;
use tumbler_core::wire::topics::EventMessage;
use tumblerd::history::wording::recorded;

/// Dice as `1 3 6`.
pub(crate) fn dice(dice: Dice) -> String {
    let [a, b, c] = dice.pips();
    format!("{a} {b} {c}")
}

/// A record on one line: number, time, round, what it says, and the clauses that it is about.
pub(crate) fn record(message: &EventMessage) -> String {
    let record = &message.record;
    let round = record.round.map(|r| format!("round {}: ", r.0)).unwrap_or_default();
    let clauses = if record.clauses.is_empty() { String::new() } else { format!(" [{}]", record.clauses.join(", ")) };
    let tone = match &record.event {
        Event::Latched { .. } | Event::Voided(_) | Event::VoidedAfterwards { .. } => Some(Tone::Wrong),
        Event::Refused { .. } => Some(Tone::Near),
        _ => None,
    };
    let told = recorded(record);
    let told = tone.map_or_else(|| told.clone(), |tone| tone.of(&told));
    format!("{:>6} {} {round}{told}{clauses}", record.seq.0, wall(message.wall))
}
