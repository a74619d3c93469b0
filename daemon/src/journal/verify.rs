//! Verifying a journal from its first record to its last, and writing it out.

use super::chain::Head;
use super::error::JournalError;
use super::inspect::{CHUNK, follow, record};
use super::places::{Places, no_pipe_beside, set_aside_beside};
use super::slot::{Slot, SlotFile};
use super::store::{Meta, row_at, rows_from};
use super::{Fault, Identity, Reader, Report, schema};
use rusqlite::Connection;
use std::fmt;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tumbler_core::record::{Event, Record};

/// Pause between two chunks of a background verification: the journal is read at some 25,000 records a second at most.
const PAUSE: Duration = Duration::from_millis(20);

/// How every SQLite file begins.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Verifies a journal from its first record to its last, and against its slot. `path` is a state directory or a journal file.
/// The journal may be in use.
///
/// # Errors
/// There is nothing to be read at that path, a file that is no journal, or a newer version.
pub fn verify(path: &Path) -> Result<Report, JournalError> {
    twice(|| verified(path))
}

/// SQLite says "malformed" of a read that failed, too: damage is what is found twice.
fn twice(look: impl Fn() -> Result<Report, JournalError>) -> Result<Report, JournalError> {
    let report = look()?;
    if report.faults.is_empty() { Ok(report) } else { look() }
}

fn verified(path: &Path) -> Result<Report, JournalError> {
    let (journal, places) = journal_at(path)?;
    // Before the log is looked for: a daemon that stops meanwhile says so in its last record.
    let slot = places.as_ref().and_then(|places| SlotFile::read(&places.slot).ok().flatten());
    let is_closed = slot.is_some_and(|slot| slot.closed);
    // A reader makes a log where there is none, which would hide that it is missing.
    let has_log = has_log(&journal);
    let open = if has_log { schema::open_reader } else { schema::open_alone };
    let connection = open(&journal).map_err(JournalError::sqlite(&journal))?;
    let mut report = walk(&journal, places, &connection, Duration::ZERO)?;
    if !is_closed && !has_log && was_in_use(&report, &connection) {
        report.fault(
            None,
            format!(
                "there is no {}-wal, and neither the last record nor a slot says that the journal was closed: what was written last lay in that log. Copy it \
                 with the journal, or take `tumblerctl journal backup`",
                journal.display()
            ),
        );
    }
    let check = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0));
    match check {
        Ok(found) if found == "ok" => {}
        Ok(found) => report.fault(None, format!("SQLite's own check says: {found}")),
        Err(error) => report.fault(None, error.to_string()),
    }
    Ok(report)
}

/// Verifies the whole journal of a running daemon little by little, and twice where something is found. For a thread of its own.
///
/// # Errors
/// As [`verify`].
pub fn verify_all(state_dir: &Path) -> Result<Report, JournalError> {
    twice(|| {
        // By SQLite alone: the kernel takes all of a process's locks on a file away when it closes one descriptor of it, and the writer
        // lives in this process. A foreign reader would then delete the log under it.
        let places = Places::new(state_dir);
        let journal = places.journal.clone();
        let connection = schema::open_reader(&journal).map_err(JournalError::sqlite(&journal))?;
        walk(&journal, Some(places), &connection, PAUSE)
    })
}

/// Writes a copy of a journal to a file that is not there yet, with all that still lies in its write-ahead log, and verifies the copy.
/// The journal may be in use. `path` is a state directory or a journal file.
///
/// # Errors
/// There is nothing to be read at that path, or the copy cannot be written.
pub fn backup(path: &Path, copy: &Path) -> Result<Report, JournalError> {
    let (journal, _) = journal_at(path)?;
    let connection = schema::open_reader(&journal).map_err(JournalError::sqlite(&journal))?;
    // Nobody else's file is overwritten, and SQLite would write into an empty one.
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(copy)
        .map_err(JournalError::io("make a new file", copy))?;
    connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()]).map_err(JournalError::sqlite(copy))?;
    file.sync_all().map_err(JournalError::io("write", copy))?;
    verify(copy)
}

/// Whether what the journal's file may lack lies beside it: SQLite says in the file's header that it writes ahead.
fn has_log(journal: &Path) -> bool {
    let mut header = [0; 20];
    let read = std::fs::File::open(journal).and_then(|mut file| file.read_exact(&mut header));
    let is_ahead = read.is_ok() && matches!(header, [.., 2, 2]);
    !is_ahead || super::places::with(journal, "-wal").exists()
}

/// Whether a daemon had the journal open when the file was copied: its last record does not say that it was closed.
fn was_in_use(report: &Report, connection: &Connection) -> bool {
    row_at(connection, report.last).ok().flatten().is_none_or(|kept| kept.row.kind != "stopped")
}

