//! The journal's file: rows in, rows out, and the chain between them.

use super::chain::{Hash, Head, Row, cursor_sum, genesis, link, unhex};
use super::error::JournalError;
use super::{Identity, schema};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, params};
use std::path::{Path, PathBuf};

/// What a journal says of itself: written once, when it is begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Meta {
    pub(super) stream: String,
    pub(super) identity: Identity,
    /// Number of its first record.
    pub(super) first: u64,
    /// Head of the journal before it, where it goes on after damage.
    pub(super) after: Option<Hash>,
    /// Why it was begun: `commissioned`, or what was wrong with the journal before it.
    pub(super) begun: String,
}

impl Meta {
    /// The head of the journal while it has no record.
    pub(super) fn start(&self) -> Head {
        let hash = genesis(&self.stream, self.first, self.after.as_ref());
        Head { seq: self.first.saturating_sub(1), hash }
    }

    pub(super) fn read(connection: &Connection) -> Result<Result<Self, String>, rusqlite::Error> {
        let get = |key: &str| -> Result<Option<String>, rusqlite::Error> {
            connection.query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get(0)).optional()
        };
        let after = get("after")?;
        let (Some(stream), Some(site), Some(table), Some(backend), Some(first), Some(after), Some(begun)) =
            (get("stream")?, get("site")?, get("table")?, get("backend")?, get("first")?, after, get("begun")?)
        else {
            return Ok(Err("it does not say whose it is".into()));
        };
        let Some(first) = first.parse().ok().filter(|n: &u64| *n > 0) else {
            return Ok(Err(format!("it says that its first record is `{first}`")));
        };
        let after = match after.as_str() {
            "-" => None,
            text => match unhex(text) {
                Some(hash) => Some(hash),
                None => return Ok(Err("it does not say what it goes on after".into())),
            },
        };
        Ok(Ok(Self { stream, identity: Identity { site, table, backend }, first, after, begun }))
    }

    fn write(&self, connection: &Connection) -> Result<(), rusqlite::Error> {
        let after = self.after.as_ref().map_or_else(|| "-".to_owned(), hex::encode);
        let first = self.first.to_string();
        let identity = &self.identity;
        for (key, value) in [
            ("stream", &self.stream),
            ("site", &identity.site),
            ("table", &identity.table),
            ("backend", &identity.backend),
            ("first", &first),
            ("after", &after),
            ("begun", &self.begun),
        ] {
            connection.execute("INSERT INTO meta (key, value) VALUES (?1, ?2)", [key, value.as_str()])?;
        }
        Ok(())
    }
}

/// A journal's file open for appending.
#[derive(Debug)]
pub(super) struct Store {
    connection: Connection,
    path: PathBuf,
    head: Head,
}

impl Store {
    /// Makes a journal with its first rows, whole and durable, in a file that is not there yet.
    pub(super) fn create(path: &Path, meta: &Meta, rows: &[Row]) -> Result<Head, JournalError> {
        let sqlite = |error| JournalError::sqlite(path)(error);
        let connection = schema::create(path).map_err(sqlite)?;
        meta.write(&connection).map_err(sqlite)?;
        let mut store = Self { connection, path: path.to_owned(), head: meta.start() };
        store.append(rows)?;
        let head = store.head;
        // Closing merges the log into the file and removes it, so that the file can be renamed alone.
        store.connection.close().map_err(|(_, error)| sqlite(error))?;
        let file = std::fs::File::open(path).map_err(JournalError::io("open the journal", path))?;
        file.sync_all().map_err(JournalError::io("write the journal", path))?;
        Ok(head)
    }

    /// Opens a journal for appending after `head`, which was found by [`super::inspect`].
    pub(super) fn open(path: &Path, head: Head) -> Result<Self, JournalError> {
        let mut connection = schema::open_writer(path).map_err(JournalError::sqlite(path))?;
        schema::migrate(&mut connection, schema::STEPS).map_err(JournalError::sqlite(path))?;
        Ok(Self { connection, path: path.to_owned(), head })
    }

    /// The last record.
    pub(super) const fn head(&self) -> Head {
        self.head
    }

