//! Which clauses of the rules a cell proves. Expectations and judges cite them in the words of people ("NZ 3.3(b), 6.5:
//! the winning areas light"); here citations become clauses of the text that the cell was played by.

use super::cell::CellReport;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// How the texts are called where they are cited: the name, the texts that it means.
const TEXTS: [(&str, &[&str]); 6] = [
    ("NZ98", &["NZ98"]),
    ("NZ9", &["NZ9"]),
    ("NZ", &["NZ98", "NZ9"]),
    ("SGV6", &["SGV6"]),
    ("SGOC", &["SGOC"]),
    ("SGOC-early", &["SGOC-early"]),
];

/// The text of each rule set.
pub const RULES: [(&str, &str); 5] =
    [("nz-1998", "NZ98"), ("nz-div9", "NZ9"), ("sg-v6", "SGV6"), ("sg-open", "SGOC"), ("sg-open-early", "SGOC-early")];

/// One thing that the rules ask for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// What, in our own words.
    pub about: String,
    /// The clause of each text that asks for it, such as `NZ9 7.1(a)`.
    #[serde(rename = "in")]
    pub within: Vec<String>,
    /// Judges that prove it where they had something to judge: the judge's name and what it counts.
    #[serde(default)]
    pub judges: Vec<String>,
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
        // A test reads it; a program with a bad list shows no clauses.
        toml::from_str::<File>(include_str!("../../../fixtures/clauses.toml")).map(|f| f.clause).unwrap_or_default()
    })
}

/// The clauses of its own text that the cell cites, and that its judges had to judge.
#[must_use]
pub fn cited(report: &CellReport) -> Vec<String> {
    let text = RULES.iter().find(|(rules, _)| *rules == report.identity.rules).map_or("", |(_, text)| *text);
    let numbers: BTreeSet<String> = report.clauses.iter().flat_map(|citation| read(citation)).collect();
    let mut found = BTreeSet::new();
    for clause in all().iter().filter(|clause| clause.untestable.is_none()) {
        if clause.layout.as_ref().is_some_and(|layout| *layout != report.identity.layout) {
            continue;
        }
        // What one text cites stands for the same thing in the others.
        let judged = clause.judges.iter().any(|judge| report.judged.contains(judge));
        if judged || clause.within.iter().any(|id| numbers.contains(id)) {
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
        if let Some((_, means)) = TEXTS.iter().find(|(name, _)| *name == bare) {
            // `NZ98 and NZ9 6.3` means both.
            if named {
                texts.clear();
            }
            named = false;
            texts.extend(*means);
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
mod tests {
    use super::*;
    use crate::bench::pure::{Pure, Setup};
    use std::path::Path;

    #[test]
    fn the_list_can_be_read_and_names_no_clause_twice() {
        let file: File = toml::from_str(include_str!("../../../fixtures/clauses.toml")).unwrap();
        let mut seen = BTreeSet::new();
        for id in file.clause.iter().flat_map(|clause| &clause.within) {
            assert!(seen.insert(id), "{id} is named twice");
            let text = id.split(' ').next().unwrap();
            assert!(RULES.iter().any(|(_, known)| *known == text), "{id} is of no text");
        }
    }

    /// Whoever reads a clause beside an expectation must find it in the list, and there what it asks for.
    #[test]
    fn every_citation_of_the_scenarios_and_the_catalogue_is_in_the_list() {
        let known: BTreeSet<&str> = all().iter().flat_map(|clause| &clause.within).map(String::as_str).collect();
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
        let catalogue = crate::fault::read(&fixtures.join("faults.toml")).unwrap();
        let cells = crate::matrix::cells(&catalogue).unwrap().into_iter().map(|cell| cell.trial);
        let trials = crate::scenario::read_all(&fixtures.join("scenarios")).unwrap().into_iter().chain(cells);
        let of_trials = trials.map(|trial| (trial.name.clone(), CellReport::of(&trial, 0, false).clauses));
        let of_rows = catalogue.fault.iter().map(|fault| (fault.id.clone(), vec![fault.clause.clone()]));
        let (mut wrong, mut cited) = (BTreeSet::new(), 0);
        for (name, citations) in of_trials.chain(of_rows) {
            for citation in citations {
                let read = read(&citation);
                cited += read.len();
                let unknown: Vec<&String> = read.iter().filter(|id| !known.contains(id.as_str())).collect();
                // A text is named, and no clause of it.
                let names = |word: &str| TEXTS.iter().any(|(name, _)| word.trim_end_matches([',', ':', ';']) == *name);
                if !unknown.is_empty() || read.is_empty() && citation.split_whitespace().any(names) {
                    let name = name.split(['@', ':']).next().unwrap_or_default();
                    wrong.insert(format!("{name}: `{citation}`: {unknown:?}"));
                }
            }
        }
        assert!(cited > 1000, "{cited}");
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn the_judges_that_the_list_names_are_judges() {
        let bench = Pure::new(Setup::of("nz-div9", "nz-div9-2", 1)).unwrap();
        let exercised = bench.observer().exercised();
        let known: BTreeSet<String> = exercised.iter().map(|e| format!("{}: {}", e.judge, e.rule)).collect();
        for judge in all().iter().flat_map(|clause| &clause.judges) {
            assert!(known.contains(judge), "`{judge}` is none of {known:#?}");
        }
    }

    #[test]
    fn citations_are_read_as_people_write_them() {
        assert_eq!(read("NZ98 and NZ9 6.3"), ["NZ98 6.3", "NZ9 6.3"]);
        assert_eq!(read("NZ 6.2, SGV6 3.6: the bell, 7 times"), ["NZ98 6.2", "NZ9 6.2", "SGV6 3.6"]);
        assert_eq!(read("NZ9 6.1 with 7.1(b)"), ["NZ9 6.1", "NZ9 7.1(b)"]);
        assert_eq!(read("FAULTS motor.stall, NZ 7.1(b), 7.4").len(), 4);
        assert!(read("NZ 5(a) to (d): tests").contains(&"NZ9 5(c)".to_owned()));
        assert_eq!(read("DESIGN: 3 ways"), Vec::<String>::new());
    }
}