fn walk(
    journal: &Path,
    places: Option<Places>,
    connection: &Connection,
    pause: Duration,
) -> Result<Report, JournalError> {
    let mut report = Report { journal: journal.to_owned(), ..Report::default() };
    // The slot before the journal: while the daemon runs, the journal is never behind a slot read earlier.
    let slot = places.as_ref().map(|places| SlotFile::read(&places.slot));
    let aside = places.as_ref().map_or_else(|| set_aside_beside(journal), Places::set_aside);
    let names = aside.iter().filter_map(|path| path.file_name());
    report.set_aside = names.map(|name| name.to_string_lossy().into_owned()).collect();
    if let Err(what) = schema::examine(connection, journal, schema::STEPS)? {
        report.fault(None, what);
        return Ok(report);
    }
    let meta = match Meta::read(connection) {
        Ok(Ok(meta)) => meta,
        Ok(Err(what)) => {
            report.fault(None, what);
            return Ok(report);
        }
        Err(error) => {
            report.fault(None, error.to_string());
            return Ok(report);
        }
    };
    report.stream.clone_from(&meta.stream);
    report.first = meta.first;
    report.genesis = hex::encode(meta.start().hash);
    if meta.first > 1 {
        report.notes.push(begun_anew(&meta, places.as_ref()));
    }
    let head = chain(&mut report, connection, &meta, pause);
    report.last = head.seq;
    report.head = hex::encode(head.hash);
    match slot {
        Some(Ok(Some(slot))) => agree(&mut report, connection, &meta, &slot),
        Some(Ok(None)) => report.fault(None, "the slot beside the journal is missing".into()),
        Some(Err(error)) if error.may_pass() => return Err(error),
        Some(Err(error)) => report.fault(None, error.to_string()),
        None => {}
    }
    Ok(report)
}

/// What is said of a journal that is not a table's first one.
fn begun_anew(meta: &Meta, places: Option<&Places>) -> String {
    let why = tumbler_core::text::shown(&meta.begun);
    let lacks = places.is_some_and(|places| places.journals_set_aside().is_empty());
    let and = if lacks { "; no journal that was set aside lies beside it" } else { "" };
    format!("it was begun anew with record {}, and earlier ones are not in it: {why}{and}", meta.first)
}

/// Follows the chain as far as it is whole.
fn chain(report: &mut Report, connection: &Connection, meta: &Meta, pause: Duration) -> Head {
    let mut head = meta.start();
    loop {
        let next = head.seq.saturating_add(1);
        let rows = match rows_from(connection, next, CHUNK) {
            Ok(rows) => rows,
            Err(whole) => match rows_from(connection, next, 1) {
                Ok(rows) if !rows.is_empty() => rows,
                _ => {
                    report.fault(Some(next), whole.to_string());
                    return head;
                }
            },
        };
        if rows.is_empty() {
            if report.records == 0 {
                report.fault(Some(meta.first), "the journal holds no record".into());
            }
            return head;
        }
        for kept in &rows {
            let followed = follow(&head, kept).and_then(|next| record(kept).map(|record| (next, record)));
            match followed {
                Ok((next, record)) => {
                    if next.seq == meta.first {
                        report.fault_of_table(&record, &meta.identity);
                    }
                    head = next;
                }
                Err(what) => {
                    report.fault(Some(next_after(head)), what);
                    return head;
                }
            }
            report.records += 1;
            *report.formats.entry(kept.row.format).or_default() += 1;
        }
        std::thread::sleep(pause);
    }
}

fn next_after(head: Head) -> u64 {
    head.seq.saturating_add(1)
}

/// Compares journal and slot.
fn agree(report: &mut Report, connection: &Connection, meta: &Meta, slot: &Slot) {
    if slot.stream != meta.stream {
        report.fault(None, format!("the slot's stream is {}, the journal's {}", slot.stream, meta.stream));
        return;
    }
    let (known, told) = (slot.identity(), &meta.identity);
    if !known.is_table_of(told) {
        let name = |of: &Identity| format!("{}/{} on backend {}", of.site, of.table, of.backend);
        report.fault(None, format!("the slot is of table {}, the journal of {}", name(&known), name(told)));
    }
    let mark = slot.head();
    if mark.seq < meta.first {
        if meta.after != Some(mark.hash) {
            report.fault(Some(meta.first), format!("the journal does not go on from the slot's record {}", mark.seq));
        }
        return;
    }
    match row_at(connection, mark.seq) {
        Ok(Some(kept)) if kept.hash == mark.hash => {}
        Ok(Some(_)) => report.fault(Some(mark.seq), "this is not the record that the slot knows".into()),
        Ok(None) => report.fault(
            Some(mark.seq),
            format!("the slot knows record {}, the journal ends before it: it is older than it was", mark.seq),
        ),
        Err(error) => report.fault(Some(mark.seq), error.to_string()),
    }
}

