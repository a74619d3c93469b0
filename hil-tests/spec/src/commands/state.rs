//! The state of the table before a record, by which commands are granted or refused.

use super::{TEST_NS, is_test};
use crate::observation::{BusKind, Part, Seen, Transaction, Truth};
use crate::record::{Fact, Record};
use crate::registers;
use crate::scene::{Round, Scene};
use serde_json::Value;
use std::collections::BTreeMap;

/// The state of the table.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) round: Option<Round>,
    pub(super) open: Option<bool>,
    pub(super) maintenance: bool,
    pub(super) latched: Vec<(String, u64)>,
    /// Codes of devices that a procedure replaces.
    pub(super) waived: Vec<String>,
    /// Since when a test may be in progress.
    testing_ns: Option<u64>,
    /// The numbers that were keyed differ from the reader's, and wait for the supervisor.
    pub(super) differs: bool,
    /// When the lamps were verified.
    pub(super) verified_ns: Option<u64>,
    pub(super) result_ns: u64,
    /// The reader's faces are on record.
    pub(super) read: bool,
    /// The dice were moved since they were revealed.
    pub(super) moved: bool,
    /// Rounds that have ended, and whether they are void; the number of the last round that began.
    pub(super) ended: BTreeMap<u64, bool>,
    pub(super) last: u64,
    /// How often a recording was asked for, by whomever.
    pub(super) recordings: u32,
    /// Records were lost, and what they said is not known.
    pub(super) holes: bool,
    /// Whether the reader last saw three dice that it can tell apart.
    pub(super) three: Option<bool>,
}

impl State {
    pub(super) fn restarted(&mut self) {
        self.testing_ns = None;
        self.three = None;
    }

    pub(super) fn may_be_testing(&self, now_ns: u64) -> bool {
        self.testing_ns.is_some_and(|since| now_ns < since.saturating_add(TEST_NS))
    }

    /// Whether a person is asked about the dice.
    pub(super) fn is_asked(&self) -> bool {
        self.round.as_ref().is_some_and(|round| round.asked.is_some())
    }

    pub(super) fn is_latched(&self, code: &str) -> bool {
        self.latched.iter().any(|(latched, _)| latched == code)
    }

    /// Whether the device of this code is in service: not latched, and not replaced by a procedure.
    pub(super) fn serves(&self, code: &str) -> bool {
        !self.is_latched(code) && !self.waived.iter().any(|waived| waived == code)
    }

    pub(super) fn asked(&mut self, command: &str, scene: &Scene) {
        if is_test(command) {
            self.testing_ns = Some(scene.now_ns);
        }
        self.recordings += u32::from(command == "record");
    }

    /// This command was refused, and started no test.
    pub(super) fn refused(&mut self, command: &str) {
        if is_test(command) {
            self.testing_ns = None;
        }
    }

    pub(super) fn see(&mut self, seen: &Seen, scene: &Scene) {
        match seen {
            Seen::Truth(Truth::DiceMoved) => self.moved |= self.round.as_ref().is_some_and(|round| round.revealed),
            Seen::Bus(bus) if bus.unit == registers::READER => self.reader(bus, scene),
            _ => {}
        }
    }

    fn reader(&mut self, bus: &Transaction, scene: &Scene) {
        if bus.kind != BusKind::ReadInput || bus.word(registers::POSES).is_none() && bus.ok {
            return;
        }
        let word = |offset: u16| bus.word(registers::POSES + offset).unwrap_or(0);
        let (a, b, c) = (word(5), word(6), word(7));
        let apart = word(1) == 3 && a != b && a != c && b != c && ![a, b, c].contains(&0);
        self.three = (bus.ok && !scene.broken(Part::Bus)).then_some(apart);
    }

    pub(super) fn record(&mut self, record: &Record, scene: &Scene) {
        match &record.fact {
            Fact::EntryDiffers => self.differs = true,
            Fact::Result { .. } | Fact::Amended { .. } => {
                (self.differs, self.verified_ns) = (false, None);
                self.result_ns = record.at_ns;
            }
            Fact::LampsVerified => self.verified_ns = Some(record.at_ns),
            Fact::Revealed { .. } => (self.moved, self.read) = (false, false),
            Fact::FacesRead => self.read = true,
            Fact::RoundBegan { .. } => {
                (self.differs, self.verified_ns, self.moved) = (false, None, false);
                self.last = self.last.max(record.round.unwrap_or(0));
                self.testing_ns = None;
            }
            Fact::Settled { .. } | Fact::Voided { .. } => {
                let void = matches!(record.fact, Fact::Voided { .. });
                self.ended.extend(record.round.map(|round| (round, void)));
            }
            Fact::Resumed { .. } => self.verified_ns = None,
            Fact::Opened { .. } | Fact::Closed | Fact::Maintenance { .. } | Fact::Unlatched { .. } => {
                self.testing_ns = None
            }
            Fact::Started { .. } => self.holes |= scene.open.is_none(),
            Fact::Plain if record.kind == "supervised" => self.differs = false,
            Fact::Plain if record.kind == "hardware-tested" => self.testing_ns = None,
            Fact::Tested { passed: false, .. } => self.testing_ns = None,
            _ => {}
        }
        self.holes |= record.fact.begins_new_journal();
        self.round.clone_from(&scene.round);
        self.open = scene.open;
        self.maintenance = scene.maintenance;
        self.latched.clone_from(&scene.latched);
        self.waived.clone_from(&scene.waived);
    }

    /// The round that this command names.
    pub(super) fn named(with: &Value) -> u64 {
        with.get("round").and_then(Value::as_u64).unwrap_or(0)
    }
}
