//! A model of the broker, for runs that only the judges decide: they judge messages, and the pure bench has no network.
//!
//! The messages are the core's own, on its own topics. Retained ones are sent when they change, and all of them at each connection.
//! Records are sent until the broker acknowledges them, from the journal's cursor on. So a record that was on its way when the process
//! died is sent by the next one, or by none if the cursor was ahead.

use super::Pure;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use tumbler_core::effect::KeyTold;
use tumbler_core::latch::Code;
use tumbler_core::record::Record;
use tumbler_core::settings::Settings;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::units::Seq;
use tumbler_core::wire::chain::Chain;
use tumbler_core::wire::topics::{
    EventMessage, FaultMessage, KeypadMessage, LampsMessage, StateMessage, Status, Topics, VERSION,
};
use tumbler_spec::Seen;

/// Id of the bench's journals: the first one and its successors.
const STREAM: &str = "5eed";

/// The prefix of the table's topics.
pub(super) fn root(settings: &Settings) -> String {
    format!("taisai/{}/{}", settings.site, settings.table)
}

/// What the broker holds, and what is to be sent to it.
#[derive(Clone)]
pub(super) struct Broker {
    topics: Topics,
    backend: String,
    /// Genesis and first number of the journal, and the link of its last record.
    genesis: [u8; 32],
    first: Seq,
    after: Option<String>,
    link: [u8; 32],
    /// Records that are not yet acknowledged, as messages.
    events: BTreeMap<Seq, Value>,
    /// The state of the table last sent on this connection.
    shown: Option<Snapshot>,
    online: bool,
}

/// A message, and whether the broker keeps it.
type Message = (String, Option<Value>, bool);

fn json(message: &impl Serialize) -> Option<Value> {
    serde_json::to_value(message).ok()
}

fn sum(parts: &[&[u8]]) -> [u8; 32] {
    parts.iter().fold(Sha256::new(), |sum, part| sum.chain_update(part)).finalize().into()
}

/// This bench's wall clock, in milliseconds since 1970; its origin is arbitrary.
fn wall(now_ns: u64) -> i64 {
    1_795_000_000_000 + i64::try_from(now_ns / 1_000_000).unwrap_or(0)
}

