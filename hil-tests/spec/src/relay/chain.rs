//! The journal's hash chain, computed only from what is published, as the page for consumers describes it (`daemon/docs/mqtt.md`).

use hex::FromHex;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// How many links are remembered, to recognise a record that is published again.
const REMEMBERED: usize = 65_536;

type Hash = [u8; 32];

/// What a consumer knows of the chain.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    /// The published links, by genesis and number.
    links: BTreeMap<(Hash, u64), Hash>,
    /// How many links were proved, each by its header, the hash of its body and the link before it.
    pub(super) proved: u64,
    /// How many events came in short form, without their payload.
    pub(super) short: u64,
}

fn text<'a>(of: &'a Value, field: &str) -> Result<&'a str, String> {
    of.get(field).and_then(Value::as_str).ok_or_else(|| format!("`{field}` is no text"))
}

fn number(of: &Value, field: &str) -> Result<u64, String> {
    of.get(field).and_then(Value::as_u64).ok_or_else(|| format!("`{field}` is no whole number"))
}

fn hash(of: &Value, field: &str) -> Result<Hash, String> {
    let wrong = || format!("`{field}` is no SHA-256");
    let digits = text(of, field)?;
    if digits.bytes().any(|digit| digit.is_ascii_uppercase()) {
        return Err(wrong());
    }
    Hash::from_hex(digits).map_err(|_| wrong())
}

fn sum(parts: &[&[u8]]) -> Hash {
    let mut hasher = Sha256::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize().into()
}

impl Chain {
    /// Takes a message on `event`, whether new or published again.
    ///
    /// # Errors
    /// What is wrong with the message.
    pub(super) fn take(&mut self, message: &Value) -> Result<(), String> {
        let chain = message.get("chain").ok_or("it does not say its place in the chain")?;
        let seq = number(message, "seq")?;
        let genesis = genesis(message, chain)?;
        let previous = hash(chain, "previous")?;
        let published = hash(chain, "link")?;
        if hash(message, "head")? != published {
            return Err("`head` is not its link".into());
        }
        let short = message.get("short").is_some_and(|short| *short == true);
        let body = if short { None } else { Some(text(message, "body")?) };
        if link(chain, previous, body)? != published {
            return Err("its link is not that of its header, its body and the link before it".into());
        }
        agree(message, chain, body)?;
        self.short += u64::from(short);
        match self.links.get(&(genesis, seq)) {
            Some(link) if *link == published => return Ok(()),
            Some(_) => return Err("it was published before with another link".into()),
            None => {}
        }
        let before = if seq == number(chain, "first")? {
            Some(genesis)
        } else {
            seq.checked_sub(1).and_then(|before| self.links.get(&(genesis, before)).copied())
        };
        // If the record before it was not received, the rule about the order judges that.
        if let Some(before) = before {
            if before != previous {
                return Err("it does not follow the record that was published before it".into());
            }
            self.proved += 1;
        }
        self.links.insert((genesis, seq), published);
        if self.links.len() > REMEMBERED {
            // The lowest numbers of one journal: the table has long gone past them.
            self.links.pop_first();
        }
        Ok(())
    }
}

/// The journal's genesis, which follows from its stream, its first number and the link that it continues.
fn genesis(message: &Value, chain: &Value) -> Result<Hash, String> {
    let (stream, first) = (text(message, "stream")?, number(chain, "first")?);
    let after = if chain.get("after").is_some() { text(chain, "after")? } else { "-" };
    let reckoned = sum(&[format!("tumblerd journal\n{stream}\n{first}\n{after}\n").as_bytes()]);
    if hash(chain, "genesis")? == reckoned { Ok(reckoned) } else { Err("its genesis is another journal's".into()) }
}

/// The link that the contents of the message give.
fn link(chain: &Value, previous: Hash, body: Option<&str>) -> Result<Hash, String> {
    let header = text(chain, "header")?.as_bytes();
    let body_hash = hash(chain, "body_hash")?;
    if body.is_some_and(|body| sum(&[body.as_bytes()]) != body_hash) {
        return Err("its body has another hash".into());
    }
    match (number(chain, "format")?, body) {
        (2, _) => Ok(sum(&[&previous, header, &body_hash])),
        (1, Some(body)) => Ok(sum(&[&previous, header, body.as_bytes()])),
        (1, None) => hash(chain, "link"),
        (other, _) => Err(format!("there is no format {other}")),
    }
}

/// Checks that what the message says is what the chain covers. Its `at` was converted to the rig's clock; header and body have the
/// original.
fn agree(message: &Value, chain: &Value, body: Option<&str>) -> Result<(), String> {
    let header: Vec<&str> = text(chain, "header")?.split_terminator('\n').collect();
    let old = number(chain, "format")? == 1;
    let names = if old {
        ["seq", "at", "wall", "wall_quality", "boot", "round", "relayed", "kind"]
    } else {
        ["tumblerd record 2", "seq", "at", "boot", "wall", "wall_quality", "round", "kind"]
    };
    if header.len() != names.len() || (!old && header.first() != names.first()) {
        return Err("its header has another layout".into());
    }
    let mut at = "";
    for (name, said) in names.into_iter().zip(header) {
        let published = match (name, message.get(name)) {
            ("tumblerd record 2" | "relayed", _) => continue,
            ("at", _) => {
                at = said;
                continue;
            }
            (_, None | Some(Value::Null)) => "-".to_owned(),
            (_, Some(Value::String(text))) => text.clone(),
            (_, Some(other)) => other.to_string(),
        };
        if published != said {
            return Err(format!("its `{name}` is `{published}`, in the chain it is `{said}`"));
        }
    }
    let Some(body) = body else { return Ok(()) };
    let body: Value = serde_json::from_str(body).map_err(|e| format!("its body is no JSON: {e}"))?;
    if number(&body, "at")?.to_string() != at {
        return Err("its body is of another moment than its header".into());
    }
    // Records that version 0.1 wrote are published in today's vocabulary.
    let named: &[&str] = if old { &["seq", "round", "kind"] } else { &["seq", "round", "kind", "clauses", "data"] };
    match named.iter().find(|name| body.get(**name) != message.get(**name)) {
        Some(name) => Err(format!("its `{name}` is not that of its body")),
        None => Ok(()),
    }
}
