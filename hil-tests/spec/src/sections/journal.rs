//! The journal: numbers, times, rounds, starts and keyframes.
//!
//! ```text
//!  commissioned 1 ─> started 2 ─> ... n ─> n + 1 ─> ... ──> stopped ─> started
//!                                  └── damaged: a keyframe begins a new journal, with a higher number
//! ```

use crate::ledger::Ledger;
use crate::observation::{Observation, Seen, Truth};
use crate::record::{Fact, Record};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, Section, may, must};
use serde_json::{Value, json};

const NUMBER: Rule =
    Rule::new("journal.number", "design.md, Journal: numbers are consecutive but for a new journal after damage");
const TIME: Rule =
    Rule::new("journal.time", "design.md, Journal: the times of a boot's records do not decrease, and none lies ahead");
const ROUND: Rule = Rule::new("journal.round", "design.md, Journal: a record has the number of the round in progress");
const FIRST: Rule = Rule::new("journal.first", "mqtt.md, event: a table's first record is that of its commissioning");
const STARTED: Rule =
    Rule::new("journal.started", "design.md, Start and restart: each start is recorded, with boot, rules and layout");
const STOPPED: Rule =
    Rule::new("journal.stopped", "design.md, Start and restart: a daemon told to stop writes its last record");
const KEYFRAME: Rule =
    Rule::new("journal.keyframe", "design.md, Journal: a keyframe says all that a restart needs, after 64 rounds");

/// Follows the journal.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal {
    last: u64,
    at_ns: u64,
    round: Option<u64>,
    last_round: u64,
    rounds: u64,
    boot: Value,
    rules: (Value, Value),
    commissioned: Value,
    /// The supply was away since the last start.
    reboots: bool,
    /// The process has started, and its record has not come.
    starts_ns: Option<u64>,
    stopped: bool,
    /// The start has not come to the round yet.
    resumes: bool,
    latched: Vec<Value>,
    waived: Vec<Value>,
    open: bool,
    dice: Value,
    keyframe_due: bool,
    /// A new journal has begun: what came before it was lost in part.
    lost: bool,
}

impl Section for Journal {
    fn rules(&self) -> Vec<Rule> {
        vec![NUMBER, TIME, ROUND, FIRST, STARTED, STOPPED, KEYFRAME]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        let Seen::Record(record) = &seen.what else { return Answer::NotMine };
        match record.kind.as_str() {
            "commissioned" if record.seq == 1 => {
                let parts: Vec<_> = scene.config.given.topics.split('/').skip(1).collect();
                let told =
                    ["site", "table"].map(|field| record.data.get(field).and_then(Value::as_str).unwrap_or_default());
                if parts.is_empty() || parts == told {
                    must(FIRST)
                } else {
                    Answer::Unexplained(FIRST, format!("{parts:?}"))
                }
            }
            "commissioned" => Answer::Unexplained(FIRST, "no second one".into()),
            "started" => self.started(record),
            // Who asked it to stop is not seen.
            "stopped" if record.data.is_null() && !self.stopped => may(STOPPED),
            "stopped" => Answer::Unexplained(STOPPED, "one, without contents".into()),
            "keyframe" => self.keyframe(record),
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, _: &Scene, ledger: &mut Ledger) {
        match &seen.what {
            Seen::Truth(Truth::Supply { good: false }) => self.reboots = true,
            Seen::Truth(Truth::Process { alive }) => self.starts_ns = alive.then_some(seen.at_ns),
            Seen::Record(record) => {
                self.follows(record, seen.at_ns, ledger);
                self.take_in(record);
            }
            _ => {}
        }
    }
}

impl Journal {
    fn started(&self, record: &Record) -> Answer {
        let field = |name: &str| record.data.get(name).cloned().unwrap_or_default();
        let text = |name: &str| field(name).as_str().unwrap_or_default().to_owned();
        let boot = self.boot.is_null() || (field("boot") != self.boot) == self.reboots;
        let layout = crate::areas::Layout::named(&text("layout")).is_some_and(|layout| layout.rules == text("rules"));
        let backend = self.commissioned.get("backend").is_none_or(|backend| *backend == field("backend"));
        match self.starts_ns {
            Some(at_ns) if at_ns == record.at_ns && boot && layout && backend => must(STARTED),
            at_ns => Answer::Unexplained(STARTED, format!("a start at {at_ns:?} ns, another boot: {}", self.reboots)),
        }
    }

