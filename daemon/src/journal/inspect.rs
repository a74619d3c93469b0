//! Looks at a journal before it is used: whose it is, whether its tail is whole, and what its records add up to.

use super::chain::{FORMAT, Head, cursor_sum, link};
use super::error::{JournalError, is_unread};
use super::places::{no_pipe_beside, with};
use super::schema;
use super::store::{Meta, StoredRow, last, row_at, rows_back, rows_from};
use crate::file;
use rusqlite::Connection;
use std::io::ErrorKind;
use std::path::Path;
use tumbler_core::record::{Kind, Record, Standing};

/// So many of the last records are verified at every start, at least; the rest in the background.
const TAIL: u64 = 1000;
/// Rows read at a time: a read must not hold the write-ahead log for long.
pub(super) const CHUNK: usize = 500;

/// A journal whose tail is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    pub(super) meta: Meta,
    pub(super) head: Head,
    pub(super) relayed: u64,
    pub(super) standing: Standing,
}

/// A journal with something wrong in it, and what could be kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wreck {
    /// What is wrong.
    pub(super) reason: String,
    /// What it says of itself, if that can be read.
    pub(super) meta: Option<Meta>,
    /// The last record up to which the chain is whole from the first one on.
    pub(super) head: Option<Head>,
    pub(super) relayed: u64,
    /// What the records up to there add up to.
    pub(super) standing: Standing,
    /// The highest number seen in it, whole or not.
    pub(super) highest: u64,
}

/// The record in a row, which the row's columns must agree with.
pub(super) fn record(kept: &StoredRow) -> Result<Record, String> {
    let row = &kept.row;
    let record: Record = serde_json::from_str(&row.body).map_err(|error| error.to_string())?;
    let round = record.round.map(|round| round.0);
    if record.seq.0 != row.seq || record.at.0 != row.at || round != row.round {
        return Err("its columns and its body disagree".into());
    }
    Ok(record)
}

/// Checks that a row follows `head`, and gives the head after it.
pub(super) fn follow(head: &Head, kept: &StoredRow) -> Result<Head, String> {
    let seq = kept.row.seq;
    if seq != head.seq.saturating_add(1) {
        return Err(format!("record {seq} follows record {}: records are missing", head.seq));
    }
    let format = kept.row.format;
    if !(1..=FORMAT).contains(&format) {
        return Err(format!("record {seq} says that its format is {format}, which never was"));
    }
    let hash = link(&head.hash, &kept.row);
    if hash != kept.hash {
        return Err(format!("record {seq} is not what was written: the chain is broken there"));
    }
    if format > 1 && kept.cursor_sum.as_deref() != Some(&cursor_sum(&hash, kept.row.relayed)) {
        return Err(format!("record {seq} is whole, but the relay's cursor beside it is not what was written"));
    }
    Ok(Head { seq, hash })
}

/// Heads that a stream's journal is known to have had: it must still have them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// The stream.
    pub(super) stream: String,
    /// Each with where it was noted.
    pub(super) heads: Vec<(&'static str, Head)>,
}

/// Why a journal cannot be gone on with.
enum Unfit {
    /// It was read and is wrong.
    Damaged(String),
    /// It could not be read.
    Unread(rusqlite::Error),
}

impl From<rusqlite::Error> for Unfit {
    fn from(error: rusqlite::Error) -> Self {
        if is_unread(&error) { Self::Unread(error) } else { Self::Damaged(error.to_string()) }
    }
}

impl From<String> for Unfit {
    fn from(what: String) -> Self {
        Self::Damaged(what)
    }
}

/// Looks at the journal in this file. `Ok(Err(..))` is a damaged one: only what was read and found wrong is.
///
/// # Errors
/// What forbids touching it: a newer version, or a file that could not be read.
pub(super) fn inspect(path: &Path, marks: &Marks) -> Result<Result<Tail, Wreck>, JournalError> {
    let found = look(path, marks)?;
    if found.is_ok() {
        return Ok(found);
    }
    // SQLite says "malformed" of a read that failed, too (SQLITE_IOERR_CORRUPTFS): damage is what is found twice, in files that can be
    // read to their ends.
    for part in [path.to_owned(), with(path, "-wal")] {
        let read = file::open(&part).and_then(|mut file| std::io::copy(&mut file, &mut std::io::sink()));
        if let Some(error) = read.err().filter(file::is_unread) {
            return Err(JournalError::io("read", &part)(error));
        }
    }
    look(path, marks)
}

