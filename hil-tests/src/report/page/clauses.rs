//! What is proved of each clause of the rules, and of which clauses nothing is.

use super::CellOnPage;
use crate::report::coverage::{self, Proof};
use crate::report::results::Results;
use maud::{Markup, html};
use tumbler_spec::config::Rules;

/// The clauses of the five texts.
pub(super) fn section(results: &Results) -> Markup {
    html! {
        h2 id="clauses" { "Clauses of the rules" }
        p class="quiet" { "A cell proves a clause when it passes and is named in the list of clauses, or an expectation or a judge that had something to judge cites it. Tests that prove one run elsewhere, and are named." }
        @for (rules, proofs) in coverage::of(results) { (of_text(results, rules, &proofs)) }
    }
}

fn of_text(results: &Results, rules: Rules, proofs: &[Proof<'_>]) -> Markup {
    let (rules, text) = (rules.id(), rules.text());
    let testable = proofs.iter().filter(|p| p.clause.untestable.is_none()).count();
    let open: Vec<&Proof<'_>> = proofs.iter().filter(|p| p.is_open()).collect();
    html! {
        h3 { (rules) " (" (text) "): " (testable - open.len()) " of " (testable) " testable clauses proved" }
        @if !open.is_empty() {
            p { b { "Nothing proves " } @for (n, proof) in open.iter().enumerate() { @if n > 0 { ", " } (proof.id) " (" (proof.clause.about) ")" } "." }
        }
        details { summary { "All clauses of " (text) }
            div class="wide" tabindex="0" { table {
                thead { tr { th { "clause" } th { "what it asks for" } th { "passed" } th { "failed" } th { "such as" } } }
                tbody { @for proof in proofs {
                    tr {
                        td class="id" { (proof.id) } td { (proof.clause.about) }
                        @match &proof.clause.untestable {
                            Some(why) => td colspan="3" class="quiet" { "not testable: " (why) },
                            None => {
                                td { (proof.passed.len()) @if proof.is_open() { " " span class="v inv" { "none" } } }
                                td { (proof.failed.len()) }
                                td { @for place in proof.failed.iter().chain(&proof.passed).take(3) { @if let Some(s) = CellOnPage::at(results, *place) { (s.link()) " " } } @for test in &proof.clause.tests { (test) " " } }
                            }
                        }
                    }
                } }
            } }
        }
    }
}
