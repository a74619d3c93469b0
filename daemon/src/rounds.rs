//! Rounds in short, out of the journal's records.

use crate::records::{PAGE, backwards};
use crate::relay::Outbox;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use tumbler_core::record::Event;
use tumbler_core::units::{RoundId, Seq};
use tumbler_core::wire::ask::RoundSummary;
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

/// Takes one record more into the rounds it concerns.
fn take(rounds: &mut BTreeMap<RoundId, RoundSummary>, message: &EventMessage) {
    if let Event::VoidedAfterwards { round, reason, .. } = &message.record.event {
        if let Some(found) = rounds.get_mut(round) {
            found.voided_afterwards = Some(reason.clone());
        }
        return;
    }
    let Some(id) = message.record.round else { return };
    if let Event::RoundBegan { rules, layout } = &message.record.event {
        let (rules, layout) = (rules.clone(), layout.clone());
        rounds.insert(id, RoundSummary { round: id, rules, layout, wall: message.wall, ..RoundSummary::default() });
        return;
    }
    // Records of a round whose beginning lies further back belong to none that was asked for.
    let Some(round) = rounds.get_mut(&id) else { return };
    match &message.record.event {
        Event::SpinEnded { tumbles, .. } => round.tumbles = Some(*tumbles),
        Event::Result { dice, .. } | Event::Amended { to: dice, .. } => round.dice = Some(*dice),
        Event::Settled { dice, .. } => {
            round.dice = Some(*dice);
            round.settled = true;
        }
        Event::Voided(void) => round.void = Some(void.clone()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::testing::{Kept, message};
    use tumbler_core::units::{Dice, Tumbles};

    fn journal(rounds: u64) -> Kept {
        let mut kept = Kept::default();
        for n in 1..=rounds {
            let dice = Dice::from_pips([1, 2, 3]).unwrap();
            let events = [
                Event::RoundBegan { rules: "sg-v6".into(), layout: "sg-v6-1".into() },
                Event::SpinEnded { tumbles: Tumbles(4), valid: true, how: "standstill".into() },
                Event::Settled { dice, total: 6, by: None },
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
        let ids = |last, kept: &mut Kept| -> Vec<u64> {
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
    fn a_round_voided_afterwards_keeps_its_ending() {
        let mut kept = journal(3);
        let event = Event::VoidedAfterwards {
            round: RoundId(2),
            reason: "chipped".into(),
            clause: "SGV6 5.6".into(),
            by: "Mei".into(),
        };
        kept.0.push(message(Seq(10), None, event));
        let rounds = latest(&mut kept, Seq(10), 3).unwrap();
        assert_eq!(rounds[1].voided_afterwards.as_deref(), Some("chipped"));
        assert!(rounds[1].settled && rounds[2].voided_afterwards.is_none());
    }
}
