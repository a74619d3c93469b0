//! What is published of the messages: every message that a consumer of these tests sees is held against it.

use jsonschema::Validator;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use tumbler_core::wire::topics::{
    EventMessage, FaultMessage, KeypadMessage, LampsMessage, ShortEventMessage, StateMessage, Status,
};

static SCHEMAS: LazyLock<BTreeMap<&str, Validator>> = LazyLock::new(|| {
    let schemas = [
        ("status", include_str!("../../docs/schema/status.json")),
        ("state", include_str!("../../docs/schema/state.json")),
        ("lamps", include_str!("../../docs/schema/lamps.json")),
        ("fault", include_str!("../../docs/schema/fault.json")),
        ("event", include_str!("../../docs/schema/event.json")),
        ("event-short", include_str!("../../docs/schema/event-short.json")),
        ("keypad", include_str!("../../docs/schema/keypad.json")),
    ];
    let read = |(message, schema)| (message, jsonschema::draft7::new(&serde_json::from_str(schema).unwrap()).unwrap());
    schemas.into_iter().map(read).collect()
});

/// What is wrong with this message, if anything is.
pub(crate) fn wrong(topic: &str, payload: &str) -> Option<String> {
    // taisai, site, table, and what it is.
    let message = topic.split('/').nth(3).unwrap_or_default();
    if message == "fault" && payload.is_empty() {
        return None;
    }
    let value: Value = match serde_json::from_str(payload) {
        Ok(value) => value,
        Err(error) => return Some(format!("{topic}: {error}: {payload}")),
    };
    let message = if message == "event" && value["short"] == true { "event-short" } else { message };
    let Some(schema) = SCHEMAS.get(message) else { return Some(format!("no message is published on {topic}")) };
    if let Err(error) = schema.validate(&value) {
        return Some(format!("{topic}: {error} at `{}`: {payload}", error.instance_path()));
    }
    // The schema lets further fields pass, as consumers shall; there are none.
    let again = match message {
        "status" => again::<Status>(payload),
        "state" => again::<StateMessage>(payload),
        "lamps" => again::<LampsMessage>(payload),
        "fault" => again::<FaultMessage>(payload),
        "event" => again::<EventMessage>(payload),
        "event-short" => again::<ShortEventMessage>(payload),
        _ => again::<KeypadMessage>(payload),
    };
    (again != payload).then(|| format!("{topic}: {payload} is more than {again}"))
}

fn again<T: Serialize + DeserializeOwned>(payload: &str) -> String {
    serde_json::from_str::<T>(payload)
        .map_or_else(|e| e.to_string(), |message| serde_json::to_string(&message).unwrap())
}

#[test]
fn a_message_that_does_not_fit_is_found() {
    for (topic, payload) in [
        ("lamps", r#"{"v":1,"commanded":[],"sensed":[]}"#),
        ("lamps", r#"{"v":1,"commanded":[],"sensed":[],"verified":true,"next":[]}"#),
        ("lamps", ""),
        ("state", "{"),
        ("news", r#"{"v":1}"#),
    ] {
        assert!(wrong(&format!("taisai/pit/t1/{topic}"), payload).is_some(), "{topic} {payload}");
    }
    assert_eq!(wrong("taisai/pit/t1/fault/seal", ""), None);
}
