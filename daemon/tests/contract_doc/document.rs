//! The AsyncAPI document is written by hand: its topics, codes, and examples are those of the code. Whether it is a lawful
//! document AsyncAPI's own parser says.

use super::schemas::{MESSAGES, schema};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeSet;
use tumbler_core::latch::Code;
use tumbler_core::wire::topics::{
    EventMessage, FaultMessage, KeypadMessage, LampsMessage, ShortEventMessage, StateMessage, Status, Topics,
};

const DOCUMENT: &str = include_str!("../../docs/asyncapi.yaml");

/// The values of a key, wherever it stands.
fn values(key: &str) -> impl Iterator<Item = &str> {
    DOCUMENT.lines().filter_map(move |line| line.trim().trim_start_matches("- ").strip_prefix(key)?.strip_prefix(": "))
}

#[test]
fn the_document_names_every_topic_and_no_other() {
    let topics = Topics::new("{site}", "{table}");
    let fault = topics.fault(Code::Dome).replace(Code::Dome.name(), "{code}");
    let expected =
        BTreeSet::from([topics.status(), topics.state(), topics.lamps(), fault, topics.event(), topics.keypad()]);
    assert_eq!(values("address").map(|v| v.trim_matches('\'').to_owned()).collect::<BTreeSet<_>>(), expected);
}

#[test]
fn the_document_names_every_schema_and_every_code() {
    let schemas: BTreeSet<String> =
        values("$ref").filter(|to| to.contains("schema/")).map(|to| to.trim_matches('\'').to_owned()).collect();
    assert_eq!(schemas, MESSAGES.map(|message| format!("./schema/{message}.json")).into());
    let codes = Code::ALL.map(Code::name).join(", ");
    assert!(DOCUMENT.contains(&format!("enum: [{codes}]")), "the document's codes are not {codes}");
}

fn same<T: Serialize + DeserializeOwned>(example: &str) {
    let message: T = serde_json::from_str(example).unwrap_or_else(|e| panic!("{e}: {example}"));
    assert_eq!(serde_json::to_string(&message).unwrap(), example);
}

#[test]
fn the_documents_examples_are_messages_byte_for_byte() {
    let mut of = "";
    let mut shown = BTreeSet::new();
    for line in DOCUMENT.lines().map(str::trim) {
        if let Some(schema) = line.strip_prefix("$ref: './schema/") {
            of = schema.trim_end_matches(".json'");
        }
        let Some(example) = line.strip_prefix("payload: {") else { continue };
        let example = format!("{{{example}");
        if let Err(error) =
            jsonschema::draft7::new(&schema(of)).unwrap().validate(&serde_json::from_str(&example).unwrap())
        {
            panic!("{of}: {error} at `{}`: {example}", error.instance_path());
        }
        match of {
            "status" => same::<Status>(&example),
            "state" => same::<StateMessage>(&example),
            "lamps" => same::<LampsMessage>(&example),
            "fault" => same::<FaultMessage>(&example),
            "event" => same::<EventMessage>(&example),
            "event-short" => same::<ShortEventMessage>(&example),
            "keypad" => same::<KeypadMessage>(&example),
            other => panic!("an example of `{other}`"),
        }
        shown.insert(of);
    }
    assert_eq!(shown, MESSAGES.into());
}
