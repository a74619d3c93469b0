//! A round as an inspector reads it: what is certain of it, and every record in words.

use crate::history::wording::{about, asked, asker, flat_by, recorded, revealed, settled, told, voided};
use tumbler_core::record::Event;
use tumbler_core::round::call;
use tumbler_core::units::RoundId;
use tumbler_core::wall;
use tumbler_core::wire::ask::About;
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

impl Story {
    /// The same for somebody who does not know the table: whose it is, where it stands in the journal, and how to verify that.
    #[must_use]
    pub fn vouched(mut self, about: &About, records: &[EventMessage]) -> Self {
        let mut first = vec![
            ("site", about.site.clone()),
            ("table", about.table.clone()),
            ("build", format!("tumblerd {}, which wrote this page", about.build)),
        ];
        if let Some(last) = records.last() {
            let seq = last.record.seq.0;
            first.push(("journal", format!("{}; its head at record {seq} is {}", last.stream, last.head)));
            first.push((
                "to verify",
                format!(
                    "`tumblerctl journal verify DIRECTORY` proves the journal; of that one `tumblerctl rounds {} --json` has the same head at record {seq}",
                    self.id.0
                ),
            ));
        }
        self.facts.splice(0..0, first);
        self
    }
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
    for record in records.iter().map(|message| &message.record) {
        facts.extend(fact(&record.event).map(|(name, what)| (name, format!("{what}{}", asker(record)))));
    }
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
        what: recorded(record),
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
