//! `tumblerctl layouts`: the layouts that the product knows.

use crate::ending::Ended;
use crate::say;
use serde::Serialize;
use tumbler_core::rules;

/// List the layouts, each with its rule set and the number of its areas
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl layouts --json")]
pub(crate) struct Arguments {}

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    rules: &'a str,
    areas: usize,
}

pub(crate) fn run(json: bool) -> anyhow::Result<Ended> {
    let rows: Vec<Row<'_>> =
        rules::layouts().map(|l| Row { id: &l.id, rules: &l.rules, areas: l.areas.len() }).collect();
    if json {
        say::json(&rows)?;
    } else {
        let cells = |row: &Row<'_>| [row.id.to_owned(), row.rules.to_owned(), row.areas.to_string()];
        let words = |row: &Row<'_>| format!("{}: {}, {} areas", row.id, row.rules, row.areas);
        say::table(["layout", "rules", "areas"], &rows, cells, words)?;
    }
    Ok(Ended::Done)
}
