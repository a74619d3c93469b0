//! Reaction times: from a physical event to the table's reaction.

use super::session::Session;
use super::step::{Cause, Reaction};
use super::timeline::Latency;
use tumbler_bench::log::{Durable, Log};
use tumbler_core::record::Event;
use tumbler_twin::MS;

/// Whether the first such reaction since the last mark came within `millis` of its cause. For a record the time of the decision
/// counts under virtual time; in real time, when it was known to be durable, with the bench's grace.
pub(super) fn in_time(session: &mut Session<'_>, reaction: &Reaction, millis: u64, cause: Cause) -> bool {
    let Some(at) = reacted(session, reaction) else { return false };
    let Some(since) = caused(session, cause, at) else { return false };
    // `expect motor off at most 700 ms after cam because CLAUSE`.
    let words = session.words.split(" because ").next().unwrap_or_default();
    let (reaction, after) = words.split_once(" at most ").unwrap_or((words, ""));
    let after = after.split_once(" ms ").map_or(after, |(_, after)| after);
    let what = format!("{} {after}", reaction.strip_prefix("expect ").unwrap_or(reaction));
    session.timeline.latencies.push(Latency { what, took_ns: at - since, limit_ns: millis * MS });
    at - since <= millis * MS + session.bench.grace()
}

fn reacted(session: &Session<'_>, reaction: &Reaction) -> Option<u64> {
    let log = session.bench.log();
    if *reaction == Reaction::MotorOff {
        return log.power.iter().find(|(at, on)| !on && *at >= session.marked_at()).map(|(at, _)| *at);
    }
    let decided = |durable: &Durable| if session.bench.grace() == 0 { durable.record.at.0 } else { durable.at };
    let is = |event: &Event| match (reaction, event) {
        (Reaction::Latched(wanted), Event::Latched { code, .. }) => code == wanted,
        (Reaction::Voided, Event::Voided(_)) => true,
        _ => false,
    };
    log.records.iter().skip(session.records.mark()).find(|durable| is(&durable.record.event)).map(decided)
}

/// The latest such event up to `at`.
fn caused(session: &Session<'_>, cause: Cause, at: u64) -> Option<u64> {
    let log = session.bench.log();
    let latest = |times: &[u64]| times.iter().rev().find(|t| **t <= at).copied();
    match cause {
        Cause::Fault => Some(session.faults.since).filter(|t| *t <= at),
        Cause::Cam => latest(&log.cam).max(powered(log, at)),
        Cause::SecondEdge => {
            let edges: Vec<u64> = log.cam.iter().filter(|t| **t >= session.marked_at()).copied().collect();
            // A bouncing sensor does not mean movement.
            let next = edges.windows(2).find(|pair| matches!(pair, [a, b] if b - a > MS))?.last().copied();
            next.filter(|t| *t <= at)
        }
        Cause::Rest => latest(&log.rests),
        Cause::Entry => latest(&log.entries),
        Cause::Spin => powered(log, at),
    }
}

fn powered(log: &Log, at: u64) -> Option<u64> {
    log.power.iter().rev().find(|(t, on)| *on && *t <= at).map(|(t, _)| *t)
}
