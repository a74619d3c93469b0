//! Secrecy of the faces (NZ 3.4(e)(iv), 7.1(c), SGV6 5.5.3; design.md, Secrecy of faces): before the reveal no face register is
//! read, and no face, total, area or key leaves the table. The faces of a round that was voided before its reveal are never read at
//! all.

use crate::areas::{Area, sorted, total};
use crate::ledger::Ledger;
use crate::observation::{BusKind, Key, Observation, Seen, Transaction, Truth};
use crate::record::{Fact, Record};
use crate::registers;
use crate::rule::Rule;
use crate::scene::{Round, Scene};
use crate::section::Section;
use serde_json::Value;

const FACES: Rule = Rule::new("secrecy.faces", "secrecy: no face register is read before the reveal");
const VOIDED: Rule = Rule::new("secrecy.void", "secrecy: faces of a round voided before its reveal are never read");
const LEAK: Rule = Rule::new("secrecy.leak", "secrecy: nothing tells the faces before the reveal");
const KEYS: Rule = Rule::new("secrecy.keys", "secrecy: no key is published before the reveal");
const SHOWN: Rule = Rule::new("secrecy.shown", "secrecy: no digit is shown before the reveal");

/// Watches that nobody learns the faces too early.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrecy {
    /// The last round ended before its reveal, and its dice still lie there.
    buried: bool,
    /// The last three digits that were pressed in this round before the reveal.
    pressed: [u8; 3],
}

impl Section for Secrecy {
    fn rules(&self) -> Vec<Rule> {
        vec![FACES, VOIDED, LEAK, KEYS, SHOWN]
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        if scene.began {
            self.buried = false;
            self.pressed = [0; 3];
        }
        if scene.ended {
            self.buried = scene.last.as_ref().is_some_and(|round| !round.could_see);
        }
        match &seen.what {
            Seen::Bus(bus) => self.bus(bus, scene, ledger),
            Seen::Truth(Truth::Pressed(Key::Digit(digit))) if secret(scene).is_some() => {
                let [_, second, third] = self.pressed;
                self.pressed = [second, third, *digit];
            }
            Seen::Truth(Truth::Shaft { .. }) if scene.round.is_none() => self.buried = false,
            Seen::Record(record) => {
                if let Some(round) = secret(scene) {
                    ledger.held(LEAK);
                    if let Some(what) = self.leak(record, round, scene) {
                        ledger.wrong(LEAK, what);
                    }
                }
            }
            Seen::Mqtt { topic, payload: Some(payload), .. } => {
                if let Some(round) = secret(scene) {
                    self.message(topic, payload, round, scene, ledger);
                }
            }
            Seen::Text { text, .. } | Seen::Answer { text, .. } if secret(scene).is_some() => {
                let leak = match serde_json::from_str::<Value>(text) {
                    Ok(value) if !value.is_number() => self.value(&value, scene),
                    _ => self.text(text, scene),
                };
                if let Some(leak) = leak {
                    ledger.wrong(LEAK, format!("people are told {leak}: {text}"));
                }
            }
            _ => {}
        }
    }
}

/// The round in progress, while its faces are secret. The opening tests show digits and areas of their own, also where a round waits for
/// its spin meanwhile.
fn secret(scene: &Scene) -> Option<&Round> {
    scene.round.as_ref().filter(|round| !round.could_see && !scene.testing())
}

impl Secrecy {
    fn bus(&mut self, bus: &Transaction, scene: &Scene, ledger: &mut Ledger) {
        if bus.unit == registers::READER && matches!(bus.kind, BusKind::ReadInput | BusKind::ReadHolding) {
            if !bus.touches(registers::FACES_FIRST, registers::FACES_LAST) {
                return;
            }
            ledger.held(FACES);
            if scene.round.as_ref().is_some_and(|round| !round.could_see) {
                ledger.wrong(FACES, format!("registers from {:#x} were read", bus.address));
            } else if scene.round.is_none() && self.buried {
                ledger.wrong(VOIDED, format!("registers from {:#x} were read", bus.address));
            }
        }
        if bus.unit == registers::TERMINAL && bus.kind == BusKind::WriteHolding && secret(scene).is_some() {
            let digit = |word: &u16| (0..3).any(|place| (1..=6).contains(&(word >> (4 * place) & 0xF)));
            if let Some(shown) = bus.word(registers::DISPLAY).filter(digit) {
                ledger.wrong(SHOWN, format!("the display was written {shown:#06x}"));
            }
        }
    }

    fn message(&self, topic: &str, payload: &Value, round: &Round, scene: &Scene, ledger: &mut Ledger) {
        let root = &scene.config.given.topics;
        let name = topic.strip_prefix(root.as_str()).unwrap_or(topic).trim_start_matches('/');
        let leak = match name {
            "event" => match Record::read(payload.clone()) {
                // The backlog of earlier rounds may arrive at any time.
                Ok(record) if record.round.is_some() && record.round != round.id => None,
                Ok(record) if scene.last.as_ref().is_some_and(|last| last.id.is_some()) && record.round.is_none() => {
                    self.leak(&record, round, scene).filter(|_| !matches!(record.fact, Fact::Keyframe(_)))
                }
                Ok(record) => self.leak(&record, round, scene),
                Err(_) => self.value(payload, scene),
            },
            "state" => {
                let of = payload.get("round").and_then(Value::as_u64);
                if of.is_some() && of == round.id { self.state(payload, scene) } else { None }
            }
            "keypad" => {
                // A key of the last round that is still under way is no leak.
                let late = scene.now_ns.saturating_sub(round.began_ns) < 1_000_000_000 && scene.last.is_some();
                match payload.get("key") {
                    Some(Value::Object(key)) if !late && key.contains_key("digit") => {
                        ledger.wrong(KEYS, format!("`{topic}` says {payload}"));
                    }
                    _ => {}
                }
                None
            }
            // A malfunction names the lamps that are wrong. That says nothing about the dice.
            "lamps" | "fault/lamps" => None,
            _ => self.value(payload, scene),
        };
        if let Some(leak) = leak {
            ledger.wrong(LEAK, format!("`{topic}` says {leak}"));
        }
    }

