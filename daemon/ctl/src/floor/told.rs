//! The heads that one journal told: whether its records come once, come again, or are not what they were.

use serde::Deserialize;
use std::collections::VecDeque;
use tumbler_core::units::Seq;

/// Heads that are remembered of a journal. A table tells again only what its broker had not acknowledged, which is less.
const REMEMBERED: usize = 256;

/// One record's number and its head, of which half is enough to tell two apart.
type Head = (Seq, u128);

/// What counts of a record's place in the chain.
#[derive(Debug, Deserialize)]
pub(super) struct Place {
    /// The head before it, in hexadecimal.
    previous: String,
    /// What the journal's first record follows.
    genesis: String,
    /// The head that the journal goes on after.
    after: Option<String>,
}

/// The latest heads of one journal.
#[derive(Clone, Debug, Default)]
pub(super) struct Told(VecDeque<Head>);

/// What a record is, compared with those that its journal told before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// One that follows.
    New,
    /// One that came before, told again.
    Again,
    /// The journal is not the one that told the others; how that shows.
    Rewritten(String),
}

impl Told {
    /// Compares a record by its head (in hexadecimal) and its place, and remembers it if it is new.
    ///
    /// # Errors
    /// A head that is none.
    pub(super) fn take(&mut self, seq: Seq, head: &str, place: Option<&Place>) -> Result<Comparison, String> {
        let head = half(head)?;
        let (Some(oldest), Some(last)) = (self.0.front().copied(), self.0.back().copied()) else {
            self.0.push_back((seq, head));
            return Ok(Comparison::New);
        };
        let rewritten = |how: String| Ok(Comparison::Rewritten(how));
        if seq > last.0 {
            if let Some(place) = place {
                // The first record of another journal names the head that it goes on after. That may be one of which this floor was
                // not told, but only where numbers are left out.
                let begins = place.previous == place.genesis;
                let before = if begins { place.after.as_deref() } else { Some(place.previous.as_str()) };
                let before = before.map(half).transpose()?;
                let follows = if begins {
                    self.0.iter().any(|(_, known)| Some(*known) == before)
                } else {
                    before == Some(last.1)
                };
                if !follows && (seq == last.0.next() || before.is_none()) {
                    return rewritten(format!("record {} does not follow the record {} that it told", seq.0, last.0.0));
                }
            }
            if self.0.len() >= REMEMBERED {
                self.0.pop_front();
            }
            self.0.push_back((seq, head));
            return Ok(Comparison::New);
        }
        if seq < oldest.0 {
            return rewritten(format!("it went back from record {} to record {}", last.0.0, seq.0));
        }
        match self.0.iter().find(|(known, _)| *known == seq) {
            Some((_, known)) if *known != head => rewritten(format!("record {} came again and is another", seq.0)),
            // Not known: it was told while this floor was not connected.
            Some(_) | None => Ok(Comparison::Again),
        }
    }
}

fn half(head: &str) -> Result<u128, String> {
    let wrong = || format!("`{}` is no head", super::name::clean(head));
    if head.len() != 64 {
        return Err(wrong());
    }
    head.get(..32).and_then(|half| u128::from_str_radix(half, 16).ok()).ok_or_else(wrong)
}
