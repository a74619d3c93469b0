//! The journal's records as scenarios look at them: as JSON, in order, each search from where the last one ended.

use super::step::Pattern;
use serde_json::Value;
use tumbler_bench::log::Log;

/// Records as far as they were read, and where the next search begins.
#[derive(Debug, Default)]
pub(super) struct Records {
    seen: Vec<Value>,
    /// First record that the next search looks at.
    cursor: usize,
    /// First record since the last `mark`.
    mark: usize,
}

impl Records {
    /// Reads what came since the last look.
    pub(super) fn catch_up(&mut self, log: &Log) {
        for durable in log.records.iter().skip(self.seen.len()) {
            self.seen.push(serde_json::to_value(&durable.record).unwrap_or(Value::Null));
        }
    }

    /// All that were read.
    pub(super) fn all(&self) -> &[Value] {
        &self.seen
    }

    /// Those from this one on.
    pub(super) fn from(&self, first: usize) -> &[Value] {
        self.seen.get(first..).unwrap_or_default()
    }

    /// Whether one of these kinds is among those from `first` on.
    pub(super) fn has(&self, first: usize, kinds: &[&str]) -> bool {
        self.from(first).iter().any(|record| kinds.contains(&kind(record)))
    }

    /// Looks for the next record that matches; the search after it begins behind that.
    pub(super) fn search(&mut self, pattern: &Pattern) -> bool {
        let found = self.from(self.cursor).iter().position(|record| pattern.matches(record));
        self.cursor += found.map_or(0, |place| place + 1);
        found.is_some()
    }

    /// Whether one since the last mark matches.
    pub(super) fn marked(&self, pattern: &Pattern) -> bool {
        self.from(self.mark).iter().any(|record| pattern.matches(record))
    }

    /// Searches begin here.
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

/// A record in short.
pub(super) fn brief(record: &Value) -> String {
    let data = match kind(record) {
        "keyframe" | "started" | "commissioned" => String::new(),
        _ => record.get("data").map(ToString::to_string).unwrap_or_default(),
    };
    let at = record.get("at").and_then(Value::as_u64).unwrap_or_default();
    format!("{}.{:03} {}{data}", at / 1_000_000_000, at / 1_000_000 % 1000, kind(record))
}

impl Pattern {
    fn matches(&self, record: &Value) -> bool {
        kind(record) == self.kind
            && self.fields.iter().all(|(name, value)| field(record, name).is_some_and(|got| got == *value))
    }
}
