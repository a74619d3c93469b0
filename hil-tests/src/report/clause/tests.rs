//! The list of clauses against the texts, and against what it names as proof.

use super::*;
use crate::citation::Clause;
use std::path::Path;
use tumbler_bench::Wrong;
use tumbler_bench::pure::{Pure, Setup};

#[test]
fn the_list_can_be_read_and_names_no_clause_twice() {
    let mut seen = BTreeSet::new();
    for id in all().iter().flat_map(|clause| &clause.within) {
        assert!(seen.insert(id), "{id} is named twice");
        let text = id.split(' ').next().unwrap();
        assert!(Rules::ALL.iter().any(|known| known.text() == text), "{id} is of no text");
    }
}

/// The numbered clauses of the texts. A heading without a text of its own is left out, its subclauses are not.
const NUMBERS: [(&str, &str); 5] = [
    (
        "NZ98",
        "1.0 2.0 3.1 3.2 3.3(a) 3.3(b) 3.4(a) 3.4(b) 3.4(c) 3.4(d) 3.4(e)(i) 3.4(e)(ii) 3.4(e)(iii) 3.4(e)(iv) 3.4(e)(v) 3.4(f) 4.1 4.2 \
         4.3 4.4 4.5 4.6 4.7 4.8 4.9 4.10 5 5(a) 5(b) 5(c) 5(d) 6.1 6.2 6.3 6.4 6.5 6.6 7.1 7.1(a) 7.1(b) 7.1(c) 7.1(d) 7.2 7.3 7.4",
    ),
    (
        "NZ9",
        "1.0 2.0 3.1 3.2 3.3(a) 3.3(b) 3.4(a) 3.4(b) 3.4(c) 3.4(d) 3.4(e)(i) 3.4(e)(ii) 3.4(e)(iii) 3.4(e)(iv) 3.4(e)(v) 3.4(f) 3.4(g) \
         4.1(a)-(h) 4.1(i)-(l) 4.2 4.3 4.4 4.5 4.6 4.7 4.8 4.9 4.10 5 5(a) 5(b) 5(c) 5(d) 6.1 6.2 6.3 6.4 6.5 6.6 7.1 7.1(a) 7.1(b) \
         7.1(c) 7.1(d) 7.2 7.3 7.4 7.5",
    ),
    (
        "SGV6",
        "1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 1.9 2.1.1 2.2.1 3.1 3.2 3.3 3.4 3.5 3.6 3.7 3.8 3.9 3.10 4.1.1 4.1.2 4.1.3 5.1 5.2 5.3 5.4.1 \
         5.4.2 5.5 5.5.1 5.5.2 5.5.3 5.6 5.7 5.8 5.9 5.10 5.11 5.12 5.13 5.14",
    ),
    (
        "SGOC",
        "1.1 1.2 1.3 1.4 1.5 1.6 1.7 1.8 1.9 2.1.1 2.2.1 3.1 3.2 3.3 3.4 3.5 3.6 3.7 3.8 3.9 3.10 4.1.1 4.1.2 5.1 5.2 5.3 5.4.1 5.4.2 \
         5.5 5.5.1 5.5.2 5.5.3 5.6 5.7 5.8 5.9 5.10 5.11 5.12 5.13 5.14",
    ),
    ("SGOC-early", "1 2.1.1 3.1 3.2 3.3 3.4 3.5 4.1.1 4.1.2 5.1.1 5.1.2 5.1.3 5.1.4 5.2"),
];

#[test]
fn the_list_holds_every_clause_of_the_texts_and_no_other() {
    let listed: BTreeSet<String> = all().iter().flat_map(|clause| &clause.within).cloned().collect();
    let numbered =
        NUMBERS.iter().flat_map(|(text, numbers)| numbers.split_whitespace().map(move |n| format!("{text} {n}")));
    let of_texts: BTreeSet<String> = numbered.map(|id| id.replace(")-(", ") to (")).collect();
    let (missing, strange) = (of_texts.difference(&listed), listed.difference(&of_texts));
    assert_eq!((missing.collect::<Vec<_>>(), strange.collect::<Vec<_>>()), (vec![], vec![]));
}

fn known(what: &str, name: &str, names: &BTreeSet<String>) -> Result<(), String> {
    if names.contains(name) {
        return Ok(());
    }
    Err(Wrong::unknown(what, name, names.iter().map(String::as_str)).to_string())
}

/// Everything that a clause may name as its proof.
struct Proofs {
    judges: BTreeSet<String>,
    /// Scenarios, each with the rule sets under which it is played.
    scenarios: BTreeSet<String>,
    played: BTreeSet<(String, String)>,
    faults: BTreeSet<String>,
}

