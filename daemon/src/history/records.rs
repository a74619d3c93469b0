//! The journal's records, read for people: off the runtime's thread, and one question at a time.

use crate::relay::Outbox;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::spawn_blocking;
use tumbler_core::units::Seq;
use tumbler_core::wire::topics::EventMessage;

/// Records in one read: bounds the memory that a question takes.
pub const PAGE: usize = 256;

/// A way to the records that clones share.
#[derive(Clone)]
pub struct Records(Arc<Mutex<Box<dyn Outbox>>>);

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Records")
    }
}

impl Records {
    /// Reads from here.
    #[must_use]
    pub fn new(from: Box<dyn Outbox>) -> Self {
        Self(Arc::new(Mutex::new(from)))
    }

    /// Reads on a thread that may wait for the disk.
    ///
    /// # Errors
    /// What `read` says, or that it failed unexpectedly.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut dyn Outbox) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let records = Arc::clone(&self.0);
        spawn_blocking(move || read(&mut **records.lock().unwrap_or_else(PoisonError::into_inner)))
            .await
            .unwrap_or_else(|_| Err("reading the journal failed unexpectedly".into()))
    }
}

/// Visits the records up to `end` from the newest back, page by page, until the visitor has enough.
///
/// # Errors
/// The journal cannot be read.
pub fn backwards(
    records: &mut dyn Outbox,
    end: Seq,
    mut visit: impl FnMut(EventMessage) -> ControlFlow<()>,
) -> Result<(), String> {
    let mut end = end.0;
    while end > 0 {
        let start = end.saturating_sub(PAGE as u64);
        let page = records.after(Seq(start), PAGE)?;
        for message in page.into_iter().rev().filter(|m| m.record.seq.0 <= end) {
            if visit(message).is_break() {
                return Ok(());
            }
        }
        end = start;
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use tumbler_core::record::{Event, Record};
    use tumbler_core::units::{Mono, RoundId};
    use tumbler_core::wire::chain::Chain;
    use tumbler_core::wire::topics::VERSION;

    /// Records in memory.
    #[derive(Default)]
    pub(crate) struct InMemory(pub(crate) Vec<EventMessage>);

    impl Outbox for InMemory {
        fn after(&mut self, seq: Seq, limit: usize) -> Result<Vec<EventMessage>, String> {
            Ok(self.0.iter().filter(|m| m.record.seq > seq).take(limit).cloned().collect())
        }
    }

    pub(crate) fn message(seq: Seq, round: Option<RoundId>, event: Event) -> EventMessage {
        EventMessage {
            v: VERSION,
            stream: "s".into(),
            head: String::new(),
            wall: 0,
            wall_quality: "synchronised".into(),
            boot: "b".into(),
            backend: "virtual".into(),
            record: Record::plain(seq, Mono(0), round, event),
            chain: Chain::default(),
            body: String::new(),
        }
    }
}
