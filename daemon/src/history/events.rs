//! Journal records as the messages that leave the table: what relay and console read.

use crate::journal::{Reader, StoredRecord};
use crate::relay::Outbox;
use tumbler_core::units::Seq;
use tumbler_core::wire::topics::{EventMessage, VERSION};

/// The journal, read for the relay or the console.
#[derive(Debug)]
pub struct Events {
    reader: Reader,
    backend: String,
}

impl Events {
    /// Reads through this reader, for a table on this hardware backend.
    #[must_use]
    pub fn new(reader: Reader, backend: &str) -> Self {
        Self { reader, backend: backend.to_owned() }
    }

    fn message(&self, stored: StoredRecord) -> EventMessage {
        EventMessage {
            v: VERSION,
            stream: self.reader.stream().to_owned(),
            head: stored.hash_hex(),
            wall: stored.wall,
            wall_quality: stored.wall_quality,
            boot: stored.boot,
            backend: self.backend.clone(),
            record: stored.record,
            chain: stored.chain,
            body: stored.body,
        }
    }
}

impl Outbox for Events {
    fn after(&mut self, seq: Seq, limit: usize) -> Result<Vec<EventMessage>, String> {
        let stored = self.reader.after(seq, limit).map_err(|e| e.to_string())?;
        Ok(stored.into_iter().map(|s| self.message(s)).collect())
    }
}
