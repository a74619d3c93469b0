//! Tests of the search itself: it finds violations by a shortest path, and the scenarios that it prints can be played.

use super::*;
use crate::scenario::{Verdict, run as play};
use invariants::{INVARIANTS, TakenStep};
use tumbler_bench::pure::{Pure, Setup};
use tumbler_core::record::Event;
use tumbler_core::rules;

fn plan(depth: u32, only: &[&str], invariants: Vec<Invariant>) -> SearchPlan {
    let only = only.iter().map(|words| (*words).to_owned()).collect();
    SearchPlan { rules: "nz-div9".into(), depth, jobs: 2, faults: 1, recover: 0, keep_going: false, only, invariants }
}

/// An invariant that is false on purpose.
fn false_invariant(broken: fn(&TakenStep<'_>) -> Option<String>) -> Vec<Invariant> {
    vec![Invariant { clause: "none: false on purpose", broken }]
}

fn counter_example(depth: u32, only: &[&str], broken: fn(&TakenStep<'_>) -> Option<String>) -> Example {
    run(&plan(depth, only, false_invariant(broken)), &|_| ()).unwrap().wrong.remove(0)
}

/// The steps after those that lead to the root.
fn after_root(example: &Example) -> Vec<&str> {
    let root = example.steps.iter().rposition(|step| step.starts_with("play to") || step == "open table").unwrap();
    example.steps.iter().skip(root + 1).map(String::as_str).collect()
}

fn no_round_is_void(taken: &TakenStep<'_>) -> Option<String> {
    let void = taken.records.iter().any(|record| matches!(record.event, Event::Voided(_)));
    void.then(|| "a round is void".into())
}

fn no_latch_is_opened(taken: &TakenStep<'_>) -> Option<String> {
    let opened = taken.records.iter().any(|record| matches!(record.event, Event::Unlatched { .. }));
    opened.then(|| "a latch is open".into())
}

/// The second look at the guards refuses the spin: the round has begun, and the dome is not down.
fn no_second_look(taken: &TakenStep<'_>) -> Option<String> {
    let looked = |event: &Event| matches!(event, Event::Refused { what, code, .. } if what == "tumble" && code == "dome-not-down");
    let found = taken.before.round.is_some() && taken.records.iter().any(|record| looked(&record.event));
    found.then(|| "the guards were looked at a second time".into())
}

#[test]
fn one_input_voids_a_round_and_what_is_printed_plays() {
    let example = counter_example(2, &[], no_round_is_void);
    assert_eq!(example.letters, 1, "{example:?}");
    let text = example.scenario(&trial("nz-div9").unwrap()).unwrap();
    // The file plays in the same way under any name.
    let trials = file::parse(Path::new("another-name.toml"), &text).unwrap();
    let [played] = trials.as_slice() else { panic!("{trials:?}") };
    let mut bench = Pure::new(Setup::of(&played.rules, &played.layout, played.seed.unwrap())).unwrap();
    assert_eq!(play(&mut bench, played).verdict, Verdict::Pass, "{text}");
}

/// design.md, Latch: a latch opens only with a key edge newer than it and by a test of the device; for the seal a person looks at it.
#[test]
fn a_latch_is_opened_by_no_fewer_than_six_inputs() {
    let example = counter_example(6, &["seal", "turn key", "reset", "rest"], no_latch_is_opened);
    assert_eq!(example.letters, 6, "{example:?}");
    let words: Vec<&String> = example.steps.iter().filter(|step| !step.starts_with("pass")).skip(1).collect();
    // The key may be turned before the seal is mended or after it.
    let witness =
        ["ask witness areas right", "ask witness seal right", "ask witness bell right", "ask witness sign right"];
    assert_eq!(words[..4], ["break seal", "turn key", "mend seal", "ask alone reset seal rectified"]);
    assert_eq!(words[4..], witness);
}

/// design.md rule 2: the dome may have opened while the disk wrote.
#[test]
fn a_withheld_commit_lets_the_dome_open_before_the_motor_starts() {
    let only = ["disk.takes", "press tumble", "lift dome", "a moment"];
    let example = counter_example(6, &only, no_second_look);
    let words = after_root(&example);
    let place = |word: &str| words.iter().position(|step| *step == word).unwrap();
    assert!(place("fault disk.takes_ms:5000") < place("press tumble"), "{words:?}");
    assert!(place("press tumble") < place("lift dome"), "{words:?}");
    // The commit of the spin, and that of its refusal.
    assert_eq!(example.letters, 6, "{words:?}");
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let with = |jobs| {
        let plan = SearchPlan { jobs, recover: 8, ..plan(1, &["press", "dome", "kill", "rest"], INVARIANTS.to_vec()) };
        let found = run(&plan, &|_| ()).unwrap();
        assert_eq!(found.wrong, []);
        (found.layers, found.exercised)
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn every_rule_set_is_searched_one_input_deep_without_a_finding() {
    for set in rules::all() {
        let found =
            run(&SearchPlan { rules: set.id.clone(), recover: 32, ..plan(1, &[], INVARIANTS.to_vec()) }, &|_| ())
                .unwrap();
        assert_eq!(found.wrong, [], "{}", set.id);
        let recovered: usize = found.layers.iter().map(|layer| layer.recovered).sum();
        assert!(found.states() > 100 && recovered > 0, "{}: {:?}", set.id, found.layers);
    }
}
