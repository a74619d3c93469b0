//! The result of one cell: a scenario, or a fault in a phase, under one layout, on one bench.

use super::capture::Capture;
use crate::scenario::endings::EndingComparison;
use crate::scenario::step::Step;
use crate::scenario::timeline::{Latency, Mark};
use crate::scenario::{Ending, Trial, Verdict};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Identity of a cell, by parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The scenario's file, without its ending; empty for a cell of the matrix.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scenario: String,
    /// The scenario's variant; empty where there is only one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub variant: String,
    /// The fault of a cell of the matrix, as the catalogue names it; empty for a plain scenario.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fault: String,
    /// The phase in which it is injected; empty for a plain scenario.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub phase: String,
    /// Rule set.
    pub rules: String,
    /// Layout.
    pub layout: String,
}

impl Identity {
    /// What it is a cell of: the fault, or the scenario.
    #[must_use]
    pub fn subject(&self) -> &str {
        if self.fault.is_empty() { self.scenario.as_str() } else { self.fault.as_str() }
    }

    /// The identity of a trial: `scenario[variant]::layout`, or `fault@phase::layout` from the matrix.
    #[must_use]
    pub fn of(trial: &Trial) -> Self {
        let name = trial.name.rsplit_once("::").map_or(trial.name.as_str(), |(name, _)| name);
        let at = Self { rules: trial.rules.clone(), layout: trial.layout.clone(), ..Self::default() };
        if let Some((fault, phase)) = name.rsplit_once('@') {
            return Self { fault: fault.to_owned(), phase: phase.to_owned(), ..at };
        }
        let (scenario, variant) = name.strip_suffix(']').and_then(|n| n.split_once('[')).unwrap_or((name, ""));
        Self { scenario: scenario.to_owned(), variant: variant.to_owned(), ..at }
    }
}

/// The result of one cell.
#[derive(Clone, Debug)]
pub struct CellReport {
    /// Its name, unique on a bench.
    pub name: String,
    /// Its identity.
    pub identity: Identity,
    /// What it shows.
    pub about: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the bench's file says that it cannot run this.
    pub listed: bool,
    /// Wall time.
    pub took: Duration,
    /// Table time, in nanoseconds.
    pub table_ns: u64,
    /// The steps, in the scenario's words.
    pub steps: Vec<String>,
    /// The clauses that its expectations name, as they are written there.
    pub clauses: Vec<String>,
    /// Rules that judges had to judge: the judge's name and the rule.
    pub judged: Vec<String>,
    /// How its expectations and the judges' truth table compared.
    pub compared: EndingComparison,
    /// What was broken and healed, and when.
    pub marks: Vec<Mark>,
    /// How long the table took where there was a time limit.
    pub latencies: Vec<Latency>,
    /// The journal's records in short form, to analyse a failure.
    pub records: Vec<String>,
    /// What was left out of the scenario on this bench, and why.
    pub notes: Vec<String>,
    /// The end of the daemon's log, if there was a process and the cell did not pass.
    pub log: String,
    /// Seed of the twin.
    pub seed: u64,
    /// The rig's longest lateness at its own deadlines, in nanoseconds; 0 under virtual time.
    pub late_ns: u64,
    /// Everything that was observed, if the run keeps it. Large, so it must be taken out and dropped soon.
    pub capture: Option<Capture>,
}

impl CellReport {
    /// The report of a trial that has not been run yet.
    #[must_use]
    pub fn of(trial: &Trial, seed: u64, listed: bool) -> Self {
        Self {
            name: trial.name.clone(),
            identity: Identity::of(trial),
            about: trial.about.clone(),
            verdict: Verdict::Invalid(String::new()),
            listed,
            took: Duration::ZERO,
            table_ns: 0,
            steps: trial.steps.iter().map(|(words, _)| words.clone()).collect(),
            clauses: clauses(trial),
            judged: Vec::new(),
            compared: EndingComparison::default(),
            marks: Vec::new(),
            latencies: Vec::new(),
            records: Vec::new(),
            notes: Vec::new(),
            log: String::new(),
            seed,
            late_ns: 0,
            capture: None,
        }
    }

    /// Whether it keeps the run from passing.
    #[must_use]
    pub fn fails(&self) -> bool {
        match self.verdict {
            Verdict::Pass => false,
            Verdict::NotExecuted(_) => !self.listed,
            Verdict::Fail(_) | Verdict::Invalid(_) => true,
        }
    }
}

/// All citations of a trial: the clauses of its expectations and of its endings.
fn clauses(trial: &Trial) -> Vec<String> {
    let expected = trial.steps.iter().flat_map(|(_, steps)| steps).filter_map(|step| match step {
        Step::Expect(_, clause) => Some(clause),
        _ => None,
    });
    let ended = trial.endings.iter().map(|ending| match ending {
        Ending::Settled { clause, .. } | Ending::Void { clause, .. } | Ending::Unfinished { clause } => clause,
    });
    let mut clauses: Vec<String> = expected.chain(ended).filter(|clause| !clause.is_empty()).cloned().collect();
    clauses.sort_unstable();
    clauses.dedup();
    clauses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::file::parse;
    use std::path::Path;

    fn report(verdict: Verdict, listed: bool) -> CellReport {
        CellReport { verdict, listed, ..super::super::tests::cell("stall::nz-1998", Verdict::Pass, false) }
    }

    #[test]
    fn what_is_not_executed_fails_the_run_unless_the_bench_lists_it() {
        assert!(!report(Verdict::Pass, false).fails());
        assert!(!report(Verdict::NotExecuted("no".into()), true).fails());
        assert!(report(Verdict::NotExecuted("no".into()), false).fails());
        assert!(report(Verdict::Fail(vec![]), true).fails());
        assert!(report(Verdict::Invalid("late".into()), true).fails());
    }

    #[test]
    fn a_trial_tells_which_cell_it_is_and_what_it_cites() {
        let text = r#"
            about = "a"
            steps = ["open table", "expect {check} because NZ 3.3(b): lit", "expect sign off because NZ 7.4"]
            [[variant]]
            name = "six, one"
            check = "dark"
            [endings]
            nz-div9 = ["void not-flat: NZ9 7.1(a)", "void equipment:", "settled: NZ9 6.3"]
        "#;
        let trial = parse(Path::new("not-flat.toml"), text).unwrap().swap_remove(0);
        let report = CellReport::of(&trial, 1, false);
        assert_eq!(report.identity.scenario, "not-flat");
        assert_eq!(report.identity.variant, "six, one");
        assert_eq!((report.identity.rules.as_str(), report.identity.layout.as_str()), ("nz-div9", "nz-div9-1"));
        assert_eq!(report.clauses, ["NZ 3.3(b): lit", "NZ 7.4", "NZ9 6.3", "NZ9 7.1(a)"]);
        assert_eq!(report.steps.len(), 3);
    }
}
