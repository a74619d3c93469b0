//! What the record of a command has to say (console.md; mqtt.md, event).

use super::Given;
use super::state::State;
use crate::config::Rules;
use crate::record::Record;
use crate::scene::Scene;
use serde_json::{Value, json};

/// Fields in words.
const PROSE: [&str; 2] = ["what", "why"];

/// Whether a record says what its command asked for.
pub(super) fn says(given: &Given, record: &Record, state: &State, scene: &Scene) -> Result<(), String> {
    let closes = if state.round.is_some() { "closing" } else { "closed" };
    if given.command == "close" && (record.kind != closes || state.open != Some(true)) {
        return Err(format!("`{closes}` of an open table"));
    }
    let with = |field: &str| given.named(field).clone();
    let mut data = match record.kind.as_str() {
        "test-began" => {
            let test = match given.command.as_str() {
                "open" => json!("opening"),
                "reset" => with("code"),
                _ => json!(format!("hardware {}", given.named("test").as_str().unwrap_or_default())),
            };
            json!({ "test": test })
        }
        "decided" => json!({ "kind": decision(given, state, scene), "reason": reason(given) }),
        "answered" => json!({ "finding": with("finding"), "reason": with("reason") }),
        "corrected" => json!({ "round": with("round"), "reason": with("reason") }),
        "voided-afterwards" => {
            json!({ "round": with("round"), "reason": with("reason"), "clauses": damaged(given, state) })
        }
        "dice-enrolled" => json!({ "dice": given.identities }),
        "unlatched" => {
            let procedure = given.with.pointer("/exit/procedure").and_then(Value::as_str).unwrap_or_default();
            json!({ "code": with("code"), "how": format!("procedure: {procedure}"), "procedure": procedure })
        }
        "maintenance" => json!({ "on": with("on") }),
        _ => json!({}),
    };
    if let Some(fields) = data.as_object_mut() {
        fields.insert("by".into(), with("name"));
    }
    let same = |value: &Value| {
        let told = record.data.as_object().into_iter().flatten().filter(|(field, _)| !PROSE.contains(&field.as_str()));
        let told: serde_json::Map<_, _> = told.map(|(field, value)| (field.clone(), value.clone())).collect();
        value.as_object() == Some(&told)
    };
    if same(&data) { Ok(()) } else { Err(data.to_string()) }
}

/// What a command that is answered as done has to have left on record, given in this state, besides its own record.
pub(super) fn owes(given: &Given, state: &State) -> Vec<&'static str> {
    let is = |field: &str| given.named(field) == &Value::Bool(true);
    let stands = state.round.as_ref().is_some_and(|round| round.result.is_some());
    match given.command.as_str() {
        "amend" => vec![if stands { "amended" } else { "result" }],
        "settle" => vec!["decided", if stands { "settled" } else { "result" }],
        "confirm-dome" => vec!["revealed"],
        "enrol-dice" => vec!["dice-enrolled"],
        "void" if !is("damaged_dice") => vec!["voided"],
        "maintenance" if is("on") && state.open == Some(true) => vec!["maintenance", "closed"],
        _ => Vec::new(),
    }
}

/// The clauses by which damaged dice void a round that has ended.
fn damaged(given: &Given, state: &State) -> Vec<&'static str> {
    let round = given.named("round").as_u64().unwrap_or(0);
    state.ended.get(&round).and_then(|ended| ended.rules).and_then(damage_clause).into_iter().collect()
}

/// The clause of damaged dice (table.md, Void reasons and their clauses).
const fn damage_clause(rules: Rules) -> Option<&'static str> {
    match rules {
        Rules::Nz1998 | Rules::NzDiv9 => None,
        Rules::SgV6 => Some("SGV6 5.6"),
        Rules::SgOpen => Some("SGOC 5.6"),
        Rules::SgOpenEarly => Some("SGOC-early 5.1.1"),
    }
}

/// What is decided by a command (schema/event.json, `Decision`).
fn decision(given: &Given, state: &State, scene: &Scene) -> &'static str {
    let reader = scene.config.given.reader && state.serves("reader");
    let is = |field: &str| given.named(field) == &Value::Bool(true);
    let round = state.round.as_ref();
    match given.command.as_str() {
        "void" if is("damaged_dice") => match round {
            None => "dice-damaged",
            Some(round) if round.rules.is_some_and(|rules| damage_clause(rules).is_some()) => "dice-damaged-void",
            Some(round) if round.established || round.revealed && round.valid_spin && !reader => {
                "dice-damaged-result-stands"
            }
            Some(_) => "dice-damaged",
        },
        "void" if is("not_flat") => "not-flat",
        "void" => "void",
        "amend" => "upheld",
        "confirm-dome" => "dome-open",
        "enrol-dice" => "dice-enrolled",
        "settle" if given.done => "dice-show",
        _ => "settled-by-dice",
    }
}

fn reason(given: &Given) -> Value {
    match given.command.as_str() {
        "amend" => json!("upheld against the dice reader"),
        _ => given.named("reason").clone(),
    }
}