    /// The journal's file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends rows in one commit. If it fails, none of them is in the journal.
    pub(super) fn append<'a>(&mut self, rows: impl IntoIterator<Item = &'a Row>) -> Result<Head, JournalError> {
        let path = &self.path;
        let sqlite = |error| JournalError::sqlite(path)(error);
        let mut head = self.head;
        let commit = self.connection.transaction().map_err(sqlite)?;
        {
            let mut insert = commit
                .prepare_cached("INSERT INTO record VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")
                .map_err(sqlite)?;
            for row in rows {
                if row.seq != head.seq.saturating_add(1) {
                    return Err(JournalError::Gap { found: row.seq, last: head.seq });
                }
                let hash = link(&head.hash, row);
                let round = row.round.map(integer);
                let (seq, at, relayed) = (integer(row.seq), integer(row.at), integer(row.relayed));
                insert
                    .execute(params![
                        seq,
                        at,
                        row.wall,
                        row.wall_quality,
                        row.boot,
                        round,
                        relayed,
                        row.kind,
                        row.body,
                        hash,
                        row.format,
                        cursor_sum(&hash, row.relayed)
                    ])
                    .map_err(sqlite)?;
                head = Head { seq: row.seq, hash };
            }
        }
        commit.commit().map_err(sqlite)?;
        self.head = head;
        Ok(head)
    }

    /// Merges the log into the file, as far as readers permit.
    pub(super) fn checkpoint(&self) -> Result<(), JournalError> {
        self.connection
            .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
            .map_err(JournalError::sqlite(&self.path))
    }

    /// Merges the log and closes the file.
    pub(super) fn close(self) -> Result<(), JournalError> {
        let Self { connection, path, .. } = self;
        let merges = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false);
        merges.map_err(JournalError::sqlite(&path))?;
        connection.close().map_err(|(_, error)| JournalError::sqlite(&path)(error))
    }
}

/// SQLite's integers end at 2^63; numbers of ours never come near (nanoseconds: 292 years).
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A row as it lies in the file, with its link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredRow {
    pub(super) row: Row,
    pub(super) hash: Hash,
    /// Covers the relay's cursor since format 2.
    pub(super) cursor_sum: Option<Vec<u8>>,
}

/// Reads a row of [`schema::columns`].
pub(super) fn stored_row(row: &rusqlite::Row<'_>) -> Result<StoredRow, rusqlite::Error> {
    // A negative number was never written; it becomes one that no chain agrees with.
    let unsigned = |number: i64| u64::try_from(number).unwrap_or(u64::MAX);
    let round: Option<i64> = row.get(5)?;
    Ok(StoredRow {
        row: Row {
            format: u32::try_from(row.get::<_, i64>(10)?).unwrap_or(u32::MAX),
            seq: unsigned(row.get(0)?),
            at: unsigned(row.get(1)?),
            wall: row.get(2)?,
            wall_quality: row.get(3)?,
            boot: row.get(4)?,
            round: round.map(unsigned),
            relayed: unsigned(row.get(6)?),
            kind: row.get(7)?,
            body: row.get(8)?,
        },
        hash: row.get(9)?,
        cursor_sum: row.get(11)?,
    })
}

/// Up to `limit` rows from number `from` on, oldest first.
pub(super) fn rows_from(connection: &Connection, from: u64, limit: usize) -> Result<Vec<StoredRow>, rusqlite::Error> {
    let columns = schema::columns(connection)?;
    let mut select =
        connection.prepare_cached(&format!("SELECT {columns} FROM record WHERE seq >= ?1 ORDER BY seq LIMIT ?2"))?;
    let rows = select.query_map(params![integer(from), i64::try_from(limit).unwrap_or(i64::MAX)], stored_row)?;
    rows.collect()
}

/// Up to `limit` rows up to number `to`, newest first.
pub(super) fn rows_back(connection: &Connection, to: u64, limit: usize) -> Result<Vec<StoredRow>, rusqlite::Error> {
    let columns = schema::columns(connection)?;
    let mut select = connection
        .prepare_cached(&format!("SELECT {columns} FROM record WHERE seq <= ?1 ORDER BY seq DESC LIMIT ?2"))?;
    let rows = select.query_map(params![integer(to), i64::try_from(limit).unwrap_or(i64::MAX)], stored_row)?;
    rows.collect()
}

/// One row by its number.
pub(super) fn row_at(connection: &Connection, seq: u64) -> Result<Option<StoredRow>, rusqlite::Error> {
    Ok(rows_from(connection, seq, 1)?.pop().filter(|kept| kept.row.seq == seq))
}

/// Number of the last row, if there is one.
pub(super) fn last(connection: &Connection) -> Result<Option<u64>, rusqlite::Error> {
    let last: Option<i64> = connection.query_row("SELECT max(seq) FROM record", [], |row| row.get(0))?;
    Ok(last.and_then(|seq| u64::try_from(seq).ok()))
}
