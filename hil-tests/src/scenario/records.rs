//! The journal's records as JSON, in order, for checks: each search begins after the match of the last one.

use super::step::Pattern;
use serde_json::Value;
use tumbler_bench::log::Log;
use tumbler_core::record::Event;

/// The records so far, and where the next search begins.
#[derive(Debug, Default)]
pub(super) struct Records {
    seen: Vec<Value>,
    /// Where the next search begins.
    cursor: usize,
    /// First record since the last `mark`.
    mark: usize,
}

impl Records {
    /// Takes in the bench's new records.
    pub(super) fn catch_up(&mut self, log: &Log) {
        for durable in log.records.iter().skip(self.seen.len()) {
            self.seen.push(serde_json::to_value(&durable.record).unwrap_or(Value::Null));
        }
    }

    /// All records.
    pub(super) fn all(&self) -> &[Value] {
        &self.seen
    }

    /// Records from this index on.
    pub(super) fn from(&self, first: usize) -> &[Value] {
        self.seen.get(first..).unwrap_or_default()
    }

    /// Whether a record from `first` on is of one of these kinds.
    pub(super) fn has(&self, first: usize, kinds: &[&str]) -> bool {
        self.from(first).iter().any(|record| kinds.contains(&kind(record)))
    }

    /// Finds the next match, and lets the next search begin after it.
    pub(super) fn search(&mut self, pattern: &Pattern) -> bool {
        let found = self.from(self.cursor).iter().position(|record| pattern.matches(record));
        self.cursor += found.map_or(0, |place| place + 1);
        found.is_some()
    }

    /// Whether a record since the last mark matches.
    pub(super) fn marked(&self, pattern: &Pattern) -> bool {
        self.from(self.mark).iter().any(|record| pattern.matches(record))
    }

    /// Sets a mark: searches begin here.
    pub(super) fn set_mark(&mut self) {
        self.mark = self.seen.len();
        self.cursor = self.mark;
    }

    /// First record since the last mark.
    pub(super) fn mark(&self) -> usize {
        self.mark
    }
}

/// The record's kind.
pub(super) fn kind(record: &Value) -> &str {
    record.get("kind").and_then(Value::as_str).unwrap_or_default()
}

/// A field of the record's payload as text.
pub(super) fn field(record: &Value, name: &str) -> Option<String> {
    match record.get("data")?.get(name)? {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Whether a field of the record's payload is this value, or is a list that has it.
fn is(record: &Value, name: &str, value: &str) -> bool {
    let all = record.get("data").and_then(|data| data.get(name)).and_then(Value::as_array);
    let listed = all.into_iter().flatten().any(|each| each.as_str() == Some(value));
    listed || field(record, name).is_some_and(|got| got == value)
}

/// A record in brief.
pub(super) fn brief(record: &Value) -> String {
    let data = match kind(record) {
        "keyframe" | "started" | "commissioned" => String::new(),
        _ => record.get("data").map(ToString::to_string).unwrap_or_default(),
    };
    let at = record.get("at").and_then(Value::as_u64).unwrap_or_default();
    format!("{}.{:03} {}{data}", at / 1_000_000_000, at / 1_000_000 % 1000, kind(record))
}

/// An event in brief.
pub(super) fn brief_event(event: &Event) -> String {
    let value = serde_json::to_value(event).unwrap_or_default();
    format!("{}{}", kind(&value), value.get("data").map(ToString::to_string).unwrap_or_default())
}

impl Pattern {
    fn matches(&self, record: &Value) -> bool {
        kind(record) == self.kind.name() && self.fields.iter().all(|(name, value)| is(record, name, value))
    }
}