    fn follows(&self, record: &Record, seen_ns: u64, ledger: &mut Ledger) {
        let anew = record.fact.begins_new_journal();
        let next = if anew { record.seq > self.last } else { record.seq == self.last + 1 };
        if !next && self.last > 0 {
            ledger.wrong(NUMBER, format!("record {} after {}", record.seq, self.last));
        }
        let started = record.kind == "started" || anew;
        if record.at_ns > seen_ns || record.at_ns < self.at_ns && !started {
            ledger.wrong(
                TIME,
                format!(
                    "record {} of {} ns, seen at {seen_ns} ns, after one of {} ns",
                    record.seq, record.at_ns, self.at_ns
                ),
            );
        }
        if let (true, Some(starts_ns)) = (!started, self.starts_ns) {
            ledger.wrong(
                STARTED,
                format!("missing: the record of the start at {starts_ns} ns before record {}", record.seq),
            );
        }
        let begins = record.kind == "round-began";
        let round = if begins { Some(self.last_round + 1) } else { self.round };
        // What a start finds comes before the round is resumed.
        let outside = self.resumes || matches!(record.kind.as_str(), "started" | "keyframe");
        if record.round != round && !(outside && record.round.is_none()) && !self.lost {
            ledger.wrong(
                ROUND,
                format!("record {} `{}` of round {:?}, and not {round:?}", record.seq, record.kind, record.round),
            );
        }
    }

    fn take_in(&mut self, record: &Record) {
        let field = |name: &str| record.data.get(name).cloned().unwrap_or_default();
        (self.last, self.at_ns, self.stopped) = (record.seq, record.at_ns, record.kind == "stopped");
        self.resumes = record.kind == "started" || self.resumes && record.round.is_none();
        match &record.fact {
            Fact::Started { .. } => {
                (self.boot, self.rules) = (field("boot"), (field("rules"), field("layout")));
                (self.reboots, self.starts_ns) = (false, None);
            }
            Fact::RoundBegan { .. } => {
                self.round = record.round;
                self.last_round = record.round.unwrap_or(self.last_round + 1);
            }
            Fact::Settled { .. } | Fact::Voided { .. } => {
                self.round = None;
                self.rounds += 1;
                self.keyframe_due = self.rounds % 64 == 0;
            }
            Fact::Latched { .. } if !self.latched.iter().any(|latch| latch.get("code") == Some(&field("code"))) => {
                let mut latch = json!({ "code": field("code"), "cause": field("cause"), "since": record.at_ns });
                if let (Some(in_spin), Some(latch)) = (record.data.get("in_spin"), latch.as_object_mut()) {
                    latch.insert("in_spin".into(), in_spin.clone());
                }
                self.latched.push(latch);
            }
            Fact::Unlatched { .. } => {
                self.latched.retain(|latch| latch.get("code") != Some(&field("code")));
                if record.data.get("procedure").is_some() {
                    self.waived
                        .push(json!({ "code": field("code"), "procedure": field("procedure"), "by": field("by") }));
                }
            }
            Fact::Opened { .. } => self.open = true,
            Fact::Closed => {
                self.open = false;
                self.waived.clear();
            }
            Fact::DiceEnrolled { .. } => self.dice = field("dice"),
            Fact::Keyframe(keyframe) => {
                self.lost |= record.fact.begins_new_journal();
                self.round = keyframe.round.as_ref().map(|round| round.id);
                self.last_round = keyframe.last_round;
                self.open = keyframe.open;
                self.latched = field("latched").as_array().cloned().unwrap_or_default();
                self.waived = field("waived").as_array().cloned().unwrap_or_default();
                (self.dice, self.keyframe_due) = (field("dice"), false);
            }
            Fact::Plain if record.kind == "commissioned" => self.commissioned = record.data.clone(),
            _ => {}
        }
    }

    /// What the records before it say has to be in a keyframe. Of a journal that was lost only some can be kept.
    fn keyframe(&self, record: &Record) -> Answer {
        let field = |name: &str| record.data.get(name).cloned().unwrap_or_default();
        let same = |name: &str, value: &Value| field(name) == *value;
        let commissioned = ["site", "table", "backend"]
            .into_iter()
            .all(|name| same(name, self.commissioned.get(name).unwrap_or(&Value::Null)));
        if record.fact.begins_new_journal() {
            let kept = !field("open").as_bool().unwrap_or(true) && same("last_round", &json!(self.last_round));
            return if commissioned && kept {
                may(KEYFRAME)
            } else {
                Answer::Unexplained(KEYFRAME, format!("{self:?}"))
            };
        }
        let state = same("boot", &self.boot)
            && (field("rules"), field("layout")) == self.rules
            && same("open", &json!(self.open))
            && same("latched", &json!(self.latched))
            && same("waived", &json!(self.waived))
            && same("last_round", &json!(self.last_round))
            && same("round", &Value::Null)
            && same("dice", &self.dice);
        if commissioned && state && self.round.is_none() {
            must(KEYFRAME)
        } else {
            Answer::Unexplained(KEYFRAME, format!("{self:?}"))
        }
    }
}
