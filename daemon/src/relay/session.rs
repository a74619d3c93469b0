//! The accounts of one connection: what is in flight, what is read and not sent, and what the broker said.

use super::connection::Connection;
use super::keys::Keys;
use super::ledger::Ledger;
use super::options::Settings;
use super::refusals::{Refused, RefusedRecord};
use super::retained::{Retained, Slot, json};
use super::timing::Timing;
use super::trouble::Trouble;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnAck, PubAck};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;
use tumbler_core::units::Seq;
use tumbler_core::wire::topics::{EventMessage, KeypadMessage, Topics, VERSION};

/// Records that are read and not sent: with one window more there is always one to send while the next are read.
const READ_AHEAD: usize = super::ledger::WINDOW as usize;
/// Largest packet that is sent, in bytes, whatever the broker takes: what the page for consumers asks of every broker.
const LARGEST: u32 = 64 * 1024;
/// What a packet holds beside topic and payload: its kind and length, its number, and that it has no properties. And some more.
const AROUND: usize = 32;

/// A message in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// This record.
    Event(Seq),
    /// The message of a retained topic.
    Retained(Slot),
}

/// Records from this one on are not told before that moment: the broker refused it, and none may overtake it.
#[derive(Clone, Copy, Debug)]
struct Held {
    seq: Seq,
    until: Instant,
}

/// One connection's accounts.
#[derive(Debug)]
pub(super) struct Session {
    ledger: Ledger<Sent>,
    receive_maximum: u16,
    batch: VecDeque<(Seq, Vec<u8>)>,
    /// Last record that was read for this connection.
    read: Seq,
    held: Option<Held>,
    /// Longest record that the broker has taken on this connection, in bytes.
    proven: usize,
    /// A record in flight that is longer than that, and how long. It goes alone: were it refused, those behind it would overtake it.
    probe: Option<(Seq, usize)>,
    /// Longest topic and payload that a message can have, in bytes.
    room: usize,
    topics: Topics,
    broker: String,
    timing: Timing,
    /// When the broker last acknowledged something, or had nothing to acknowledge.
    answered: Instant,
    has_taken: bool,
}

impl Session {
    /// Begins after the broker's CONNACK; records follow `acknowledged`. A careful session sends one message at a time, so that it
    /// is known which one the broker refuses.
    ///
    /// # Errors
    /// A broker that cannot do what the relay needs.
    pub(super) fn begin(
        connack: &ConnAck,
        acknowledged: Seq,
        settings: &Settings,
        topics: &Topics,
        timing: Timing,
        is_careful: bool,
    ) -> Result<Self, Trouble> {
        let broker = settings.broker();
        let said = connack.properties.as_ref();
        if said.and_then(|p| p.max_qos) == Some(0) {
            return Err(Trouble::lasting(format!("{broker} takes no QoS 1; the relay needs it")));
        }
        if said.and_then(|p| p.retain_available) == Some(0) {
            return Err(Trouble::lasting(format!("{broker} keeps no retained messages; the relay needs them")));
        }
        if said.and_then(|p| p.server_keep_alive) == Some(0) {
            return Err(Trouble::lasting(format!(
                "{broker} forbids pings; without them a dead connection looks alive"
            )));
        }
        let receive_maximum = said.and_then(|p| p.receive_max).unwrap_or(u16::MAX);
        if receive_maximum == 0 {
            return Err(Trouble::lasting(format!("{broker} says that it takes no messages (receive maximum 0)")));
        }
        let largest = said.and_then(|p| p.max_packet_size).unwrap_or(LARGEST).min(LARGEST);
        Ok(Self {
            ledger: Ledger::new(if is_careful { 1 } else { receive_maximum }),
            receive_maximum,
            batch: VecDeque::new(),
            read: acknowledged,
            held: None,
            proven: 0,
            probe: None,
            room: usize::try_from(largest).unwrap_or(usize::MAX).saturating_sub(AROUND),
            topics: topics.clone(),
            broker,
            timing,
            answered: Instant::now(),
            has_taken: false,
        })
    }

