//! The page of examples: every kind of message and record, from the bytes that are pinned in `fixtures/wire`.

use super::same_as_file;
use super::schemas::{MESSAGES, schema};
use crate::chained::chained;
use crate::consumer::Consumer;
use serde_json::Value;
use std::fmt::Write;
use tumbler_core::record::Record;
use tumbler_core::wire::chain::Chain;
use tumbler_core::wire::topics::{EventMessage, VERSION};

const SMALL: &str = include_str!("../../../fixtures/wire/messages.jsonl");
const RECORDS: &str = include_str!("../../../fixtures/wire/records.jsonl");
const PAGE: &str = include_str!("../../docs/mqtt.md");

const HEAD: &str = "# Every message of a table, as it is sent

What the topics are and how to use them is in [mqtt.md](mqtt.md), with links to the schemas and the AsyncAPI document. This page is
generated from the types and the bytes pinned in `fixtures/wire` (`TUMBLERD_REWRITE=1 cargo test -p tumblerd --test programs contract_doc`); every
example is checked against its schema. The records on `event` are one chain, so that a consumer that verifies the chain can be tested with them.
";

/// Which message an example is, by what only that one has.
fn message(example: &Value) -> &'static str {
    let marks = [
        ("status", "status"),
        ("phase", "state"),
        ("short", "event-short"),
        ("commanded", "lamps"),
        ("code", "fault"),
        ("kind", "event"),
        ("key", "keypad"),
    ];
    marks.into_iter().find(|(mark, _)| example.get(mark).is_some()).expect("a message").1
}

/// Every kind of record as a message, with its name. One follows the other in a chain that is whole.
pub(crate) fn events() -> Vec<(String, EventMessage)> {
    let records = RECORDS.lines().map(|line| serde_json::from_str::<Record>(line).unwrap());
    let event = |record: Record| EventMessage {
        v: VERSION,
        stream: "6f1c0b2ad2c64b0f9b7a3f8e5d4c3b2a".into(),
        head: String::new(),
        wall: 1_795_231_445_000 + i64::try_from(record.at.0 / 1_000_000).unwrap(),
        wall_quality: "synchronised".into(),
        boot: "0d5f8a7e-3c1b-4a52-9a8e-0f4d1c2b3a49".into(),
        backend: "cdev".into(),
        record,
        chain: Chain::default(),
        body: String::new(),
    };
    let mut head = None;
    records
        .map(event)
        .map(|event| {
            let event = chained(event, head.as_deref());
            head = Some(event.head.clone());
            event
        })
        .map(|event| (serde_json::to_value(&event).unwrap()["kind"].as_str().unwrap().to_owned(), event))
        .collect()
}

/// Examples other than events: those of the page about topics, then the pinned ones.
fn others(of: &str) -> Vec<&'static str> {
    let blocks = PAGE.split("```json ").skip(1).filter_map(|block| block.split_once('\n'));
    let shown = blocks.map(|(_, rest)| rest.split("\n```").next().unwrap());
    let mut found: Vec<&str> = Vec::new();
    for example in shown.chain(SMALL.lines()) {
        if message(&serde_json::from_str(example).unwrap()) == of && !found.contains(&example) {
            found.push(example);
        }
    }
    found
}

/// What a kind of record means: the description of its branch of the schema.
fn meaning(schema: &Value, kind: &str) -> String {
    let branches = schema["oneOf"].as_array().expect("one branch a kind");
    let branch = branches.iter().find(|branch| branch["properties"]["kind"]["const"] == kind);
    branch.unwrap_or_else(|| panic!("no branch for {kind}"))["description"].as_str().unwrap().to_owned()
}

#[test]
fn the_page_of_examples_shows_every_message_and_fits_the_schemas() {
    let mut page = HEAD.to_owned();
    let mut consumer = Consumer::default();
    for topic in MESSAGES {
        let schema = schema(topic);
        let check = jsonschema::draft7::new(&schema).unwrap();
        let fits = |example: &str| {
            let payload = serde_json::from_str(example).unwrap();
            if let Err(error) = check.validate(&payload) {
                panic!("{topic}: {error} at {}: {example}", error.instance_path());
            }
        };
        let name = match topic {
            "fault" => "`fault/<code>`",
            "event-short" => "`event` in short form",
            _ => &format!("`{topic}`"),
        };
        write!(page, "\n## {name}\n\n{}\n", schema["description"].as_str().unwrap()).unwrap();
        if topic == "event" {
            for (kind, event) in events() {
                let example = serde_json::to_string(&event).unwrap();
                fits(&example);
                consumer.take(&example).unwrap();
                write!(page, "\n### `{kind}`\n\n{}\n\n```json\n{example}\n```\n", meaning(&schema, &kind)).unwrap();
            }
        } else if topic == "event-short" {
            let (_, event) = events().into_iter().max_by_key(|(_, event)| event.body.len()).unwrap();
            let example = serde_json::to_string(&event.short()).unwrap();
            fits(&example);
            Consumer::default().take(&example).unwrap();
            write!(page, "\n```json\n{example}\n```\n").unwrap();
        } else {
            let examples = others(topic);
            assert!(!examples.is_empty(), "{topic}");
            for example in examples {
                fits(example);
                write!(page, "\n```json\n{example}\n```\n").unwrap();
            }
        }
    }
    assert_eq!(consumer.proved, events().len(), "the page's records are a chain that a reader can reckon");
    same_as_file("mqtt-examples.md", &page);
}
