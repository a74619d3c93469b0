//! What the broker keeps for who comes later: one slot a topic, told in its newest form, one message in flight each.

use super::identity::Identity;
use serde::Serialize;
use tokio::time::Instant;
use tumbler_core::latch::Code;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::topics::{FaultMessage, LampsMessage, StateMessage, Status, Topics, VERSION};

/// One of the retained topics, by its place among the slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(usize);

const STATUS: usize = 0;
const LAMPS: usize = 1;
const FAULTS: usize = 2;
const STATE: usize = FAULTS + Code::ALL.len();

/// A topic and what it is to hold.
#[derive(Debug)]
struct RetainedTopic {
    topic: String,
    /// What the topic is to hold; empty deletes it; `None`: not known yet.
    wanted: Option<Vec<u8>>,
    /// What was last sent on this connection; `None`: nothing, so what the broker holds is not known.
    sent: Option<Vec<u8>>,
    in_flight: bool,
    refused: Option<Refused>,
}

/// Why the broker does not take what a topic is to hold.
#[derive(Clone, Debug)]
struct Refused {
    why: String,
    /// Not before this moment is it tried again; `None`: once it is to hold something else.
    until: Option<Instant>,
}

/// All retained topics of the table.
#[derive(Debug)]
pub(super) struct Retained {
    slots: Vec<RetainedTopic>,
    boot: String,
    /// The topic of the records and why it is refused, where it is.
    events: Option<String>,
    /// What the messages of the last snapshot were made of, so that only changes are told.
    snapshot: Option<Snapshot>,
}

/// A retained message to be sent.
#[derive(Debug)]
pub(super) struct Due {
    pub(super) slot: Slot,
    pub(super) topic: String,
    pub(super) payload: Vec<u8>,
}

/// `status` of a table that is connected, or of one that is not any more.
pub(super) fn status(identity: &Identity, online: bool) -> Vec<u8> {
    json(&Status {
        v: VERSION,
        status: if online { "online" } else { "offline" }.into(),
        boot: identity.boot.clone(),
        build: identity.build.clone(),
        backend: identity.backend.clone(),
    })
}

/// JSON of one of our own messages: plain data, which always has one.
pub(super) fn json(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).unwrap_or_default()
}

impl RetainedTopic {
    fn refuse(&mut self, why: String, until: Option<Instant>) {
        if self.refused.as_ref().is_none_or(|refused| refused.why != why) {
            tracing::warn!(
                topic = self.topic,
                "the broker refuses a topic: {why}; check what this client may publish there"
            );
        }
        self.refused = Some(Refused { why, until });
    }
}

impl Retained {
    pub(super) fn new(topics: &Topics, identity: &Identity) -> Self {
        let mut names = vec![topics.status(), topics.lamps()];
        names.extend(Code::ALL.map(|code| topics.fault(code)));
        names.push(topics.state());
        let slots = names
            .into_iter()
            .map(|topic| RetainedTopic { topic, wanted: None, sent: None, in_flight: false, refused: None })
            .collect();
        let mut retained = Self { slots, boot: identity.boot.clone(), events: None, snapshot: None };
        retained.want(STATUS, status(identity, true));
        retained
    }

    fn want(&mut self, slot: usize, payload: Vec<u8>) {
        if let Some(kept) = self.slots.get_mut(slot) {
            kept.wanted = Some(payload);
        }
    }

    /// Takes what `status` is to hold.
    pub(super) fn set_status(&mut self, payload: Vec<u8>) {
        self.want(STATUS, payload);
    }

    /// Takes the table as it is now. `wall` is the moment, in milliseconds since 1970.
    pub(super) fn set_table(&mut self, snapshot: &Snapshot, wall: i64) {
        if self.snapshot.as_ref() == Some(snapshot) {
            return;
        }
        self.want(
            LAMPS,
            json(&LampsMessage {
                v: VERSION,
                commanded: snapshot.lit.clone(),
                sensed: snapshot.sensed.clone(),
                verified: snapshot.verified,
            }),
        );
        for (place, code) in Code::ALL.into_iter().enumerate() {
            let latched = snapshot.malfunctions.iter().find(|m| m.code == code);
            let payload =
                latched.map(|m| json(&FaultMessage { v: VERSION, code, cause: m.cause.clone() })).unwrap_or_default();
            self.want(FAULTS + place, payload);
        }
        let state = StateMessage { v: VERSION, boot: self.boot.clone(), wall, snapshot: snapshot.clone() };
        self.want(STATE, json(&state));
        self.snapshot = Some(snapshot.clone());
    }

    /// A new connection: what the broker holds is not known, and nothing is in flight.
    pub(super) fn begin(&mut self) {
        for kept in &mut self.slots {
            kept.sent = None;
            kept.in_flight = false;
        }
    }

    /// The next message that is due, if any; it counts as handed over. `room` is the longest topic and payload that the broker
    /// takes, in bytes: what is longer is named, and not sent.
    pub(super) fn next(&mut self, room: usize, now: Instant) -> Option<Due> {
        for (place, kept) in self.slots.iter_mut().enumerate() {
            let waits = kept.refused.as_ref().is_some_and(|refused| refused.until.is_some_and(|until| now < until));
            let Some(payload) = kept.wanted.clone().filter(|_| !kept.in_flight && !waits && kept.sent != kept.wanted)
            else {
                continue;
            };
            kept.sent = Some(payload.clone());
            let bytes = kept.topic.len() + payload.len();
            if bytes > room {
                let why = format!("{bytes} bytes, and the broker takes {room} at most; raise its limit");
                kept.refuse(why, None);
                continue;
            }
            kept.in_flight = true;
            return Some(Due { slot: Slot(place), topic: kept.topic.clone(), payload });
        }
        None
    }

