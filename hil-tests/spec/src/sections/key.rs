//! The supervisor's key.
//!
//! ```text
//!  off ── on for `button_debounce`, after it was off for `key_back` ──> TURNED, `key-turned` ── `key_privilege` ──> nothing
//!   ^                                                                      │
//!   └──── the daemon starts: what is turned already opens nothing <────────┘
//! ```

use crate::ledger::Ledger;
use crate::observation::{Line, Observation, Part, Seen, Truth};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, Section, may, must};
use serde_json::Value;

const TURNED: Rule =
    Rule::new("key.turned", "console.md, Who may do what: a turn counts once seen off, then on, and is recorded");
const NO_HAND: Rule =
    Rule::new("key.no-hand", "design.md, Buttons and key: after `presses` without a rest nothing counts");

const MS: u64 = 1_000_000;
/// A key that was off for less was not turned back (parameter `key_back`).
const BACK_NS: u64 = 300 * MS;
/// More presses without a rest are no hand's (parameters `presses` and `press_rest`).
const PRESSES: u32 = 30;
const REST_NS: u64 = 5_000 * MS;
/// What the table did while it lay still is settled by then.
const SETTLED_NS: u64 = 400 * MS;

/// The turns of the key, from its wire.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    raw: bool,
    edge_ns: u64,
    on: bool,
    /// When it went off, once debounced.
    off_ns: Option<u64>,
    /// The last turn that gives the privilege.
    turned_ns: Option<u64>,
    presses: u32,
    /// It came on too often, and is latched for it.
    loose: bool,
    rested_ns: u64,
    /// The hardware test of the buttons runs: a turn is no command.
    tested: bool,
    /// Edges were lost, or the table could not see them.
    blind_ns: Option<u64>,
}

impl Turns {
    /// Takes notice; the time of a turn that counts with it.
    pub(super) fn notice(&mut self, seen: &Observation, scene: &Scene) -> Option<u64> {
        let turned = self.settle(seen.at_ns, scene);
        match &seen.what {
            Seen::Wire { line: Line::SupervisorKey, active, initial } => {
                (self.raw, self.edge_ns) = (*active, seen.at_ns);
                if *initial {
                    self.on = *active;
                }
            }
            Seen::Truth(Truth::Process { .. }) => {
                let blind_ns = self.blind_ns;
                *self = Self { raw: self.raw, on: self.raw, blind_ns, ..Self::default() };
            }
            Seen::RepeatedLevel { line: Line::SupervisorKey, .. } | Seen::Truth(Truth::Hung { .. }) => {
                self.blind_ns = Some(seen.at_ns);
            }
            Seen::Record(record) if record.kind == "test-began" => {
                self.tested = record.data.get("test").is_some_and(|test| test == "hardware buttons");
            }
            Seen::Record(record) if record.kind == "hardware-tested" => self.tested = false,
            _ => {}
        }
        if scene.broken(Part::Gpio) {
            self.blind_ns = Some(seen.at_ns);
        }
        turned
    }

    /// A level that has lasted long enough counts.
    pub(super) fn settle(&mut self, now_ns: u64, scene: &Scene) -> Option<u64> {
        let counts_ns = self.edge_ns + scene.config.given.limits.button_debounce_ns;
        if self.raw == self.on || now_ns < counts_ns {
            return None;
        }
        self.on = self.raw;
        if self.edge_ns > self.rested_ns + REST_NS {
            self.presses = 0;
        }
        self.rested_ns = self.edge_ns;
        if !self.on {
            self.off_ns = Some(self.edge_ns);
            return None;
        }
        let back = self.off_ns.is_none_or(|off_ns| off_ns + BACK_NS <= self.edge_ns);
        self.presses += 1;
        self.loose = self.presses > PRESSES || self.loose && scene.is_latched("key");
        if !back || self.tested || self.presses > if self.loose { 1 } else { PRESSES } {
            return None;
        }
        self.turned_ns = Some(self.edge_ns);
        Some(counts_ns)
    }

    /// The turn whose privilege holds now.
    pub(super) fn privilege(&self, scene: &Scene) -> Option<u64> {
        let lasts_ns = scene.config.given.limits.key_privilege_ns;
        self.turned_ns.filter(|turned_ns| scene.now_ns <= turned_ns + lasts_ns)
    }

    /// Whether nobody can tell which turns the table has seen.
    pub(super) fn doubtful(&self, now_ns: u64) -> bool {
        self.blind_ns.is_some_and(|blind_ns| {
            now_ns < blind_ns + SETTLED_NS || self.turned_ns.is_none_or(|turned| turned <= blind_ns)
        })
    }
}

/// Holds the records of the key to its wire.
#[derive(Clone, Debug, Default)]
pub(super) struct Key {
    turns: Turns,
    due: Vec<u64>,
}

impl Section for Key {
    fn rules(&self) -> Vec<Rule> {
        vec![TURNED, NO_HAND]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        let Seen::Record(record) = &seen.what else { return Answer::NotMine };
        if record.kind != "key-turned" {
            return Answer::NotMine;
        }
        self.due.extend(self.turns.settle(seen.at_ns, scene));
        let before = self.due.len();
        self.due.retain(|due| *due != record.at_ns);
        if before > self.due.len() && record.data == Value::Null {
            return must(TURNED);
        }
        if self.turns.doubtful(record.at_ns) || scene.broken(Part::Buttons) {
            return may(TURNED);
        }
        Answer::Unexplained(TURNED, format!("turns at {:?}", self.due))
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        self.due.extend(self.turns.notice(seen, scene));
        if matches!(seen.what, Seen::Truth(Truth::Process { .. } | Truth::Hung { .. })) || scene.broken(Part::Gpio) {
            self.due.clear();
        }
        let Seen::Record(record) = &seen.what else { return };
        let rule = if scene.is_latched("key") { NO_HAND } else { TURNED };
        for due in self.due.iter().filter(|due| **due < record.at_ns) {
            ledger.wrong(rule, format!("missing: the turn at {} ms", due / MS));
        }
        self.due.retain(|due| *due >= record.at_ns);
    }
}
