//! What the table starts with while its journal cannot be read or written: nothing of what lies there is touched, nothing is durable, and
//! the table says why.

use super::error::JournalError;
use super::places::Places;
use super::queue::{Next, Queue};
use super::slot::SlotFile;
use super::store::Meta;
use super::{Appender, Identity, Journal, Reader, Writer, schema};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tumbler_core::input::Input;
use tumbler_core::record::{Event, Standing};
use tumbler_core::table::Found;
use tumbler_core::units::Seq;

/// A journal that is left alone.
#[derive(Debug)]
pub struct Standby {
    reason: String,
    path: PathBuf,
    meta: Meta,
}

impl Journal {
    /// Stands in for a journal that could not be opened for a reason that may pass; gives the error back where it is another one.
    /// The disk and the permission stay as they are, so that a start after the repair goes on where the table was.
    ///
    /// # Errors
    /// The error of [`Journal::open`] itself, where the table may not start over it.
    pub fn stand_by(
        error: JournalError,
        state_dir: &Path,
        identity: &Identity,
    ) -> Result<(Standby, Found), JournalError> {
        if !error.may_pass() {
            return Err(error);
        }
        let places = Places::new(state_dir);
        let stream = SlotFile::read(&places.slot).ok().flatten().map(|slot| slot.stream).unwrap_or_default();
        let reason = format!(
            "the journal can be neither read nor written: {error}; nothing of it was changed; mend that and restart tumblerd, which then \
             goes on after the last record"
        );
        let meta = Meta { stream, identity: identity.clone(), first: 1, after: None, begun: "standing by".to_owned() };
        let found = Found::Bad {
            reason: reason.clone(),
            standing: Box::new(Standing::default()),
            last: Seq(0),
            relayed: Seq(0),
        };
        Ok((Standby { reason, path: places.journal, meta }, found))
    }
}

impl Standby {
    /// A reader that finds no record.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn reader(&self) -> Result<Reader, JournalError> {
        let empty = Connection::open_in_memory().and_then(|mut connection| {
            schema::migrate(&mut connection, schema::STEPS)?;
            Ok(connection)
        });
        Ok(Reader {
            connection: empty.map_err(JournalError::sqlite(&self.path))?,
            path: self.path.clone(),
            meta: self.meta.clone(),
            durable: Some(Arc::new(AtomicU64::new(0))),
        })
    }

    /// Starts a thread that writes nothing, and says so once, and again to whoever tests the journal.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn spawn(self, answer: impl Fn(Input) + Send + 'static) -> Result<(Appender, Writer), JournalError> {
        let queue = Arc::new(Queue::default());
        let jobs = Arc::clone(&queue);
        let Self { reason, path, .. } = self;
        let work = move || {
            let mut told = false;
            loop {
                match jobs.next(Duration::from_secs(1)) {
                    Next::Jobs(waiting) => {
                        let mut records = waiting.iter().flat_map(|job| &job.records);
                        if !told || records.any(|record| matches!(record.event, Event::TestBegan { .. })) {
                            told = true;
                            tracing::error!(reason, "journal failed");
                            answer(Input::JournalFailed { reason: reason.clone() });
                        }
                    }
                    Next::Nothing => {}
                    Next::Closed => return Ok(()),
                }
            }
        };
        let thread = std::thread::Builder::new().name("journal".to_owned()).spawn(work);
        let thread = thread.map_err(JournalError::io("start the journal's thread for", &path))?;
        Ok((Appender { queue: Arc::clone(&queue) }, Writer { queue, thread }))
    }
}
