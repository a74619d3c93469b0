//! A consumer that trusts nobody: reckons the journal's chain from the messages on `event` alone, by the page about them.

use hex::FromHex;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// What it holds: the last link of each journal, and the numbers that it was told in short form.
#[derive(Default)]
pub(crate) struct Consumer {
    /// By genesis: the last record's number and link.
    heads: BTreeMap<String, (u64, String)>,
    pub(crate) proved: usize,
    pub(crate) short: Vec<u64>,
}

fn text<'a>(of: &'a Value, field: &str) -> Result<&'a str, String> {
    of[field].as_str().ok_or_else(|| format!("`{field}` is no text"))
}

fn number(of: &Value, field: &str) -> Result<u64, String> {
    of[field].as_u64().ok_or_else(|| format!("`{field}` is no number"))
}

fn bytes(digits: &str) -> Result<[u8; 32], String> {
    <[u8; 32]>::from_hex(digits).map_err(|_| format!("`{digits}` is no hash"))
}

fn hash(parts: &[&[u8]]) -> String {
    hex::encode(Sha256::digest(parts.concat()))
}

impl Consumer {
    /// Takes one message as it came from the broker.
    pub(crate) fn take(&mut self, payload: &str) -> Result<(), String> {
        let message: Value = serde_json::from_str(payload).map_err(|e| e.to_string())?;
        let (chain, seq) = (&message["chain"], number(&message, "seq")?);
        let format = number(chain, "format")?;
        let (header, previous, link) = (text(chain, "header")?, text(chain, "previous")?, text(chain, "link")?);
        let genesis = text(chain, "genesis")?;
        let (first, after) = (number(chain, "first")?, chain["after"].as_str().unwrap_or("-"));
        let stream = text(&message, "stream")?;
        if hash(&[format!("tumblerd journal\n{stream}\n{first}\n{after}\n").as_bytes()]) != genesis {
            return Err(format!("record {seq}: the genesis is another"));
        }
        let body = message["body"].as_str();
        if (message["short"] == true) == body.is_some() {
            return Err(format!("record {seq} is neither short nor whole"));
        }
        if body.is_some_and(|body| Some(hash(&[body.as_bytes()]).as_str()) != chain["body_hash"].as_str()) {
            return Err(format!("record {seq}: the body is another"));
        }
        let reckoned = match (format, body) {
            (2, _) => hash(&[&bytes(previous)?, header.as_bytes(), &bytes(text(chain, "body_hash")?)?]),
            (1, Some(body)) => hash(&[&bytes(previous)?, header.as_bytes(), body.as_bytes()]),
            // Of a record of 0.1 the body itself is in the chain; what follows it proves its link.
            _ => link.to_owned(),
        };
        if reckoned != link || message["head"] != *link {
            return Err(format!("record {seq}: the link is another"));
        }
        self.agree(&message, format, header)?;
        let place = match self.heads.get(genesis) {
            // Told again after a reconnect.
            Some((last, _)) if *last >= seq => None,
            Some((last, head)) if last + 1 == seq => Some(head.as_str()),
            Some((last, _)) => return Err(format!("record {seq} follows {last}")),
            None => (seq == first).then_some(genesis),
        };
        if place.is_some_and(|place| place != previous) {
            return Err(format!("record {seq} does not follow the one before it"));
        }
        self.proved += usize::from(place.is_some());
        if body.is_none() {
            self.short.push(seq);
        }
        let head = self.heads.entry(genesis.to_owned()).or_default();
        if seq > head.0 {
            *head = (seq, link.to_owned());
        }
        Ok(())
    }

    /// The fields of the message are those that the chain covers.
    fn agree(&self, message: &Value, format: u64, header: &str) -> Result<(), String> {
        let seq = number(message, "seq")?;
        let said = |field: &str| match &message[field] {
            Value::Null => "-".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let fields: Vec<&str> = header.split_terminator('\n').collect();
        let names = match format {
            1 => ["seq", "at", "wall", "wall_quality", "boot", "round", "", "kind"],
            _ => ["", "seq", "at", "boot", "wall", "wall_quality", "round", "kind"],
        };
        if fields.len() != names.len() || (format == 2 && fields[0] != "tumblerd record 2") {
            return Err(format!("record {seq}: the header has another layout"));
        }
        for (name, field) in names.into_iter().zip(fields).filter(|(name, _)| !name.is_empty()) {
            if said(name) != field {
                return Err(format!("record {seq}: `{name}` is {}, and {field} in the header", said(name)));
            }
        }
        let Some(body) = message["body"].as_str() else { return Ok(()) };
        let body: Value = serde_json::from_str(body).map_err(|e| e.to_string())?;
        for field in ["seq", "at", "round", "kind"] {
            if body[field] != message[field] {
                return Err(format!("record {seq}: `{field}` is not that of the body"));
            }
        }
        // What 0.1 wrote is told in today's words beside it.
        if format > 1 && (body["data"] != message["data"] || body["clauses"] != message["clauses"]) {
            return Err(format!("record {seq}: what it says is not what the body says"));
        }
        Ok(())
    }
}
