//! Which clauses of the rules a cell proves: what its expectations cite becomes clauses of the text that it was played by.

use super::cell::{CellReport, Identity};
use crate::citation::{all, read};
use std::collections::BTreeSet;
use tumbler_spec::config::Rules;

/// The clauses of its own text that the cell cites, and those that its judges had to judge.
#[must_use]
pub fn cited(report: &CellReport) -> Vec<String> {
    // They were read with their scenario, so none is wrong.
    let cites = |citation: &str| read(citation).unwrap_or_default();
    let text = Rules::named(&report.identity.rules).map_or("", Rules::text);
    let numbers: BTreeSet<String> =
        report.clauses.iter().flat_map(|citation| citation.split(" | ")).flat_map(cites).collect();
    let mut found = BTreeSet::new();
    for clause in all().iter().filter(|clause| clause.untestable.is_none()) {
        if clause.layout.as_ref().is_some_and(|layout| *layout != report.identity.layout) {
            continue;
        }
        // A clause cited by one text means the same requirement in the others.
        let judged = clause.judges.iter().any(|judge| report.judged.contains(judge));
        let Identity { scenario, fault, .. } = &report.identity;
        let named = clause.scenarios.contains(scenario) || clause.faults.contains(fault);
        if judged || named || clause.within.iter().any(|id| numbers.contains(id)) {
            found.extend(clause.within.iter().filter(|id| id.split(' ').next() == Some(text)).cloned());
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests;
