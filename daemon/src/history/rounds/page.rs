//! A round on one page, as HTML and as text. The page loads nothing.

use super::story::Story;
use crate::pages::test_report::{Looks, whole};
use maud::{Markup, html};
use std::fmt::Write;

/// The page of a round.
#[must_use]
pub fn page(story: &Story) -> Markup {
    let body = html! {
        table { tbody { @for (name, fact) in &story.facts { tr { th scope="row" { (name) } td { (fact) } } } } }
        h2 { "Records" }
        table {
            thead { tr { th { "record" } th { "when" } th { "what" } th { "clauses" } } }
            tbody {
                @for line in &story.lines {
                    tr { td { (line.seq) } td { (line.wall) } td { (line.what) } td { (line.clauses) } }
                }
            }
        }
    };
    whole(&format!("Round {}", story.id.0), Looks::Within, &body)
}

/// The same as text.
#[must_use]
pub fn text(story: &Story) -> String {
    let mut text = format!("Round {}\n", story.id.0);
    for (name, fact) in &story.facts {
        let _ = writeln!(text, "  {name:<18} {fact}");
    }
    text.push_str("\nRecords\n");
    for line in &story.lines {
        let clauses = if line.clauses.is_empty() { String::new() } else { format!(" [{}]", line.clauses) };
        let _ = writeln!(text, "  {:>7} {} {}{clauses}", line.seq, line.wall, line.what);
    }
    text
}
