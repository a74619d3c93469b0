//! Reads the outbox on a thread that may wait, one read at a time.

use super::outbox::Outbox;
use tokio::task::{JoinHandle, spawn_blocking};
use tumbler_core::units::Seq;
use tumbler_core::wire::topics::EventMessage;

/// Records in one read: one full window.
const BATCH: usize = super::ledger::WINDOW as usize;

/// A read that has ended.
#[derive(Debug)]
pub(super) struct Read {
    /// Records after this one were asked for.
    pub(super) after: Seq,
    /// They, or what is wrong.
    pub(super) records: Result<Vec<EventMessage>, String>,
}

/// The outbox, at rest or being read.
#[derive(Debug)]
pub(super) struct Reader<O> {
    outbox: Option<O>,
    reading: Option<JoinHandle<(O, Read)>>,
}

/// Reading the outbox panicked, and the outbox is lost with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reading the journal for the relay panicked")]
pub struct ReadFailed;

impl<O: Outbox> Reader<O> {
    pub(super) fn new(outbox: O) -> Self {
        Self { outbox: Some(outbox), reading: None }
    }

    /// Starts a read, unless one is under way.
    pub(super) fn start(&mut self, after: Seq) {
        let Some(mut outbox) = self.outbox.take() else { return };
        self.reading = Some(spawn_blocking(move || {
            let records = outbox.after(after, BATCH);
            (outbox, Read { after, records })
        }));
    }

    /// The end of the read under way; waits for ever when none is. May be dropped and called again.
    ///
    /// # Errors
    /// [`ReadFailed`].
    pub(super) async fn ended(&mut self) -> Result<Read, ReadFailed> {
        let Some(reading) = &mut self.reading else { return std::future::pending().await };
        let ended = reading.await;
        self.reading = None;
        let (outbox, read) = ended.map_err(|_| ReadFailed)?;
        self.outbox = Some(outbox);
        Ok(read)
    }
}
