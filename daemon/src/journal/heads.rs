//! Compares a journal with heads that others were told: who can write the disk can write a whole journal, and not what the broker's
//! consumers keep.

use super::aside::Aside;
use super::chain::unhex;
use super::error::JournalError;
use super::store::{Meta, row_at};
use super::verify::journal_at;
use super::{Report, schema};
use serde::Deserialize;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Longest line, in bytes: several times the longest message.
const LINE: u64 = 512 * 1024;
/// Most heads that are listed one by one.
const LISTED: u64 = 20;

/// A head that was told: a message on `event`, whole or short, or its three fields alone.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ToldHead {
    /// The journal's stream.
    pub stream: String,
    /// The record.
    pub seq: u64,
    /// Its link, in hexadecimal.
    pub head: String,
}

/// What came of comparing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Heads of this journal's stream that it has.
    pub found: u64,
    /// Heads of its stream that it does not have.
    pub missing: u64,
    /// Heads of its stream from before its first record: an older journal had them.
    pub before: u64,
    /// Of those before, heads that a journal has which was set aside beside it.
    pub aside: u64,
    /// Of those before, heads that were not looked for, because the journal's file was given without its directory.
    pub unseen: u64,
    /// Whether it goes on after a record that was told, or leads on from one.
    pub follows: bool,
    /// Heads of other streams.
    pub others: u64,
}

impl Compared {
    /// Heads from before the journal's first record that are nowhere.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.before.saturating_sub(self.aside).saturating_sub(self.unseen)
    }
}

impl ToldHead {
    /// Reads a line.
    ///
    /// # Errors
    /// What it should be.
    pub fn parse(line: &str) -> Result<Self, String> {
        let told: Self = serde_json::from_str(line).map_err(|error| error.to_string())?;
        if unhex(&told.head).is_none() {
            return Err(format!("`{}` is no head: it has 64 hexadecimal digits", told.head));
        }
        Ok(told)
    }
}

/// Compares the journal with the heads in a file, a line each, and adds to the report which of them it lacks. `path` is a state
/// directory or a journal file. Heads from before the journal's first record are looked for in the journals that were set aside in
/// that directory.
///
/// # Errors
/// The journal or the file cannot be read, or a line is no head: which, and why.
pub fn compare(path: &Path, file: &Path, report: &mut Report) -> Result<Compared, JournalError> {
    let (journal, places) = journal_at(path)?;
    let sqlite = |error| JournalError::sqlite(&journal)(error);
    let connection = schema::open_reader(&journal).map_err(sqlite)?;
    let damaged = |what: String| JournalError::Damaged { path: journal.clone(), what };
    let meta = Meta::read(&connection).map_err(sqlite)?.map_err(damaged)?;
    let mut aside = places.map(|places| Aside::open(&places, &meta.stream, report));
    let past = Past::read(file, &meta)?;
    let mut compared = Compared::default();
    let mut lost = None;
    each(file, |told| {
        if told.stream != meta.stream {
            compared.others += 1;
            return Ok(());
        }
        let head = unhex(&told.head).unwrap_or_default();
        if is_before(told, &meta) {
            compared.before += 1;
            match aside.as_mut().map(|aside| aside.has(told.seq, &head)) {
                Some(true) => compared.aside += 1,
                None if past.reaches(told, meta.after == Some(head)) => compared.unseen += 1,
                _ => {
                    let (from, to) = lost.unwrap_or((told.seq, told.seq));
                    lost = Some((told.seq.min(from), told.seq.max(to)));
                }
            }
            return Ok(());
        }
        let kept = row_at(&connection, told.seq).map_err(sqlite)?;
        if kept.as_ref().is_some_and(|kept| kept.hash == head) {
            compared.found += 1;
            return Ok(());
        }
        compared.missing += 1;
        if compared.missing <= LISTED {
            let is =
                if kept.is_some() { "the journal has another record there" } else { "the journal has no such record" };
            report.fault(Some(told.seq), format!("head {} was told, and {is}", told.head));
        }
        Ok(())
    })?;
    if compared.missing > LISTED {
        report
            .fault(None, format!("{} more heads were told that the journal does not have", compared.missing - LISTED));
    }
    compared.follows = follows(&meta, &past, aside.as_ref(), &compared, report);
    if let Some((from, to)) = lost {
        let nowhere = match &aside {
            Some(aside) => aside.without(),
            None => {
                "they came after the one that it goes on after: look into the journal that was set aside".to_owned()
            }
        };
        let lost = compared.lost();
        report.fault(None, format!("not in it: {lost} of the records {from} to {to}, which were told; {nowhere}"));
    }
    if compared.unseen > 0 {
        report.notes.push(format!(
            "the {} records that were told before it are in the journal that was set aside, and are not verified: name the state \
             directory instead of the file",
            compared.unseen
        ));
    }
    Ok(compared)
}