fn look(path: &Path, marks: &Marks) -> Result<Result<Tail, Wreck>, JournalError> {
    let wreck = |reason: String| Wreck { reason, ..Wreck::default() };
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Err(wreck(format!("{} is missing", path.display()))));
        }
        Err(error) => return Err(JournalError::io("look at", path)(error)),
        // SQLite would wait for ever at a pipe, and write wherever a link leads.
        Ok(there) if !there.is_file() => return Ok(Err(wreck(format!("{}: it is no regular file", path.display())))),
        Ok(_) => no_pipe_beside(path)?,
    }
    let unfit = |why: Unfit| match why {
        Unfit::Damaged(reason) => Ok(wreck(reason)),
        Unfit::Unread(error) => Err(JournalError::sqlite(path)(error)),
    };
    let connection = match schema::open_untouched(path) {
        Ok(connection) => connection,
        Err(error) => return unfit(error.into()).map(Err),
    };
    if let Err(reason) = schema::examine(&connection, path, schema::STEPS)? {
        return Ok(Err(wreck(reason)));
    }
    let meta = match Meta::read(&connection) {
        Ok(Ok(meta)) => meta,
        Ok(Err(reason)) => return Ok(Err(wreck(reason))),
        Err(error) => return unfit(error.into()).map(Err),
    };
    match tail(&connection, &meta).and_then(|tail| remembers(&connection, &tail, marks).map(|()| tail)) {
        Ok(tail) => Ok(Ok(tail)),
        Err(Unfit::Damaged(reason)) => Ok(Err(salvage(&connection, meta, reason))),
        Err(Unfit::Unread(error)) => Err(JournalError::sqlite(path)(error)),
    }
}

/// Checks that the journal still has the heads that it is known to have had.
fn remembers(connection: &Connection, tail: &Tail, marks: &Marks) -> Result<(), Unfit> {
    if tail.meta.stream != marks.stream {
        return Ok(());
    }
    for (noted, mark) in marks.heads.iter().filter(|(_, mark)| mark.seq >= tail.meta.first) {
        let last = tail.head.seq;
        if mark.seq > last {
            let is = "it is older than it was: it ends with record";
            return Err(format!("{is} {last}, {noted} knows record {}", mark.seq).into());
        }
        let row = row_at(connection, mark.seq)?;
        if row.is_none_or(|kept| kept.hash != mark.hash) {
            let is = "it is not what it was: record";
            return Err(format!("{is} {} is not the one that {noted} knows", mark.seq).into());
        }
    }
    Ok(())
}

/// Verifies the last records and adds up what they say from the last keyframe on.
fn tail(connection: &Connection, meta: &Meta) -> Result<Tail, Unfit> {
    let Some(end) = last(connection)? else { return Err("it holds no record".to_owned().into()) };
    let from = tail_begin(connection, meta, end)?;
    let mut head = if from == meta.first {
        meta.start()
    } else {
        let before = rows_back(connection, from.saturating_sub(1), 1)?;
        let before = before.first().ok_or_else(|| format!("record {} is missing", from.saturating_sub(1)))?;
        Head { seq: before.row.seq, hash: before.hash }
    };
    let mut tail = Tail { meta: meta.clone(), head, relayed: 0, standing: Standing::default() };
    loop {
        let rows = rows_from(connection, head.seq.saturating_add(1), CHUNK)?;
        if rows.is_empty() {
            break;
        }
        for kept in rows {
            head = follow(&head, &kept)?;
            let record = record(&kept).map_err(|why| format!("record {} cannot be read: {why}", head.seq))?;
            tail.standing.fold(&record);
            tail.relayed = kept.row.relayed;
        }
    }
    tail.head = head;
    if head.seq < meta.first {
        return Err("its first record is missing".to_owned().into());
    }
    Ok(tail)
}

/// Where to begin verifying: at a keyframe (or the first record), and far enough back.
fn tail_begin(connection: &Connection, meta: &Meta, end: u64) -> Result<u64, Unfit> {
    let mut to = end;
    loop {
        let rows = rows_back(connection, to, CHUNK)?;
        let Some(oldest) = rows.last() else { return Ok(meta.first) };
        for kept in &rows {
            let far = end.saturating_sub(kept.row.seq) >= TAIL;
            if far && kept.row.kind == Kind::Keyframe.name() {
                return Ok(kept.row.seq);
            }
        }
        if oldest.row.seq <= meta.first {
            return Ok(meta.first);
        }
        to = oldest.row.seq.saturating_sub(1);
    }
}

/// What can be kept of a damaged journal: all records from the first one to the first that is not what was written.
fn salvage(connection: &Connection, meta: Meta, reason: String) -> Wreck {
    let mut head = meta.start();
    let mut wreck = Wreck { reason, ..Wreck::default() };
    'all: loop {
        let Ok(rows) = rows_one_by_one(connection, head.seq.saturating_add(1)) else { break };
        if rows.is_empty() {
            break;
        }
        for kept in rows {
            let Ok(next) = follow(&head, &kept) else { break 'all };
            let Ok(record) = record(&kept) else { break 'all };
            head = next;
            wreck.standing.fold(&record);
            wreck.relayed = kept.row.relayed;
            wreck.head = Some(head);
        }
    }
    wreck.highest = last(connection).ok().flatten().unwrap_or(0).max(head.seq);
    wreck.meta = Some(meta);
    wreck
}

/// A chunk of rows; where it cannot be read whole, one row, so that what lies before the damage is found.
fn rows_one_by_one(connection: &Connection, from: u64) -> Result<Vec<StoredRow>, rusqlite::Error> {
    rows_from(connection, from, CHUNK).or_else(|_| rows_from(connection, from, 1))
}
