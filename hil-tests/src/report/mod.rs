//! Reports of a run, for people and for programs.

pub mod allure;
pub mod capture;
pub mod cell;
pub mod clause;
pub mod coverage;
pub mod diagram;
pub mod directory;
pub mod earlier;
pub mod evidence;
pub mod junit;
pub mod matrix_table;
pub mod merge;
pub mod page;
mod place;
pub mod progress;
pub mod results;
pub mod rows;
pub mod scenario_table;
pub mod vcd;
pub mod waves;

use crate::scenario::Verdict;
use cell::CellReport;
pub(crate) use page::quoted;

/// Everything that was run passed, and everything that was not run is on the bench's list.
pub const PASSED: u8 = 0;
/// The table did something else than the rules say, or something was not run that should have been.
pub const FAILED: u8 = 1;
/// The bench or the rig is at fault: nothing is known about the table.
pub const RIG: u8 = 2;

/// The run's exit code. A failure of the table outweighs a fault of the rig, which must not hide it.
#[must_use]
pub fn exit_code(reports: &[CellReport]) -> u8 {
    let invalid = |report: &CellReport| matches!(report.verdict, Verdict::Invalid(_));
    if reports.iter().any(|report| report.fails() && !invalid(report)) {
        FAILED
    } else if reports.is_empty() || reports.iter().any(invalid) {
        RIG
    } else {
        PASSED
    }
}

/// The verdict's name in reports.
#[must_use]
pub const fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "PASS",
        Verdict::Fail(_) => "FAIL",
        Verdict::NotExecuted(_) => "NOT_EXECUTED",
        Verdict::Invalid(_) => "INVALID",
    }
}

/// Why the verdict is not a pass; empty if it is one.
#[must_use]
pub fn reason(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Pass => String::new(),
        Verdict::Fail(why) => why.join("\n"),
        Verdict::NotExecuted(why) | Verdict::Invalid(why) => why.clone(),
    }
}

/// What failures of one cause have in common: the first line of the reason, without the moment and what the table said then.
#[must_use]
pub fn cause(why: &str) -> &str {
    let first = why.lines().next().unwrap_or_default();
    first.split("; at ").next().unwrap_or(first).trim()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::time::Duration;

    pub(crate) fn cell(name: &str, verdict: Verdict, listed: bool) -> CellReport {
        let (scenario, layout) = name.split_once("::").unwrap_or((name, ""));
        CellReport {
            name: name.into(),
            identity: cell::Identity {
                scenario: scenario.into(),
                rules: layout.into(),
                layout: layout.into(),
                ..Default::default()
            },
            about: "what it shows".into(),
            verdict,
            listed,
            took: Duration::from_millis(1500),
            table_ns: 7_800_000_000,
            steps: vec!["open table".into()],
            clauses: vec!["NZ9 6.3".into()],
            judged: vec!["rounds: rounds settled".into()],
            compared: crate::scenario::endings::EndingComparison::default(),
            marks: Vec::new(),
            latencies: Vec::new(),
            records: vec!["started".into()],
            notes: vec!["power cut: cannot".into()],
            log: "the log's end".into(),
            seed: 7,
            late_ns: 3_000_000,
            capture: None,
        }
    }

    /// A run that begun at this second and found these.
    pub(crate) fn results(begun: u64, cells: Vec<results::Cell>) -> results::Results {
        let build = |version: &str| results::Build { version: version.into(), sha256: "0123456789abcdef".repeat(4) };
        results::Results::of(results::Run {
            bench: "pure".into(),
            file: "fixtures/benches/pure.toml".into(),
            about: "a <bench>".into(),
            scenarios: Vec::new(),
            host: "a machine".into(),
            rig: build("tumbler-hil 0.9"),
            daemon: Some(build("tumblerd 0.9")),
            commit: Some("0a1b2c3d4e5f-dirty".into()),
            salt: 0,
            jobs: 1,
            begun,
            took_ms: 1500,
            left: 0,
            cells,
        })
    }

    #[test]
    fn the_exit_code_says_whose_fault_it_is() {
        let pass = || cell("a", Verdict::Pass, false);
        let fail = || cell("b", Verdict::Fail(vec!["wrong".into()]), false);
        let invalid = || cell("c", Verdict::Invalid("late".into()), false);
        let skipped = |listed| cell("d", Verdict::NotExecuted("cannot".into()), listed);
        assert_eq!(exit_code(&[pass(), skipped(true)]), PASSED);
        assert_eq!(exit_code(&[pass(), fail(), invalid()]), FAILED);
        assert_eq!(exit_code(&[pass(), skipped(false)]), FAILED);
        assert_eq!(exit_code(&[pass(), invalid()]), RIG);
        assert_eq!(exit_code(&[]), RIG, "a run in which nothing happened proves nothing");
    }
}