    /// What a state message of this round reveals.
    fn state(&self, state: &Value, scene: &Scene) -> Option<String> {
        if state.get("result").is_some_and(|result| !result.is_null()) {
            return Some("a result".into());
        }
        if state.get("lit").and_then(Value::as_array).is_some_and(|lit| !lit.is_empty()) {
            return Some("areas lit".into());
        }
        let shown = state.get("display").and_then(Value::as_str).unwrap_or_default();
        if shown.bytes().any(|b| (b'1'..=b'6').contains(&b))
            && scene.now_ns > scene.round.as_ref()?.began_ns + 1_000_000_000
        {
            return Some(format!("display `{shown}`"));
        }
        None
    }

    /// What a record reveals.
    fn leak(&self, record: &Record, round: &Round, scene: &Scene) -> Option<String> {
        match &record.fact {
            Fact::Result { .. } | Fact::FacesRead | Fact::EntryDiffers | Fact::Amended { .. } => {
                Some(format!("record {} is `{}`", record.seq, record.kind))
            }
            Fact::Keyframe(keyframe) => {
                keyframe.round.as_ref().and_then(|inner| inner.result).map(|_| "a keyframe holds a result".to_owned())
            }
            // How a round ends is judged elsewhere, and records of other rounds are no longer secret.
            Fact::Settled { .. } => None,
            _ if record.round.is_some() && record.round != round.id => None,
            Fact::DiceEnrolled { .. } | Fact::RoundBegan { .. } | Fact::Started { .. } => None,
            _ => self.value(&record.data, scene).map(|leak| format!("record {}: {leak}", record.seq)),
        }
    }

    /// Faces, totals, areas or keys in any text or list within this value.
    fn value(&self, value: &Value, scene: &Scene) -> Option<String> {
        match value {
            Value::String(text) => self.text(text, scene),
            Value::Array(items) => {
                let numbers: Vec<u8> =
                    items.iter().filter_map(Value::as_u64).filter_map(|n| u8::try_from(n).ok()).collect();
                if numbers.len() == items.len() {
                    if let &[a, b, c] = numbers.as_slice() {
                        return self.same([a, b, c], scene);
                    }
                }
                items.iter().find_map(|item| self.value(item, scene))
            }
            Value::Object(fields) if past(fields, scene) => None,
            Value::Object(fields) => fields.iter().find_map(|(name, field)| match name.as_str() {
                "faces" | "total" | "areas" if !field.is_null() => Some(format!("`{name}`: {field}")),
                // Endings of earlier rounds, and identities of dice.
                "recent" | "enrolled" => None,
                _ => self.value(field, scene),
            }),
            _ => None,
        }
    }

    fn same(&self, numbers: [u8; 3], scene: &Scene) -> Option<String> {
        let [a, b, c] = numbers;
        let is_true = scene.dice.is_some_and(|(faces, _)| sorted(faces) == sorted(numbers));
        if is_true {
            Some(format!("the faces {a}, {b}, {c}"))
        } else if sorted(self.pressed) == sorted(numbers) && !self.pressed.contains(&0) {
            Some(format!("the keys {a}, {b}, {c}"))
        } else {
            None
        }
    }

    fn text(&self, text: &str, scene: &Scene) -> Option<String> {
        // Three faces in a row, such as `1, 3, 6`, `1-3-6` or `136`.
        let mut run: [u8; 3] = [0; 3];
        let mut previous = "";
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').filter(|w| !w.is_empty()) {
            // A malfunction names the lamps that are wrong. That says nothing about the dice.
            if area(word) && !scene.is_latched("lamps") {
                return Some(format!("the area `{word}`"));
            }
            let faces: Option<Vec<u8>> =
                word.split('-').map(|n| n.parse().ok().filter(|face| (1..=6).contains(face))).collect();
            match faces.as_deref() {
                Some(&[face]) => {
                    if matches!(previous, "digit" | "key" | "face") {
                        return Some(format!("`{previous} {face}`"));
                    }
                    let [_, second, third] = run;
                    run = [second, third, face];
                    if !run.contains(&0) {
                        if let Some(same) = self.same(run, scene) {
                            return Some(same);
                        }
                    }
                }
                Some(&[a, b, c]) => {
                    if let Some(same) = self.same([a, b, c], scene) {
                        return Some(same);
                    }
                }
                _ => {
                    run = [0; 3];
                    if previous == "total" && word.parse() == Ok(scene.dice.map_or(0, |(faces, _)| total(faces))) {
                        return Some(format!("`total {word}`"));
                    }
                }
            }
            previous = word;
        }
        None
    }
}

/// Whether this is about another round than the one in progress, as lists of earlier records and rounds are.
fn past(fields: &serde_json::Map<String, Value>, scene: &Scene) -> bool {
    let of = fields.get("round").and_then(Value::as_u64);
    of.is_some() && scene.round.as_ref().is_some_and(|round| round.id != of)
}

/// Whether this is the id of an area that reveals faces.
fn area(word: &str) -> bool {
    word.contains('-') && word.parse::<Area>().is_ok_and(|area| area != Area::AnyTriple)
}
