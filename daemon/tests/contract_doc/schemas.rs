//! The JSON Schemas in `docs/schema/`, generated from the types.

use super::{docs, same_as_file};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use tumbler_core::wire::topics::{
    EventMessage, FaultMessage, KeypadMessage, LampsMessage, ShortEventMessage, StateMessage, Status,
};

/// The messages, by the last word of their topics; a record in short form by `event-short`.
pub(crate) const MESSAGES: [&str; 7] = ["status", "state", "lamps", "fault", "event", "event-short", "keypad"];

/// The schema of a message as it is written. Draft 7, which AsyncAPI's own schemas are made of.
pub(crate) fn schema(message: &str) -> Value {
    match message {
        "status" => of::<Status>("Message on `status`"),
        "state" => of::<StateMessage>("Message on `state`"),
        "lamps" => of::<LampsMessage>("Message on `lamps`"),
        "fault" => of::<FaultMessage>("Message on `fault/<code>`"),
        "event" => of::<EventMessage>("Message on `event`"),
        "event-short" => of::<ShortEventMessage>("Message on `event` in short form"),
        "keypad" => of::<KeypadMessage>("Message on `keypad`"),
        other => panic!("no message is called {other}"),
    }
}

fn of<T: JsonSchema>(title: &str) -> Value {
    let generator = SchemaSettings::draft07().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    plain(&mut schema);
    schema["title"] = json!(title);
    schema
}

/// Descriptions come from the code's comments: on one line, and without its links.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "description" => {
                        *text =
                            text.replace("[`", "`").replace("`]", "`").split_whitespace().collect::<Vec<_>>().join(" ");
                    }
                    other => plain(other),
                }
            }
        }
        Value::Array(parts) => parts.iter_mut().for_each(plain),
        _ => {}
    }
}

#[test]
fn the_schemas_are_what_the_types_give() {
    for message in MESSAGES {
        let text = serde_json::to_string_pretty(&schema(message)).unwrap();
        same_as_file(&format!("schema/{message}.json"), &format!("{text}\n"));
    }
    let mut kept: Vec<String> = std::fs::read_dir(docs().join("schema"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    kept.sort();
    let mut expected = MESSAGES.map(|message| format!("{message}.json"));
    expected.sort();
    assert_eq!(kept, expected);
}

/// A schema that lets everything pass would check nothing.
#[test]
fn what_is_no_message_is_refused() {
    let refused = [
        ("status", json!({"v": 1, "status": "asleep", "boot": "b", "build": "0", "backend": "cdev"})),
        ("status", json!({"v": 2, "status": "online", "boot": "b", "build": "0", "backend": "cdev"})),
        ("keypad", json!({"v": 1, "key": {"digit": 7}})),
        ("keypad", json!({"v": 1, "key": "digit"})),
        ("fault", json!({"v": 1, "code": "tumbler"})),
        ("fault", json!({"v": 1, "code": "weather", "cause": "rain"})),
        ("lamps", json!({"v": 1, "commanded": [1], "sensed": [], "verified": true})),
    ];
    for (message, payload) in refused {
        let schema = jsonschema::draft7::new(&schema(message)).unwrap();
        assert!(!schema.is_valid(&payload), "{message}: {payload}");
    }
    let event = jsonschema::draft7::new(&schema("event")).unwrap();
    let settled = super::examples::events().into_iter().find(|(kind, _)| kind == "settled").unwrap();
    let good: Value = serde_json::to_value(settled.1).unwrap();
    assert!(event.is_valid(&good), "{good}");
    for (pointer, bad) in [
        ("/kind", json!("settle")),
        ("/data/dice/0", json!(7)),
        ("/data/dice", json!([1, 3])),
        ("/head", json!("9b")),
        ("/chain/previous", json!("9b")),
        ("/chain/format", json!(3)),
        ("/body", json!(null)),
    ] {
        let mut payload = good.clone();
        *payload.pointer_mut(pointer).unwrap() = bad;
        assert!(!event.is_valid(&payload), "{payload}");
    }
}
