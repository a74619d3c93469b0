//! A round as an inspector reads it: what is certain of it, and every record in words.

use tumbler_core::record::{Event, Kind, Lit};
use tumbler_core::round::call::{self, Call};
use tumbler_core::round::ending::Void;
use tumbler_core::round::{Doubt, FlatBy, Reveal};
use tumbler_core::units::{Dice, RoundId};
use tumbler_core::wall;
use tumbler_core::wire::topics::EventMessage;

/// A record in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryLine {
    /// The record's number.
    pub seq: u64,
    /// Wall time.
    pub wall: String,
    /// What happened.
    pub what: String,
    /// The clauses that it is about.
    pub clauses: String,
}

/// A round in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// The round.
    pub id: RoundId,
    /// What is certain of it: a name, and what there is to say; a name comes as often as there is something.
    pub facts: Vec<(&'static str, String)>,
    /// Its records.
    pub lines: Vec<StoryLine>,
}

/// The story of a round, from its own records and those about it, oldest first.
#[must_use]
pub fn story(id: RoundId, records: &[EventMessage]) -> Story {
    let mut facts = Vec::new();
    if let Some(first) = records.first() {
        let clock = if first.wall_quality == "synchronised" { "" } else { " (nobody had set the clock)" };
        facts.push(("began", format!("{}{clock}", wall::shown(first.wall))));
        if first.backend == "virtual" {
            facts.push(("hardware", "virtual: nothing here is a real game".to_owned()));
        }
    }
    let begun = facts.len();
    records.iter().for_each(|message| facts.extend(fact(&message.record.event)));
    let ended = |event: &Event| matches!(event, Event::Settled { .. } | Event::Voided(_));
    if !records.iter().any(|message| ended(&message.record.event)) {
        facts.push(("ended", "in progress".to_owned()));
    }
    // What people want to know first.
    if let Some(at) = facts.iter().position(|(name, _)| *name == "ended") {
        let ended = facts.remove(at);
        facts.insert(begun.min(facts.len()), ended);
    }
    Story { id, facts, lines: records.iter().map(line).collect() }
}

fn line(message: &EventMessage) -> StoryLine {
    let record = &message.record;
    StoryLine {
        seq: record.seq.0,
        wall: wall::shown(message.wall),
        what: told(&record.event),
        clauses: record.clauses.join(", "),
    }
}

/// What a record makes certain of its round.
fn fact(event: &Event) -> Option<(&'static str, String)> {
    Some(match event {
        Event::RoundBegan { rules, layout } => ("rules", format!("{rules}, layout {layout}")),
        Event::Called { in_turn: true, .. } => ("called", told(event)),
        Event::SpinEnded { .. } => ("tumbles", told(event)),
        Event::Revealed { how } => ("revealed", revealed(*how).to_owned()),
        Event::Established { flat } => ("lie flat", format!("by {}", flat_by(*flat))),
        Event::Result { call, .. } => ("result", call.clone()),
        Event::Amended { from, to, by } => {
            ("amended", format!("from {} to {} by {by}", call::result(*from), call::result(*to)))
        }
        Event::EntryDiffers { .. } => ("entered", told(event)),
        Event::Supervised { by } => ("amended", format!("by the dealer, seen by {by}")),
        Event::Resumed { .. } => ("interrupted", told(event)),
        Event::Asked { why } => ("asked", asked(*why)),
        Event::Answered { .. } => ("answered", told(event)),
        Event::Settled { dice, lamps, by, .. } => ("ended", settled(*dice, *lamps, by.as_deref())),
        Event::Voided(void) => ("ended", voided(void)),
        Event::Decided { what, reason, by, .. } => ("decided", format!("{what}: {reason}; by {by}")),
        Event::VoidedAfterwards { .. } => ("voided afterwards", about(event)),
        Event::Corrected { .. } => ("corrected", about(event)),
        _ => return None,
    })
}

/// What a person wrote down about a round that had ended.
fn about(event: &Event) -> String {
    match event {
        Event::VoidedAfterwards { reason, clauses, by, .. } => {
            let clauses = if clauses.is_empty() { String::new() } else { format!(" ({})", clauses.join(", ")) };
            format!("{reason}{clauses}; by {by}")
        }
        Event::Corrected { reason, by, .. } => format!("{reason}; by {by}"),
        _ => String::new(),
    }
}

fn settled(dice: Dice, lamps: Lit, by: Option<&str>) -> String {
    let by = by.map(|by| format!(" by {by}")).unwrap_or_default();
    format!("settled{by}: {}; {}", call::result(dice), lit(lamps))
}

const fn lit(lamps: Lit) -> &'static str {
    match lamps {
        Lit::Proved => "the winning areas were proved lit, and no others",
        Lit::ByTheDice => "by the dice, as the areas could not be lit or proved",
        Lit::Unknown => "whether the winning areas were lit is not on record",
    }
}

