//! What is proved of each clause of the rules, and of which clauses nothing is.

use super::results::{Results, VerdictKind};
use crate::citation::{self, Clause};
use std::collections::BTreeMap;
use tumbler_spec::config::Rules;

/// A clause of one text with the cells that cite it, by the numbers of their run and of themselves in it.
#[derive(Debug)]
pub struct Proof<'a> {
    /// Such as `NZ9 7.1(a)`.
    pub id: &'a str,
    /// What it asks for.
    pub clause: &'a Clause,
    /// Cells that passed.
    pub passed: Vec<(usize, usize)>,
    /// Cells that failed.
    pub failed: Vec<(usize, usize)>,
}

impl Proof<'_> {
    /// Whether nothing proves it that could.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.clause.untestable.is_none() && self.passed.is_empty() && self.clause.tests.is_empty()
    }
}

/// The clauses of the five texts, in their order.
#[must_use]
pub fn of(results: &Results) -> Vec<(Rules, Vec<Proof<'static>>)> {
    let mut cited: BTreeMap<&str, (Vec<_>, Vec<_>)> = BTreeMap::new();
    for (place, _, cell) in results.cells() {
        for id in &cell.clauses {
            let (passed, failed) = cited.entry(id).or_default();
            match cell.verdict {
                VerdictKind::Pass => passed.push(place),
                VerdictKind::Fail => failed.push(place),
                // Not executed or invalid: says nothing about the clause.
                VerdictKind::Invalid | VerdictKind::NotExecuted => {}
            }
        }
    }
    let of_text = |rules: Rules| {
        let mut proofs = Vec::new();
        for clause in citation::all() {
            for id in clause.within.iter().filter(|id| id.split(' ').next() == Some(rules.text())) {
                let (passed, failed) = cited.get(id.as_str()).cloned().unwrap_or_default();
                proofs.push(Proof { id, clause, passed, failed });
            }
        }
        proofs.sort_by_key(|proof| order(proof.id));
        (rules, proofs)
    };
    Rules::ALL.map(of_text).into()
}

/// A clause's place among the others: numbers by their value, so that 4.10 comes after 4.9.
fn order(id: &str) -> Vec<u32> {
    let number = id.split(' ').nth(1).unwrap_or_default();
    let parts = number.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().unwrap_or_else(|_| part.bytes().fold(0, |n, b| n * 256 + u32::from(b)))).collect()
}
