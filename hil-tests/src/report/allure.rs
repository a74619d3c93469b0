//! Results as Allure reads them: a file a cell in `allure-results/`, with its evidence beside it. FAIL is `failed`, INVALID `broken`.
//! The format: allurereport.org/docs/how-it-works-test-result-file.

use super::evidence::Evidence;
use super::page;
use super::results::{Cell, Results, Run, VerdictKind};
use anyhow::Context;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// What an address takes only encoded (RFC 3986, 2.3).
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The directory's name within that of the results.
const DIRECTORY: &str = "allure-results";

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TestResult<'a> {
    uuid: String,
    /// The same for this cell on this bench in every run: what history and trends go by.
    history_id: String,
    /// The same for this cell on every bench.
    test_case_id: String,
    name: &'a str,
    full_name: String,
    title_path: Vec<&'a str>,
    description: String,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_details: Option<StatusDetails>,
    stage: &'static str,
    /// Milliseconds since 1970.
    start: u64,
    stop: u64,
    labels: Vec<Named<'a>>,
    links: Vec<Link>,
    parameters: Vec<Named<'a>>,
    attachments: Vec<Attached>,
}

#[derive(Debug, Serialize)]
struct StatusDetails {
    message: String,
    trace: String,
}

/// A label, or a parameter that tells one cell from another.
#[derive(Debug, Serialize)]
struct Named<'a> {
    name: &'static str,
    value: &'a str,
}

#[derive(Debug, Serialize)]
struct Link {
    r#type: &'static str,
    name: String,
    url: String,
}

#[derive(Debug, Serialize)]
struct Attached {
    name: &'static str,
    source: String,
    r#type: &'static str,
}

/// A group of results that did not pass.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Category {
    name: &'static str,
    matched_statuses: [&'static str; 1],
}

const CATEGORIES: [Category; 3] = [
    Category { name: "FAIL: the table did something else than the rules say", matched_statuses: ["failed"] },
    Category { name: "INVALID: the rig or its machine was at fault", matched_statuses: ["broken"] },
    Category { name: "NOT_EXECUTED: this bench did not try it", matched_statuses: ["skipped"] },
];

