//! Reading the journal on a connection of one's own, while it is being written or afterwards.

use super::chain::{Hash, body_hash, header};
use super::error::JournalError;
use super::inspect::{CHUNK, record};
use super::store::{Meta, StoredRow, last, rows_back, rows_from};
use super::{Filter, Journal, Reader, StoredRecord, schema};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tumbler_core::units::Seq;
use tumbler_core::wire::chain::Chain;

impl Journal {
    /// The stream id: 32 hexadecimal digits, made at commissioning.
    #[must_use]
    pub fn stream(&self) -> &str {
        &self.slot.get().stream
    }

    /// A connection of one's own to read with; for use within the daemon (never ahead of what is durable).
    ///
    /// # Errors
    /// The journal cannot be opened for reading.
    pub fn reader(&self) -> Result<Reader, JournalError> {
        Reader::at(self.store.path(), Some(Arc::clone(&self.durable)))
    }
}

impl StoredRecord {
    /// The hash in hexadecimal.
    #[must_use]
    pub fn hash_hex(&self) -> String {
        hex::encode(self.hash)
    }

    fn new(kept: StoredRow, meta: &Meta, previous: &Hash) -> Result<Self, JournalError> {
        let record = record(&kept).map_err(|why| JournalError::Unreadable { seq: kept.row.seq, why })?;
        let StoredRow { row, hash, .. } = kept;
        let chain = Chain {
            format: row.format,
            genesis: hex::encode(meta.start().hash),
            first: Seq(meta.first),
            after: meta.after.as_ref().map(hex::encode),
            previous: hex::encode(previous),
            header: header(&row),
            body_hash: hex::encode(body_hash(&row)),
            link: hex::encode(hash),
        };
        Ok(Self {
            record,
            wall: row.wall,
            wall_quality: row.wall_quality,
            boot: row.boot,
            relayed: Seq(row.relayed),
            hash,
            chain,
            body: row.body,
        })
    }
}

impl Reader {
    /// Opens the journal in this state directory read-only, from another process too.
    ///
    /// # Errors
    /// The journal cannot be opened for reading.
    pub fn open(state_dir: &Path) -> Result<Self, JournalError> {
        let places = super::places::Places::new(state_dir);
        if !places.journal.exists() {
            return Err(places.missing());
        }
        crate::file::open(&places.journal).map_err(JournalError::io("open the journal", &places.journal))?;
        Self::at(&places.journal, None)
    }

    /// Opens a journal file of any name.
    pub(super) fn file(path: &Path) -> Result<Self, JournalError> {
        Self::at(path, None)
    }

    fn at(path: &Path, durable: Option<Arc<AtomicU64>>) -> Result<Self, JournalError> {
        let connection = schema::open_reader(path).map_err(JournalError::sqlite(path))?;
        schema::examine(&connection, path, schema::STEPS)?
            .map_err(|what| JournalError::Damaged { path: path.to_owned(), what })?;
        let meta = Meta::read(&connection)
            .map_err(JournalError::sqlite(path))?
            .map_err(|what| JournalError::Damaged { path: path.to_owned(), what })?;
        Ok(Self { connection, path: path.to_owned(), meta, durable })
    }

    fn sqlite(&self) -> impl FnOnce(rusqlite::Error) -> JournalError {
        JournalError::sqlite(&self.path)
    }

    /// The stream id.
    #[must_use]
    pub fn stream(&self) -> &str {
        &self.meta.stream
    }

    /// The number of the last durable record; 0 before the first, or if the journal cannot be read.
    #[must_use]
    pub fn durable(&self) -> Seq {
        Seq(match &self.durable {
            Some(durable) => durable.load(Ordering::Acquire),
            None => last(&self.connection).ok().flatten().unwrap_or(0),
        })
    }

    /// Records after `after`, oldest first, at most `limit`, none that is not durable yet.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn after(&self, after: Seq, limit: usize) -> Result<Vec<StoredRecord>, JournalError> {
        let durable = self.durable().0;
        let rows = rows_from(&self.connection, after.0.saturating_add(1), limit).map_err(self.sqlite())?;
        let mut previous = match rows.first() {
            Some(kept) => self.previous(kept)?,
            None => return Ok(Vec::new()),
        };
        let mut found = Vec::with_capacity(rows.len());
        for kept in rows.into_iter().filter(|kept| kept.row.seq <= durable) {
            let link = kept.hash;
            found.push(StoredRecord::new(kept, &self.meta, &previous)?);
            previous = link;
        }
        Ok(found)
    }

    /// The link of the row before this one, or the genesis.
    fn previous(&self, kept: &StoredRow) -> Result<Hash, JournalError> {
        let before = match kept.row.seq.checked_sub(1) {
            Some(seq) => rows_back(&self.connection, seq, 1).map_err(self.sqlite())?.pop(),
            None => None,
        };
        Ok(before.map_or_else(|| self.meta.start().hash, |before| before.hash))
    }

    /// The latest records that the filter lets through, oldest first.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn events(&self, filter: &Filter) -> Result<Vec<StoredRecord>, JournalError> {
        let wanted = |kept: &StoredRow| {
            filter.kind.as_deref().is_none_or(|kind| kept.row.kind == kind)
                && filter.round.is_none_or(|round| kept.row.round == Some(round))
        };
        let mut found = Vec::new();
        self.backwards(|kept| {
            if kept.row.seq <= filter.after || found.len() >= filter.limit {
                return Ok(false);
            }
            if wanted(&kept) {
                let previous = self.previous(&kept)?;
                found.push(StoredRecord::new(kept, &self.meta, &previous)?);
            }
            Ok(true)
        })?;
        found.reverse();
        Ok(found)
    }

    /// Shows durable rows to `look`, newest first, until it has seen enough.
    pub(super) fn backwards(
        &self,
        mut look: impl FnMut(StoredRow) -> Result<bool, JournalError>,
    ) -> Result<(), JournalError> {
        let mut to = self.durable().0;
        loop {
            let rows = rows_back(&self.connection, to, CHUNK).map_err(self.sqlite())?;
            let Some(oldest) = rows.last() else { return Ok(()) };
            let next = oldest.row.seq.checked_sub(1);
            for kept in rows {
                if !look(kept)? {
                    return Ok(());
                }
            }
            match next {
                Some(next) => to = next,
                None => return Ok(()),
            }
        }
    }

    /// All rows of this range, oldest first, read in chunks.
    pub(super) fn forwards(
        &self,
        from: u64,
        to: u64,
        mut look: impl FnMut(&StoredRow) -> Result<(), JournalError>,
    ) -> Result<(), JournalError> {
        let mut from = from;
        loop {
            let rows = rows_from(&self.connection, from, CHUNK).map_err(self.sqlite())?;
            let Some(last) = rows.last() else { return Ok(()) };
            let next = last.row.seq.saturating_add(1);
            for kept in &rows {
                if kept.row.seq > to {
                    return Ok(());
                }
                look(kept)?;
            }
            from = next;
        }
    }
}
