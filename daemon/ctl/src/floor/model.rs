//! The picture: from topics, payloads and the time.
//!
//! Tables whose journal is not the one that told earlier records come first, then faults, then tables that went silent, then those of which records were missed, then the rest by name. Silent
//! is a table whose `status` does not say online, and one that is open for gaming and has told nothing for a while. A table that
//! is closed has nothing to tell, and the broker says when it goes.

use super::name::{clean, natural};
use super::table::{Fault, TableState};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;
use tumbler_core::units::{Dice, RoundId};

/// The topics that tell of a table. What is latched is in `state`, whole and numbered; `fault/CODE` may be missing or out of date, and only
/// casts doubt on it.
const TOPICS: [&str; 6] = ["status", "state", "lamps", "fault", "event", "keypad"];
/// Most tables that are kept: the largest floors have some hundreds.
const MOST: usize = 2000;

/// Brokers queue so many messages for a subscriber, or a few more, and drop the rest without a word (mosquitto, EMQX).
const CAPPED: usize = 1000;

/// How a table is, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Condition {
    /// Its journal is not the one that told earlier records: it was rolled back or rewritten.
    Rewritten,
    /// A malfunction is latched, or it says that it is blocked.
    Fault,
    /// It is offline, or tells nothing although it is open.
    Silent,
    /// Records of it were missed, or it is not known how it stands: it tells nothing of that, what cannot be understood, or one thing here
    /// and another there.
    Gap,
    /// None of these.
    Fine,
}

/// One table in the picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Row {
    /// Its site.
    pub(crate) site: String,
    /// Its name.
    pub(crate) table: String,
    /// How it is.
    pub(crate) condition: Condition,
    /// Whether it is connected; `None`: the broker keeps no status of it.
    pub(crate) online: Option<bool>,
    /// Its phase, as it last told.
    pub(crate) phase: Option<String>,
    /// Whether it is open for gaming, as it last told.
    pub(crate) open: bool,
    /// The round in progress.
    pub(crate) round: Option<RoundId>,
    /// Result of the round in progress, or else of the last one that was settled.
    pub(crate) result: Option<Dice>,
    /// What is latched.
    pub(crate) faults: Vec<Fault>,
    /// For a silent table: how long it is known to be silent, in seconds; `None`: since before it was watched.
    pub(crate) silent_s: Option<u64>,
    /// Seconds since it last told something; `None`: nothing since it is watched.
    pub(crate) heard_s: Option<u64>,
    /// How often records were missing between two that came.
    pub(crate) gaps: u64,
    /// How many records were missing.
    pub(crate) missed: u64,
    /// How it showed that its journal is not the one that told earlier records.
    pub(crate) rewritten: Option<String>,
    /// Why it is not known how it is: what its topics leave out, or tell each otherwise.
    pub(crate) doubts: Vec<String>,
    /// What it told last that cannot be understood.
    pub(crate) strange: Option<String>,
    /// Hardware backend; on `virtual` nothing here is a real game.
    pub(crate) backend: Option<String>,
}

/// How many tables are how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Counts {
    /// With a journal that is not the one that told earlier records.
    pub(crate) rewritten: usize,
    /// With a malfunction.
    pub(crate) fault: usize,
    /// Silent.
    pub(crate) silent: usize,
    /// With missed records.
    pub(crate) gap: usize,
    /// None of these.
    pub(crate) fine: usize,
}

/// The floor at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Picture {
    /// Whether the broker is there. While it is not, the tables are as they were when it went.
    pub(crate) connected: bool,
    /// Why it is not.
    pub(crate) trouble: Option<String>,
    /// How many tables are how.
    pub(crate) counts: Counts,
    /// Tables that were passed over because there were too many.
    pub(crate) beyond: u64,
    /// Why tables may be left out; `None`: all that the broker keeps is here.
    pub(crate) left_out: Option<String>,
    /// The tables, worst first.
    pub(crate) tables: Vec<Row>,
}

/// Whether the broker is there, and since when.
#[derive(Clone, Debug)]
enum Connection {
    Up { since_ms: u64 },
    Down { since_ms: u64, why: Option<String> },
}

/// All tables, as far as they are known.
#[derive(Clone, Debug)]
pub(crate) struct Floor {
    tables: BTreeMap<(String, String), TableState>,
    beyond: u64,
    /// Most messages of one kind that the broker told at once.
    most: usize,
    /// Not all that it keeps has come.
    is_cut: bool,
    connection: Connection,
    silent_after_ms: u64,
}

impl Floor {
    /// A floor of which nothing is known. `silent_after`: how long a table that is open may tell nothing.
    #[must_use]
    pub(crate) fn new(silent_after: Duration) -> Self {
        let connection = Connection::Down { since_ms: 0, why: None };
        Self {
            tables: BTreeMap::new(),
            beyond: 0,
            most: 0,
            is_cut: false,
            connection,
            silent_after_ms: milliseconds(silent_after),
        }
    }

    /// The broker has confirmed the subscription: all that it keeps comes now. `now_ms`: a clock that never goes back, in
    /// milliseconds, from here on as everywhere.
    pub(crate) fn connected(&mut self, now_ms: u64) {
        self.connection = Connection::Up { since_ms: now_ms };
        self.tables.values_mut().for_each(TableState::forget);
    }

