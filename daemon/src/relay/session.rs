//! The accounts of one connection: what is in flight, what is read and not sent, and what the broker said.

use super::connection::Connection;
use super::keys::Keys;
use super::ledger::Ledger;
use super::options::Settings;
use super::retained::{Retained, Slot, json};
use super::trouble::Trouble;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnAck, PubAck, PubAckReason};
use std::collections::VecDeque;
use tumbler_core::units::Seq;
use tumbler_core::wire::topics::{EventMessage, KeypadMessage, Topics, VERSION};

/// Records that are read and not sent: with one window more there is always one to send while the next are read.
const READ_AHEAD: usize = super::ledger::WINDOW as usize;
/// Largest packet that is sent, in bytes, whatever the broker takes: what the page for consumers asks of every broker.
const LARGEST: u32 = 64 * 1024;
/// What a packet holds beside topic and payload: its kind and length, its number, and that it has no properties. And some more.
const AROUND: usize = 32;

#[derive(Clone, Copy, Debug)]
enum Sent {
    Event(Seq),
    Retained(Slot),
}

/// One connection's accounts.
#[derive(Debug)]
pub(super) struct Session {
    ledger: Ledger<Sent>,
    batch: VecDeque<(Seq, Vec<u8>)>,
    /// Last record that was read for this connection.
    read: Seq,
    /// Longest payload that a message on `event` can have.
    room: usize,
}

impl Session {
    /// Begins after the broker's CONNACK; records follow `acknowledged`.
    ///
    /// # Errors
    /// A broker that cannot do what the relay needs.
    pub(super) fn begin(
        connack: &ConnAck,
        acknowledged: Seq,
        settings: &Settings,
        topics: &Topics,
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
        let room = usize::try_from(largest).unwrap_or(usize::MAX).saturating_sub(topics.event().len() + AROUND);
        Ok(Self { ledger: Ledger::new(receive_maximum), batch: VecDeque::new(), read: acknowledged, room })
    }

    /// The record after which to read on, if there is room for more.
    pub(super) fn wants(&self, durable: Seq) -> Option<Seq> {
        (self.batch.len() < READ_AHEAD && self.read < durable).then_some(self.read)
    }

    /// Takes records that were read after `after`; those of a read for an earlier connection are passed over.
    pub(super) fn take(&mut self, after: Seq, records: &[EventMessage]) {
        if after != self.read {
            return;
        }
        for message in records {
            if message.record.seq > self.read {
                self.read = message.record.seq;
                self.batch.push_back((self.read, self.payload(message)));
            }
        }
    }

    /// The record as it is told: in short form where the broker would refuse it whole, for it may not block those after it.
    fn payload(&self, message: &EventMessage) -> Vec<u8> {
        let whole = json(message);
        if whole.len() <= self.room {
            return whole;
        }
        let (seq, bytes) = (message.record.seq.0, whole.len());
        tracing::warn!(seq, bytes, room = self.room, "a record is too long for the broker and is told in short form");
        json(&message.short())
    }

    /// Hands over all that there is room for: retained topics first, which are few, then records, then keys. Where the
    /// connection is gone it does nothing: [`Connection::next`] says why it is.
    pub(super) fn pump(&mut self, connection: &Connection, topics: &Topics, retained: &mut Retained, keys: &mut Keys) {
        while self.ledger.has_room() {
            let is_handed = if let Some(due) = retained.next() {
                self.ledger.handed(Sent::Retained(due.slot));
                connection.publish(&due.topic, QoS::AtLeastOnce, true, due.payload)
            } else if let Some((seq, payload)) = self.batch.pop_front() {
                self.ledger.handed(Sent::Event(seq));
                connection.publish(&topics.event(), QoS::AtLeastOnce, false, payload)
            } else {
                break;
            };
            if !is_handed {
                return;
            }
        }
        while let Some(key) = keys.next() {
            let payload = json(&KeypadMessage { v: VERSION, key });
            if !connection.publish(&topics.keypad(), QoS::AtMostOnce, false, payload) {
                return;
            }
        }
    }

    /// rumqttc wrote a QoS 1 message and gave it this number.
    pub(super) fn numbered(&mut self, packet: u16) {
        self.ledger.numbered(packet);
    }

    /// The broker acknowledged a message: the last record that is now acknowledged with all before it, if that moved.
    ///
    /// # Errors
    /// The broker refused the message, or acknowledged one that was never sent.
    pub(super) fn acknowledged(
        &mut self,
        ack: &PubAck,
        retained: &mut Retained,
        settings: &Settings,
    ) -> Result<Option<Seq>, Trouble> {
        if !matches!(ack.reason, PubAckReason::Success | PubAckReason::NoMatchingSubscribers) {
            let broker = settings.broker();
            return Err(Trouble::lasting(format!(
                "{broker} refuses the table's messages ({:?}); check what this client may publish there",
                ack.reason
            )));
        }
        let sent = self.ledger.acknowledged(ack.pkid).map_err(|e| Trouble::passing(e.to_string()))?;
        if let Sent::Retained(slot) = sent {
            retained.acknowledged(slot);
        }
        let mut last = None;
        while let Some(sent) = self.ledger.next_acknowledged() {
            if let Sent::Event(seq) = sent {
                last = Some(seq);
            }
        }
        Ok(last)
    }

    /// Whether nothing that was read waits to be sent or acknowledged.
    pub(super) fn is_idle(&self) -> bool {
        self.batch.is_empty() && self.ledger.is_empty()
    }
}