impl Proofs {
    fn there_are() -> Self {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
        let setup = Setup::of("nz-div9", "nz-div9-2", 1);
        let benches = [true, false].map(|exact| Pure::new(Setup { exact, ..setup.clone() }).unwrap());
        let exercised: Vec<_> = benches.iter().flat_map(|bench| bench.observer().exercised()).collect();
        let trials = crate::scenario::read_all(&fixtures.join("scenarios")).unwrap();
        let played: BTreeSet<_> =
            trials.iter().map(|trial| (Identity::of(trial).scenario, trial.rules.clone())).collect();
        let catalogue = crate::fault::read(&fixtures.join("faults.toml")).unwrap();
        Self {
            judges: exercised.iter().map(|e| format!("{}: {}", e.judge, e.rule)).collect(),
            scenarios: played.iter().map(|(scenario, _)| scenario.clone()).collect(),
            played,
            faults: catalogue.fault.into_iter().map(|fault| fault.id).collect(),
        }
    }

    /// What is wrong with the proofs that this clause names.
    fn wrong_with(&self, clause: &Clause) -> Vec<String> {
        let judges = clause.judges.iter().map(|name| known("judge with what it counts", name, &self.judges));
        let scenarios = clause.scenarios.iter().map(|name| known("scenario", name, &self.scenarios));
        let faults = clause.faults.iter().map(|name| known("fault of the catalogue", name, &self.faults));
        let tests = clause.tests.iter().map(|test| is_test(test));
        let mut wrong: Vec<String> =
            judges.chain(scenarios).chain(faults).chain(tests).filter_map(Result::err).collect();
        // Judges, faults and tests belong to every rule set; a scenario need not.
        let everywhere = !(clause.judges.is_empty() && clause.faults.is_empty() && clause.tests.is_empty());
        for id in &clause.within {
            let text = id.split(' ').next().unwrap();
            let rules = Rules::ALL.iter().find(|known| known.text() == text).map_or("", |known| known.id());
            let played = |scenario: &String| self.played.contains(&(scenario.clone(), rules.to_owned()));
            match (everywhere || clause.scenarios.iter().any(played), &clause.untestable) {
                (true, None) => {}
                (false, Some(why)) if clause.scenarios.is_empty() && !why.trim().is_empty() => {}
                (_, Some(_)) => wrong.push(format!("{id} is untestable, and says not why or names a proof")),
                (false, None) => wrong.push(format!("nothing is named that proves {id} under {rules}")),
            }
        }
        wrong
    }
}

/// Whether `FILE: NAME` is a test.
fn is_test(test: &str) -> Result<(), String> {
    let (file, name) = test.split_once(": ").ok_or_else(|| format!("`{test}` is not `FILE: NAME`"))?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let text = std::fs::read_to_string(path).map_err(|problem| format!("{file}: {problem}"))?;
    let lines: Vec<&str> = text.lines().collect();
    let is_named = |pair: &&[&str]| pair.first().is_some_and(|line| line.contains("test"));
    let named = lines.windows(2).filter(is_named).filter_map(|pair| pair.last()?.split_once("fn ")?.1.split_once('('));
    known(&format!("test in {file}"), name, &named.map(|(name, _)| name.to_owned()).collect())
}

/// Every clause is proved, except those that no machine can check.
#[test]
fn every_clause_has_a_proof_that_is_there_or_says_why_it_can_have_none() {
    let proofs = Proofs::there_are();
    let wrong: Vec<String> = all().iter().flat_map(|clause| proofs.wrong_with(clause)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_proof_that_is_not_there_is_found_with_what_it_may_have_been() {
    let proofs = Proofs::there_are();
    for (text, said) in [
        ("scenarios = [\"late-eror\"]", "unknown scenario `late-eror`: did you mean `late-error`?"),
        ("scenarios = [\"amended-alone\"]", "nothing is named that proves SGV6 5.8 under sg-v6"),
        ("faults = [\"dice.fore\"]", "did you mean `dice.foreign`?"),
        ("judges = [\"rounds: rounds voided\"]", "did you mean `rounds: rounds void`?"),
        (
            "tests = [\"hil-tests/tests/areas.rs: every_result_lights_another_set\"]",
            "did you mean `every_result_lights_another_set_of_areas`?",
        ),
        ("tests = [\"hil-tests/tests/nowhere.rs: x\"]", "hil-tests/tests/nowhere.rs: "),
        ("", "nothing is named that proves SGV6 5.8"),
        ("untestable = \" \"", "says not why"),
        ("untestable = \"why\"\nscenarios = [\"late-error\"]", "names a proof"),
    ] {
        let clause: Clause = toml::from_str(&format!("about = \"a\"\nin = [\"SGV6 5.8\"]\n{text}")).unwrap();
        let wrong = proofs.wrong_with(&clause).join("; ");
        assert!(wrong.contains(said), "{text}: {wrong}");
    }
}
