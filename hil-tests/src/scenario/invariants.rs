//! Invariants of every run, for scenarios that do not say how their rounds end.

use super::check::where_we_are;
use super::halt::Halt;
use super::lawful::lawful;
use super::records::{brief, kind};
use super::session::Session;
use super::step::Step;
use tumbler_core::record::Event;

/// Checks the invariants after a step.
pub(super) fn watch(session: &mut Session<'_>, step: &Step) -> Result<(), Halt> {
    if !session.trial.free {
        return Ok(());
    }
    if let Some(found) = session.bench.first_violation() {
        return Err(Halt::Wrong(format!("judge: {found}")));
    }
    let physical = session.bench.physical();
    // A hand may still turn the shaft in the next round.
    let by_hand = physical.shaft_moves && !physical.motor_power;
    if session.faults.any_in_force() || by_hand || !lawful(step) {
        session.lawful.out_of_turn(session.bench.now());
    }
    let first = session.lawful.looked();
    let log = session.bench.log();
    for durable in log.records.iter().skip(first) {
        if let (Event::Established { .. }, Some(round)) = (&durable.record.event, durable.record.round) {
            session.round.established = Some((round, physical.faces));
        }
    }
    let unexplained = session.lawful.look(log);
    let never = &session.trial.never;
    let forbidden = session.records().from(first).iter().find(|record| never.iter().any(|n| n.name() == kind(record)));
    let wrong =
        unexplained.or_else(|| forbidden.map(|record| format!("never `{}`, but {}", kind(record), brief(record))));
    match wrong {
        Some(wrong) => Err(Halt::Wrong(format!("{wrong}; {}", where_we_are(session)))),
        None => Ok(()),
    }
}
