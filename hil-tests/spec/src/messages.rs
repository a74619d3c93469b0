//! The messages (design.md, Relay): each fits the published schema of its topic, and has no other fields.

use crate::judge::{Exercised, Findings, Judge};
use crate::observation::{Observation, Seen};
use crate::scene::Scene;
use jsonschema::{Draft, Validator};
use serde_json::Value;
use std::sync::LazyLock;

const NAME: &str = "messages";
pub(crate) const FITS: &str = "design.md, Relay: a message fits the schema of its topic";

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
pub(crate) struct Messages {
    checked: u64,
}

impl Judge for Messages {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings) {
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
                return findings.note(NAME, scene.now_ns, FITS, format!("a published schema cannot be read: {why}"));
            }
        };
        let Some((_, schema)) = schemas.iter().find(|(of, _)| *of == word) else { return };
        self.checked += 1;
        let wrong = match payload {
            // An empty message deletes a fault; nothing else is ever deleted.
            None => (word != "fault").then(|| "it is empty".to_owned()),
            Some(payload) => match schema.validate(payload) {
                Err(error) => Some(format!("{error} (at `{}`)", error.instance_path())),
                Ok(()) if code.is_some_and(|code| payload["code"] != code) => Some("it is of another code".to_owned()),
                Ok(()) => None,
            },
        };
        if let Some(why) = wrong {
            findings.note(NAME, scene.now_ns, FITS, format!("a message on `{topic}` does not fit its schema: {why}"));
        }
    }

    fn exercised(&self) -> Vec<Exercised> {
        vec![("messages held against their schemas", self.checked)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{EVERY, Script, broken};
    use serde_json::json;

    fn judge() -> Box<dyn Judge> {
        Box::<Messages>::default()
    }

    fn told(topic: &str, payload: Value) -> Script {
        let mut script = Script::off("nz-div9");
        script.mqtt(topic, payload);
        script
    }

    #[test]
    fn lawful_rounds_pass_under_every_rule_set() {
        for rules in EVERY {
            let mut script = Script::open(rules);
            script.round([1, 3, 6]);
            let seq = script.seq;
            let exercised = script.lawful(judge());
            assert!(exercised.iter().all(|(_, times)| *times >= seq), "{exercised:?}");
        }
    }

    #[test]
    fn what_is_published_passes_and_a_deleted_fault() {
        told("fault/dome", json!({"v": 1, "code": "dome", "cause": "both made"})).lawful(judge());
        told("fault/dome", Value::Null).lawful(judge());
        told("keypad", json!({"v": 1, "key": {"digit": 3}})).lawful(judge());
        told("lamps", json!({"v": 1, "commanded": ["big"], "sensed": [], "verified": false})).lawful(judge());
        // Another table's, and another program's: not ours to judge.
        let mut other = Script::off("nz-div9");
        other.see(Seen::Mqtt { topic: "taisai/lab/2/state".into(), payload: Some(json!({})), retained: true });
        other.lawful(judge());
    }

    #[test]
    fn what_does_not_fit_is_found() {
        for (topic, payload) in [
            ("state", json!({"v": 1})),
            ("state", Value::Null),
            ("fault/dome", json!({"v": 1, "code": "seal", "cause": "broken"})),
            ("fault/dome", json!("both made")),
            ("keypad", json!({"v": 1, "key": {"digit": 0}})),
            ("lamps", json!({"v": 2, "commanded": [], "sensed": [], "verified": false})),
        ] {
            broken(&told(topic, payload), judge(), FITS);
        }
    }

    /// More than is published may be what should be secret.
    #[test]
    fn a_field_that_is_not_published_is_found_wherever_it_is() {
        for (topic, payload) in [
            ("keypad", json!({"v": 1, "key": "some-key", "digit": 3})),
            ("keypad", json!({"v": 1, "key": {"digit": 3, "at": 7}})),
            ("lamps", json!({"v": 1, "commanded": [], "sensed": [], "verified": false, "next": ["big"]})),
        ] {
            broken(&told(topic, payload), judge(), FITS);
        }
        let mut script = Script::open("nz-div9");
        script.round([1, 3, 6]);
        for pointer in ["", "/data"] {
            let mut script = script.clone();
            let event = script.trace.0.iter_mut().rev().find_map(|seen| match &mut seen.what {
                Seen::Mqtt { payload: Some(payload), .. } if payload["kind"] == "settled" => Some(payload),
                _ => None,
            });
            event.unwrap().pointer_mut(pointer).unwrap()["faces"] = json!([1, 3, 6]);
            broken(&script, judge(), FITS);
        }
    }
}