    /// The broker acknowledged the message in flight on this topic.
    pub(super) fn acknowledged(&mut self, slot: Slot) {
        if let Some(kept) = self.slots.get_mut(slot.0) {
            kept.in_flight = false;
            kept.refused = None;
        }
    }

    /// The broker refused the message in flight on this topic: until then the topic is left alone.
    pub(super) fn refused(&mut self, slot: Slot, why: &str, until: Instant) {
        if let Some(kept) = self.slots.get_mut(slot.0) {
            kept.in_flight = false;
            kept.sent = None;
            kept.refuse(why.to_owned(), Some(until));
        }
    }

    /// Whether the broker refused what was last sent on this topic.
    pub(super) fn is_refused(&self, slot: Slot) -> bool {
        self.slots.get(slot.0).is_some_and(|kept| kept.refused.is_some())
    }

    /// The broker refuses every record.
    pub(super) fn events_refused(&mut self, topic: &str, why: &str) {
        let said = format!("{topic}: {why}");
        if self.events.as_ref() != Some(&said) {
            tracing::warn!(topic, "the broker refuses a topic: {why}; records wait");
            self.events = Some(said);
        }
    }

    /// The broker takes records.
    pub(super) fn events_pass(&mut self) {
        self.events = None;
    }

    /// The topics that the broker refuses, each with the reason.
    pub(super) fn all_refused(&self) -> Vec<String> {
        let topics = self.slots.iter().filter_map(|k| Some(format!("{}: {}", k.topic, k.refused.as_ref()?.why)));
        self.events.iter().cloned().chain(topics).collect()
    }

    /// When a topic that was refused is to be tried again, if one is.
    pub(super) fn retry_at(&self, now: Instant) -> Option<Instant> {
        self.slots.iter().filter_map(|k| k.refused.as_ref()?.until).filter(|until| *until > now).min()
    }

    /// Whether the broker holds all that it is to hold.
    pub(super) fn is_told(&self) -> bool {
        self.slots.iter().all(|k| !k.in_flight && (k.wanted.is_none() || k.refused.is_some() || k.sent == k.wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relay::testing::{identity, snapshot};
    use tumbler_core::latch::Malfunction;
    use tumbler_core::units::{Mono, Seq};

    fn retained() -> Retained {
        Retained::new(&Topics::new("pit", "t1"), &identity())
    }

    fn next(retained: &mut Retained) -> Option<Due> {
        retained.next(65_536, Instant::now())
    }

    fn text(due: &Due) -> String {
        String::from_utf8(due.payload.clone()).unwrap()
    }

    /// Faults are reconciled at every connect: also those that a daemon before this one left at the broker.
    #[test]
    fn every_connection_tells_every_topic() {
        let mut retained = retained();
        let mut table = snapshot(Seq(3));
        table.malfunctions =
            vec![Malfunction { code: Code::Lamps, cause: "open".into(), since: Mono(1), in_spin: false }];
        retained.set_table(&table, 1);
        for _ in 0..2 {
            retained.begin();
            let due: Vec<Due> = std::iter::from_fn(|| next(&mut retained)).collect();
            assert_eq!(due.len(), 17);
            assert_eq!(due[0].topic, "taisai/pit/t1/status");
            let lamps = due.iter().find(|d| d.topic == "taisai/pit/t1/fault/lamps").unwrap();
            assert_eq!(text(lamps), r#"{"v":1,"code":"lamps","cause":"open"}"#);
            assert_eq!(due.iter().filter(|d| d.payload.is_empty()).count(), 13, "the others are deleted");
            assert!(!retained.is_told());
            due.iter().for_each(|d| retained.acknowledged(d.slot));
            assert!(retained.is_told());
        }
    }

    #[test]
    fn the_newest_state_is_told_once_and_nothing_that_did_not_change() {
        let mut retained = retained();
        retained.set_table(&snapshot(Seq(1)), 1);
        let due: Vec<Due> = std::iter::from_fn(|| next(&mut retained)).collect();
        let state = due.last().unwrap().slot;
        for seq in 2..50 {
            retained.set_table(&snapshot(Seq(seq)), 2);
        }
        assert!(next(&mut retained).is_none(), "one message a topic in flight");
        due.iter().for_each(|d| retained.acknowledged(d.slot));
        let newest: StateMessage = serde_json::from_slice(&next(&mut retained).unwrap().payload).unwrap();
        assert_eq!(newest.snapshot.seq, Seq(49));
        assert!(next(&mut retained).is_none());
        retained.acknowledged(state);
        retained.set_table(&snapshot(Seq(49)), 3);
        assert!(retained.is_told(), "a new moment alone is no news");
    }

    #[test]
    fn an_unlatched_fault_is_deleted() {
        let mut retained = retained();
        let mut table = snapshot(Seq(1));
        table.malfunctions =
            vec![Malfunction { code: Code::Seal, cause: "broken".into(), since: Mono(1), in_spin: false }];
        retained.set_table(&table, 1);
        while let Some(due) = next(&mut retained) {
            retained.acknowledged(due.slot);
        }
        table.malfunctions.clear();
        retained.set_table(&table, 2);
        let due = next(&mut retained).unwrap();
        assert_eq!((due.topic.as_str(), due.payload.len()), ("taisai/pit/t1/fault/seal", 0));
    }
}
