//! The page for consumers shows messages as they are: every example is read into its type and written again.

use crate::consumer;

use consumer::Consumer;
use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeSet;
use tumbler_core::snapshot::Phase;
use tumbler_core::wire::topics::{
    EventMessage, FaultMessage, KeypadMessage, LampsMessage, ShortEventMessage, StateMessage, Status,
};

const PAGE: &str = include_str!("../docs/mqtt.md");

/// The bytes on the page are those that the daemon writes.
fn same<T: Serialize + DeserializeOwned>(example: &str) {
    let message: T = serde_json::from_str(example).unwrap_or_else(|e| panic!("{e}: {example}"));
    assert_eq!(serde_json::to_string(&message).unwrap(), example);
}

#[test]
fn every_example_on_the_page_is_a_message_byte_for_byte() {
    let mut shown = BTreeSet::new();
    for block in PAGE.split("```json ").skip(1) {
        let (topic, rest) = block.split_once('\n').unwrap();
        let example = rest.split("\n```").next().unwrap();
        match topic {
            "event" => same::<EventMessage>(example),
            "event-short" => same::<ShortEventMessage>(example),
            "status" => same::<Status>(example),
            "state" => same::<StateMessage>(example),
            "lamps" => same::<LampsMessage>(example),
            "fault" => same::<FaultMessage>(example),
            "keypad" => same::<KeypadMessage>(example),
            other => panic!("no message is called {other}"),
        }
        shown.insert(topic);
    }
    assert_eq!(shown.len(), 7, "{shown:?}");
}

/// What is fenced so, from this text on.
fn block(fence: &str, from: &str) -> &'static str {
    let rest = PAGE.split_once(from).unwrap().1.split_once(&format!("```{fence}\n")).unwrap().1;
    rest.split("\n```").next().unwrap()
}

/// The page's way of computing the chain, by its own commands and by a consumer's program, gives what its messages say.
#[test]
fn the_chain_is_computed_as_the_page_says() {
    let (whole, short) = (block("json event", ""), block("json event-short", ""));
    let mut consumer = Consumer::default();
    consumer.take(whole).unwrap();
    consumer.take(short).unwrap();
    assert_eq!(consumer.short, [1207]);
    let event: EventMessage = serde_json::from_str(whole).unwrap();
    assert_eq!(serde_json::to_string(&event.short()).unwrap(), short);

    let commands = block("sh", "### Computing the chain");
    let computed = std::process::Command::new("sh").arg("-c").arg(commands).output().unwrap();
    assert!(computed.stderr.is_empty(), "{computed:?}");
    let computed = String::from_utf8(computed.stdout).unwrap();
    assert_eq!(computed.trim_end(), block("text", "### Computing the chain"));
    let said = [event.chain.genesis, event.chain.body_hash, event.chain.link];
    assert_eq!(computed.lines().collect::<Vec<_>>(), said);
}

#[test]
fn a_consumer_finds_every_changed_byte() {
    let whole = block("json event", "");
    let message: serde_json::Value = serde_json::from_str(whole).unwrap();
    for pointer in
        ["/chain/previous", "/chain/header", "/chain/body_hash", "/chain/link", "/chain/genesis", "/body", "/head"]
    {
        let text = message.pointer(pointer).unwrap().as_str().unwrap();
        for at in 0..text.len() {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] ^= 1;
            let mut changed = message.clone();
            *changed.pointer_mut(pointer).unwrap() = String::from_utf8(bytes).unwrap().into();
            assert!(Consumer::default().take(&changed.to_string()).is_err(), "byte {at} of {pointer}");
        }
    }
}

#[test]
fn the_page_names_every_phase() {
    for phase in Phase::ALL {
        assert!(PAGE.contains(&format!("`{}`", phase.name())), "{}", phase.name());
    }
}
