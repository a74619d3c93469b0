//! The relay (design.md, Relay; `daemon/docs/mqtt.md`): every record of the journal is published in order and with its place in the
//! chain, the latches are mirrored in retained messages, and the will says when the daemon is gone.

mod chain;

use crate::ledger::Ledger;
use crate::observation::{Observation, Part, Seen};
use crate::record::Record;
use crate::rule::{Firmness, Rule};
use crate::scene::Scene;
use crate::section::{Answer, Section};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

pub(crate) const ORDER: Rule =
    Rule::new("relay.order", "design.md, Relay: events in order, without gaps once duplicates are dropped");
pub(crate) const EQUAL: Rule = Rule::new("relay.equal", "design.md, Relay: an event is the journal's record");
pub(crate) const CHAIN: Rule =
    Rule::new("relay.chain", "design.md, Relay: the journal's chain can be computed from events alone");
pub(crate) const LOST: Rule = Rule::new("relay.lost", "design.md, Relay: every record is published");
pub(crate) const MIRROR: Rule =
    Rule::new("relay.mirror", "design.md, Relay: `fault/<code>` is retained while latched, and deleted afterwards");
pub(crate) const RETAIN: Rule = Rule::new(
    "relay.retain",
    "design.md, Relay: `status`, `state`, `lamps` and `fault` are retained, `event` and `keypad` are not",
);
pub(crate) const TOPICS: Rule = Rule::new("relay.topics", "design.md, Relay: the table's topics and no others");
pub(crate) const WILL: Rule = Rule::new("relay.will", "design.md, Relay: the will says offline");

/// Longest time from a record to its event while the broker can be reached.
const LATE_NS: u64 = 30_000_000_000;
/// How many records may wait for their events, or events for their records, before the oldest are dropped.
const WAITING: usize = 65_536;

/// Watches what is published to the broker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relay {
    stream: Option<String>,
    last_seq: Option<u64>,
    /// Records that only the journal or only the broker has shown so far, by number.
    waiting: BTreeMap<u64, Unmatched>,
    /// Codes that have a retained message.
    faults: BTreeSet<String>,
    online: Option<bool>,
    died_ns: Option<u64>,
    chain: chain::Chain,
}

/// A record that only one side has shown so far.
#[derive(Clone, Copy, Debug)]
struct Unmatched {
    place: u64,
    /// Hash of its payload; unknown for an event in short form.
    data: Option<u64>,
    journalled: bool,
    at_ns: u64,
}

impl Section for Relay {
    fn rules(&self) -> Vec<Rule> {
        vec![ORDER, EQUAL, CHAIN, LOST, MIRROR, RETAIN, TOPICS, WILL]
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        let Seen::Mqtt { topic, .. } = &seen.what else { return Answer::NotMine };
        // Another table, or a stranger, on the same broker.
        match name(topic, scene) {
            Some(_) => Answer::Later,
            None => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        match &seen.what {
            Seen::Record(record) if !scene.config.given.topics.is_empty() => {
                self.match_up(record, false, true, scene.now_ns, ledger);
            }
            Seen::Mqtt { topic, payload, retained } => {
                self.message(topic, payload.as_ref(), *retained, scene, ledger);
            }
            Seen::Truth(crate::observation::Truth::Process { alive }) => {
                self.died_ns = (!alive).then_some(scene.now_ns);
            }
            _ => {}
        }
    }

    fn finish(&mut self, at_ns: u64, scene: &Scene, ledger: &mut Ledger) {
        let reachable = !scene.broken(Part::Network);
        let will_ns = scene.config.given.limits.will_ns;
        if let (Some(died), Some(true), true) = (self.died_ns, self.online, reachable) {
            if at_ns > died.saturating_add(will_ns) {
                ledger.wrong(WILL, "the daemon is gone, and `status` still says online".into());
            }
        }
        if self.online != Some(true) || !reachable || self.died_ns.is_some() {
            return;
        }
        let late = self
            .waiting
            .iter()
            .find(|(_, unmatched)| unmatched.journalled && at_ns > unmatched.at_ns.saturating_add(LATE_NS));
        if let Some((seq, _)) = late {
            ledger.wrong(LOST, format!("record {seq} was never published"));
        } else if self.stream.is_some() && self.waiting.is_empty() {
            let latched: BTreeSet<&str> = scene.latched.iter().map(|(code, _)| code.as_str()).collect();
            let published: BTreeSet<&str> = self.faults.iter().map(String::as_str).collect();
            ledger.held(MIRROR);
            if latched != published {
                ledger.wrong(MIRROR, format!("latched are {latched:?}, retained are {published:?}"));
            }
        }
    }
}

/// The table's own name of a topic.
fn name<'a>(topic: &'a str, scene: &Scene) -> Option<&'a str> {
    let root = Some(scene.config.given.topics.as_str()).filter(|root| !root.is_empty())?;
    topic.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'))
}

