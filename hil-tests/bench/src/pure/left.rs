//! What left the table, line by line, so that two builds can be held against each other: levels of outputs, what was written to the
//! bus, records, answers, keys told to the relay, and the state at each commit. Prose is left out: its words may change.

use serde_json::{Map, Value};
use std::fmt::Write;
use tumbler_core::effect::{BusOp, Effect};
use tumbler_core::record::Record;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::console::Answer;

/// Names whose texts are facts although they may have spaces in them.
const FACTS: [&str; 3] = ["clause", "clauses", "display"];

/// What left the table so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Left {
    pub lines: Vec<String>,
    /// The state at the last commit, field by field.
    state: Map<String, Value>,
}

impl Left {
    fn line(&mut self, at: u64, what: &str) {
        let mut line = String::new();
        // Writing to memory cannot fail.
        let _ = write!(line, "{:.6} {what}", at as f64 / 1e9);
        self.lines.push(line);
    }

    pub(super) fn effect(&mut self, at: u64, effect: &Effect) {
        match effect {
            Effect::Set(drive) => {
                self.line(at, &format!("{} {}", drive.line().name(), if drive.is_active() { "on" } else { "off" }));
            }
            Effect::Bus(request) => match &request.op {
                BusOp::WriteCoils { address, count, bits } => {
                    self.line(at, &format!("unit {}: {count} coils from {address}: {bits:x}", request.unit));
                }
                BusOp::WriteHolding { address, values } => {
                    self.line(at, &format!("unit {}: registers from {address}: {values:x?}", request.unit));
                }
                BusOp::ReadInput { .. } | BusOp::ReadDiscrete { .. } => {}
            },
            Effect::Reply { answer: Answer::Done(_), .. } => self.line(at, "answer: done"),
            Effect::Reply { answer: Answer::Refused { code, .. }, .. } => {
                self.line(at, &format!("answer: refused {code}"))
            }
            Effect::Keypad(key) => self.line(at, &format!("key told: {key:?}")),
            Effect::Dump { reason, .. } => self.line(at, &format!("recording: {reason}")),
            // A record is told when it is durable.
            Effect::Journal { .. } => {}
        }
    }

    pub(super) fn record(&mut self, at: u64, record: &Record) {
        let mut fields = serde_json::to_value(record).unwrap_or_default();
        without_prose("", &mut fields);
        self.line(at, &format!("record {fields}"));
    }

    /// The fields of the state that changed since the last commit.
    pub(super) fn state(&mut self, at: u64, snapshot: &Snapshot) {
        let mut state = serde_json::to_value(snapshot).unwrap_or_default();
        without_prose("", &mut state);
        let Value::Object(state) = state else { return };
        for (name, value) in &state {
            if self.state.get(name) != Some(value) {
                self.line(at, &format!("state {name}: {value}"));
            }
        }
        self.state = state;
    }
}

/// Empties the texts of several words.
fn without_prose(name: &str, value: &mut Value) {
    match value {
        Value::String(text) if text.contains(' ') && !FACTS.contains(&name) => text.clear(),
        Value::Array(items) => items.iter_mut().for_each(|item| without_prose(name, item)),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| without_prose(name, value)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_left_out_and_facts_are_kept() {
        let mut value =
            serde_json::json!({ "clauses": ["NZ98 7.1(a)"], "code": "seal", "data": { "cause": "a long story" } });
        without_prose("", &mut value);
        assert_eq!(value, serde_json::json!({ "clauses": ["NZ98 7.1(a)"], "code": "seal", "data": { "cause": "" } }));
    }
}
