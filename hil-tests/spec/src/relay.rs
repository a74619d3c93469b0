//! The relay (design.md, Relay; `daemon/docs/mqtt.md`): every record of the journal is published in order and with its place in the
//! chain, the latches are mirrored in retained messages, and the will says when the daemon is gone.

mod chain;

use crate::judge::{Exercised, Findings, Judge};
use crate::observation::{Observation, Part, Seen};
use crate::record::Record;
use crate::scene::Scene;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

const NAME: &str = "relay";
pub(crate) const ORDER: &str = "design.md, Relay: events in order, without gaps once duplicates are dropped";
pub(crate) const EQUAL: &str = "design.md, Relay: an event is the journal's record";
pub(crate) const CHAIN: &str = "design.md, Relay: the journal's chain can be computed from events alone";
pub(crate) const LOST: &str = "design.md, Relay: every record is published";
pub(crate) const MIRROR: &str = "design.md, Relay: `fault/<code>` is retained while latched, and deleted afterwards";
pub(crate) const RETAIN: &str =
    "design.md, Relay: `status`, `state`, `lamps` and `fault` are retained, `event` and `keypad` are not";
pub(crate) const TOPICS: &str = "design.md, Relay: the table's topics and no others";
pub(crate) const WILL: &str = "design.md, Relay: the will says offline";

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
    records: u64,
    events: u64,
    duplicates: u64,
    equal: u64,
    chain: chain::Chain,
    mirrored: u64,
    statuses: u64,
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

impl Judge for Relay {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
        match &seen.what {
            Seen::Record(record) if !scene.config.given.topics.is_empty() => {
                self.records += 1;
                self.match_up(record, false, true, scene.now_ns, findings);
            }
            Seen::Mqtt { topic, payload, retained } => {
                self.message(topic, payload.as_ref(), *retained, scene, findings);
            }
            Seen::Truth(crate::observation::Truth::Process { alive }) => {
                self.died_ns = (!alive).then_some(scene.now_ns);
            }
            _ => {}
        }
    }

    fn finish(&mut self, at_ns: u64, scene: &Scene, findings: &mut Findings) {
        let reachable = !scene.broken(Part::Network);
        let will_ns = scene.config.given.limits.will_ns;
        if let (Some(died), Some(true), true) = (self.died_ns, self.online, reachable) {
            if at_ns > died.saturating_add(will_ns) {
                findings.note(NAME, at_ns, WILL, "the daemon is gone, and `status` still says online");
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
            findings.note(NAME, at_ns, LOST, format!("record {seq} was never published"));
        } else if self.records > 0 && self.waiting.is_empty() {
            self.mirrored += 1;
            let latched: BTreeSet<&str> = scene.latched.iter().map(|(code, _)| code.as_str()).collect();
            let published: BTreeSet<&str> = self.faults.iter().map(String::as_str).collect();
            if latched != published {
                findings.note(NAME, at_ns, MIRROR, format!("latched are {latched:?}, retained are {published:?}"));
            }
        }
    }

    fn exercised(&self) -> Vec<Exercised> {
        vec![
            ("events", self.events),
            ("events that came again", self.duplicates),
            ("events equal to the journal's records", self.equal),
            ("links reckoned from events", self.chain.proved),
            ("events in short form", self.chain.short),
            ("latches compared with the retained faults", self.mirrored),
            ("status messages", self.statuses),
        ]
    }
}

impl Relay {
    fn message(
        &mut self,
        topic: &str,
        payload: Option<&Value>,
        retained: bool,
        scene: &Scene,
        findings: &mut Findings,
    ) {
        let root = scene.config.given.topics.as_str();
        if root.is_empty() {
            return;
        }
        let Some(name) = topic.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')) else {
            // Another table, or a stranger, on the same broker.
            return;
        };
        let at_ns = scene.now_ns;
        let keeps = match name {
            "event" => {
                match payload.map(|payload| Record::read(payload.clone())) {
                    Some(Ok(record)) => self.event(&record, payload.unwrap_or(&Value::Null), scene, findings),
                    Some(Err(why)) => findings.note(NAME, at_ns, EQUAL, why.to_string()),
                    None => findings.note(NAME, at_ns, EQUAL, "an empty event"),
                }
                false
            }
            "keypad" => false,
            "status" => {
                self.statuses += 1;
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
                    findings.note(NAME, at_ns, TOPICS, format!("a message on `{topic}`"));
                    return;
                }
            },
        };
        if keeps != retained && payload.is_some() {
            findings.note(NAME, at_ns, RETAIN, format!("`{topic}` with retain {retained}"));
        }
    }

    fn event(&mut self, record: &Record, payload: &Value, scene: &Scene, findings: &mut Findings) {
        self.events += 1;
        if let Err(why) = self.chain.take(payload) {
            findings.note(NAME, scene.now_ns, CHAIN, format!("event {}: {why}", record.seq));
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
                self.duplicates += 1;
                return;
            }
            Some(last) if record.seq != last + 1 && !record.fact.begins_new_journal() => {
                findings.note(NAME, scene.now_ns, ORDER, format!("event {} follows event {last}", record.seq));
            }
            None if scene.config.given.from_commissioning && record.seq != 1 => {
                findings.note(NAME, scene.now_ns, ORDER, format!("the first event is {}", record.seq));
            }
            _ => {}
        }
        self.last_seq = Some(record.seq);
        self.match_up(record, short, false, scene.now_ns, findings);
    }

    /// One side shows a record: it is compared with the other side's, or waits for it.
    fn match_up(&mut self, record: &Record, short: bool, journalled: bool, at_ns: u64, findings: &mut Findings) {
        let place = hashed(&(record.seq, record.at_ns, record.round, &record.kind));
        let data = (!short).then(|| hashed(&record.data.to_string()));
        match self.waiting.get(&record.seq) {
            Some(other) if other.journalled != journalled => {
                if other.place == place && (data.is_none() || other.data.is_none() || data == other.data) {
                    self.equal += 1;
                } else {
                    findings.note(NAME, at_ns, EQUAL, format!("event {} differs from the journal", record.seq));
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

#[cfg(test)]
mod tests;
