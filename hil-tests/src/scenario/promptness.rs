//! How soon the table reacted: the time between a reaction and the physical event before it.

use super::note::Latency;
use super::run::Runner;
use super::step::{Cause, Reaction};
use tumbler_bench::log::{Durable, Log};
use tumbler_core::record::Event;
use tumbler_twin::MS;

impl Runner<'_> {
    /// Whether the first such reaction since the last mark came at most so long after its cause. Under virtual time a
    /// record's own time counts, when the table decided; in real time, when it was known to be durable, with the
    /// bench's grace.
    pub(super) fn in_time(&mut self, reaction: &Reaction, millis: u64, cause: Cause) -> bool {
        let Some(at) = self.reacted(reaction) else { return false };
        let Some(since) = self.caused(cause, at) else { return false };
        // `expect motor off at most 700 ms after cam because CLAUSE`.
        let words = self.words.split(" because ").next().unwrap_or_default();
        let (reaction, after) = words.split_once(" at most ").unwrap_or((words, ""));
        let after = after.split_once(" ms ").map_or(after, |(_, after)| after);
        let what = format!("{} {after}", reaction.strip_prefix("expect ").unwrap_or(reaction));
        self.timeline.latencies.push(Latency { what, took_ns: at - since, limit_ns: millis * MS });
        at - since <= millis * MS + self.bench.grace()
    }

    fn reacted(&self, reaction: &Reaction) -> Option<u64> {
        let log = self.bench.log();
        if *reaction == Reaction::MotorOff {
            return log.power.iter().find(|(at, on)| !on && *at >= self.marked_at).map(|(at, _)| *at);
        }
        let decided = |durable: &Durable| if self.bench.grace() == 0 { durable.record.at.0 } else { durable.at };
        let is = |event: &Event| match (reaction, event) {
            (Reaction::Latched(name), Event::Latched { code, .. }) => code.name() == name,
            (Reaction::Voided, Event::Voided(_)) => true,
            _ => false,
        };
        log.records.iter().skip(self.mark).find(|durable| is(&durable.record.event)).map(decided)
    }

    /// The latest such event not after `at`.
    fn caused(&self, cause: Cause, at: u64) -> Option<u64> {
        let log = self.bench.log();
        let latest = |times: &[u64]| times.iter().rev().find(|t| **t <= at).copied();
        match cause {
            Cause::Fault => Some(self.broken_at).filter(|t| *t <= at),
            Cause::Cam => latest(&log.cam).max(powered(log, at)),
            Cause::SecondEdge => {
                let edges: Vec<u64> = log.cam.iter().filter(|t| **t >= self.marked_at).copied().collect();
                // A sensor that bounces has not moved on.
                let next = edges.windows(2).find(|pair| matches!(pair, [a, b] if b - a > MS))?.last().copied();
                next.filter(|t| *t <= at)
            }
            Cause::Rest => latest(&log.rests),
            Cause::Entry => latest(&log.entries),
            Cause::Spin => powered(log, at),
        }
    }
}

fn powered(log: &Log, at: u64) -> Option<u64> {
    log.power.iter().rev().find(|(t, on)| *on && *t <= at).map(|(t, _)| *t)
}
