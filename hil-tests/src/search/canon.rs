//! The canonical state: what makes two nodes the same to the search.
//!
//! Two nodes are merged where the following is equal in both. Everything that is left out may differ between them.
//!
//! - *Table*: its serialised state without settings, boot id, counters (record, round, bus and key numbers, the cam's
//!   position), what it keeps only for display (past rounds, causes in words) and what is outstanding on the field bus.
//! - *Times*: of a deadline only that it is set; polls, the dead-man beat and the other clocks that run all the time are
//!   left out. Of a key edge and a latch, which came first. Counts of good readings only as far as they are asked for.
//! - *Twin*: levels and pins, what is broken, what moves, whole tumbles of a shaft that turns, how the dice lie, what
//!   shines and shows.
//! - *Journal*: what a start would find, whether a commit is on its way, and whether commits are withheld.
//! - The judges' memory is left out: a merged node is judged with the history of the path that reached it first.
//!
//! A merge can therefore hide what lies behind the node that was dropped. It never invents anything: every node is a
//! real bench, reached by the very steps that are printed.

use super::view::View;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use tumbler_bench::pure::Pure;

/// A canonical state, as 128 bits of its SHA-256.
pub type Key = [u8; 16];

/// Timers that are set all the time, or that follow from the rest of the state.
const RUNNING: [&str; 6] = ["Bus", "BusGuard", "Alive", "TemperatureStale", "TestStep", "Period"];
/// Nothing requires more good readings in a row than this.
const ENOUGH: u64 = 3;

/// The key of a node.
pub(crate) fn key(bench: &Pure, view: &View) -> Key {
    let table = bench.table().map(|table| serde_json::to_value(table).map_or(Value::Null, canonical));
    let state = json!([table, view.twin(), bench.kept()]);
    let digest = Sha256::digest(state.to_string().as_bytes());
    let mut key = Key::default();
    for (to, from) in key.iter_mut().zip(digest) {
        *to = from;
    }
    key
}

/// Fields that the search ignores: counters, times, names of people and places.
const LEFT_OUT: [(&str, &[&str]); 6] = [
    ("ctx", &["settings", "at", "stamp", "read"]),
    ("tumbler", &["cam", "from", "way", "alive", "run_by", "last_edge", "stood", "stepped", "step"]),
    ("terminal", &["next", "catching_up", "acknowledged", "last", "bounced", "polled", "pressed_after"]),
    ("reader", &["measured", "counter", "seen", "identities", "motion", "motion_before", "still_since"]),
    ("history", &["last", "recent"]),
    ("round", &["id", "rules", "layout", "order"]),
];

/// Parts that the search ignores: names, what only shows, and when who was refused or had a recording written, which bounds floods.
const NOT_LOOKED_AT: [&str; 4] = ["boot", "picture", "refusals", "recordings"];

/// The parts of a table and what the key contains of each, once the fields above are removed. A part that is missing here would be
/// included whole, and the test below requires that all are named.
fn canonical(table: Value) -> Value {
    let Value::Object(mut table) = table else { return Value::Null };
    let key_edge = table.get("key").and_then(|key| key.get("edge")).and_then(Value::as_u64);
    let known =
        |part: &str, field: &str| table.get(part).and_then(|part| part.get(field)).is_some_and(|at| !at.is_null());
    let (still, measured) = (known("reader", "still_since"), known("reader", "measured"));
    for (part, fields) in LEFT_OUT {
        change(&mut table, part, |of| without(of, fields));
    }
    for part in NOT_LOOKED_AT {
        table.remove(part);
    }
    field(&mut table, "ctx", "timers", timers);
    field(&mut table, "tumbler", "runs_for", |what| json!(kind(what)));
    change(&mut table, "temperature", |t| {
        json!([t.get("last").and_then(Value::as_i64).map(|last| last / 20_000), at_most(t.get("good"))])
    });
    change(&mut table, "reader", |reader| json!([still, measured, reader]));
    change(&mut table, "bus", |bus| {
        each(bus.get("units").unwrap_or(&Value::Null), |unit| json!([unit.get("lost"), at_most(unit.get("good"))]))
    });
    field(&mut table, "key", "edge", |edge| json!(!edge.is_null()));
    change(&mut table, "sequence", sequence);
    field(&mut table, "service", "maintenance", |who| json!(!who.is_null()));
    field(&mut table, "service", "closing", |who| json!(!who.is_null()));
    field(&mut table, "ledger", "latched", |all| {
        each(all, |m| json!([m.get("code"), key_edge > m.get("since").and_then(Value::as_u64)]))
    });
    field(&mut table, "ledger", "waived", |all| each(all, |w| json!(w.get("code"))));
    change(&mut table, "test", test);
    Value::Object(table)
}

/// An enumeration's variant without its contents.
fn kind(of: &Value) -> Option<&str> {
    of.as_str().or_else(|| of.as_object()?.keys().next().map(String::as_str))
}

fn field(of: &mut Map<String, Value>, part: &str, name: &str, to: impl FnOnce(&Value) -> Value) {
    if let Some(Value::Object(part)) = of.get_mut(part) {
        change(part, name, to);
    }
}

fn change(of: &mut Map<String, Value>, field: &str, to: impl FnOnce(&Value) -> Value) {
    if let Some(value) = of.get_mut(field) {
        *value = to(value);
    }
}