    /// The record after which to read on, if there is room for more.
    pub(super) fn wants(&self, durable: Seq) -> Option<Seq> {
        (self.held.is_none() && self.batch.len() < READ_AHEAD && self.read < durable).then_some(self.read)
    }

    /// Takes records that were read after `after`; those of a read for an earlier connection are passed over. Each is told whole, or
    /// in short form where the broker would refuse it whole, for it may not block those after it.
    ///
    /// # Errors
    /// What to do where the broker takes not even the short form.
    pub(super) fn take(&mut self, after: Seq, records: &[EventMessage], refused: &RefusedRecord) -> Result<(), String> {
        if after != self.read || self.held.is_some() {
            return Ok(());
        }
        let room = self.room.saturating_sub(self.topics.event().len());
        for message in records.iter().filter(|message| message.record.seq > after) {
            let seq = message.record.seq;
            let mut payload = json(message);
            if payload.len() > room || refused.is_short(seq) {
                let bytes = payload.len();
                tracing::warn!(seq = seq.0, bytes, room, "the broker takes a record in short form only");
                payload = json(&message.short());
            }
            if payload.len() > room {
                // What was read before it is told.
                self.held = Some(Held { seq, until: Instant::now() + self.timing.longest });
                let (most, bytes) = (self.room, payload.len());
                let why =
                    format!("takes messages of {most} bytes at most, and one has {bytes}; raise the broker's limit");
                return Err(format!("{} {why}", self.broker));
            }
            self.read = seq;
            self.batch.push_back((seq, payload));
        }
        Ok(())
    }

    /// Tells no record from this one on, which was handed over, for so long.
    fn hold(&mut self, seq: Seq, pause: Duration) {
        self.held = Some(Held { seq, until: Instant::now() + pause });
        self.batch.clear();
        self.read = Seq(seq.0.saturating_sub(1));
    }

    /// When something that the broker refused is to be tried again, if anything is.
    pub(super) fn retry_at(&self, retained: &Retained) -> Option<Instant> {
        let records = self.held.filter(|_| !self.has_event_in_flight()).map(|held| held.until);
        records.into_iter().chain(retained.retry_at(Instant::now())).min()
    }

    fn has_event_in_flight(&self) -> bool {
        self.ledger.any(|sent| matches!(sent, Sent::Event(_)))
    }

    /// Hands over all that there is room for: retained topics first, which are few, then records, then keys. Where the
    /// connection is gone it does nothing: [`Connection::next`] says why it is.
    pub(super) fn pump(&mut self, connection: &Connection, retained: &mut Retained, keys: &mut Keys) {
        let now = Instant::now();
        if self.held.is_some_and(|held| held.until <= now) && !self.has_event_in_flight() {
            self.held = None;
        }
        if self.ledger.is_empty() {
            self.answered = now;
        }
        while self.ledger.has_room() {
            let is_handed = if let Some(due) = retained.next(self.room, now) {
                self.ledger.handed(Sent::Retained(due.slot));
                connection.publish(&due.topic, QoS::AtLeastOnce, true, due.payload)
            } else if let Some((seq, payload)) = self.next_record() {
                self.ledger.handed(Sent::Event(seq));
                connection.publish(&self.topics.event(), QoS::AtLeastOnce, false, payload)
            } else {
                break;
            };
            if !is_handed {
                return;
            }
        }
        while let Some(key) = keys.next() {
            let payload = json(&KeypadMessage { v: VERSION, key });
            if !connection.publish(&self.topics.keypad(), QoS::AtMostOnce, false, payload) {
                return;
            }
        }
    }

