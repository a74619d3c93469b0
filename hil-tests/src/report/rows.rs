//! Cells, clauses and latencies as rows: CSV for spreadsheets, and the same as JSON for programs.

use super::coverage::{self, Proof};
use super::results::{Results, VerdictKind};
use anyhow::Context;
use serde::Serialize;
use std::path::Path;

/// A cell: of the matrix, or a scenario under a layout.
#[derive(Debug, Serialize)]
struct CellRow<'a> {
    bench: &'a str,
    cell: &'a str,
    fault: &'a str,
    phase: &'a str,
    scenario: &'a str,
    variant: &'a str,
    rules: &'a str,
    layout: &'a str,
    verdict: VerdictKind,
    reason: String,
    seed: u64,
    table_ms: f64,
    took_ms: u64,
}

/// A clause of a rule text, and how many cells prove it.
#[derive(Debug, Serialize)]
struct ClauseRow<'a> {
    rules: &'a str,
    clause: &'a str,
    about: &'a str,
    proved: bool,
    passed: usize,
    failed: usize,
    tests: String,
    untestable: &'a str,
}

/// How long the table took once, where it had a time limit.
#[derive(Debug, Serialize)]
struct LatencyRow<'a> {
    bench: &'a str,
    cell: &'a str,
    what: &'a str,
    took_ms: f64,
    limit_ms: f64,
    /// Whether it came within the limit. What never came has the limit as its time.
    in_time: bool,
}

fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

/// Writes `cells`, `clauses` and `latencies`, each as `.csv` and `.json`, into the directory.
///
/// # Errors
/// A file cannot be written.
pub fn write(results: &Results, directory: &Path) -> anyhow::Result<()> {
    let all = || results.cells().map(|(_, run, cell)| (run.bench.as_str(), cell));
    let cells = all().map(|(bench, cell)| CellRow {
        bench,
        cell: &cell.name,
        fault: &cell.identity.fault,
        phase: &cell.identity.phase,
        scenario: &cell.identity.scenario,
        variant: &cell.identity.variant,
        rules: &cell.identity.rules,
        layout: &cell.identity.layout,
        verdict: cell.verdict,
        reason: cell.reasons.iter().filter_map(|reason| reason.lines().next()).collect::<Vec<_>>().join("; "),
        seed: cell.seed,
        table_ms: millis(cell.table_ns),
        took_ms: cell.took_ms,
    });
    file(directory, "cells", &cells.collect::<Vec<_>>())?;
    let proofs = coverage::of(results);
    let clauses = proofs.iter().flat_map(|(rules, proofs)| proofs.iter().map(move |proof| (rules.id(), proof)));
    let clauses = clauses.map(|(rules, proof)| {
        let Proof { id, clause, passed, failed } = proof;
        ClauseRow {
            rules,
            clause: id,
            about: &clause.about,
            proved: clause.untestable.is_none() && !proof.is_open(),
            passed: passed.len(),
            failed: failed.len(),
            tests: clause.tests.join("; "),
            untestable: clause.untestable.as_deref().unwrap_or_default(),
        }
    });
    file(directory, "clauses", &clauses.collect::<Vec<_>>())?;
    let latencies = all().flat_map(|(bench, cell)| {
        cell.latencies.iter().map(move |latency| LatencyRow {
            bench,
            cell: &cell.name,
            what: &latency.what,
            took_ms: millis(latency.took_ns),
            limit_ms: millis(latency.limit_ns),
            in_time: latency.took_ns < latency.limit_ns,
        })
    });
    file(directory, "latencies", &latencies.collect::<Vec<_>>())
}

/// The rows as NAME.csv and NAME.json.
fn file(directory: &Path, name: &str, rows: &[impl Serialize]) -> anyhow::Result<()> {
    let (csv, json) = (directory.join(format!("{name}.csv")), directory.join(format!("{name}.json")));
    let comma_separated = || {
        let mut writer = csv::Writer::from_path(&csv)?;
        rows.iter().try_for_each(|row| writer.serialize(row))?;
        anyhow::Ok(writer.flush()?)
    };
    comma_separated().with_context(|| format!("write {}", csv.display()))?;
    let text = serde_json::to_string_pretty(rows)?;
    std::fs::write(&json, text).with_context(|| format!("write {}", json.display()))
}

#[cfg(test)]
mod tests {
    use super::super::results::Cell;
    use super::super::tests::{cell, results};
    use super::*;
    use crate::scenario::Verdict;
    use crate::scenario::timeline::Latency;

    #[test]
    fn spreadsheets_and_programs_read_the_same_rows() {
        let mut cells = [
            cell("a, \"b\"::nz-div9", Verdict::Pass, false),
            cell("c::nz-div9", Verdict::Fail(vec!["no".into()]), false),
        ];
        cells[0].latencies = vec![Latency { what: "sign on".into(), took_ns: 12_500_000, limit_ns: 500_000_000 }];
        let results = results(10, cells.iter().map(Cell::of).collect());
        let place = tempfile::tempdir().unwrap();
        write(&results, place.path()).unwrap();
        let read = |name: &str| {
            let mut reader = csv::Reader::from_path(place.path().join(format!("{name}.csv"))).unwrap();
            let columns: Vec<String> = reader.headers().unwrap().iter().map(Into::into).collect();
            let rows: Vec<Vec<String>> =
                reader.records().map(|row| row.unwrap().iter().map(Into::into).collect()).collect();
            let json = std::fs::read_to_string(place.path().join(format!("{name}.json"))).unwrap();
            let json: Vec<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(&json).unwrap();
            assert_eq!(json.len(), rows.len(), "{name}");
            for (row, object) in rows.iter().zip(&json) {
                for (column, value) in columns.iter().zip(row) {
                    let said = object.get(column).unwrap();
                    assert_eq!(said.as_str().map_or_else(|| said.to_string(), Into::into), *value, "{name} {column}");
                }
            }
            (columns, rows)
        };
        let (columns, cells) = read("cells");
        assert_eq!((columns.len(), cells.len()), (13, 2));
        assert_eq!((cells[0][1].as_str(), cells[0][8].as_str()), ("a, \"b\"::nz-div9", "PASS"));
        assert_eq!((cells[1][8].as_str(), cells[1][9].as_str()), ("FAIL", "no"));
        assert_eq!(read("latencies").1, [["pure", "a, \"b\"::nz-div9", "sign on", "12.5", "500.0", "true"]]);
        let (_, clauses) = read("clauses");
        let proof = clauses.iter().find(|row| row[1] == "NZ9 6.3").unwrap();
        assert_eq!(
            (proof[0].as_str(), proof[3].as_str(), proof[4].as_str(), proof[5].as_str()),
            ("nz-div9", "true", "1", "1")
        );
    }
}