impl Broker {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            topics: Topics::new(&settings.site, &settings.table),
            backend: settings.backend.clone(),
            genesis: [0; 32],
            first: Seq(0),
            after: None,
            link: [0; 32],
            events: BTreeMap::new(),
            shown: None,
            online: false,
        }
    }

    /// The next record begins a journal.
    pub(super) fn begin_journal(&mut self) {
        self.after = (self.first != Seq(0)).then(|| hex::encode(self.link));
        self.first = Seq(0);
    }

    /// A record is durable, and waits to be sent.
    pub(super) fn record(&mut self, now_ns: u64, boot: &str, record: &Record) {
        let (seq, after) = (record.seq, self.after.as_deref().unwrap_or("-"));
        if self.first == Seq(0) {
            self.first = seq;
            self.genesis = sum(&[format!("tumblerd journal\n{STREAM}\n{}\n{after}\n", seq.0).as_bytes()]);
            self.link = self.genesis;
        }
        let body = serde_json::to_string(record).unwrap_or_default();
        let (wall, wall_quality) = (wall(now_ns), "synchronised");
        let round = record.round.map_or_else(|| "-".to_owned(), |round| round.0.to_string());
        let value = json(record).unwrap_or_default();
        let (at, kind) = (record.at.0, value.get("kind").and_then(Value::as_str).unwrap_or_default());
        let header = format!("tumblerd record 2\n{}\n{at}\n{boot}\n{wall}\n{wall_quality}\n{round}\n{kind}\n", seq.0);
        let body_hash = sum(&[body.as_bytes()]);
        let previous = self.link;
        self.link = sum(&[&previous, header.as_bytes(), &body_hash]);
        let link = hex::encode(self.link);
        let chain = Chain {
            format: 2,
            genesis: hex::encode(self.genesis),
            first: self.first,
            after: self.after.clone(),
            previous: hex::encode(previous),
            header,
            body_hash: hex::encode(body_hash),
            link: link.clone(),
        };
        let message = EventMessage {
            v: VERSION,
            stream: STREAM.into(),
            head: link,
            wall,
            wall_quality: wall_quality.into(),
            boot: boot.into(),
            backend: self.backend.clone(),
            record: record.clone(),
            chain,
            body,
        };
        self.events.extend(json(&message).map(|message| (seq, message)));
    }

    /// The messages about the table's state that have changed.
    fn table(&mut self, now_ns: u64, boot: &str, table: &Snapshot) -> Vec<Message> {
        let before = self.shown.replace(table.clone());
        let same = |same: &dyn Fn(&Snapshot) -> bool| before.as_ref().is_some_and(same);
        let mut news = Vec::new();
        if same(&|before| before == table) {
            return news;
        }
        if !same(&|b| b.lit == table.lit && b.sensed == table.sensed && b.verified == table.verified) {
            let (commanded, sensed) = (table.lit.clone(), table.sensed.clone());
            let lamps = LampsMessage { v: VERSION, commanded, sensed, verified: table.verified };
            news.push((self.topics.lamps(), json(&lamps), true));
        }
        if !same(&|before| before.malfunctions == table.malfunctions) {
            for code in Code::ALL {
                let latched = table.malfunctions.iter().find(|malfunction| malfunction.code == code);
                let fault = latched.and_then(|m| json(&FaultMessage { v: VERSION, code, cause: m.cause.clone() }));
                news.push((self.topics.fault(code), fault, true));
            }
        }
        let state = StateMessage { v: VERSION, boot: boot.into(), wall: wall(now_ns), snapshot: table.clone() };
        news.push((self.topics.state(), json(&state), true));
        news
    }

    fn status(&self, online: bool, boot: &str) -> Message {
        let status = Status {
            v: VERSION,
            status: if online { "online" } else { "offline" }.into(),
            boot: boot.into(),
            build: "pure".into(),
            backend: self.backend.clone(),
        };
        (self.topics.status(), json(&status), true)
    }
}

impl Pure {
    fn publish(&mut self, messages: Vec<Message>) {
        for (topic, payload, retained) in messages {
            self.observer.tell(self.now, Seen::Mqtt { topic, payload, retained });
        }
    }

    /// The daemon is connected, or no longer: then the broker publishes its will.
    pub(super) fn connected(&mut self, online: bool) {
        let Some(told) = &mut self.told else { return };
        if core::mem::replace(&mut told.online, online) != online {
            told.shown = None;
            let status = told.status(online, &self.boot_id);
            self.publish(vec![status]);
            self.tell_table();
        }
    }

    /// Sends the table's state where it has changed.
    pub(super) fn tell_table(&mut self) {
        let (Some(told), Some(table)) = (&mut self.told, &self.table) else { return };
        if told.online {
            let messages = told.table(self.now, &self.boot_id, &table.snapshot());
            self.publish(messages);
        }
    }

    /// The broker acknowledges all records up to this one.
    pub(super) fn tell_events(&mut self, from: Seq, to: Seq) {
        let Some(told) = &mut self.told else { return };
        let topic = told.topics.event();
        let due = told.events.range(from.next()..=to);
        let messages = due.map(|(_, event)| (topic.clone(), Some(event.clone()), false)).collect();
        self.publish(messages);
    }

    /// A daemon that starts goes on at the journal's cursor; it never sends earlier records again.
    pub(super) fn resume_events(&mut self) {
        let Some(told) = &mut self.told else { return };
        let cursor = self.journal.relayed();
        told.events.retain(|seq, _| *seq > cursor);
        self.log.relayed = cursor;
    }

    /// Keys are sent as they are pressed, and not retained.
    pub(super) fn tell_key(&mut self, key: KeyTold) {
        let Some(told) = self.told.as_ref().filter(|told| told.online) else { return };
        let message = (told.topics.keypad(), json(&KeypadMessage { v: VERSION, key }), false);
        self.publish(vec![message]);
    }
}