fn without(value: &Value, fields: &[&str]) -> Value {
    let mut value = value.clone();
    if let Value::Object(of) = &mut value {
        for field in fields {
            of.remove(*field);
        }
    }
    value
}

fn each(list: &Value, of: impl Fn(&Value) -> Value) -> Value {
    list.as_array().map(|all| all.iter().map(of).collect()).unwrap_or_default()
}

fn at_most(count: Option<&Value>) -> u64 {
    count.and_then(Value::as_u64).unwrap_or_default().min(ENOUGH)
}

/// The deadlines that are set, without their times.
fn timers(timers: &Value) -> Value {
    let set = timers.get("set").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let names =
        set.iter().filter(|slot| slot.get(0).and_then(Value::as_u64) != Some(u64::MAX)).filter_map(|slot| slot.get(1));
    let runs =
        |timer: &Value| timer.as_str().is_some_and(|name| RUNNING.contains(&name)) || timer.get("UnitLost").is_some();
    names.filter(|timer| !runs(timer)).cloned().collect()
}

fn sequence(of: &Value) -> Value {
    let number = |field: &str| of.get(field).and_then(Value::as_u64);
    // Any number of refusals may be waiting.
    let waiting = of.get("waiting").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let kinds: BTreeSet<&str> = waiting.iter().filter_map(|record| record.get("kind")?.as_str()).collect();
    // The only key of a held action names its kind.
    let held = each(of.get("held").unwrap_or(&Value::Null), |held| {
        json!(held.get(1).and_then(Value::as_object).map(|action| action.keys().cloned().collect::<Vec<_>>()))
    });
    json!([
        number("sent") > number("durable"),
        number("granted").map(|granted| Some(granted) <= number("durable")),
        of.get("failed"),
        of.get("permit"),
        of.get("permit_due"),
        kinds,
        held,
    ])
}

/// A test in progress: its purpose, its steps, and what the current one has seen so far.
fn test(of: &Value) -> Value {
    let steps = of.get("steps").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let names = steps.iter().map(|step| match step {
        Value::Object(step) => json!(step.keys().next()),
        other => other.clone(),
    });
    let present = steps.first().map(|step| match (step.get("Lamps"), step.get("Spin")) {
        (Some(lamps), _) => json!([lamps.get("results").and_then(|left| left.get(0)), lamps.get("lit")]),
        // Not since when the press is waited for.
        (_, Some(spin)) => json!(kind(spin)),
        _ => step.clone(),
    });
    json!([of.get("purpose"), of.get("failed"), names.collect::<Value>(), present])
}

#[cfg(test)]
mod tests {
    use super::super::{alphabet::steps, trial};
    use super::*;
    use crate::scenario::play_steps;
    use tumbler_bench::pure::Setup;

    /// A part or field that has another name now would silently stay in the key, or out of it.
    #[test]
    fn every_part_of_the_table_and_every_field_that_is_left_out_is_known() {
        let trial = trial("nz-div9").unwrap();
        let mut bench = Pure::new(Setup::of(&trial.rules, &trial.layout, 1)).unwrap();
        play_steps(
            &mut bench,
            &trial,
            &steps("ask record; ask settle; dice 1 3 6; open table; play to spinning", &trial.layout).unwrap(),
        )
        .unwrap();
        let table = serde_json::to_value(bench.table().unwrap()).unwrap();
        let at =
            |part: &str, field: &str| table.get(part).unwrap().get(field).unwrap_or_else(|| panic!("{part}.{field}"));

        let mut parts: Vec<&str> = table.as_object().unwrap().keys().map(String::as_str).collect();
        parts.sort_unstable();
        let mut known = vec![
            "boot", "bus", "ctx", "dome", "guard", "history", "inputs", "key", "lamps", "ledger", "order", "picture",
        ];
        known.extend(["reader", "recordings", "refusals", "round", "sequence", "service", "temperature", "terminal"]);
        known.extend(["test", "tumbler"]);
        assert_eq!(parts, known);
        for (part, fields) in LEFT_OUT {
            for field in fields {
                at(part, field);
            }
        }
        for (part, field) in [
            ("ctx", "timers"),
            ("tumbler", "runs_for"),
            ("temperature", "last"),
            ("temperature", "good"),
            ("bus", "units"),
            ("key", "edge"),
            ("service", "maintenance"),
            ("service", "closing"),
            ("ledger", "latched"),
            ("ledger", "waived"),
            ("sequence", "sent"),
            ("sequence", "durable"),
            ("sequence", "granted"),
            ("sequence", "failed"),
            ("sequence", "permit"),
            ("sequence", "permit_due"),
            ("sequence", "waiting"),
            ("sequence", "held"),
        ] {
            at(part, field);
        }
        assert!(!timers(at("ctx", "timers")).as_array().unwrap().is_empty());
    }

    /// Every second would else be another state to whoever was once refused.
    #[test]
    fn when_somebody_was_refused_or_recorded_makes_no_other_state() {
        let trial = trial("nz-div9").unwrap();
        let [early, late] = ["1 ms", "700 ms"].map(|wait| {
            let mut bench = Pure::new(Setup::of(&trial.rules, &trial.layout, 1)).unwrap();
            let words = format!("open table; pass {wait}; ask record; ask settle; pass 20 s");
            play_steps(&mut bench, &trial, &steps(&words, &trial.layout).unwrap()).unwrap();
            let view = View::of(&mut bench);
            key(&bench, &view)
        });
        assert_eq!(early, late);
    }
}
