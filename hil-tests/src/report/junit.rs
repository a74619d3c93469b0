//! The run as JUnit XML, for tools that collect test results.

use super::{clause, reason, word};
use crate::report::cell::CellReport;
use crate::scenario::Verdict;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// The report of a run on this bench.
///
/// # Errors
/// The XML cannot be made.
pub fn xml(bench: &str, reports: &[CellReport], took: Duration) -> Result<String, SerializeError> {
    let mut suite = TestSuite::new(bench);
    suite.set_time(took);
    suite.add_test_cases(reports.iter().map(|report| case(bench, report)));
    let mut report = Report::new("tumbler-hil");
    report.set_time(took);
    report.add_test_suite(suite);
    report.to_string()
}

fn case(bench: &str, report: &CellReport) -> TestCase {
    let why = reason(&report.verdict);
    let status = match &report.verdict {
        Verdict::Pass => TestCaseStatus::success(),
        Verdict::Fail(_) => not_passed(NonSuccessKind::Failure, report, &why),
        Verdict::Invalid(_) => not_passed(NonSuccessKind::Error, report, &why),
        Verdict::NotExecuted(_) if report.listed => {
            let mut skipped = TestCaseStatus::skipped();
            skipped.set_type(word(&report.verdict)).set_message(why);
            skipped
        }
        Verdict::NotExecuted(_) => not_passed(NonSuccessKind::Failure, report, &why),
    };
    let at = &report.identity;
    let mut case = TestCase::new(report.name.as_str(), status);
    case.set_classname(if at.fault.is_empty() { at.scenario.as_str() } else { at.fault.as_str() })
        .set_time(report.took);
    case.add_property(("bench", bench));
    case.add_property(("rules", at.rules.as_str()));
    case.add_property(("clauses", clause::cited(report).join(", ").as_str()));
    case.add_property(("seed", report.seed.to_string().as_str()));
    case.add_property(("table-seconds", format!("{:.3}", report.table_ns as f64 / 1e9).as_str()));
    case.add_property(("rig-late-ms", format!("{:.1}", report.late_ns as f64 / 1e6).as_str()));
    for note in &report.notes {
        case.add_property(("left-out", note.as_str()));
    }
    // The output of thousands of passed cells would make the file too large to open.
    if !matches!(report.verdict, Verdict::Pass) {
        case.set_system_out(report.records.join("\n"));
    }
    if !report.log.is_empty() {
        case.set_system_err(report.log.as_str());
    }
    case
}

fn not_passed(kind: NonSuccessKind, report: &CellReport, why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status
        .set_type(word(&report.verdict))
        .set_message(why.lines().next().unwrap_or_default())
        .set_description(format!("{}\n{why}", report.about));
    status
}

#[cfg(test)]
mod tests {
    use super::super::tests::cell;
    use super::*;

    #[test]
    fn every_verdict_has_its_own_element() {
        let reports = [
            cell("healthy::nz-1998", Verdict::Pass, false),
            cell("stall::nz-1998", Verdict::Fail(vec!["not <within> 700 ms".into()]), false),
            cell("late::nz-1998", Verdict::Invalid("the rig was late".into()), false),
            cell("power::nz-1998", Verdict::NotExecuted("no other boot id".into()), true),
            cell("new::nz-1998", Verdict::NotExecuted("cannot".into()), false),
        ];
        let xml = xml("virtual", &reports, Duration::from_secs(3)).unwrap();
        for expected in [
            r#"tests="5""#,
            r#"failures="2""#,
            r#"errors="1""#,
            r#"skipped="1""#,
            r#"<failure message="not &lt;within&gt; 700 ms" type="FAIL">"#,
            r#"type="INVALID""#,
            r#"<skipped message="no other boot id" type="NOT_EXECUTED"/>"#,
            r#"<property name="seed" value="7"/>"#,
            r#"<property name="bench" value="virtual"/>"#,
            r#"<property name="clauses" value="NZ98 4.4, NZ98 6.3"/>"#,
            r#"classname="stall""#,
            r#"<property name="left-out" value="power cut: cannot"/>"#,
        ] {
            assert!(xml.contains(expected), "{expected} is missing in\n{xml}");
        }
    }
}
