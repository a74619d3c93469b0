//! The latest rounds in short, added up from their records.

use super::Reader;
use super::error::JournalError;
use super::inspect::record;
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
        let mut afterwards: BTreeMap<RoundId, String> = BTreeMap::new();
        let mut begun = 0;
        if limit == 0 {
            return Ok(Vec::new());
        }
        self.backwards(|kept| {
            let record = record(&kept).map_err(|why| JournalError::Unreadable { seq: kept.row.seq, why })?;
            if let Event::VoidedAfterwards { round, reason, .. } = &record.event {
                afterwards.entry(*round).or_insert_with(|| reason.clone());
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
        Ok(latest.map(|(id, records)| summary(id, records, afterwards.remove(&id))).collect())
    }
}

/// Adds up one round; its records come newest first.
fn summary(round: RoundId, records: Vec<(i64, Record)>, voided_afterwards: Option<String>) -> RoundSummary {
    let mut summary = RoundSummary { round, voided_afterwards, ..RoundSummary::default() };
    for (wall, record) in records.into_iter().rev() {
        match record.event {
            Event::RoundBegan { rules, layout } => {
                summary.rules = rules;
                summary.layout = layout;
                summary.wall = wall;
            }
            Event::SpinEnded { tumbles, .. } => summary.tumbles = Some(tumbles),
            Event::Result { dice, .. } | Event::Amended { to: dice, .. } => summary.dice = Some(dice),
            Event::Settled { dice, .. } => {
                summary.dice = Some(dice);
                summary.settled = true;
            }
            Event::Voided(void) => summary.void = Some(void),
            _ => {}
        }
    }
    summary
}