impl Relay {
    fn message(&mut self, topic: &str, payload: Option<&Value>, retained: bool, scene: &Scene, ledger: &mut Ledger) {
        let Some(name) = name(topic, scene) else { return };
        let keeps = match name {
            "event" => {
                match payload.map(|payload| Record::read(payload.clone())) {
                    Some(Ok(record)) => self.event(&record, payload.unwrap_or(&Value::Null), scene, ledger),
                    Some(Err(why)) => ledger.wrong(EQUAL, why.to_string()),
                    None => ledger.wrong(EQUAL, "an empty event".into()),
                }
                false
            }
            "keypad" => false,
            "status" => {
                let status = payload.and_then(|payload| payload.get("status")).and_then(Value::as_str);
                self.online = status.map(|status| status == "online");
                true
            }
            "state" | "lamps" => true,
            _ => match name.strip_prefix("fault/") {
                Some(code) => {
                    if payload.is_some() {
                        self.faults.insert(code.to_owned());
                    } else {
                        self.faults.remove(code);
                    }
                    true
                }
                None => {
                    ledger.wrong(TOPICS, format!("a message on `{topic}`"));
                    return;
                }
            },
        };
        if keeps != retained && payload.is_some() {
            ledger.wrong(RETAIN, format!("`{topic}` with retain {retained}"));
        } else {
            ledger.coverage.count(RETAIN, "message", Firmness::Must);
        }
    }

    fn event(&mut self, record: &Record, payload: &Value, scene: &Scene, ledger: &mut Ledger) {
        ledger.held(CHAIN);
        if let Err(why) = self.chain.take(payload) {
            ledger.wrong(CHAIN, format!("event {}: {why}", record.seq));
        }
        let short = payload.get("short").is_some_and(|short| *short == true);
        let stream = payload.get("stream").and_then(Value::as_str).unwrap_or_default();
        if self.stream.as_deref() != Some(stream) {
            if self.stream.is_some() {
                // Another journal has its own numbers.
                self.last_seq = None;
            }
            self.stream = Some(stream.to_owned());
        }
        match self.last_seq {
            Some(last) if record.seq <= last => {
                return;
            }
            Some(last) if record.seq != last + 1 && !record.fact.begins_new_journal() => {
                ledger.wrong(ORDER, format!("event {} follows event {last}", record.seq));
            }
            None if scene.config.given.from_commissioning && record.seq != 1 => {
                ledger.wrong(ORDER, format!("the first event is {}", record.seq));
            }
            _ => {}
        }
        self.last_seq = Some(record.seq);
        self.match_up(record, short, false, scene.now_ns, ledger);
    }

    /// One side shows a record: it is compared with the other side's, or waits for it.
    fn match_up(&mut self, record: &Record, short: bool, journalled: bool, at_ns: u64, ledger: &mut Ledger) {
        let place = hashed(&(record.seq, record.at_ns, record.round, &record.kind));
        let data = (!short).then(|| hashed(&record.data.to_string()));
        match self.waiting.get(&record.seq) {
            Some(other) if other.journalled != journalled => {
                if other.place == place && (data.is_none() || other.data.is_none() || data == other.data) {
                    ledger.held(EQUAL);
                } else {
                    ledger.wrong(EQUAL, format!("event {} differs from the journal", record.seq));
                }
                self.waiting.remove(&record.seq);
            }
            _ => {
                self.waiting.insert(record.seq, Unmatched { place, data, journalled, at_ns });
                if self.waiting.len() > WAITING {
                    self.waiting.pop_first();
                }
            }
        }
    }
}

fn hashed(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