    /// The broker has told so many kept messages of one kind at once.
    pub(crate) fn told(&mut self, kept: usize) {
        self.most = self.most.max(kept);
    }

    /// No more is waited for, though not all that the broker keeps has come.
    pub(crate) fn cut(&mut self) {
        self.is_cut = true;
    }

    fn left_out(&self) -> Option<String> {
        if self.beyond > 0 {
            Some(format!("more than {MOST} tables: the others are left out; look at one site with --site"))
        } else if self.most >= CAPPED {
            Some(format!(
                "the broker told {} messages at once and may have left others out: raise its bound of queued messages \
                 (mosquitto: max_queued_messages), or look at one site with --site",
                self.most
            ))
        } else {
            self.is_cut
                .then(|| "the broker had not told all tables in time: the others are left out; try again".to_owned())
        }
    }

    /// The broker is gone.
    pub(crate) fn lost(&mut self, why: String, now_ms: u64) {
        let since_ms = match self.connection {
            Connection::Up { .. } => now_ms,
            Connection::Down { since_ms, .. } => since_ms,
        };
        self.connection = Connection::Down { since_ms, why: Some(clean(&why)) };
    }

    /// Takes a message; `kept`: the broker had kept it, so it is no news. What is no table's is passed over.
    pub(crate) fn take(&mut self, topic: &str, payload: &[u8], kept: bool, now_ms: u64) {
        let mut words = topic.splitn(4, '/');
        let (Some("taisai"), Some(site), Some(table), Some(what)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return;
        };
        if !TOPICS.contains(&what.split('/').next().unwrap_or_default()) {
            return;
        }
        let place = (clean(site), clean(table));
        if !self.tables.contains_key(&place) && self.tables.len() >= MOST {
            self.beyond += 1;
            return;
        }
        let seen = self.tables.entry(place.clone()).or_default();
        seen.take(what, payload, kept, now_ms);
        // All of it deleted: the table was taken away.
        if payload.is_empty() && seen.is_gone() {
            self.tables.remove(&place);
        }
    }

    /// The floor at this moment.
    #[must_use]
    pub(crate) fn picture(&self, now_ms: u64) -> Picture {
        // While the broker is away no table can be heard, so the clock of silences stops.
        let (since_ms, now_ms, trouble) = match &self.connection {
            Connection::Up { since_ms } => (*since_ms, now_ms, None),
            Connection::Down { since_ms, why } => {
                (*since_ms, *since_ms, Some(why.clone().unwrap_or_else(|| "not connected yet".into())))
            }
        };
        let row =
            |((site, table), seen): (&(String, String), &TableState)| self.row(site, table, seen, since_ms, now_ms);
        let mut tables: Vec<Row> = self.tables.iter().map(row).collect();
        tables.sort_by_cached_key(|row| (row.condition, natural(&row.site), natural(&row.table)));
        let mut counts = Counts::default();
        for row in &tables {
            *match row.condition {
                Condition::Rewritten => &mut counts.rewritten,
                Condition::Fault => &mut counts.fault,
                Condition::Silent => &mut counts.silent,
                Condition::Gap => &mut counts.gap,
                Condition::Fine => &mut counts.fine,
            } += 1;
        }
        Picture {
            connected: trouble.is_none(),
            trouble,
            counts,
            beyond: self.beyond,
            left_out: self.left_out(),
            tables,
        }
    }

    fn row(&self, site: &str, table: &str, seen: &TableState, since_ms: u64, now_ms: u64) -> Row {
        let state = seen.state.as_ref();
        let open = state.is_some_and(|s| s.open);
        // Where the broker keeps no status either, the table has not come back since the broker forgot it.
        let offline = seen.online != Some(true);
        let quiet_ms = now_ms.saturating_sub(seen.heard_ms.unwrap_or(since_ms).max(since_ms));
        let quiet = !offline && open && quiet_ms >= self.silent_after_ms;
        let silent_s = if offline {
            seen.went_ms.map(|went| now_ms.saturating_sub(went) / 1000)
        } else {
            quiet.then_some(quiet_ms / 1000)
        };
        let faults: Vec<Fault> = state.map_or_else(Vec::new, |s| {
            s.malfunctions.iter().map(|found| Fault { code: clean(&found.code), cause: clean(&found.cause) }).collect()
        });
        let doubts = seen.doubts();
        let condition = if seen.rewritten.is_some() {
            Condition::Rewritten
        } else if !faults.is_empty() || seen.is_blocked() {
            Condition::Fault
        } else if offline || quiet {
            Condition::Silent
        } else if seen.gaps > 0 || seen.strange.is_some() || !doubts.is_empty() {
            Condition::Gap
        } else {
            Condition::Fine
        };
        let last = || state.and_then(|s| s.recent.iter().rev().find_map(|past| past.dice));
        Row {
            site: site.to_owned(),
            table: table.to_owned(),
            condition,
            online: seen.online,
            phase: state.map(|s| clean(&s.phase)),
            open,
            round: state.and_then(|s| s.round),
            result: state.and_then(|s| s.result).or_else(last),
            faults,
            silent_s,
            heard_s: seen.heard_ms.map(|heard| now_ms.saturating_sub(heard) / 1000),
            gaps: seen.gaps,
            missed: seen.missed,
            rewritten: seen.rewritten.clone(),
            doubts,
            strange: seen.strange.clone(),
            backend: state.map(|s| clean(&s.backend)),
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
