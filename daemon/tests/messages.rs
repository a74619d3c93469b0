//! The page for consumers shows messages as they are: every example is read into its type and written again.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends with the first thing that is wrong")]

use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeSet;
use tumbler_core::snapshot::Phase;
use tumbler_core::wire::topics::{EventMessage, FaultMessage, KeypadMessage, LampsMessage, StateMessage, Status};

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
            "status" => same::<Status>(example),
            "state" => same::<StateMessage>(example),
            "lamps" => same::<LampsMessage>(example),
            "fault" => same::<FaultMessage>(example),
            "keypad" => same::<KeypadMessage>(example),
            other => panic!("no message is called {other}"),
        }
        shown.insert(topic);
    }
    assert_eq!(shown.len(), 6, "{shown:?}");
}

#[test]
fn the_page_names_every_phase() {
    for phase in Phase::ALL {
        assert!(PAGE.contains(&format!("`{}`", phase.name())), "{}", phase.name());
    }
}
