//! The rig's read-only view of the journal: polled while the daemon writes, and read once more after it has ended.

use super::rig_fault::RigFault;
use rusqlite::{Connection, OpenFlags};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use tumbler_core::record::Record;
use tumbler_core::units::Seq;

/// Follows a journal from a record on.
#[derive(Debug)]
pub struct JournalWatch {
    file: PathBuf,
    connection: Option<Connection>,
    /// Identity of the file that the connection reads: a daemon that sets a damaged journal aside creates another file.
    inode: Option<u64>,
    /// Nobody writes: the connection sees the file as it was when it was opened, and is let go of after one look.
    still: bool,
    last: Seq,
}

impl JournalWatch {
    /// The journal in this state directory, from its first record on. It need not be there yet.
    #[must_use]
    pub fn new(state_dir: &Path) -> Self {
        Self { file: state_dir.join("journal.sqlite"), connection: None, inode: None, still: false, last: Seq(0) }
    }

    /// The last record that was read.
    #[must_use]
    pub fn last(&self) -> Seq {
        self.last
    }

    /// Reads the records that were committed since the last call.
    ///
    /// # Errors
    /// [`RigFault`] when the journal cannot be read, or holds what is no record.
    pub fn take(&mut self) -> Result<Vec<Record>, RigFault> {
        let inode = std::fs::metadata(&self.file).ok().map(|file| file.ino());
        if self.inode != inode {
            self.connection = None;
            self.inode = inode;
        }
        if self.connection.is_none() {
            if !self.file.exists() {
                return Ok(Vec::new());
            }
            self.open()?;
        }
        let Some(connection) = &self.connection else { return Ok(Vec::new()) };
        let found = self.rows(connection);
        if self.still {
            self.connection = None;
        }
        let rows = match found {
            Ok(rows) => rows,
            // The daemon may have created the file but not its tables yet, or may just be closing it.
            Err(error) if passing(&error) => {
                self.connection = None;
                return Ok(Vec::new());
            }
            Err(error) => return Err(self.fault(&error)),
        };
        let mut records = Vec::with_capacity(rows.len());
        for (seq, body) in rows {
            let record: Record = serde_json::from_str(&body).map_err(|e| RigFault::Protocol {
                peer: "the journal",
                said: super::rig_fault::shortened(body.as_bytes()),
                why: e.to_string(),
            })?;
            self.last = Seq(seq);
            records.push(record);
        }
        Ok(records)
    }

    /// Closes the file, so that the daemon ends and starts as it would without a rig.
    pub fn close(&mut self) {
        self.connection = None;
    }

    fn rows(&self, connection: &Connection) -> Result<Vec<(u64, String)>, rusqlite::Error> {
        let mut statement = connection.prepare_cached("SELECT seq, body FROM record WHERE seq > ?1 ORDER BY seq")?;
        let rows = statement.query_map([self.last.0], |row| Ok((row.get::<_, u64>(0)?, row.get(1)?)))?;
        rows.collect()
    }

    fn open(&mut self) -> Result<(), RigFault> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        // Without a write-ahead log nobody is writing, and the rig must not create one.
        let mut log = self.file.clone().into_os_string();
        log.push("-wal");
        self.still = !Path::new(&log).exists();
        let mode = if self.still { "immutable=1" } else { "mode=ro" };
        let uri = format!("file:{}?{mode}", self.file.display());
        let connection = Connection::open_with_flags(uri, flags).map_err(|e| self.fault(&e))?;
        // The wires wait during this read, so do not wait for a lock: read at the next poll.
        connection.busy_timeout(std::time::Duration::ZERO).map_err(|e| self.fault(&e))?;
        self.connection = Some(connection);
        Ok(())
    }

    fn fault(&self, error: &rusqlite::Error) -> RigFault {
        RigFault::Other(format!("read the journal {}: {error}", self.file.display()))
    }
}

/// Whether the error is transient: the file is being created, or was closed between two polls.
fn passing(error: &rusqlite::Error) -> bool {
    let text = error.to_string();
    text.contains("no such table")
        || matches!(
            error.sqlite_error_code(),
            Some(
                rusqlite::ErrorCode::DatabaseBusy
                    | rusqlite::ErrorCode::CannotOpen
                    | rusqlite::ErrorCode::ReadOnly
                    // Damaged while the daemon was off, and the daemon has not set it aside yet.
                    | rusqlite::ErrorCode::DatabaseCorrupt
                    | rusqlite::ErrorCode::NotADatabase
            )
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::record::Event;
    use tumbler_core::units::Mono;

    fn append(connection: &Connection, seq: u64) {
        let record = Record::plain(Seq(seq), Mono(seq), None, Event::Stopped);
        let body = serde_json::to_string(&record).unwrap();
        connection.execute("INSERT INTO record (seq, body) VALUES (?1, ?2)", (seq, body)).unwrap();
    }

    #[test]
    fn records_come_once_and_in_order_while_the_writer_is_at_work_and_after() {
        let dir = tempfile::tempdir().unwrap();
        let mut watch = JournalWatch::new(dir.path());
        assert_eq!(watch.take().unwrap(), []);
        let writer = Connection::open(dir.path().join("journal.sqlite")).unwrap();
        writer.pragma_update(None, "journal_mode", "WAL").unwrap();
        assert_eq!(watch.take().unwrap(), [], "no tables yet");
        writer.execute_batch("CREATE TABLE record (seq INTEGER PRIMARY KEY, body TEXT)").unwrap();
        append(&writer, 1);
        append(&writer, 2);
        let seqs = |records: Vec<Record>| records.into_iter().map(|r| r.seq.0).collect::<Vec<_>>();
        assert_eq!(seqs(watch.take().unwrap()), [1, 2]);
        append(&writer, 3);
        assert_eq!(seqs(watch.take().unwrap()), [3]);
        watch.close();
        append(&writer, 4);
        drop(writer);
        assert_eq!(seqs(watch.take().unwrap()), [4]);
        assert_eq!(watch.last(), Seq(4));
    }
}
