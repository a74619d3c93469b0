//! Compares a journal with heads that others were told: who can write the disk can write a whole journal, and not what the broker's
//! consumers keep.

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
    /// Heads of its stream from before its first record: an older journal has them, which was set aside.
    pub before: u64,
    /// Heads of other streams.
    pub others: u64,
}

impl ToldHead {
    /// Reads a line.
    ///
    /// # Errors
    /// What it should be.
    pub fn parse(line: &str) -> Result<Self, String> {
        let told: Self = serde_json::from_str(line).map_err(|error| {
            format!(
                "{error}; a line is a message on `event` as the broker had it, or {{\"stream\":…,\"seq\":…,\"head\":…}}"
            )
        })?;
        if unhex(&told.head).is_none() {
            return Err(format!("`{}` is no head: it has 64 hexadecimal digits", told.head));
        }
        Ok(told)
    }
}

/// Compares the journal with the heads in a file, a line each, and adds to the report which of them it lacks. `path` is a state
/// directory or a journal file.
///
/// # Errors
/// The journal or the file cannot be read, or a line is no head: which, and why.
pub fn compare(path: &Path, file: &Path, report: &mut Report) -> Result<Compared, JournalError> {
    let (journal, _) = journal_at(path)?;
    let sqlite = |error| JournalError::sqlite(&journal)(error);
    let connection = schema::open_reader(&journal).map_err(sqlite)?;
    let damaged = |what: String| JournalError::Damaged { path: journal.clone(), what };
    let meta = Meta::read(&connection).map_err(sqlite)?.map_err(damaged)?;
    let mut compared = Compared::default();
    each(file, |told| {
        if told.stream != meta.stream {
            compared.others += 1;
            return Ok(());
        }
        if told.seq < meta.first {
            compared.before += 1;
            return Ok(());
        }
        let kept = row_at(&connection, told.seq).map_err(sqlite)?;
        if kept.as_ref().map(|kept| kept.hash) == unhex(&told.head) {
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
    Ok(compared)
}

/// Reads every line of a file of heads.
fn each(file: &Path, mut take: impl FnMut(&ToldHead) -> Result<(), JournalError>) -> Result<(), JournalError> {
    let io = |error| JournalError::io("read the heads in", file)(error);
    let mut lines = BufReader::new(std::fs::File::open(file).map_err(io)?);
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
            Err(format!("it has more than {LINE} bytes; is this a file of heads?"))
        } else {
            std::str::from_utf8(&line).map_err(|error| error.to_string()).and_then(|line| ToldHead::parse(line.trim()))
        };
        take(&told.map_err(|why| JournalError::NoHead { file: file.to_owned(), line: number, why })?)?;
    }
}
