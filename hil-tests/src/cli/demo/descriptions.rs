//! Describes records and physical events in words, for the demo's commentary.

use tumbler_core::record::{Event, Record};
use tumbler_core::round::call::Call;
use tumbler_core::units::Dice;

/// A record in words; `None` if a person at the table would not mention it.
pub(super) fn record(record: &Record) -> Option<String> {
    Some(match &record.event {
        Event::RoundBegan { .. } => format!("round {} begins", record.round.map_or(0, |round| round.0)),
        Event::Called { call, in_turn, remark } => {
            let words = match call {
                Call::PlaceBets => "“Place your bets”",
                Call::NoMoreBets => "“No more bets”",
                Call::NoSpin => "“No spin”",
            };
            match remark {
                _ if !in_turn => format!("{words}, out of turn"),
                Some(remark) => format!("{words}, {remark}"),
                None => words.to_owned(),
            }
        }
        Event::SpinBegan => "the tumbler is started".into(),
        Event::SpinMade { .. } => "three tumbles are made".into(),
        Event::SpinFlickered { line } => format!("{line} flickered, the same spin goes on"),
        Event::SpinDropped { why } => format!("the spin does not begin: {why}"),
        Event::SpinEnded { valid, steps, needed, how, .. } => {
            let judged = if *valid { "a valid spin" } else { "no valid spin" };
            format!("the spin is over ({}): {steps} steps of the cam, {needed} needed: {judged}", how.name())
        }
        Event::Revealed { .. } => "the dice may be seen".into(),
        Event::Established { .. } => "the outcome is established: all three dice lie flat".into(),
        Event::FacesRead { .. } => "the dice reader has read the faces".into(),
        Event::EntryError { why, .. } => format!("the terminal shows an error: {why}"),
        Event::EntryDiffers { entered, .. } => {
            format!("{} was keyed, and that is not what the dice show: no lamp lights", faces(*entered))
        }
        Event::Result { call, areas, .. } => format!("RESULT {call}; {} areas win: {}", areas.len(), some(areas)),
        Event::Amended { from, to, by } => format!("{by} amends {} to {}", faces(*from), faces(*to)),
        Event::LampsVerified => "the winning areas are lit, and no others".into(),
        Event::Settled { dice, total, by, .. } => {
            let by = by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
            format!("SETTLED{by}: {}, total {total}; all paid", faces(*dice))
        }
        Event::Voided(void) => {
            format!("VOID: {} [{}]", void.reason.name(), void.cited())
        }
        Event::Noted { what, .. } => format!("noted: {what}"),
        Event::Resumed { established: true } => "after the restart: the outcome stands, the round is concluded".into(),
        Event::Resumed { established: false } => "after the restart: no outcome is on record".into(),
        Event::Asked { why } => format!("A PERSON IS ASKED: {}", why.text()),
        Event::Answered { finding, by, .. } => format!("{by} answers: {}", finding.name()),
        Event::Supervised { by } => format!("{by} sees the numbers amended"),
        Event::Corrected { round, reason, by } => format!("{by} writes down beside round {}: {reason}", round.0),
        Event::Latched { code, cause, .. } => format!("MALFUNCTION {code}: {cause}. No further game"),
        Event::Unlatched { code, how, by, .. } => format!("{by} opens the latch {code}: {how}"),
        Event::Refused { what, why, .. } => format!("refused: {what}: {why}"),
        Event::KeyTurned => "the supervisor turns the key".into(),
        Event::Started { boot, .. } => format!("tumblerd started (boot {})", boot.get(..8).unwrap_or(boot)),
        Event::Stopped => "tumblerd stopped".into(),
        Event::Tested { test, passed, found } => {
            format!("test {test}: {} ({found})", if *passed { "passed" } else { "FAILED" })
        }
        Event::HardwareTested(report) => {
            let found = if report.found.is_empty() { String::new() } else { format!(" ({})", report.found) };
            format!("hardware test {}: {}{found}", report.test, report.verdict.name())
        }
        Event::Opened { by } => format!("{by} opens the table"),
        Event::Closing { by } => format!("{by} closes the table when the round has ended"),
        Event::Closed { by } => format!("the table is closed: {by}"),
        Event::Decided { what, reason, by, .. } => format!("{by} decides: {what} ({reason})"),
        _ => return None,
    })
}

/// The first few of a list.
pub(super) fn some(items: &[String]) -> String {
    const SHOWN: usize = 10;
    let shown = items.get(..SHOWN.min(items.len())).unwrap_or_default().join(" ");
    if items.len() > SHOWN { format!("{shown} …") } else { shown }
}

/// What the dice show, as people say it.
fn faces(dice: Dice) -> String {
    dice.pips().map(|pips| pips.to_string()).join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::latch::Code;
    use tumbler_core::units::{Mono, RoundId, Seq};

    fn described(event: Event) -> Option<String> {
        record(&Record::plain(Seq(1), Mono(0), Some(RoundId(3)), event))
    }

    #[test]
    fn what_people_would_mention_is_told_and_bookkeeping_is_not() {
        let began = Event::RoundBegan { rules: "sg-v6".into(), layout: "sg-v6-1".into() };
        assert_eq!(described(began).as_deref(), Some("round 3 begins"));
        let latched =
            described(Event::Latched { code: Code::Lamps, cause: "small does not light".into(), in_spin: false })
                .unwrap();
        assert_eq!(latched, "MALFUNCTION lamps: small does not light. No further game");
        assert_eq!(described(Event::Keyframe(Box::default())), None);
    }
}
