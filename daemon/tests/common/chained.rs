//! Messages as the journal tells them: each with its place in a chain that is whole.

use sha2::{Digest, Sha256};
use tumbler_core::units::Seq;
use tumbler_core::wire::chain::Chain;
use tumbler_core::wire::topics::EventMessage;

fn hash(parts: &[&[u8]]) -> String {
    hex::encode(Sha256::digest(parts.concat()))
}

/// Gives the message its place after the record with link `previous`, or at the beginning of its journal.
pub(crate) fn chained(mut message: EventMessage, previous: Option<&str>) -> EventMessage {
    let genesis = hash(&[format!("tumblerd journal\n{}\n1\n-\n", message.stream).as_bytes()]);
    let previous = previous.unwrap_or(&genesis).to_owned();
    let record = &message.record;
    let body = serde_json::to_string(record).unwrap();
    let kind = serde_json::from_str::<serde_json::Value>(&body).unwrap()["kind"].as_str().unwrap().to_owned();
    let round = record.round.map_or_else(|| "-".to_owned(), |round| round.0.to_string());
    let header = format!(
        "tumblerd record 2\n{}\n{}\n{}\n{}\n{}\n{round}\n{kind}\n",
        record.seq.0, record.at.0, message.boot, message.wall, message.wall_quality
    );
    let body_hash = hash(&[body.as_bytes()]);
    let link = hash(&[&hex::decode(&previous).unwrap(), header.as_bytes(), &hex::decode(&body_hash).unwrap()]);
    message.head.clone_from(&link);
    message.chain = Chain { format: 2, genesis, first: Seq(1), after: None, previous, header, body_hash, link };
    message.body = body;
    message
}
