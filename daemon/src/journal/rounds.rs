//! The latest rounds in short, added up from their records.

use super::Reader;
use super::error::JournalError;
use super::inspect::record;
use crate::history::rounds::add;
use std::collections::BTreeMap;
use tumbler_core::record::{Event, Record};
use tumbler_core::units::RoundId;
use tumbler_core::wire::ask::RoundSummary;

impl Reader {
    /// The latest rounds, oldest first, at most `limit`; one in progress is among them.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn rounds(&self, limit: usize) -> Result<Vec<RoundSummary>, JournalError> {
        let mut rounds: BTreeMap<RoundId, Vec<(i64, Record)>> = BTreeMap::new();
        let mut afterwards: BTreeMap<RoundId, Vec<Record>> = BTreeMap::new();
        let mut begun = 0;
        if limit == 0 {
            return Ok(Vec::new());
        }
        self.backwards(|kept| {
            let record = record(&kept).map_err(|why| JournalError::Unreadable { seq: kept.row.seq, why })?;
            if let Event::VoidedAfterwards { round, .. } | Event::Corrected { round, .. } = &record.event {
                afterwards.entry(*round).or_default().push(record);
                return Ok(true);
            }
            let Some(round) = record.round else { return Ok(true) };
            let began = matches!(record.event, Event::RoundBegan { .. });
            rounds.entry(round).or_default().push((kept.row.wall, record));
            begun += usize::from(began);
            Ok(begun < limit)
        })?;
        // A record after a round's end still names it, so that more rounds may have been touched than were read whole.
        let skip = rounds.len().saturating_sub(limit);
        let latest = rounds.into_iter().skip(skip);
        Ok(latest.map(|(id, records)| summary(id, records, afterwards.remove(&id).unwrap_or_default())).collect())
    }
}

/// Adds up one round; its records come newest first, and so do those about it.
fn summary(round: RoundId, records: Vec<(i64, Record)>, about: Vec<Record>) -> RoundSummary {
    let mut summary = RoundSummary { round, ..RoundSummary::default() };
    for (wall, record) in records.into_iter().rev() {
        if matches!(record.event, Event::RoundBegan { .. }) {
            summary.wall = wall;
        }
        add(&mut summary, &record);
    }
    about.iter().rev().for_each(|record| add(&mut summary, record));
    summary
}
