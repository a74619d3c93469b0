//! What is proved of each clause of the rules, and of which clauses nothing is.

use super::{CellOnPage, VerdictKind};
use crate::citation::{self, Clause};
use maud::{Markup, html};
use std::collections::BTreeMap;
use tumbler_judges::config::Rules;

/// A clause of one text with the cells that cite it.
struct Proof<'a> {
    id: &'a str,
    clause: &'a Clause,
    passed: Vec<CellOnPage<'a>>,
    failed: Vec<CellOnPage<'a>>,
}

impl Proof<'_> {
    fn open(&self) -> bool {
        self.clause.untestable.is_none() && self.passed.is_empty() && self.clause.tests.is_empty()
    }
}

/// The clauses of the five texts.
pub(super) fn section(shown: &[CellOnPage<'_>]) -> Markup {
    let mut cited: BTreeMap<&str, (Vec<CellOnPage<'_>>, Vec<CellOnPage<'_>>)> = BTreeMap::new();
    for s in shown {
        for id in &s.cell.clauses {
            let (passed, failed) = cited.entry(id).or_default();
            match s.cell.verdict {
                VerdictKind::Pass => passed.push(*s),
                VerdictKind::Fail => failed.push(*s),
                // Not executed or invalid: says nothing about the clause.
                VerdictKind::Invalid | VerdictKind::NotExecuted => {}
            }
        }
    }
    html! {
        h2 id="clauses" { "Clauses of the rules" }
        p class="quiet" { "A cell proves a clause when it passes and is named in the list of clauses, or an expectation or a judge that had something to judge cites it. Tests that prove one run elsewhere, and are named." }
        @for (rules, text) in Rules::ALL.map(|rules| (rules.id(), rules.text())) {
            (of_text(rules, text, &cited))
        }
    }
}

fn of_text(rules: &str, text: &str, cited: &BTreeMap<&str, (Vec<CellOnPage<'_>>, Vec<CellOnPage<'_>>)>) -> Markup {
    let mut proofs: Vec<Proof<'_>> = Vec::new();
    for clause in citation::all() {
        for id in clause.within.iter().filter(|id| id.split(' ').next() == Some(text)) {
            let (passed, failed) = cited.get(id.as_str()).cloned().unwrap_or_default();
            proofs.push(Proof { id, clause, passed, failed });
        }
    }
    proofs.sort_by_key(|proof| order(proof.id));
    let testable = proofs.iter().filter(|p| p.clause.untestable.is_none()).count();
    let open: Vec<&Proof<'_>> = proofs.iter().filter(|p| p.open()).collect();
    html! {
        h3 { (rules) " (" (text) "): " (testable - open.len()) " of " (testable) " testable clauses proved" }
        @if !open.is_empty() {
            p { b { "Nothing proves " } @for (n, proof) in open.iter().enumerate() { @if n > 0 { ", " } (proof.id) " (" (proof.clause.about) ")" } "." }
        }
        details { summary { "All clauses of " (text) }
            div class="wide" tabindex="0" { table {
                thead { tr { th { "clause" } th { "what it asks for" } th { "passed" } th { "failed" } th { "such as" } } }
                tbody { @for proof in &proofs {
                    tr {
                        td class="id" { (proof.id) } td { (proof.clause.about) }
                        @match &proof.clause.untestable {
                            Some(why) => td colspan="3" class="quiet" { "not testable: " (why) },
                            None => {
                                td { (proof.passed.len()) @if proof.open() { " " span class="v inv" { "none" } } }
                                td { (proof.failed.len()) }
                                td { @for s in proof.failed.iter().chain(&proof.passed).take(3) { (s.link()) " " } @for test in &proof.clause.tests { (test) " " } }
                            }
                        }
                    }
                } }
            } }
        }
    }
}

/// A clause's place among the others: numbers by their value, so that 4.10 comes after 4.9.
fn order(id: &str) -> Vec<u32> {
    let number = id.split(' ').nth(1).unwrap_or_default();
    let parts = number.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().unwrap_or_else(|_| part.bytes().fold(0, |n, b| n * 256 + u32::from(b)))).collect()
}
