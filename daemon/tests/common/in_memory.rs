//! A journal in memory that a test adds to while console or panel read it.

use std::sync::{Arc, Mutex};
use tumbler_core::record::{Event, Record};
use tumbler_core::units::{Mono, RoundId, Seq};
use tumbler_core::wire::chain::Chain;
use tumbler_core::wire::topics::{EventMessage, VERSION};
use tumblerd::relay::Outbox;

/// The records; clones share them.
#[derive(Clone, Default)]
pub(crate) struct InMemory(Arc<Mutex<Vec<EventMessage>>>);

impl Outbox for InMemory {
    fn after(&mut self, seq: Seq, limit: usize) -> Result<Vec<EventMessage>, String> {
        Ok(self.0.lock().unwrap().iter().filter(|m| m.record.seq > seq).take(limit).cloned().collect())
    }
}

impl InMemory {
    /// Adds a record with the next number, and gives that.
    pub(crate) fn add(&self, at: Mono, round: Option<u64>, event: Event) -> Seq {
        let mut records = self.0.lock().unwrap();
        let seq = Seq(records.len() as u64 + 1);
        let record = Record::plain(seq, at, round.map(RoundId), event);
        let body = serde_json::to_string(&record).unwrap();
        records.push(EventMessage {
            v: VERSION,
            stream: "s".into(),
            head: "00".into(),
            wall: 1_795_231_445_000,
            wall_quality: "synchronised".into(),
            boot: "b".into(),
            backend: "virtual".into(),
            record,
            chain: Chain::default(),
            body,
        });
        seq
    }
}