fn voided(void: &Void) -> String {
    let mut parts = vec![format!("void: {}", void.reason.name())];
    if !void.clauses.is_empty() {
        parts.push(void.clauses.join(", "));
    }
    parts.extend(void.silent.clone());
    if !void.detail.is_empty() {
        parts.push(void.detail.clone());
    }
    format!("{}; all bets are returned", parts.join("; "))
}

const fn revealed(how: Reveal) -> &'static str {
    match how {
        Reveal::Dome => "the dome was taken away",
        Reveal::SpinEnded => "by the end of the spin, under Open Cover",
        Reveal::Confirmed => "a person confirmed that the dome is open",
    }
}

const fn flat_by(flat: FlatBy) -> &'static str {
    match flat {
        FlatBy::Reader => "the dice reader",
        FlatBy::Dealer => "the dealer's eye",
        FlatBy::Supervisor => "the supervisor's eye",
    }
}

fn asked(why: Doubt) -> String {
    format!("{}: {}", why.name(), why.text())
}

const fn called(call: Call) -> &'static str {
    match call {
        Call::PlaceBets => "Place your bets",
        Call::NoMoreBets => "No more bets",
        Call::NoSpin => "No spin",
    }
}

/// A record in words.
fn told(event: &Event) -> String {
    match event {
        Event::RoundBegan { rules, layout } => format!("the round began under {rules} on {layout}"),
        Event::Called { call, in_turn, remark } => {
            let turn = if *in_turn { "" } else { ", out of turn: it changes nothing" };
            let remark = remark.as_ref().map(|remark| format!(", {remark}")).unwrap_or_default();
            format!("\"{}\" was called{turn}{remark}", called(*call))
        }
        Event::SpinBegan => "the spin was granted".to_owned(),
        Event::SpinDropped { why } => format!("the spin did not start: {why}"),
        Event::SpinFlickered { line } => format!("{line} flickered, and the spin went on"),
        Event::SpinEnded { tumbles, valid, steps, needed, how } => {
            let judged = if *valid { "a valid spin" } else { "no valid spin" };
            let steps = if *needed == 0 {
                String::new()
            } else {
                format!(" ({steps} steps of the cam counted, {needed} needed)")
            };
            format!("{} full tumbles{steps}: {judged}, ended by {}", tumbles.0, how.name())
        }
        Event::Revealed { how } => format!("the dice may be seen: {}", revealed(*how)),
        Event::Established { flat } => format!("the outcome is established: the dice lie flat by {}", flat_by(*flat)),
        Event::FacesRead { dice } => format!("the reader sees {}", call::result(*dice)),
        Event::EntryError { why } => format!("an entry was not taken: {why}"),
        Event::EntryDiffers { entered, read } => {
            format!("{} was entered, and the reader sees {}", call::result(*entered), call::result(*read))
        }
        Event::Result { call, areas, .. } => format!("{call} was entered; winning areas: {}", areas.join(" ")),
        Event::Amended { from, to, by } => {
            format!("{by} amended {} to {}", call::result(*from), call::result(*to))
        }
        Event::Supervised { by } => format!("{by} sees the numbers amended, which the dealer keys"),
        Event::LampsVerified => "the winning areas were proved lit, and no others".to_owned(),
        Event::Settled { dice, lamps, by, .. } => settled(*dice, *lamps, by.as_deref()),
        Event::Voided(void) => voided(void),
        Event::VoidedAfterwards { .. } => format!("found affected after it had ended: {}", about(event)),
        Event::Corrected { .. } => format!("an error was written down: {}", about(event)),
        Event::Noted { what, .. } => format!("noted: {what}"),
        Event::Resumed { established: true } => "the daemon came back; the outcome had been established".to_owned(),
        Event::Resumed { established: false } => "the daemon came back; no outcome was on record".to_owned(),
        Event::Asked { why } => format!("a person is asked. {}", asked(*why)),
        Event::Answered { finding, reason, by } => {
            let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            format!("{}{reason}; by {by}", finding.name())
        }
        Event::Latched { code, cause, .. } => format!("malfunction {code}: {cause}"),
        Event::Unlatched { code, how, by, .. } => format!("{code} was reset by {by}: {how}"),
        Event::Refused { what, why } => format!("{what} was refused: {why}"),
        Event::KeyTurned => "the supervisor's key was turned".to_owned(),
        Event::Decided { what, reason, by, .. } => format!("{by} decided: {what}: {reason}"),
        Event::Closing { by } => format!("{by} closes the table when the round has ended"),
        // What belongs to no round, and stands in one only where the journal was damaged.
        other => kind(other),
    }
}

fn kind(event: &Event) -> String {
    Kind::from(event).name().replace('-', " ")
}
