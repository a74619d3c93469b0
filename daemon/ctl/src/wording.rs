//! Times and records as people read them.

use tumbler_core::hardware_test::{Measurement, Report};
use tumbler_core::record::Event;
use tumbler_core::units::Dice;
pub(crate) use tumbler_core::wall::shown as wall;
use tumbler_core::wire::topics::EventMessage;
use tumblerd::pages::test_report::bar;

/// Dice as `1 3 6`.
pub(crate) fn dice(dice: Dice) -> String {
    let [a, b, c] = dice.pips();
    format!("{a} {b} {c}")
}

/// A record on one line: number, time, round, kind, what it says, and the clauses that it is about.
pub(crate) fn record(message: &EventMessage) -> String {
    let record = &message.record;
    let said = serde_json::to_value(&record.event).unwrap_or_default();
    let kind = said.get("kind").and_then(serde_json::Value::as_str).unwrap_or("?");
    let data = match &record.event {
        Event::HardwareTested(report) => tested(report),
        _ => said.get("data").map(detail).unwrap_or_default(),
    };
    let round = record.round.map(|r| format!("round {} ", r.0)).unwrap_or_default();
    let clauses = if record.clauses.is_empty() { String::new() } else { format!(" [{}]", record.clauses.join(", ")) };
    format!("{:>6} {} {round}{kind} {data}{clauses}", record.seq.0, wall(message.wall)).trim_end().to_owned()
}

/// A hardware test without its plots, which are numbers by the hundred: --json has them, and the report draws them.
fn tested(report: &Report) -> String {
    let one =
        |m: &Measurement| format!("{} {} {}", m.quantity.name(), bar::value(m.quantity, m.value), m.verdict.name());
    let found = if report.found.is_empty() { String::new() } else { format!("; found: {}", report.found) };
    let seen = report.seen.iter().map(|item| format!("; found right: {item}")).collect::<String>();
    let measured = report.measurements.iter().map(|m| format!("; {}", one(m))).collect::<String>();
    format!("{} {} by={:?}{found}{seen}{measured}", report.test, report.verdict.name(), report.by)
}

fn detail(data: &serde_json::Value) -> String {
    let serde_json::Value::Object(fields) = data else { return data.to_string() };
    let parts: Vec<String> = fields
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| match value {
            serde_json::Value::String(text) => format!("{key}={text:?}"),
            serde_json::Value::Array(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                format!("{key}=[{}]", items.join(", "))
            }
            other => format!("{key}={other}"),
        })
        .collect();
    parts.join(" ")
}