    /// The next record that may be sent.
    fn next_record(&mut self) -> Option<(Seq, Vec<u8>)> {
        let (seq, payload) = self.batch.front()?;
        let is_probe = payload.len() > self.proven;
        if self.probe.is_some() || is_probe && self.has_event_in_flight() {
            return None;
        }
        self.probe = is_probe.then_some((*seq, payload.len()));
        self.batch.pop_front()
    }

    /// rumqttc wrote a QoS 1 message and gave it this number.
    pub(super) fn numbered(&mut self, packet: u16) {
        self.ledger.numbered(packet);
    }

    /// The broker acknowledged or refused a message: the last record that is now acknowledged with all before it, if that moved.
    ///
    /// # Errors
    /// The broker answered for a message that was never sent, or its accounts and these differ.
    pub(super) fn acknowledged(
        &mut self,
        ack: &PubAck,
        retained: &mut Retained,
        record: &mut RefusedRecord,
    ) -> Result<Option<Seq>, Trouble> {
        let refused = Refused::by(ack).map_err(|why| Trouble::passing(format!("{} {why}", self.broker)))?;
        let sent = self.ledger.acknowledged(ack.pkid).map_err(|e| Trouble::passing(e.to_string()))?;
        match (sent, refused) {
            (Sent::Retained(slot), None) => retained.acknowledged(slot),
            (Sent::Retained(slot), Some(refused)) => {
                retained.refused(slot, &refused.why, Instant::now() + self.timing.longest);
            }
            (Sent::Event(seq), None) => {
                if let Some((_, bytes)) = self.probe.take_if(|(probe, _)| *probe == seq) {
                    self.proven = bytes;
                }
            }
            (Sent::Event(seq), Some(refused)) => self.refused(seq, &refused, retained, record),
        }
        self.answered = Instant::now();
        self.has_taken = true;
        let mut last = None;
        while let Some(sent) = self.ledger.next_acknowledged() {
            let Sent::Event(seq) = sent else { continue };
            if self.held.is_none_or(|held| seq < held.seq) {
                last = Some(seq);
            }
        }
        if let Some(seq) = last {
            record.taken(seq);
            retained.events_pass();
            self.ledger.widen(self.receive_maximum);
        }
        Ok(last)
    }

    /// The broker refused a record: none after it counts as sent before it does.
    fn refused(&mut self, seq: Seq, refused: &Refused, retained: &mut Retained, record: &mut RefusedRecord) {
        self.probe.take_if(|(probe, _)| *probe == seq);
        if self.held.is_some_and(|held| held.seq <= seq) {
            return;
        }
        let Refused { why, topic, for_good } = refused;
        if *topic {
            retained.events_refused(&self.topics.event(), why);
            self.hold(seq, self.timing.longest);
            return;
        }
        tracing::warn!(broker = self.broker, seq = seq.0, "the broker refuses a record: {why}");
        let pause = record.refused(seq, *for_good);
        // One at a time until it is taken: a whole window would be told and refused with it, over and over.
        self.ledger.widen(1);
        self.hold(seq, pause);
        if !pause.is_zero() {
            retained.events_refused(&self.topics.event(), why);
        }
    }

    /// When a broker that acknowledges nothing is given up, though it may answer pings.
    pub(super) fn overdue_at(&self, patience: Duration) -> Option<Instant> {
        (!self.ledger.is_empty()).then(|| self.answered + patience)
    }

    /// The message in flight, where it is the only one.
    pub(super) fn only(&self) -> Option<Sent> {
        self.ledger.only()
    }

    /// Whether the broker has answered to a message on this connection.
    pub(super) fn has_taken(&self) -> bool {
        self.has_taken
    }

    /// Whether the broker owes no answer to a message.
    pub(super) fn is_answered(&self) -> bool {
        self.ledger.is_empty()
    }

    /// Whether nothing that was read waits to be sent or acknowledged.
    pub(super) fn is_idle(&self) -> bool {
        self.batch.is_empty() && self.ledger.is_empty()
    }
}
