//! What the table asks people (console.md, What people are asked), derived from the records.

use crate::observation::{Line, Observation, Seen, Truth};
use crate::record::{Fact, Record};
use crate::scene::Scene;
use serde_json::Value;
use std::collections::BTreeSet;

/// The dome's contacts have rested for this long.
const RESTED_NS: u64 = 500_000_000;

/// A test in progress.
#[derive(Clone, Debug)]
enum Test {
    /// An opening, with the items that have passed.
    Opening(BTreeSet<String>),
    /// The hardware test of the dome.
    Dome {
        /// Whether the dome was lifted.
        lifted: bool,
    },
    Other,
}

/// What the table waits for people to do.
#[derive(Clone, Debug, Default)]
pub(super) struct Prompts {
    test: Option<Test>,
}

impl Prompts {
    pub(super) fn take(&mut self, seen: &Observation, scene: &Scene) {
        match &seen.what {
            Seen::Record(record) => self.record(record),
            Seen::Truth(Truth::Process { .. }) => self.test = None,
            Seen::Wire { line: Line::DomeOpen | Line::DomeClosed, .. } => {
                if let Some(Test::Dome { lifted }) = &mut self.test {
                    *lifted |= scene.dome_contacts_open();
                }
            }
            _ => {}
        }
    }

    fn record(&mut self, record: &Record) {
        match &record.fact {
            Fact::RoundBegan { .. } | Fact::Settled { .. } | Fact::Voided { .. } => *self = Self::default(),
            Fact::Opened { .. } | Fact::Closed | Fact::Unlatched { .. } | Fact::Maintenance { .. } => self.test = None,
            Fact::Tested { passed: false, .. } => self.test = None,
            Fact::Tested { test, .. } => {
                if let Some(Test::Opening(passed)) = &mut self.test {
                    // What the table itself proved of an item says nothing of what people have to see.
                    if test == "keys" {
                        passed.clear();
                    }
                    passed.insert(test.clone());
                }
            }
            Fact::Plain => match record.kind.as_str() {
                "hardware-tested" => self.test = None,
                "test-began" => {
                    self.test = Some(match record.data.get("test").and_then(Value::as_str) {
                        Some("opening") => Test::Opening(BTreeSet::new()),
                        Some("hardware dome") => Test::Dome { lifted: false },
                        _ => Test::Other,
                    });
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// What the table must ask now, and about which items. The outer `None`: that cannot be told. The inner `None`: nothing.
    fn due<'a>(&self, scene: &'a Scene) -> Option<Option<(&'a str, Vec<&'static str>)>> {
        let rested = |line| scene.now_ns > scene.since(line).saturating_add(RESTED_NS);
        match &self.test {
            Some(Test::Opening(passed)) if passed.contains("keys") => {
                Some(Some(("witness", scene.witnessed().filter(|item| !passed.contains(*item)).collect())))
            }
            Some(Test::Dome { .. }) if !rested(Line::DomeClosed) || !rested(Line::DomeOpen) => None,
            Some(Test::Dome { lifted: false }) => Some(Some(("lift-dome", Vec::new()))),
            Some(Test::Dome { lifted: true }) if scene.dome_contacts_open() => Some(Some(("close-dome", Vec::new()))),
            Some(_) => None,
            None => match &scene.round {
                // Without a question, wrong numbers may still wait for the supervisor.
                Some(round) => round.asked.as_deref().map(|why| Some((why, Vec::new()))),
                None => Some(None),
            },
        }
    }

    /// How the prompt in the status differs from what the table must ask.
    pub(super) fn difference(&self, stated: &Value, scene: &Scene) -> Option<String> {
        let due = self.due(scene)?;
        let id = stated.get("id").and_then(Value::as_str);
        let Some((right, items)) = due else {
            return id.map(|id| format!("{id}, and nobody is waited for"));
        };
        let of: BTreeSet<&str> =
            stated.get("of").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let whole = right != "witness" || of == items.iter().copied().collect();
        (id != Some(right) || !whole).then(|| format!("{stated}, and what is waited for is {right} {items:?}"))
    }
}
