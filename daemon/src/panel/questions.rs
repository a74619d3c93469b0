//! What the panel asks the journal.

use crate::history::records::backwards;
use crate::history::wording::recorded;
use crate::relay::Outbox;
use serde::{Deserialize, Serialize, Serializer};
use std::ops::ControlFlow;
use tumbler_core::record::Event;
use tumbler_core::units::{RoundId, Seq};
use tumbler_core::wire::topics::EventMessage;

/// Records looked at for one round at most: a round has some dozens, and a page shows late ones.
const REACH: usize = 20_000;
/// Records looked at for one page of the browser at most; where more are left, the page says from where to go on.
const LOOKED_AT: usize = 5000;
/// Records on one page of the browser at most.
const PAGE: usize = 200;

/// The records of a round, from its beginning to its end, oldest first; between them those of the table.
///
/// # Errors
/// The journal cannot be read.
pub(super) fn of_round(records: &mut dyn Outbox, tip: Seq, id: RoundId) -> Result<Vec<EventMessage>, String> {
    let mut found = Vec::new();
    let mut looked_at = 0;
    backwards(records, tip, |message| {
        looked_at += 1;
        let began = matches!(message.record.event, Event::RoundBegan { .. });
        let its_own = message.record.round == Some(id);
        if message.record.round.is_some_and(|round| round < id) || looked_at > REACH {
            return ControlFlow::Break(());
        }
        if its_own || (!found.is_empty() && message.record.round.is_none()) {
            found.push(message);
        }
        if its_own && began { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    found.reverse();
    Ok(found)
}

/// A record as it left the table, and the same as a sentence.
#[derive(Debug, Serialize)]
pub(super) struct Told<'a> {
    #[serde(flatten)]
    record: &'a EventMessage,
    said: String,
}

impl<'a> Told<'a> {
    /// This record.
    pub(super) fn of(record: &'a EventMessage) -> Self {
        Self { record, said: recorded(&record.record) }
    }
}

fn all_told<S: Serializer>(records: &[EventMessage], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(records.iter().map(Told::of))
}

/// What somebody looks for in the journal.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Search {
    /// Only records before this one.
    before: Option<u64>,
    /// Only records of this kind, such as `latched`.
    kind: Option<String>,
    /// Only records whose JSON has this text in it, in capitals or not.
    search: Option<String>,
    /// How many at most.
    limit: Option<usize>,
}

/// What was found, newest first.
#[derive(Debug, Serialize)]
pub(super) struct SearchPage {
    #[serde(serialize_with = "all_told")]
    records: Vec<EventMessage>,
    /// Where to go on; `None` at the journal's beginning.
    before: Option<u64>,
}

/// A page of what somebody looks for.
///
/// # Errors
/// The journal cannot be read.
pub(super) fn search(records: &mut dyn Outbox, tip: Seq, asked: &Search) -> Result<SearchPage, String> {
    let limit = asked.limit.unwrap_or(50).clamp(1, PAGE);
    let wanted = asked.search.as_ref().map(|text| text.to_lowercase()).filter(|text| !text.is_empty());
    let end = Seq(asked.before.map_or(tip.0, |before| before.saturating_sub(1).min(tip.0)));
    let (mut found, mut before, mut looked_at) = (Vec::new(), None, 0);
    backwards(records, end, |message| {
        if found.len() >= limit || looked_at >= LOOKED_AT {
            before = Some(message.record.seq.0.saturating_add(1));
            return ControlFlow::Break(());
        }
        looked_at += 1;
        if fits(&message, asked.kind.as_deref(), wanted.as_deref()) {
            found.push(message);
        }
        ControlFlow::Continue(())
    })?;
    Ok(SearchPage { records: found, before })
}

fn fits(message: &EventMessage, kind: Option<&str>, wanted: Option<&str>) -> bool {
    if kind.is_none_or(str::is_empty) && wanted.is_none() {
        return true;
    }
    let Ok(record) = serde_json::to_value(&message.record) else { return false };
    let of_kind = kind.is_none_or(|kind| kind.is_empty() || record.get("kind").and_then(|k| k.as_str()) == Some(kind));
    of_kind && wanted.is_none_or(|wanted| record.to_string().to_lowercase().contains(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::records::testing::{InMemory, message};
    use tumbler_core::latch::Code;
    use tumbler_core::record::Lit;
    use tumbler_core::units::Dice;

    fn journal(rounds: u64) -> InMemory {
        let mut kept = InMemory::default();
        let mut add = |round: Option<u64>, event| {
            let seq = kept.0.len() as u64 + 1;
            kept.0.push(message(Seq(seq), round.map(RoundId), event));
        };
        for n in 1..=rounds {
            add(Some(n), Event::RoundBegan { rules: "sg-v6".into(), layout: "sg-v6-1".into() });
            if n % 10 == 0 {
                add(None, Event::Latched { code: Code::Lamps, cause: "Lamp 7 stays dark".into(), in_spin: false });
            }
            let dice = Dice::from_pips([1, 2, 3]).unwrap();
            add(Some(n), Event::Settled { dice, total: 6, lamps: Lit::Proved, by: None });
            add(None, Event::KeyTurned);
        }
        kept
    }

    fn seqs(found: &[EventMessage]) -> Vec<u64> {
        found.iter().map(|m| m.record.seq.0).collect()
    }

    #[test]
    fn a_round_has_its_own_records_and_the_tables_between_them() {
        let mut kept = journal(30);
        let tip = Seq(kept.0.len() as u64);
        let of = |id, kept: &mut InMemory| of_round(kept, tip, RoundId(id)).unwrap();
        assert_eq!(seqs(&of(1, &mut kept)), [1, 2]);
        let tenth = of(10, &mut kept);
        assert_eq!(tenth.len(), 3);
        assert!(matches!(tenth[1].record.event, Event::Latched { .. }));
        assert_eq!(of(31, &mut kept), []);
    }

    #[test]
    fn the_browser_goes_back_page_by_page_to_the_beginning() {
        let mut kept = journal(30);
        let tip = Seq(kept.0.len() as u64);
        let (mut all, mut before, mut pages) = (Vec::new(), None, 0);
        loop {
            let found = search(&mut kept, tip, &Search { before, limit: Some(10), ..Search::default() }).unwrap();
            assert!(found.records.len() <= 10);
            all.extend(seqs(&found.records));
            pages += 1;
            before = found.before;
            if before.is_none() {
                break;
            }
        }
        assert_eq!(all, (1..=tip.0).rev().collect::<Vec<u64>>());
        assert_eq!(pages, tip.0.div_ceil(10));
    }

    #[test]
    fn records_are_found_by_kind_and_by_words() {
        let mut kept = journal(30);
        let tip = Seq(kept.0.len() as u64);
        let mut count = |kind: &str, text: &str| {
            let asked = Search { kind: Some(kind.into()), search: Some(text.into()), ..Search::default() };
            search(&mut kept, tip, &asked).unwrap().records.len()
        };
        assert_eq!(count("latched", ""), 3);
        assert_eq!(count("", "lamp 7"), 3);
        assert_eq!(count("settled", "lamp 7"), 0);
        assert_eq!(count("", ""), 50);
    }
}
