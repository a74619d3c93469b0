//! Rounds out of the journal's records: in short, and whole for an inspector.

mod page;
mod story;

pub use page::{page, text};
pub use story::{Story, StoryLine, story};

use crate::history::records::{PAGE, backwards};
use crate::relay::Outbox;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use tumbler_core::record::{Event, Record};
use tumbler_core::units::{RoundId, Seq};
use tumbler_core::wire::ask::{Decision, RoundSummary};
use tumbler_core::wire::topics::EventMessage;

/// The latest `last` rounds up to record `tip`, oldest first.
///
/// # Errors
/// The journal cannot be read.
pub fn latest(records: &mut dyn Outbox, tip: Seq, last: u32) -> Result<Vec<RoundSummary>, String> {
    let first = beginning(records, tip, last)?;
    let mut rounds = BTreeMap::new();
    let mut after = first;
    while after < tip {
        let page = records.after(after, PAGE)?;
        let Some(newest) = page.last() else { break };
        after = newest.record.seq;
        for message in page.iter().filter(|m| m.record.seq <= tip) {
            take(&mut rounds, message);
        }
    }
    Ok(rounds.into_values().collect())
}

/// The record after which the latest `last` rounds begin.
fn beginning(records: &mut dyn Outbox, tip: Seq, last: u32) -> Result<Seq, String> {
    let mut wanted = last;
    let mut first = if last == 0 { tip } else { Seq(0) };
    backwards(records, if last == 0 { Seq(0) } else { tip }, |message| {
        if matches!(message.record.event, Event::RoundBegan { .. }) {
            wanted = wanted.saturating_sub(1);
            if wanted == 0 {
                first = Seq(message.record.seq.0.saturating_sub(1));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(first)
}

/// Records looked at for one round at most: some days of play. Further back an export of the journal has it.
const REACH: usize = 100_000;

/// The records of a round and those that were written about it later, oldest first.
///
/// # Errors
/// The journal cannot be read, or has no such round within reach; says so and what to do.
pub fn whole(records: &mut dyn Outbox, tip: Seq, id: RoundId) -> Result<Vec<EventMessage>, String> {
    let mut found = Vec::new();
    let (mut looked_at, mut newest, mut began) = (0, None, false);
    backwards(records, tip, |message| {
        looked_at += 1;
        let (round, event) = (message.record.round, &message.record.event);
        newest = newest.max(round);
        began = round == Some(id) && matches!(event, Event::RoundBegan { .. });
        let passed = round.is_some_and(|round| round < id);
        if round == Some(id) || about(event) == Some(id) {
            found.push(message);
        }
        if began || passed || looked_at >= REACH { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if !began {
        return Err(match newest {
            Some(newest) if newest >= id && looked_at >= REACH => {
                format!("round {} lies more than {REACH} records back; `tumblerctl journal export` has it", id.0)
            }
            Some(newest) => format!("the journal has no round {}; its newest is {}", id.0, newest.0),
            None => format!("the journal has no round {}", id.0),
        });
    }
    found.reverse();
    Ok(found)
}

/// The round that has ended and that this is about.
const fn about(event: &Event) -> Option<RoundId> {
    match event {
        Event::VoidedAfterwards { round, .. } | Event::Corrected { round, .. } => Some(*round),
        _ => None,
    }
}

/// Takes one record more into the rounds it concerns.
fn take(rounds: &mut BTreeMap<RoundId, RoundSummary>, message: &EventMessage) {
    let record = &message.record;
    if let Some(round) = about(&record.event).and_then(|id| rounds.get_mut(&id)) {
        add(round, record);
    }
    let Some(id) = record.round.filter(|_| about(&record.event).is_none()) else { return };
    if matches!(record.event, Event::RoundBegan { .. }) {
        rounds.insert(id, RoundSummary { round: id, wall: message.wall, ..RoundSummary::default() });
    }
    // Records of a round whose beginning lies further back belong to none that was asked for.
    if let Some(round) = rounds.get_mut(&id) {
        add(round, record);
    }
}

/// Adds a record to the round that it belongs to or is about.
pub(crate) fn add(round: &mut RoundSummary, record: &Record) {
    let who = record.who.clone();
    match &record.event {
        Event::RoundBegan { rules, layout } => {
            round.rules.clone_from(rules);
            round.layout.clone_from(layout);
        }
        Event::Called { call, in_turn: true, .. } => round.calls.push(*call),
        Event::SpinEnded { tumbles, steps, needed, .. } => {
            round.tumbles = Some(*tumbles);
            // Records of version 1 do not tell the steps.
            (round.steps, round.needed) = if *needed == 0 { (None, None) } else { (Some(*steps), Some(*needed)) };
        }
        Event::Established { flat } => round.flat = Some(*flat),
        Event::Result { dice, .. } => round.dice = Some(*dice),
        Event::Amended { from, to, .. } => {
            round.amended.push(*from);
            round.dice = Some(*to);
        }
        // Keyed again, under New Zealand's rules under the supervisor's eyes (NZ 7.2).
        Event::EntryDiffers { entered, .. } => round.amended.push(*entered),
        Event::Supervised { by } => {
            let what = "wrong numbers are amended by the dealer, under the supervisor's eyes".to_owned();
            round.decided.push(Decision { what, reason: String::new(), by: by.clone(), who });
        }
        Event::Asked { why } => round.asked = Some(*why),
        Event::Answered { finding, reason, by } => {
            round.found = Some(*finding);
            let what = format!("interrupted: {}", finding.name());
            round.decided.push(Decision { what, reason: reason.clone(), by: by.clone(), who });
        }
        Event::Decided { what, reason, by, .. } => {
            let (what, reason, by) = (what.clone(), reason.clone(), by.clone());
            round.decided.push(Decision { what, reason, by, who });
        }
        Event::Settled { dice, lamps, .. } => {
            round.dice = Some(*dice);
            round.lamps = Some(*lamps);
            round.settled = true;
        }
        Event::Voided(void) => round.void = Some(void.clone()),
        // What was found first stays.
        Event::VoidedAfterwards { reason, .. } => {
            round.voided_afterwards.get_or_insert_with(|| reason.clone());
        }
        Event::Corrected { reason, .. } => round.corrected.push(reason.clone()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::records::testing::{InMemory, message};
    use tumbler_core::record::Lit;
    use tumbler_core::round::SpinEnd;
    use tumbler_core::units::{Dice, Mono, Tumbles};

    fn journal(rounds: u64) -> InMemory {
        let mut kept = InMemory::default();
        for n in 1..=rounds {
            let dice = Dice::from_pips([1, 2, 3]).unwrap();
            let events = [
                Event::RoundBegan { rules: "sg-v6".into(), layout: "sg-v6-1".into() },
                Event::SpinEnded { tumbles: Tumbles(4), valid: true, steps: 17, needed: 13, how: SpinEnd::Target },
                Event::Settled { dice, total: 6, lamps: Lit::Proved, by: None },
            ];
            for event in events {
                let seq = kept.0.len() as u64 + 1;
                kept.0.push(message(Seq(seq), Some(RoundId(n)), event));
            }
        }
        kept
    }

    #[test]
    fn the_latest_rounds_come_oldest_first() {
        let mut kept = journal(400);
        let ids = |last, kept: &mut InMemory| -> Vec<u64> {
            latest(kept, Seq(1200), last).unwrap().iter().map(|r| r.round.0).collect()
        };
        assert_eq!(ids(2, &mut kept), [399, 400]);
        assert_eq!(ids(0, &mut kept), Vec::<u64>::new());
        assert_eq!(ids(1000, &mut kept).len(), 400);
        assert_eq!(ids(300, &mut kept), (101..=400).collect::<Vec<u64>>());
        let round = latest(&mut kept, Seq(1200), 1).unwrap().remove(0);
        assert!(round.settled && round.tumbles == Some(Tumbles(4)) && round.void.is_none());
    }

    /// SGV6 5.6: the first ending stays, and the finding stands beside it.
    #[test]
    fn nz_7_2_numbers_that_the_dealer_keyed_anew_are_told_as_amended() {
        let dice = |pips| Dice::from_pips(pips).unwrap();
        let mut round = RoundSummary::default();
        for event in [
            Event::EntryDiffers { entered: dice([1, 3, 5]), read: dice([1, 3, 6]) },
            Event::Supervised { by: "Mei".into() },
            Event::Result { dice: dice([1, 3, 6]), total: 10, call: String::new(), areas: Vec::new() },
        ] {
            add(&mut round, &Record::plain(Seq(1), Mono(0), None, event));
        }
        assert_eq!((round.amended, round.dice), (vec![dice([1, 3, 5])], Some(dice([1, 3, 6]))));
        assert_eq!(round.decided.iter().map(|decision| decision.by.as_str()).collect::<Vec<_>>(), ["Mei"]);
    }

    #[test]
    fn a_round_voided_afterwards_keeps_its_ending() {
        let mut kept = journal(3);
        let event = Event::VoidedAfterwards {
            round: RoundId(2),
            reason: "chipped".into(),
            clauses: vec!["SGV6 5.6".into()],
            by: "Mei".into(),
        };
        let again = Event::VoidedAfterwards {
            round: RoundId(2),
            reason: "cracked".into(),
            clauses: Vec::new(),
            by: "Ana".into(),
        };
        let late = Event::Corrected { round: RoundId(2), reason: "paid twice".into(), by: "Mei".into() };
        // A round in progress is not the one that they are about.
        for (event, n) in [event, again, late].into_iter().zip(10..) {
            kept.0.push(message(Seq(n), Some(RoundId(3)), event));
        }
        let rounds = latest(&mut kept, Seq(12), 3).unwrap();
        assert_eq!(rounds[1].voided_afterwards.as_deref(), Some("chipped"), "and what was found first stays");
        assert_eq!(rounds[1].corrected, ["paid twice"]);
        assert!(rounds[1].settled && rounds[2].voided_afterwards.is_none());
    }

    #[test]
    fn a_round_is_whole_with_what_was_written_about_it_later() {
        let mut kept = journal(4);
        let late = Event::Corrected { round: RoundId(2), reason: "paid twice".into(), by: "Mei".into() };
        kept.0.push(message(Seq(13), Some(RoundId(4)), late));
        let seqs = |id, kept: &mut InMemory| -> Result<Vec<u64>, String> {
            Ok(whole(kept, Seq(13), RoundId(id))?.iter().map(|m| m.record.seq.0).collect())
        };
        assert_eq!(seqs(2, &mut kept), Ok(vec![4, 5, 6, 13]));
        assert_eq!(seqs(4, &mut kept), Ok(vec![10, 11, 12, 13]));
        assert_eq!(seqs(5, &mut kept), Err("the journal has no round 5; its newest is 4".into()));
        assert_eq!(seqs(0, &mut kept), Err("the journal has no round 0; its newest is 4".into()));
        assert_eq!(seqs(1, &mut InMemory::default()), Err("the journal has no round 1".into()));
    }
}