/// Writes the records of this range as JSON lines, and says how many. `path` is a state directory or a journal file.
///
/// A line's `record` is the record's JSON byte for byte, so that the chain can be checked from the lines alone; `format` says how
/// each is linked to the one before it.
///
/// # Errors
/// The journal cannot be read, or `out` not be written.
pub fn export(path: &Path, out: &mut dyn Write, range: RangeInclusive<u64>) -> Result<u64, JournalError> {
    let (journal, _) = journal_at(path)?;
    let reader = Reader::file(&journal)?;
    let mut written = 0;
    let stream = reader.stream().to_owned();
    reader.forwards(*range.start(), *range.end(), |kept| {
        let row = &kept.row;
        let quote = |text: &str| serde_json::Value::from(text).to_string();
        writeln!(
            out,
            "{{\"v\":1,\"format\":{},\"stream\":{},\"wall\":{},\"wall_quality\":{},\"boot\":{},\"relayed\":{},\"hash\":\"{}\",\"record\":{}}}",
            row.format,
            quote(&stream),
            row.wall,
            quote(&row.wall_quality),
            quote(&row.boot),
            row.relayed,
            hex::encode(kept.hash),
            row.body
        )
        .map_err(JournalError::io("write the export of", &journal))?;
        written += 1;
        Ok(())
    })?;
    out.flush().map_err(JournalError::io("write the export of", &journal))?;
    Ok(written)
}

pub(super) fn journal_at(path: &Path) -> Result<(PathBuf, Option<Places>), JournalError> {
    if !path.is_dir() {
        // SQLite would take a device for an empty journal, and wait for who writes to a pipe.
        let file = crate::file::open(path).map_err(JournalError::io("open the journal", path))?;
        let mut begins = Vec::new();
        file.take(SQLITE.len() as u64).read_to_end(&mut begins).map_err(JournalError::io("read the journal", path))?;
        // In a state directory it would be a damaged one.
        if begins != SQLITE {
            return Err(JournalError::NoJournal(path.to_owned()));
        }
        no_pipe_beside(path)?;
        return Ok((path.to_owned(), None));
    }
    let places = Places::new(path);
    if places.journal.is_symlink() {
        let why = "it is a link, which the daemon does not follow; name the file that it leads to";
        let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, why);
        return Err(JournalError::io("open the journal", &places.journal)(error));
    }
    if !places.journal.exists() {
        return Err(places.missing());
    }
    crate::file::open(&places.journal).map_err(JournalError::io("open the journal", &places.journal))?;
    no_pipe_beside(&places.journal)?;
    Ok((places.journal.clone(), Some(places)))
}

impl Report {
    pub(super) fn fault(&mut self, seq: Option<u64>, what: String) {
        self.faults.push(Fault { seq, what });
    }

    /// A journal's first record says of which table it is.
    fn fault_of_table(&mut self, record: &Record, journal: &Identity) {
        let (site, table) = match &record.event {
            Event::Commissioned { site, table, .. } => (site, table),
            Event::Keyframe(standing) => (&standing.site, &standing.table),
            _ => return,
        };
        if (site, table) != (&journal.site, &journal.table) {
            let journal = format!("{}/{}", journal.site, journal.table);
            self.fault(
                Some(record.seq.0),
                format!("it is of table {site}/{table}, the journal says {journal} of itself"),
            );
        }
    }

    /// How many records are as tumblerd 0.1 wrote them.
    #[must_use]
    pub fn old(&self) -> u64 {
        self.formats.get(&1).copied().unwrap_or_default()
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn whole(&self) -> bool {
        self.faults.is_empty()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seq {
            Some(seq) => write!(f, "record {seq}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "journal   {}", self.journal.display())?;
        writeln!(f, "stream    {}", self.stream)?;
        writeln!(f, "records   {} ({} to {})", self.records, self.first, self.last)?;
        writeln!(f, "head      {}", self.head)?;
        if self.old() > 0 {
            writeln!(f, "format 1  {} records, as tumblerd 0.1 wrote them", self.old())?;
        }
        for note in &self.notes {
            writeln!(f, "note      {note}")?;
        }
        for name in &self.set_aside {
            writeln!(f, "set aside {name}")?;
        }
        for fault in &self.faults {
            writeln!(f, "WRONG     {fault}")?;
        }
        write!(f, "{}", if self.whole() { "whole" } else { "NOT WHOLE" })
    }
}
