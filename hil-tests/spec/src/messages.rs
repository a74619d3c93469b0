//! The messages (design.md, Relay): each fits the published schema of its topic, and has no other fields.

use crate::ledger::Ledger;
use crate::observation::{Observation, Seen};
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::Section;
use jsonschema::{Draft, Validator};
use serde_json::Value;
use std::sync::LazyLock;

pub(crate) const FITS: Rule = Rule::new("messages.fit", "design.md, Relay: a message fits the schema of its topic");

/// The last word of each topic, and the published schema of its messages. Events in short form have a schema, and a name, of their
/// own.
const PUBLISHED: [(&str, &str); 7] = [
    ("status", include_str!("../../../daemon/docs/schema/status.json")),
    ("state", include_str!("../../../daemon/docs/schema/state.json")),
    ("lamps", include_str!("../../../daemon/docs/schema/lamps.json")),
    ("fault", include_str!("../../../daemon/docs/schema/fault.json")),
    ("event", include_str!("../../../daemon/docs/schema/event.json")),
    ("event-short", include_str!("../../../daemon/docs/schema/event-short.json")),
    ("keypad", include_str!("../../../daemon/docs/schema/keypad.json")),
];

static SCHEMAS: LazyLock<Result<Vec<(&'static str, Validator)>, String>> = LazyLock::new(|| {
    let read = |(topic, text): (&'static str, &str)| {
        let mut schema: Value = serde_json::from_str(text).map_err(|e| format!("{topic}.json: {e}"))?;
        close(&mut schema);
        let built = jsonschema::options().with_draft(Draft::Draft201909).build(&schema);
        Ok((topic, built.map_err(|e| format!("{topic}.json: {e}"))?))
    };
    PUBLISHED.into_iter().map(read).collect()
});

/// Consumers ignore fields that they do not know, so the schemas allow them. A table that says more than is documented is at fault
/// all the same, so here every schema of a whole value forbids further fields.
fn close(schema: &mut Value) {
    let Some(keywords) = schema.as_object_mut() else { return };
    if keywords.remove("$schema").is_some() || keywords.contains_key("properties") {
        keywords.insert("unevaluatedProperties".into(), Value::Bool(false));
    }
    for map in ["properties", "definitions"] {
        if let Some(Value::Object(parts)) = keywords.get_mut(map) {
            parts.values_mut().for_each(close);
        }
    }
    if let Some(items) = keywords.get_mut("items") {
        close(items);
    }
    // A branch describes a part of the value that it belongs to. Only the values of its fields are whole.
    for branches in ["oneOf", "anyOf", "allOf"] {
        let Some(Value::Array(branches)) = keywords.get_mut(branches) else { continue };
        for branch in branches.iter_mut().filter_map(|branch| branch.get_mut("properties")?.as_object_mut()) {
            branch.values_mut().for_each(close);
        }
    }
}

/// Checks every message of the table against its schema.
#[derive(Clone, Debug, Default)]
pub(crate) struct Messages {}

impl Section for Messages {
    fn rules(&self) -> Vec<Rule> {
        vec![FITS]
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        let Seen::Mqtt { topic, payload, .. } = &seen.what else { return };
        let root = scene.config.given.topics.as_str();
        // The judge of the relay watches for topics that are not the table's, or that no table has.
        let Some(name) = topic.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')) else { return };
        let (word, code) = name.split_once('/').map_or((name, None), |(word, code)| (word, Some(code)));
        let short = payload.as_ref().and_then(|payload| payload.get("short")).is_some_and(|short| *short == true);
        let word = if word == "event" && short { "event-short" } else { word };
        let schemas = match &*SCHEMAS {
            Ok(schemas) => schemas,
            Err(why) => {
                return ledger.wrong(FITS, format!("a published schema cannot be read: {why}"));
            }
        };
        let Some((_, schema)) = schemas.iter().find(|(of, _)| *of == word) else { return };
        let wrong = match payload {
            // An empty message deletes a fault; nothing else is ever deleted.
            None => (word != "fault").then(|| "it is empty".to_owned()),
            Some(payload) => match schema.validate(payload) {
                Err(error) => Some(format!("{error} (at `{}`)", error.instance_path())),
                Ok(()) if code.is_some_and(|code| payload["code"] != code) => Some("it is of another code".to_owned()),
                Ok(()) => None,
            },
        };
        ledger.held(FITS);
        if let Some(why) = wrong {
            ledger.wrong(FITS, format!("a message on `{topic}` does not fit its schema: {why}"));
        }
    }
}
