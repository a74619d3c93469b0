//! Which clauses of the rules a cell proves. Expectations and judges cite them as people do ("NZ 3.3(b), 6.5:
//! the winning areas light"); here citations become clauses of the text that the cell was played by.

use super::cell::{CellReport, Identity};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use tumbler_judges::areas::Family;
use tumbler_judges::config::Rules;

/// The rule texts that a name in a citation means: `NZ` means both of New Zealand. None if no text has the name.
fn named_by(name: &str) -> Vec<&'static str> {
    let means = |rules: &Rules| rules.text() == name || name == "NZ" && rules.family() == Family::NewZealand;
    Rules::ALL.into_iter().filter(means).map(Rules::text).collect()
}

/// One requirement of the rules.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// The requirement in our own words.
    pub about: String,
    /// The clause of each text that asks for it, such as `NZ9 7.1(a)`.
    #[serde(rename = "in")]
    pub within: Vec<String>,
    /// Judges that prove it if they had something to judge: the judge's name and the rule.
    #[serde(default)]
    pub judges: Vec<String>,
    /// Scenarios that prove it, by the names of their files.
    #[serde(default)]
    pub scenarios: Vec<String>,
    /// Faults whose cells prove it, by their ids in the catalogue.
    #[serde(default)]
    pub faults: Vec<String>,
    /// Tests that prove it, as `FILE: NAME`.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Only cells on this layout prove it.
    #[serde(default)]
    pub layout: Option<String>,
    /// Why no machine can prove it.
    #[serde(default)]
    pub untestable: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    clause: Vec<Clause>,
}

/// All clauses; a part of the program, so that a report needs no other file.
#[must_use]
pub fn all() -> &'static [Clause] {
    static ALL: OnceLock<Vec<Clause>> = OnceLock::new();
    ALL.get_or_init(|| {
        // A test checks the list, so it cannot be bad here; if it were, reports would show no clauses.
        toml::from_str::<File>(include_str!("../../../fixtures/clauses.toml")).map(|f| f.clause).unwrap_or_default()
    })
}

/// The clauses of its own text that the cell cites, and those that its judges had to judge.
#[must_use]
pub fn cited(report: &CellReport) -> Vec<String> {
    let text = Rules::named(&report.identity.rules).map_or("", Rules::text);
    let numbers: BTreeSet<String> = report.clauses.iter().flat_map(|citation| read(citation)).collect();
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

/// The clauses that a citation names, such as `NZ98 7.1(b)` and `NZ9 7.1(b)` for "NZ 7.1(b): why".
#[must_use]
pub fn read(citation: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut texts: Vec<&str> = Vec::new();
    let (mut named, mut last) = (false, String::new());
    for word in citation.split_whitespace() {
        let bare = word.trim_end_matches([',', ':', ';', '.']);
        let means = named_by(bare);
        if !means.is_empty() {
            // `NZ98 and NZ9 6.3` means both.
            if named {
                texts.clear();
            }
            named = false;
            texts.extend(means);
        } else if bare.starts_with(|c: char| c.is_ascii_digit()) && !texts.is_empty() {
            named = true;
            bare.clone_into(&mut last);
            found.extend(texts.iter().map(|text| format!("{text} {bare}")));
        } else if let (Some(to), Some((stem, from))) = (letter(bare), last.rsplit_once('(')) {
            // `5(a) to (d)` means all four.
            let from = letter(&format!("({from}")).unwrap_or(to);
            for between in from..=to {
                found.extend(texts.iter().map(|text| format!("{text} {stem}({})", char::from(between))));
            }
        } else if !["and", "to", "with", "or"].contains(&bare) {
            texts.clear();
        }
        if word.ends_with(':') {
            texts.clear();
        }
    }
    found
}

/// The letter of `(d)`.
fn letter(word: &str) -> Option<u8> {
    match *word.as_bytes() {
        [b'(', letter @ b'a'..=b'z', b')'] => Some(letter),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
