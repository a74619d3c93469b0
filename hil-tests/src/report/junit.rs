//! Runs as JUnit XML, for tools that collect test results. There is no standard; `fixtures/schema/junit.xsd` has what GitLab, Jenkins
//! and Xray read of it.

use super::evidence::{Attachment, Evidence};
use super::page;
use super::results::{Build, Cell, Results, Run, VerdictKind};
use chrono::DateTime;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::path::Path;
use std::time::Duration;

/// A file has at most so many bytes: GitLab drops a report of more than 30 MB.
const MOST: usize = 30_000_000;

/// The documents of these results, each small enough, with a suite a run. The evidence lies in `place`.
///
/// # Errors
/// The XML cannot be made.
pub fn documents(results: &Results, place: &Path, evidence: &Evidence) -> Result<Vec<String>, SerializeError> {
    split(results, place, evidence, MOST)
}

fn split(results: &Results, place: &Path, evidence: &Evidence, most: usize) -> Result<Vec<String>, SerializeError> {
    let (mut all, mut report, mut bytes) = (Vec::new(), Report::new("tumbler-hil"), 0);
    for (number, run) in results.runs.iter().enumerate() {
        let mut suite = suite(run);
        let about = size(&suite)?;
        bytes += about;
        for (n, cell) in run.cells.iter().enumerate() {
            let case = case(run, cell, place, evidence.of((number, n)));
            let mut alone = TestSuite::new("");
            alone.add_test_case(case.clone());
            let more = size(&alone)?;
            if bytes + more > most && !suite.test_cases.is_empty() {
                let full = core::mem::replace(&mut suite, self::suite(run));
                report.add_test_suite(full);
                all.push(xml(&core::mem::replace(&mut report, Report::new("tumbler-hil")))?);
                bytes = about;
            }
            bytes += more;
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
    }
    all.push(xml(&report)?);
    Ok(all)
}

/// The document. `quick_junit` leaves out the control characters that XML does not know, and not these two; what stands for them is as long.
fn xml(report: &Report) -> Result<String, SerializeError> {
    Ok(report.to_string()?.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}"))
}

/// How many bytes the suite takes in a document, and a few for the document.
fn size(suite: &TestSuite) -> Result<usize, SerializeError> {
    let mut report = Report::new("");
    report.add_test_suite(suite.clone());
    Ok(report.to_string()?.len())
}

/// The run's suite, without its cells.
fn suite(run: &Run) -> TestSuite {
    let mut suite = TestSuite::new(run.bench.as_str());
    suite.set_time(Duration::from_millis(run.took_ms));
    if let Some(begun) = DateTime::from_timestamp(i64::try_from(run.begun).unwrap_or_default(), 0) {
        suite.set_timestamp(begun.fixed_offset());
    }
    suite.extra.insert("hostname".into(), run.host.as_str().into());
    suite.add_property(("bench-file", run.file.as_str()));
    suite.add_property(("seed", run.salt.to_string().as_str()));
    for (program, Build { version, sha256 }) in run.builds() {
        suite.add_property((program, version.as_str()));
        suite.add_property((format!("{program}-sha256").as_str(), sha256.as_str()));
    }
    suite
}

fn case(run: &Run, cell: &Cell, place: &Path, attached: &[Attachment]) -> TestCase {
    let why = cell.reasons.join("\n");
    let status = match cell.verdict {
        VerdictKind::Pass => TestCaseStatus::success(),
        VerdictKind::Fail => not_passed(NonSuccessKind::Failure, cell, &why),
        VerdictKind::Invalid => not_passed(NonSuccessKind::Error, cell, &why),
        // Nothing is known of the table, as in pytest. What the bench's list does not have fails the run, by its exit code.
        VerdictKind::NotExecuted => {
            let mut skipped = TestCaseStatus::skipped();
            skipped.set_type(cell.verdict.word()).set_message(not_executed(cell, &why));
            skipped
        }
    };
    let at = &cell.identity;
    let mut case = TestCase::new(cell.name.as_str(), status);
    case.set_classname(at.subject()).set_time(Duration::from_millis(cell.took_ms));
    case.add_property(("test_key", cell.name.as_str()));
    for clause in &cell.clauses {
        case.add_property(("requirement", clause.as_str()));
    }
    case.add_property(("bench", run.bench.as_str()));
    case.add_property(("rules", at.rules.as_str()));
    case.add_property(("seed", cell.seed.to_string().as_str()));
    case.add_property(("play-again", page::replay(run, cell).as_str()));
    case.add_property(("build", run.tested().version.as_str()));
    case.add_property(("table-seconds", format!("{:.3}", cell.table_ns as f64 / 1e9).as_str()));
    case.add_property(("rig-late-ms", format!("{:.1}", cell.late_ns as f64 / 1e6).as_str()));
    for note in &cell.notes {
        case.add_property(("left-out", note.as_str()));
    }
    // The output of thousands of passed cells would make the file too large to open.
    if cell.verdict != VerdictKind::Pass {
        // As GitLab and Jenkins read attachments: relative to the project, or absolute, as the directory was given.
        let files = attached.iter().map(|file| format!("[[ATTACHMENT|{}]]", place.join(&file.path).display()));
        case.set_system_out(cell.records.iter().cloned().chain(files).collect::<Vec<_>>().join("\n"));
    }
    if !cell.log.is_empty() {
        case.set_system_err(cell.log.as_str());
    }
    case
}

/// Why nothing was tried; where the bench's list does not have it, that too.
pub(super) fn not_executed(cell: &Cell, why: &str) -> String {
    if cell.listed { why.to_owned() } else { format!("not on the bench's list: {why}") }
}

fn not_passed(kind: NonSuccessKind, cell: &Cell, why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status
        .set_type(cell.verdict.word())
        .set_message(why.lines().next().unwrap_or_default())
        .set_description(format!("{}\n{why}", cell.about));
    status
}

#[cfg(test)]
mod tests {
    use super::super::tests::{cell, results};
    use super::*;
    use crate::scenario::Verdict;

    fn two_runs() -> Results {
        let cells = [
            cell("healthy::nz-1998", Verdict::Pass, false),
            cell("stall::nz-1998", Verdict::Fail(vec!["not <within> 700 ms".into()]), false),
            cell("late::nz-1998", Verdict::Invalid("the rig was late".into()), false),
            cell("power::nz-1998", Verdict::NotExecuted("no other boot id".into()), true),
            cell("new::nz-1998", Verdict::NotExecuted("cannot \u{ffff}\u{1}".into()), false),
        ];
        results(1_795_239_845, cells.iter().map(Cell::of).collect())
    }

    /// A dump of each of the first five cells.
    fn dumps() -> Evidence {
        let dump =
            |n| Attachment { name: "wires", path: format!("cells/{n}.vcd").into(), kind: "application/octet-stream" };
        Evidence((0..5).map(|n| ((0, n), vec![dump(n)])).collect())
    }

    #[test]
    fn every_verdict_has_its_own_element_and_what_failed_its_evidence() {
        let documents = documents(&two_runs(), Path::new("out"), &dumps()).unwrap();
        let [xml] = documents.as_slice() else { panic!("one is enough: {documents:?}") };
        for expected in [
            r#"tests="5""#,
            r#"failures="1""#,
            r#"errors="1""#,
            r#"skipped="2""#,
            r#"<skipped message="not on the bench&apos;s list: cannot "#,
            r#"<failure message="not &lt;within&gt; 700 ms" type="FAIL">"#,
            r#"type="INVALID""#,
            r#"<skipped message="no other boot id" type="NOT_EXECUTED"/>"#,
            r#"timestamp="2026-11-21T05:44:05"#,
            r#"hostname="a machine""#,
            r#"<property name="seed" value="7"/>"#,
            r#"<property name="bench" value="pure"/>"#,
            r#"<property name="build" value="tumblerd 0.9"/>"#,
            r#"<property name="test_key" value="stall::nz-1998"/>"#,
            r#"<property name="requirement" value="NZ98 4.4"/>"#,
            r#"<property name="requirement" value="NZ98 6.3"/>"#,
            r#"classname="stall""#,
            r#"<property name="left-out" value="power cut: cannot"/>"#,
            "[[ATTACHMENT|out/cells/1.vcd]]",
        ] {
            assert!(xml.contains(expected), "{expected} is missing in\n{xml}");
        }
        assert!(!xml.contains("cells/0.vcd"), "of what passed nothing is attached");
        assert!(!xml.contains(['\u{ffff}', '\u{1}']), "XML does not know every character");
    }

    #[test]
    fn what_is_too_large_for_one_file_is_in_several_and_nothing_is_lost() {
        let results = two_runs();
        let most = 4_000;
        let documents = split(&results, Path::new(""), &dumps(), most).unwrap();
        assert!(documents.len() > 1, "{documents:?}");
        let mut named = Vec::new();
        for document in &documents {
            assert!(document.len() <= most, "{} of {most}", document.len());
            let cases = document.match_indices("<testcase name=\"").map(|(at, key)| &document[at + key.len()..]);
            named.extend(cases.map(|rest| rest.split('"').next().unwrap().to_owned()));
        }
        assert_eq!(named, results.runs[0].cells.iter().map(|cell| cell.name.clone()).collect::<Vec<_>>());
    }
}