/// Whether this head is from before the journal's first record.
fn is_before(told: &ToldHead, meta: &Meta) -> bool {
    told.stream == meta.stream && (1..meta.first).contains(&told.seq)
}

/// What was told before a journal's first record.
#[derive(Default)]
struct Past {
    /// The last number.
    last: u64,
    /// The record that the journal goes on after.
    followed: Option<u64>,
}

impl Past {
    fn read(file: &Path, meta: &Meta) -> Result<Self, JournalError> {
        let mut past = Self::default();
        each(file, |told| {
            if is_before(told, meta) {
                past.last = past.last.max(told.seq);
                if meta.after.is_some() && unhex(&told.head) == meta.after {
                    past.followed = Some(told.seq);
                }
            }
            Ok(())
        })?;
        Ok(past)
    }

    /// Whether the journal may go on after this record: it is the followed one, or lies before that.
    fn reaches(&self, told: &ToldHead, is_followed: bool) -> bool {
        is_followed || self.followed.is_some_and(|followed| told.seq < followed)
    }
}

/// Says after which record the journal goes on, and whether that agrees with what was told. A daemon writes the head that its slot
/// knew: one that was told, older than the last one where it did not stop in order, or one that the broker had yet to be told.
fn follows(meta: &Meta, past: &Past, aside: Option<&Aside>, compared: &Compared, report: &mut Report) -> bool {
    if compared.before == 0 {
        return true;
    }
    let (first, last) = (meta.first, past.last);
    let Some(after) = meta.after else {
        let what = format!("it begins here, after no other record, and records up to {last} were told before");
        report.fault(Some(first), what);
        return false;
    };
    if let Some(followed) = past.followed {
        report.notes.push(if followed == last {
            format!("the journal before it ended with record {followed}, which was told last")
        } else {
            format!("it goes on after record {followed}, which was told; the last that was told before it is {last}")
        });
        return true;
    }
    if let Some(seq) = aside.and_then(|aside| aside.leads_to(&after)) {
        report.notes.push(format!("it goes on after record {seq}, to which records lead that were told"));
        return true;
    }
    let what = format!("it says that it goes on after {}, which nobody was told", hex::encode(after));
    report.fault(Some(first), what);
    false
}

/// Reads every line of a file of heads.
fn each(file: &Path, mut take: impl FnMut(&ToldHead) -> Result<(), JournalError>) -> Result<(), JournalError> {
    let io = |error| JournalError::io("read the heads in", file)(error);
    let mut lines = BufReader::new(crate::file::open(file).map_err(io)?);
    let mut number = 0_u64;
    loop {
        let mut line = Vec::new();
        let read = lines.by_ref().take(LINE).read_until(b'\n', &mut line).map_err(io)?;
        if read == 0 {
            return Ok(());
        }
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let told = if read as u64 >= LINE {
            Err(format!("it has more than {LINE} bytes"))
        } else {
            std::str::from_utf8(&line).map_err(|error| error.to_string()).and_then(|line| ToldHead::parse(line.trim()))
        };
        take(&told.map_err(|why| JournalError::NoHead { file: file.to_owned(), line: number, why })?)?;
    }
}
