//! The contents of a recording by subject: debounced edges of each line, bus transactions, outputs and records. Times are
//! nanoseconds on the recording's clock.

use super::playback::ReplayedInput;
use std::collections::BTreeMap;
use tumbler_core::effect::{BusRequest, Effect};
use tumbler_core::input::{BusFailure, BusReply, Input};
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::Record;

/// Edges closer together than this belong to one movement: the dome's contacts are debounced for 50 ms, buttons and key for 20 ms,
/// the rest for less than 10 ms.
const fn bounce(line: InLine) -> u64 {
    match line {
        InLine::DomeClosed | InLine::DomeOpen => 50_000_000,
        InLine::Seal | InLine::MotorFault | InLine::PowerGood => 11_000_000,
        _ => 20_000_000,
    }
}

/// A movement of a contact, or a flicker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Movement {
    /// When it began.
    pub at: u64,
    /// The level afterwards.
    pub active: bool,
    /// Whether the level differs from before.
    pub changed: bool,
    /// For a flicker: how long the line was away from its level.
    pub away: u64,
}

/// A transaction on the field bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// When it was requested.
    pub begun: u64,
    /// When its answer arrived.
    pub ended: u64,
    /// The request.
    pub request: BusRequest,
    /// The answer.
    pub reply: Result<BusReply, BusFailure>,
}

/// Everything from one input on.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// Movements of every line, in order.
    pub moved: BTreeMap<InLine, Vec<Movement>>,
    /// Raw edges of the cam: when, which sensor (`true`: the second), its level.
    pub cam: Vec<(u64, bool, bool)>,
    /// Transactions, in order of their ends.
    pub bus: Vec<Transaction>,
    /// What the table drove.
    pub driven: Vec<(u64, OutLine, bool)>,
    /// What was read back.
    pub read: Vec<(u64, OutLine, bool)>,
    /// Temperatures in thousandths of a degree.
    pub temperature: Vec<(u64, Option<i32>)>,
    /// Records, with when they were handed to the journal.
    pub records: Vec<(u64, Record)>,
    /// When the journal said that everything was durable.
    pub durable: Vec<(u64, u64)>,
    /// The last moment.
    pub end: u64,
}

impl Events {
    /// Sorts what was played; lines begin at these levels.
    #[must_use]
    pub fn of(played: &[ReplayedInput], levels: &BTreeMap<InLine, bool>) -> Self {
        let mut events = Self::default();
        let mut edges: BTreeMap<InLine, Vec<(u64, bool)>> = BTreeMap::new();
        let mut asked: Option<(u64, BusRequest)> = None;
        for ReplayedInput { stamped, effects, .. } in played {
            let (at, now) = (stamped.at.0, stamped.now.0);
            events.end = now;
            match &stamped.input {
                Input::Edge { line: line @ (InLine::CamA | InLine::CamB), active } => {
                    events.cam.push((at, *line == InLine::CamB, *active));
                }
                Input::Edge { line, active } => edges.entry(*line).or_default().push((at, *active)),
                Input::Bus { id, reply } => {
                    if let Some((begun, request)) = asked.take_if(|(_, request)| request.id == *id) {
                        events.bus.push(Transaction { begun, ended: now, request, reply: reply.clone() });
                    }
                }
                Input::Readback { line, active } => events.read.push((at, *line, *active)),
                Input::Temperature { reading } => events.temperature.push((at, reading.map(|r| r.0))),
                Input::Durable { seq } => events.durable.push((now, seq.0)),
                _ => {}
            }
            for effect in effects {
                match effect {
                    Effect::Set(drive) => events.driven.push((now, drive.line(), drive.is_active())),
                    Effect::Bus(request) => asked = Some((now, request.clone())),
                    Effect::Journal { records, .. } => {
                        events.records.extend(records.iter().map(|record| (now, record.clone())));
                    }
                    _ => {}
                }
            }
        }
        for (line, edges) in edges {
            let moved = movements(&edges, bounce(line), levels.get(&line).copied().unwrap_or_default());
            events.moved.insert(line, moved);
        }
        events
    }

    /// Movements of a line.
    #[must_use]
    pub fn of_line(&self, line: InLine) -> &[Movement] {
        self.moved.get(&line).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Movements without bounce: edges near to each other are one.
fn movements(edges: &[(u64, bool)], bounce: u64, mut level: bool) -> Vec<Movement> {
    let mut all: Vec<Movement> = Vec::new();
    for group in edges.chunk_by(|(before, _), (after, _)| after - before < bounce) {
        let (Some((at, _)), Some((last, active))) = (group.first(), group.last()) else { continue };
        all.push(Movement { at: *at, active: *active, changed: *active != level, away: last - at });
        level = *active;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn bounce_is_one_movement_and_a_flicker_is_none() {
        let edges = [(0, true), (MS, false), (2 * MS, true), (120 * MS, false), (121 * MS, true), (122 * MS, false)];
        let moved = movements(&edges, 20 * MS, false);
        let told: Vec<_> = moved.iter().map(|m| (m.at / MS, m.active, m.changed)).collect();
        assert_eq!(told, [(0, true, true), (120, false, true)]);
        let flicker = movements(&[(0, false), (2 * MS, true)], 20 * MS, true);
        assert_eq!(flicker, [Movement { at: 0, active: true, changed: false, away: 2 * MS }]);
    }
}
