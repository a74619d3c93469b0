//! Records and messages of a script: each record with its place in the chain, as `daemon/docs/mqtt.md` describes it for consumers.

use super::Script;
use crate::observation::Seen;
use crate::record::Record;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

impl Script {
    /// A record becomes durable, and is published.
    pub(crate) fn record(&mut self, kind: &str, data: Value) {
        let round = (self.round > 0).then_some(self.round);
        self.record_of(round, kind, data);
    }

    pub(crate) fn record_of(&mut self, round: Option<u64>, kind: &str, data: Value) {
        self.seq += 1;
        self.proved &= kind != "amended";
        let mut value = json!({"seq": self.seq, "at": self.now_ns, "kind": kind});
        if let Some(round) = round {
            value["round"] = round.into();
        }
        if !data.is_null() {
            value["data"] = data;
        }
        self.see(Seen::Record(Record::read(value.clone()).unwrap()));
        let body = value.to_string();
        if self.tell_mqtt {
            value["v"] = 1.into();
            for (field, said) in
                [("stream", "s"), ("boot", "b"), ("backend", "virtual"), ("wall_quality", "synchronised")]
            {
                value[field] = said.into();
            }
            value["wall"] = 0.into();
            self.chain(&mut value, body);
            self.see(Seen::Mqtt { topic: "taisai/lab/1/event".into(), payload: Some(value), retained: false });
        }
    }

    /// Gives an event its place in the chain.
    fn chain(&mut self, event: &mut Value, body: String) {
        let sum = |parts: &[&[u8]]| hex::encode(Sha256::digest(parts.concat()));
        let genesis = sum(&[b"tumblerd journal\ns\n1\n-\n"]);
        let previous = self.head.clone().unwrap_or_else(|| genesis.clone());
        let round = event.get("round").map_or_else(|| "-".to_owned(), Value::to_string);
        let kind = event["kind"].as_str().unwrap();
        let header =
            format!("tumblerd record 2\n{}\n{}\nb\n0\nsynchronised\n{round}\n{kind}\n", event["seq"], event["at"]);
        let body_hash = sum(&[body.as_bytes()]);
        let link = sum(&[&hex::decode(&previous).unwrap(), header.as_bytes(), &hex::decode(&body_hash).unwrap()]);
        event["head"] = link.clone().into();
        event["body"] = body.into();
        event["chain"] = json!({
            "format": 2, "genesis": genesis, "first": 1, "previous": previous, "header": header, "body_hash": body_hash, "link": link,
        });
        self.head = Some(link);
    }

    pub(crate) fn mqtt(&mut self, topic: &str, payload: Value) {
        let retained = !matches!(topic, "event" | "keypad");
        let payload = (!payload.is_null()).then_some(payload);
        self.see(Seen::Mqtt { topic: format!("taisai/lab/1/{topic}"), payload, retained });
    }
    pub(crate) fn say(&mut self, text: &str) {
        self.see(Seen::Answer { request: 0, refused: None, text: text.into() });
    }
    pub(crate) fn refuse(&mut self, text: &str) {
        self.see(Seen::Answer { request: 0, refused: Some("refused".into()), text: text.into() });
    }
}
