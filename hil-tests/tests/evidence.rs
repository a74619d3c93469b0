//! An inspector finds each rule in the journal where it was applied: every clause that core knows by a key is cited by a record of
//! the kind that it is about, under every rule set whose text has it. A key that reaches no record is no evidence.

use std::collections::BTreeSet;
use std::path::Path;
use tumbler_bench::Bench;
use tumbler_bench::file::BenchFile;
use tumbler_bench::pure::{Pure, Setup};
use tumbler_core::record::Event;
use tumbler_core::rules::{CLAUSE_KEYS, all};
use tumbler_hil::runner::seed;
use tumbler_hil::scenario::{read_all, run};

/// Each key, and the kinds of records where its clause is looked for.
const SOUGHT: [(&str, &[&str]); 41] = [
    ("activate", &["spin-began", "refused"]),
    ("all-paid", &["settled"]),
    ("amend", &["amended"]),
    ("at-least-three", &["spin-ended"]),
    ("bell", &["called"]),
    ("bets-closed", &["called"]),
    ("call", &["result"]),
    ("collect-and-pay", &["settled"]),
    ("cover", &["round-began"]),
    ("dice", &["round-began", "dice-enrolled"]),
    ("display", &["settled"]),
    ("display-not-binding", &["settled"]),
    ("earlier-rounds-stand", &["voided"]),
    ("entry", &["result"]),
    ("flat", &["established"]),
    ("interference", &["latched"]),
    ("interruption-established", &["resumed"]),
    ("lamps", &["lamps-verified"]),
    ("lamps-fail", &["settled"]),
    ("late-error", &["corrected"]),
    ("malfunction", &["latched", "unlatched"]),
    ("malfunction-procedures", &["unlatched"]),
    ("no-more-bets", &["called"]),
    ("no-spin", &["called"]),
    ("opening-lamps", &["tested", "opened"]),
    ("opening-power", &["tested", "opened"]),
    ("opening-seal", &["tested", "opened"]),
    ("opening-tumbler", &["tested", "opened"]),
    ("place-bets", &["called"]),
    ("result-stands", &["settled"]),
    ("round", &["round-began"]),
    ("seal", &["latched"]),
    ("supervisor", &["decided"]),
    ("terminal", &["entry-error"]),
    ("terminal-display", &["result"]),
    ("total", &["result"]),
    ("triple", &["result"]),
    ("uncover", &["revealed"]),
    ("uppermost", &["result"]),
    ("void-returned", &["voided"]),
    ("voided-afterwards", &["voided-afterwards"]),
];

/// Scenarios that together reach every record that is sought.
const PLAYED: [&str; 12] = [
    "amended-alone",
    "bus-lost",
    "damaged-dice",
    "dice-moved",
    "dice-wrong",
    "disk-readonly",
    "late-error",
    "restart-established",
    "seal-broken",
    "supervisor-void",
    "triples",
    "wrong-numbers-no-reader",
];

/// Records' kinds with the clauses that they cite, and results that cite what does not hold of them.
#[derive(Default)]
struct Cited {
    clauses: BTreeSet<(String, String)>,
    wrong: Vec<String>,
}

fn play() -> Cited {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/benches/pure.toml");
    let bench = BenchFile::read(&file).unwrap();
    let mut cited = Cited::default();
    let meant = |name: &str| PLAYED.iter().any(|played| name.split(['[', ':']).next() == Some(played));
    for trial in read_all(&bench.scenarios).unwrap() {
        if !meant(&trial.name) || bench.cannot(&trial.name).is_some() {
            continue;
        }
        let mut setup = Setup::of(&trial.rules, &trial.layout, trial.seed.unwrap_or_else(|| seed(&trial.name, 0)));
        setup.settings.reader = trial.reader;
        let mut bench = Pure::new(setup).unwrap();
        run(&mut bench, &trial);
        for record in bench.log().records.iter().map(|durable| &durable.record) {
            let json = serde_json::to_value(record).unwrap();
            let kind = json.get("kind").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
            for clause in &record.clauses {
                cited.clauses.insert((kind.clone(), clause.clone()));
            }
            if let Event::Result { dice, .. } = &record.event {
                let [a, b, c] = dice.pips();
                if record.clauses.iter().any(|clause| clause.ends_with(" 3.10")) && !(a == b && b == c) {
                    cited.wrong.push(format!("{}: {a} {b} {c} cites what wins on a triple", trial.name));
                }
            }
        }
    }
    cited
}

#[test]
fn every_clause_with_a_key_is_cited_by_a_record_of_the_kind_that_it_is_about() {
    let known: BTreeSet<&str> = CLAUSE_KEYS.iter().map(|(key, _)| *key).collect();
    assert_eq!(SOUGHT.iter().map(|(key, _)| *key).collect::<BTreeSet<_>>(), known);
    let cited = play();
    let mut missing = Vec::new();
    for rules in all() {
        for (key, kinds) in SOUGHT {
            let clause = rules.clause(key).to_string();
            for kind in kinds.iter().filter(|_| !clause.is_empty()) {
                if !cited.clauses.contains(&((*kind).to_owned(), clause.to_owned())) {
                    missing.push(format!("{}: no `{kind}` cites {clause} ({key})", rules.id));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(cited.wrong.is_empty(), "SGV6 3.10, SGOC 3.10: {:#?}", cited.wrong.first());
}
