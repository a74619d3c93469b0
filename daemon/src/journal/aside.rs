//! The journals that were set aside in a state directory, as evidence for what was told before the present one began.

use super::chain::{Hash, Head, link};
use super::inspect::{CHUNK, follow};
use super::places::Places;
use super::store::{Meta, row_at, rows_from};
use super::{Report, schema};
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// All of one stream that lie in a directory.
pub(super) struct Aside(Vec<Old>);

/// One of them. Damage is what it was set aside for, so whatever of it cannot be read is not there.
struct Old {
    name: String,
    connection: Connection,
    meta: Meta,
    /// The first and the last record of which the head was told.
    told: Option<(u64, u64)>,
}

impl Aside {
    /// Opens what can be read, and notes what cannot.
    pub(super) fn open(places: &Places, stream: &str, report: &mut Report) -> Self {
        let mut found = Vec::new();
        for path in places.journals_set_aside() {
            match Old::open(&path) {
                Ok(old) if old.meta.stream == stream => found.push(old),
                Ok(old) => report.notes.push(format!("{} is of another stream", old.name)),
                Err(why) => report.notes.push(format!("{} cannot be read: {why}", path.display())),
            }
        }
        Self(found)
    }

    /// Whether one of them holds the record with this head as it was written.
    pub(super) fn has(&mut self, seq: u64, head: &Hash) -> bool {
        self.0.iter_mut().any(|old| old.has(seq, head))
    }

    /// The record with this head, if records that were told lead to it, or it to them, without a break.
    pub(super) fn leads_to(&self, head: &Hash) -> Option<u64> {
        self.0.iter().find_map(|old| old.leads_to(head))
    }

    /// What is said of records that none of them has.
    pub(super) fn without(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|old| old.name.as_str()).collect();
        match names.as_slice() {
            [] => {
                "no journal of its stream that was set aside lies beside it: they are lost with the one before".into()
            }
            [name] => format!("nor whole in the one that was set aside: look into {name}"),
            names => format!("nor whole in those that were set aside: look into {}", names.join(", ")),
        }
    }
}

impl Old {
    fn open(path: &Path) -> Result<Self, String> {
        let text = |error: rusqlite::Error| error.to_string();
        let connection = schema::open_reader(path).map_err(text)?;
        schema::examine(&connection, path, schema::STEPS).map_err(|error| error.to_string())??;
        let meta = Meta::read(&connection).map_err(text)??;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, connection, meta, told: None })
    }

    /// The link covers the record and the link before it, so a head that was told proves the record even where others are damaged.
    fn has(&mut self, seq: u64, head: &Hash) -> bool {
        let Ok(Some(kept)) = row_at(&self.connection, seq) else { return false };
        let previous = if seq == self.meta.first {
            self.meta.start().hash
        } else {
            let Ok(Some(before)) = row_at(&self.connection, seq.saturating_sub(1)) else { return false };
            before.hash
        };
        let is_there = kept.hash == *head && link(&previous, &kept.row) == *head;
        if is_there {
            let (from, to) = self.told.unwrap_or((seq, seq));
            self.told = Some((from.min(seq), to.max(seq)));
        }
        is_there
    }

    fn leads_to(&self, head: &Hash) -> Option<u64> {
        let (from, to) = self.told?;
        let find = "SELECT seq FROM record WHERE hash = ?1";
        let found: Option<i64> = self.connection.query_row(find, [head], |row| row.get(0)).optional().ok()?;
        let seq = u64::try_from(found?).ok()?;
        let leads = [from, to].iter().any(|told| self.is_unbroken(*told.min(&seq), *told.max(&seq)));
        leads.then_some(seq)
    }

    /// Whether the chain is whole from the link of the one record to the other.
    fn is_unbroken(&self, from: u64, to: u64) -> bool {
        let Ok(Some(start)) = row_at(&self.connection, from) else { return false };
        let mut head = Head { seq: from, hash: start.hash };
        while head.seq < to {
            let Ok(rows) = rows_from(&self.connection, head.seq.saturating_add(1), CHUNK) else { return false };
            if rows.is_empty() {
                return false;
            }
            for kept in rows {
                let Ok(next) = follow(&head, &kept) else { return false };
                head = next;
                if head.seq == to {
                    break;
                }
            }
        }
        true
    }
}
