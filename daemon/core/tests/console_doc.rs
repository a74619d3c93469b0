//! `daemon/docs/console.md` is checked against the code: which fields a command needs, and whether it needs the key.

use crate::world;

use serde_json::{Map, Value, json};
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::wire::console::{Answer, Command};
use world::{World, settings};

const DOC: &str = include_str!("../../docs/console.md");

/// A command as its row has it: name, needed fields, fields that may be left out, whether it needs the key.
struct Row {
    name: String,
    needed: Vec<String>,
    optional: Vec<String>,
    key: bool,
}

fn rows() -> Vec<Row> {
    let (_, table) = DOC.split_once("| command | with, besides `name` | key | |\n| --- | --- | --- | --- |\n").unwrap();
    table.lines().take_while(|line| line.starts_with('|')).map(row).collect()
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let name = cells[1].trim_matches('`').to_owned();
    let mut needed = if name == "record" { vec![] } else { vec!["name".to_owned()] };
    let mut optional = Vec::new();
    // Fields stand before the colon that says what they may be; what may be left out is in brackets.
    let named = cells[2].split(';').filter_map(|part| part.split(':').next());
    for part in named.flat_map(|part| part.split(',')).map(str::trim) {
        match (part.strip_prefix("(`").and_then(|p| p.strip_suffix("`)")), part.strip_prefix('`')) {
            (Some(field), _) => optional.push(field.to_owned()),
            (None, Some(field)) => needed.extend(field.strip_suffix('`').map(str::to_owned)),
            (None, None) => {}
        }
    }
    needed.retain(|field| sample(field).is_some());
    Row { name, needed, optional, key: cells[3].starts_with("yes") }
}

/// A right value of this field.
fn sample(field: &str) -> Option<Value> {
    Some(match field {
        "name" | "reason" => json!("Mei"),
        "dice" => json!([6, 1, 3]),
        "round" => json!(7),
        "right" | "on" | "uphold" | "damaged_dice" | "not_flat" => json!(true),
        "item" => json!("areas"),
        "test" => json!("motor"),
        "code" => json!("tumbler"),
        "exit" => json!({"procedure": "by hand"}),
        "finding" => json!("undisturbed"),
        _ => return None,
    })
}

fn command(name: &str, fields: &[&String]) -> Result<Command, serde_json::Error> {
    let with: Map<String, Value> = fields.iter().map(|field| ((*field).clone(), sample(field).unwrap())).collect();
    let asked = if with.is_empty() { json!({"command": name}) } else { json!({"command": name, "with": with}) };
    serde_json::from_value(asked)
}

#[test]
fn the_page_says_which_fields_a_command_needs() {
    let rows = rows();
    assert_eq!(rows.len(), 16);
    for row in &rows {
        let all: Vec<&String> = row.needed.iter().chain(&row.optional).collect();
        let taken = command(&row.name, &all).unwrap_or_else(|e| panic!("{}: {e}", row.name));
        // Each field is one of the command's own.
        let told = serde_json::to_value(&taken).unwrap();
        let own: Vec<&String> = told["with"].as_object().map(|with| with.keys().collect()).unwrap_or_default();
        assert!(all.iter().all(|field| own.contains(field)) && own.len() == all.len(), "{}: {own:?}", row.name);
        let needed: Vec<&String> = row.needed.iter().collect();
        assert!(command(&row.name, &needed).is_ok(), "{}: a field in brackets is needed", row.name);
        for left_out in &row.needed {
            let others: Vec<&String> = all.iter().copied().filter(|field| *field != left_out).collect();
            assert!(command(&row.name, &others).is_err(), "{}: {left_out} is not needed", row.name);
        }
    }
}

#[test]
fn the_page_lists_every_hardware_test() {
    let line = DOC.lines().find(|line| line.starts_with("| `hardware-test` | `test`: ")).unwrap();
    let listed = line.split('|').nth(2).unwrap().split_once(": ").unwrap().1.trim();
    let all: Vec<String> = HardwareTest::ALL.iter().map(|test| format!("`{test}`")).collect();
    assert_eq!(listed, all.join(", "));
}

#[test]
fn the_page_says_which_commands_need_the_key() {
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.pass(2000);
    for row in rows() {
        let all: Vec<&String> = row.needed.iter().chain(&row.optional).collect();
        let request = world.ask(command(&row.name, &all).unwrap());
        world.pass(500);
        let refused = matches!(world.reply(request), Some(Answer::Refused { why, .. }) if why.contains("key first"));
        assert_eq!(refused, row.key, "{}", row.name);
    }
}