/// Writes `allure-results` into the directory of the results. What another run left there goes. `requirements` is an address where `{}`
/// stands for a clause.
///
/// # Errors
/// A file cannot be written, copied or removed.
pub fn write(
    results: &Results,
    evidence: &Evidence,
    requirements: Option<&str>,
    directory: &Path,
) -> anyhow::Result<()> {
    let place = directory.join(DIRECTORY);
    if place.exists() {
        fs::remove_dir_all(&place).with_context(|| format!("remove {}", place.display()))?;
    }
    fs::create_dir(&place).with_context(|| format!("make {}", place.display()))?;
    let keep = |name: &str, text: &str| {
        let file = place.join(name);
        fs::write(&file, text).with_context(|| format!("write {}", file.display()))
    };
    for (number, run, cell) in results.cells() {
        let mut result = test_result(run, cell, requirements);
        for file in evidence.of(number) {
            let ending = file.path.extension().unwrap_or_default().to_string_lossy();
            let source = format!("{}-{}-attachment.{ending}", result.uuid, file.name);
            let from = directory.join(&file.path);
            fs::copy(&from, place.join(&source)).with_context(|| format!("copy {}", from.display()))?;
            result.attachments.push(Attached { name: file.name, source, r#type: file.kind });
        }
        keep(&format!("{}-result.json", result.uuid), &serde_json::to_string(&result)?)?;
    }
    keep("categories.json", &serde_json::to_string(&CATEGORIES)?)?;
    keep("environment.properties", &environment(results))
}

fn test_result<'a>(run: &'a Run, cell: &'a Cell, requirements: Option<&str>) -> TestResult<'a> {
    let at = &cell.identity;
    let kind = if at.fault.is_empty() { "scenarios" } else { "faults" };
    let why = cell.reasons.join("\n");
    let first = why.lines().next().unwrap_or_default().to_owned();
    let begun = run.begun.saturating_mul(1000);
    let mut labels = vec![
        Named { name: "parentSuite", value: &run.bench },
        Named { name: "suite", value: at.subject() },
        Named { name: "subSuite", value: &at.rules },
        Named { name: "epic", value: kind },
        Named { name: "feature", value: at.subject().split('.').next().unwrap_or_default() },
        Named { name: "story", value: at.subject() },
        Named { name: "host", value: &run.host },
        Named { name: "framework", value: "tumbler-hil" },
    ];
    labels.extend(cell.clauses.iter().map(|clause| Named { name: "tag", value: clause }));
    let parameters =
        [("bench", run.bench.as_str()), ("layout", &at.layout), ("phase", &at.phase), ("variant", &at.variant)];
    TestResult {
        uuid: uuid(&[&run.host, &run.begun.to_string(), &run.bench, &run.file, &cell.name]),
        history_id: digest(&[&run.bench, &cell.name]),
        test_case_id: digest(&[&cell.name]),
        name: &cell.name,
        full_name: format!("{}/{}", run.bench, cell.name),
        title_path: vec![&run.bench, kind, at.subject()],
        description: description(run, cell),
        status: match cell.verdict {
            VerdictKind::Pass => "passed",
            VerdictKind::Fail => "failed",
            VerdictKind::Invalid => "broken",
            VerdictKind::NotExecuted => "skipped",
        },
        status_details: (cell.verdict != VerdictKind::Pass).then_some(StatusDetails { message: first, trace: why }),
        stage: "finished",
        start: begun,
        stop: begun.saturating_add(cell.took_ms),
        labels,
        links: requirements
            .map_or_else(Vec::new, |address| cell.clauses.iter().map(|clause| link(address, clause)).collect()),
        parameters: parameters
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| Named { name, value })
            .collect(),
        attachments: Vec::new(),
    }
}

fn link(address: &str, clause: &str) -> Link {
    let url = address.replace("{}", &utf8_percent_encode(clause, &RESERVED).to_string());
    Link { r#type: "requirement", name: clause.to_owned(), url }
}

/// What it shows, the command that plays it again, what was left out, and the steps: as Markdown.
fn description(run: &Run, cell: &Cell) -> String {
    let mut text = format!("{}\n\n```\n{}\n```\n", cell.about, page::replay(run, cell));
    for note in &cell.notes {
        let _ = writeln!(text, "\nLeft out: {note}");
    }
    for (number, step) in (1..).zip(&cell.steps) {
        let _ = write!(text, "\n{number}. `{step}`");
    }
    text
}

/// What was tested, as Java properties; of several runs each has its number.
fn environment(results: &Results) -> String {
    let mut text = String::new();
    for (number, run) in (1..).zip(&results.runs) {
        let of = if results.runs.len() > 1 { format!("{number}.{}.", run.bench) } else { String::new() };
        for (program, build) in run.builds() {
            let _ = writeln!(text, "{of}{program} = {} {}", build.version, build.sha256);
        }
        for (name, value) in [("bench", &run.bench), ("host", &run.host), ("seed", &run.salt.to_string())] {
            let _ = writeln!(text, "{of}{name} = {value}");
        }
    }
    text
}

/// A short digest of these words.
fn digest(words: &[&str]) -> String {
    hex::encode(hash(words))
}

/// An id of the form that Allure wants, the same for the same words.
fn uuid(words: &[&str]) -> String {
    uuid::Builder::from_random_bytes(hash(words)).into_uuid().to_string()
}

fn hash(words: &[&str]) -> [u8; 16] {
    let mut short = [0; 16];
    short.iter_mut().zip(Sha256::digest(words.join("\n"))).for_each(|(to, from)| *to = from);
    short
}

#[cfg(test)]
mod tests {
    use super::super::tests::{cell, results};
    use super::*;
    use crate::scenario::Verdict;
    use std::collections::BTreeSet;

    fn of(begun: u64) -> Results {
        let cells = [
            cell("healthy::nz-1998", Verdict::Pass, false),
            cell("stall::nz-1998", Verdict::Fail(vec!["late".into(), "dark".into()]), false),
            cell("late::nz-1998", Verdict::Invalid("the rig was late".into()), false),
            cell("power::nz-1998", Verdict::NotExecuted("no other boot id".into()), true),
        ];
        results(begun, cells.iter().map(Cell::of).collect())
    }

    fn written(results: &Results, place: &Path) -> Vec<serde_json::Value> {
        let evidence = Evidence::write(results, place).unwrap();
        write(results, &evidence, None, place).unwrap();
        let files = fs::read_dir(place.join(DIRECTORY)).unwrap().map(|entry| entry.unwrap().path());
        let ours = files.filter(|file| file.to_string_lossy().ends_with("-result.json"));
        let mut found: Vec<serde_json::Value> =
            ours.map(|file| serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()).collect();
        found.sort_by_key(|result| result["name"].to_string());
        found
    }

    #[test]
    fn each_cell_has_its_status_and_what_did_not_pass_its_evidence() {
        let place = tempfile::tempdir().unwrap();
        let found = written(&of(10), place.path());
        let statuses: Vec<_> =
            found.iter().map(|r| (r["name"].as_str().unwrap(), r["status"].as_str().unwrap())).collect();
        let expected = [
            ("healthy::nz-1998", "passed"),
            ("late::nz-1998", "broken"),
            ("power::nz-1998", "skipped"),
            ("stall::nz-1998", "failed"),
        ];
        assert_eq!(statuses, expected);
        assert_eq!(found[3]["statusDetails"]["trace"], "late\ndark");
        assert_eq!((&found[3]["start"], &found[3]["stop"]), (&10_000.into(), &11_500.into()));
        assert!(found[3]["labels"].as_array().unwrap().iter().any(|l| l["name"] == "tag" && l["value"] == "NZ98 6.3"));
        for (result, files) in found.iter().zip([0, 2, 0, 2]) {
            let attached = result["attachments"].as_array().unwrap();
            assert_eq!(attached.len(), files, "{result}");
            for file in attached {
                let text =
                    fs::read_to_string(place.path().join(DIRECTORY).join(file["source"].as_str().unwrap())).unwrap();
                assert!(!text.is_empty());
            }
        }
    }

    #[test]
    fn a_cell_is_the_same_in_each_run_and_each_run_of_it_another() {
        let place = tempfile::tempdir().unwrap();
        let (first, second) = (written(&of(10), place.path()), written(&of(20), place.path()));
        assert_eq!(second.len(), 4, "nothing is left of the run before");
        let ids = |key: &str| first.iter().chain(&second).map(|r| r[key].to_string()).collect::<BTreeSet<_>>().len();
        assert_eq!((ids("historyId"), ids("testCaseId"), ids("uuid")), (4, 4, 8));
    }

    #[test]
    fn clauses_are_links_where_somebody_says_to_where() {
        let results = of(10);
        let linked = test_result(&results.runs[0], &results.runs[0].cells[1], Some("https://here.example/{}?x"));
        let urls: Vec<&str> = linked.links.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(urls, ["https://here.example/NZ98%204.4?x", "https://here.example/NZ98%206.3?x"]);
    }
}
