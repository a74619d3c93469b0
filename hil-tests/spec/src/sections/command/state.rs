//! The state of the table by the records before the one that is looked at: a command is judged by it, whatever is still being written.

use crate::config::Rules;
use crate::record::{Fact, Record};
use crate::scene::{Round, Scene};
use std::collections::BTreeMap;

/// A test that runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Test {
    /// Which, as its record names it.
    pub(super) name: String,
    /// The command that asked for it has been answered: from now on it waits for people.
    pub(super) waits: bool,
    /// The parts of it that have passed, in order.
    pub(super) passed: Vec<String>,
}

/// A round that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) void: bool,
    pub(super) rules: Option<Rules>,
}

/// The state.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) round: Option<Round>,
    pub(super) open: Option<bool>,
    pub(super) maintenance: bool,
    pub(super) latched: Vec<(String, u64)>,
    pub(super) waived: Vec<String>,
    pub(super) test: Option<Test>,
    /// The numbers that were keyed differ from the reader's, and wait for the supervisor.
    pub(super) differs: bool,
    pub(super) verified_ns: Option<u64>,
    pub(super) result_ns: u64,
    /// The faces that the reader read.
    pub(super) read: Option<[u8; 3]>,
    pub(super) ended: BTreeMap<u64, Ended>,
    pub(super) last: u64,
    pub(super) closing: bool,
}

impl State {
    /// Whether the device of this code is in service: not latched, and not replaced by a procedure.
    pub(super) fn serves(&self, code: &str) -> bool {
        !self.is_latched(code) && !self.waived.iter().any(|waived| waived == code)
    }

    pub(super) fn is_latched(&self, code: &str) -> bool {
        self.latched.iter().any(|(latched, _)| latched == code)
    }

    /// Whether a hardware test runs.
    pub(super) fn tests_hardware(&self) -> bool {
        self.test.as_ref().is_some_and(|test| test.name.starts_with("hardware "))
    }

    /// Takes a record in; `scene` is the picture after it.
    pub(super) fn record(&mut self, record: &Record, scene: &Scene) {
        let text = |field: &str| record.data.get(field).and_then(serde_json::Value::as_str).unwrap_or_default();
        match &record.fact {
            Fact::EntryDiffers => self.differs = true,
            Fact::Result { .. } | Fact::Amended { .. } => {
                (self.differs, self.verified_ns, self.result_ns) = (false, None, record.at_ns);
            }
            Fact::LampsVerified => self.verified_ns = Some(record.at_ns),
            Fact::FacesRead => {
                self.read = record.data.get("dice").and_then(|dice| serde_json::from_value(dice.clone()).ok())
            }
            Fact::RoundBegan { .. } => {
                (self.differs, self.verified_ns, self.read) = (false, None, None);
                self.last = self.last.max(record.round.unwrap_or(0));
                self.test = None;
            }
            Fact::Settled { .. } | Fact::Voided { .. } => {
                let void = matches!(record.fact, Fact::Voided { .. });
                let rules = self.round.as_ref().and_then(|round| round.rules);
                self.ended.extend(record.round.map(|round| (round, Ended { void, rules })));
            }
            Fact::Resumed { .. } => self.verified_ns = None,
            Fact::Started { .. } => self.test = None,
            Fact::Tested { test, passed } => {
                if let Some(running) = &mut self.test {
                    running.passed.push(test.clone());
                }
                if !passed {
                    self.test = None;
                }
            }
            Fact::Unlatched { how, .. } if how == "rectified" => self.test = None,
            Fact::Opened { .. } => self.test = None,
            Fact::Closed => (self.test, self.closing) = (None, false),
            Fact::Plain if record.kind == "supervised" => self.differs = false,
            Fact::Plain if record.kind == "hardware-tested" => self.test = None,
            Fact::Plain if record.kind == "closing" => self.closing = true,
            Fact::Plain if record.kind == "test-began" => {
                self.test = Some(Test { name: text("test").to_owned(), ..Test::default() });
            }
            _ => {}
        }
        if record.fact.begins_new_journal() {
            (self.read, self.verified_ns) = (None, None);
        }
        self.round.clone_from(&scene.round);
        self.open = scene.open;
        self.maintenance = scene.maintenance;
        self.latched.clone_from(&scene.latched);
        self.waived.clone_from(&scene.waived);
    }
}
