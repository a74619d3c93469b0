//! Planted endings: a false one is found, and a right one is not.

use super::*;
use crate::UNREACHABLE_ROWS;
use crate::observation::{Line, Truth};
use crate::panel::Panel;
use crate::script::{EVERY, Script, broken};
use serde_json::json;

mod spins;

fn judge() -> Box<dyn Judge> {
    Box::<TruthTable>::default()
}

/// A table of this rule set whose bets and spin are so far that the tumbler may run, and where the spin has begun.
fn spinning(rules: &str) -> Script {
    let mut script = Script::before_spin(rules);
    script.press(Line::Tumble);
    script.spin_begin();
    script
}

/// The clauses of a list without the rule set's name, as a record has them.
fn named(rules: &str, clauses: &[&str]) -> String {
    let rules = Rules::named(rules).unwrap();
    let named: Vec<String> = clauses.iter().map(|clause| format!("{} {clause}", rules.text())).collect();
    named.join(", ")
}

/// In the order of [`EVERY`].
type Five = [&'static [&'static str]; 5];

/// The right clauses pass under every rule set; others, one too few, one too many, and a settlement do not.
fn voids(what: impl Fn(&str) -> Option<Script>, reason: &str, right: Five) {
    for (rules, right) in EVERY.into_iter().zip(right) {
        let Some(script) = what(rules) else { continue };
        let ended = |clauses: &[&str]| {
            let mut script = script.clone();
            script.void(reason, &named(rules, clauses));
            script
        };
        let panel = ended(right).judged(judge());
        assert!(
            panel.findings().is_empty() && panel.unlisted().is_empty(),
            "{rules}: {:?} {:?}",
            panel.violations(),
            panel.unlisted()
        );
        assert!(panel.rows_used().iter().any(|used| used.rules == rules), "{rules}: no row used");
        let mut wrong = vec![vec!["9.9"], right.iter().copied().chain(["9.9"]).collect()];
        if let [_, rest @ ..] = right {
            wrong.push(rest.to_vec());
        }
        for clauses in wrong {
            let found = ended(&clauses).judged(judge());
            assert!(
                found.violations().iter().any(|v| v.clause == CLAUSES || v.clause == ENDING),
                "{rules}: {clauses:?} passes"
            );
        }
        let mut settled = script.clone();
        settled.settled([1, 3, 6]);
        let found = settled.judged(judge());
        assert!(found.violations().iter().any(|v| v.clause == GOES_ON || v.clause == ENDING), "{rules}: settles");
    }
}

const SHORT: Five = [&["7.1(b)", "6.1"], &["7.1(b)", "6.1"], &["5.5.1"], &["5.5.1"], &["5.1.2"]];
const SHORT_TECHNICAL: Five =
    [&["7.1(b)", "6.1"], &["7.1(b)", "6.1"], &["5.5.1", "5.4.2"], &["5.5.1", "5.4.2"], &["5.1.2"]];
const NOT_FLAT: Five = [&["7.1(a)"], &["7.1(a)"], &["5.5.2"], &["5.5.2"], &["5.1.3"]];

fn covered(rules: &str, script: impl Fn() -> Script) -> Option<Script> {
    Rules::named(rules).is_some_and(Rules::covered).then(script)
}

#[test]
fn lawful_rounds_pass_and_leave_no_doubt() {
    for rules in EVERY {
        let mut script = Script::open(rules);
        script.round([1, 3, 6]);
        script.round([5, 5, 5]);
        let panel = script.judged(judge());
        assert!(panel.findings().is_empty() && panel.unlisted().is_empty(), "{rules}: {:#?}", panel.violations());
        let times = |rule: &str| panel.exercised().into_iter().find(|e| e.rule == rule).unwrap().times;
        assert_eq!(
            (times("settlements held against the texts"), times("endings of which physics leaves no doubt")),
            (2, 2)
        );
        assert!(panel.rows_used().iter().any(|used| used.row == "keyed-stands"), "{:?}", panel.rows_used());
    }
}

#[test]
fn no_spin_in_a_spin_is_fewer_than_three_tumbles() {
    let called = |rules: &str| {
        let mut script = spinning(rules);
        script.turn(6);
        script.wire(Line::NoSpin, true);
        script.pass(30);
        script.motor_off();
        script.coast();
        Some(script)
    };
    voids(called, "fewer-than-three", SHORT);
}

#[test]
fn twelve_steps_prove_nothing() {
    let short = |rules: &str| {
        let mut script = spinning(rules);
        script.turn(11);
        script.wire(Line::NoSpin, true);
        script.pass(30);
        script.motor_off();
        script.coast();
        Some(script)
    };
    voids(short, "fewer-than-three", SHORT);
    // The thirteenth does, and the round goes on under Singapore's rules.
    for rules in ["sg-v6", "sg-open", "sg-open-early"] {
        let mut script = spinning(rules);
        script.turn(13);
        script.wire(Line::NoSpin, true);
        script.pass(30);
        script.motor_off();
        script.coast();
        script.truth(Truth::Dice { faces: [1, 3, 6], flat: [true; 3] });
        let clause = named(rules, if rules == "sg-open-early" { &["5.1.2"] } else { &["5.5.1"] });
        script.void("fewer-than-three", &clause);
        let found = script.judged(judge());
        assert!(
            found.violations().iter().any(|v| [ENDING, CLAUSES].contains(&v.clause)),
            "{rules}: {:?}",
            found.violations()
        );
    }
}

#[test]
fn a_stall_a_supply_and_a_seal_are_technical_besides() {
    let stalled = |rules: &str| {
        let mut script = spinning(rules);
        script.turn(4);
        script.pass(800);
        script.motor_off();
        script.pass(400);
        Some(script)
    };
    voids(stalled, "equipment", SHORT_TECHNICAL);
    for line in [Line::PowerGood, Line::Seal] {
        let lost = |rules: &str| {
            let mut script = spinning(rules);
            script.turn(4);
            script.wire(line, false);
            script.pass(12);
            script.motor_off();
            script.coast();
            Some(script)
        };
        voids(lost, "equipment", SHORT_TECHNICAL);
    }
}

/// After a kill nobody knows the count, and no clause about one is cited. The early edition is silent: a person is asked.
#[test]
fn a_spin_that_nobody_counted_is_not_short() {
    let killed = |rules: &str| {
        let mut script = spinning(rules);
        script.turn(4);
        script.truth(Truth::Process { alive: false });
        script.pass(500);
        script.truth(Truth::Process { alive: true });
        script.motor_off();
        (rules != "sg-open-early").then_some(script)
    };
    voids(killed, "interruption", [&["7.1(b)"], &["7.1(b)"], &["5.4.2", "3.7"], &["5.4.2", "3.7"], &[]]);
}

#[test]
fn a_die_that_is_not_flat_is_void() {
    let cocked = |rules: &str| {
        let mut script = spinning(rules);
        script.turn(16);
        script.motor_off();
        script.coast();
        script.truth(Truth::Dice { faces: [1, 3, 6], flat: [true, false, true] });
        script.spin_end(4, true);
        Some(script)
    };
    voids(cocked, "not-flat", NOT_FLAT);
}

/// faults.md gpio.chip_gone: nothing can switch `motor_enable` off any more, and the dead-man relay ends the spin. NZ 7.1(a) asks only
/// how the dice came to rest.
#[test]
fn a_die_that_is_not_flat_is_void_though_the_motors_line_stays_on() {
    let mut script = spinning("nz-1998");
    script.truth(Truth::Broken { part: Part::Reader, broken: true });
    script.turn(16);
    script.truth(Truth::Broken { part: Part::Gpio, broken: true });
    script.coast();
    script.pass(1_000);
    script.truth(Truth::Dice { faces: [1, 3, 6], flat: [true, false, true] });
    script.latch("gpio");
    script.spin_end(4, true);
    script.record("asked", json!({"why": "interrupted"}));
    script.pass(1_000);
    script.void("not-flat", &named("nz-1998", &["7.1(a)"]));
    script.lawful(judge());
}

#[test]
fn dice_that_are_exposed_are_void() {
    let exposed = |rules: &str| {
        covered(rules, || {
            let mut script = Script::open(rules);
            script.begin();
            script.spin([1, 3, 6]);
            script.pass(400);
            script.dome(true);
            script
        })
    };
    voids(exposed, "exposed", [&["7.1(c)"], &["7.1(c)"], &["5.5.3"], &[], &[]]);
    let both = |rules: &str| {
        covered(rules, || {
            let mut script = spinning(rules);
            script.turn(4);
            script.dome(true);
            script.motor_off();
            script
        })
    };
    voids(both, "exposed", [&["7.1(b)", "7.1(c)", "6.1"], &["7.1(b)", "7.1(c)", "6.1"], &["5.5.1", "5.5.3"], &[], &[]]);
}

#[test]
fn nz_7_1_d_bets_closed_without_a_spin_are_void() {
    for rules in ["nz-1998", "nz-div9"] {
        let mut script = Script::open(rules);
        script.begin();
        script.no_more_bets();
        let mut right = script.clone();
        right.void("never-activated", &named(rules, &["7.1(d)"]));
        right.lawful(judge());
        script.void("never-activated", &named(rules, &["7.1(b)"]));
        broken(&script, judge(), CLAUSES);
    }
}

/// A person's decision, as the command and its record tell of it.
fn decided(rules: &str, with: serde_json::Value) -> Script {
    let mut script = Script::open(rules);
    script.until_bets_closed([1, 3, 6]);
    script.ask("void", with);
    script.record("decided", json!({"kind": "void", "what": "void", "reason": "as seen", "by": "Ana"}));
    script
}

#[test]
fn damaged_dice_are_void_by_each_text() {
    let damaged = |rules: &str| decided(rules, json!({"damaged_dice": true, "reason": "chipped"}));
    let in_singapore = |rules: &str| (!rules.starts_with("nz")).then(|| damaged(rules));
    voids(in_singapore, "damaged-dice", [&[], &[], &["5.6"], &["5.6"], &["5.1.1"]]);
    let mut script = damaged("nz-1998");
    script.void("damaged-dice", "");
    broken(&script, judge(), ENDING);
}

#[test]
fn sgv6_5_14_is_for_the_shift_manager() {
    let by = |manager: bool| move |rules: &str| Some(decided(rules, json!({"reason": "a cat", "manager": manager})));
    let in_singapore = |rules: &str| by(true)(rules).filter(|_| !rules.starts_with("nz"));
    voids(in_singapore, "supervisor", [&[], &[], &["5.14"], &["5.14"], &[]]);
    let none: &[&str] = &[];
    for (rules, manager, clauses) in
        [("sg-v6", false, &["5.14"] as &[&str]), ("sg-open", false, &["5.14"]), ("nz-1998", true, none)]
    {
        let mut script = by(manager)(rules).unwrap();
        script.void("supervisor", &named(rules, clauses));
        broken(&script, judge(), ENDING);
    }
}

/// With the dice in sight a person says how they lie; a mere choice voids nothing.
#[test]
fn nobody_voids_dice_in_sight_by_a_choice() {
    for (rules, clauses) in [("nz-div9", &[] as &[&str]), ("sg-v6", &["5.14"]), ("sg-open-early", &[])] {
        let mut script = Script::without_reader(rules);
        script.until_bets_closed([1, 3, 6]);
        script.reveal();
        let mut chosen = script.clone();
        chosen.ask("void", json!({"reason": "a big win", "manager": true}));
        chosen.record("decided", json!({"kind": "void", "what": "void", "reason": "a big win", "by": "Ana"}));
        broken(&chosen, judge(), CHOICE);
        script.record("answered", json!({"finding": "cannot-tell", "reason": "they fell off the table", "by": "Ana"}));
        script.void("supervisor", &named(rules, clauses));
        script.lawful(judge());
    }
}

/// Interrupted after a valid spin: a person is asked, and the answer has its clause.
#[test]
fn an_interruption_after_a_valid_spin_asks() {
    for (rules, not_flat, cannot) in
        [("nz-1998", &["7.1(a)"] as &[&str], &[] as &[&str]), ("sg-v6", &["5.5.2"], &["5.14"])]
    {
        let mut script = Script::open(rules);
        script.until_bets_closed([1, 3, 6]);
        script.pass(2_000);
        script.truth(Truth::Process { alive: false });
        script.pass(500);
        script.truth(Truth::Process { alive: true });
        // Void at once, though a person is to be asked.
        let mut void = script.clone();
        void.void("interruption", &named(rules, &["5.4.2"]));
        broken(&void, judge(), ENDING);
        // Settled, and nobody was asked.
        let mut settled = script.clone();
        settled.settled([1, 3, 6]);
        broken(&settled, judge(), GOES_ON);
        script.record("asked", json!({"why": "interrupted"}));
        for (finding, clauses, others) in [("not-flat", not_flat, cannot), ("cannot-tell", cannot, not_flat)] {
            let mut answered = script.clone();
            answered.record("answered", json!({"finding": finding, "reason": "seen", "by": "Ana"}));
            let mut wrong = answered.clone();
            wrong.void("not-flat", &named(rules, others));
            broken(&wrong, judge(), CLAUSES);
            answered.void("not-flat", &named(rules, clauses));
            answered.lawful(judge());
        }
        script.record("answered", json!({"finding": "undisturbed", "reason": "", "by": "Ana"}));
        script.reveal();
        script.establish([1, 3, 6]);
        script.result([1, 3, 6], &crate::script::call([1, 3, 6]));
        script.settled([1, 3, 6]);
        script.lawful(judge());
    }
}

#[test]
fn nobody_is_asked_for_nothing() {
    let mut script = Script::open("sg-v6");
    script.until_bets_closed([1, 3, 6]);
    script.record("asked", json!({"why": "interrupted"}));
    broken(&script, judge(), ASKED);
}

#[test]
fn a_round_void_for_nothing_is_found_and_an_established_one_stands() {
    for rules in EVERY {
        let mut script = Script::open(rules);
        script.until_settling([1, 3, 6]);
        script.truth(Truth::Process { alive: false });
        script.pass(500);
        script.truth(Truth::Process { alive: true });
        script.void("interruption", &named(rules, &["5.4.2"]));
        broken(&script, judge(), ENDING);
    }
}

#[test]
fn sgv6_5_6_afterwards_by_the_rules_of_its_own_round() {
    let mut script = Script::open("sg-v6");
    script.round([1, 3, 6]);
    let data = |clause: &str| json!({"round": 1, "reason": "chipped", "clauses": [clause], "by": "Ana"});
    let mut right = script.clone();
    right.record_of(None, "voided-afterwards", data("SGV6 5.6"));
    assert!(right.lawful(judge()).contains(&("rounds void afterwards held against the texts", 1)));
    script.record_of(None, "voided-afterwards", data("SGOC-early 5.1.1"));
    broken(&script, judge(), AFTERWARDS);
}

/// What the table does not hold is no violation, but the rig's INVALID.
#[test]
fn what_the_table_does_not_hold_is_told_apart() {
    let mut findings = Findings::default();
    findings.note_unlisted(1_500_000_000, "a comet");
    assert!(findings.is_empty());
    assert_eq!(findings.unlisted_situations(), ["at 1.500 s: a comet"]);
    let panel = Panel::for_table(Script::open("sg-v6").config).unwrap();
    assert!(panel.unlisted().is_empty());
}

#[test]
fn every_row_has_its_place_in_the_list() {
    let rows = rows();
    assert!(rows.contains(&("keyed-stands", "nz-div9")) && !rows.contains(&("keyed-lamps-not-proved", "sg-v7")));
    for (row, rules, why) in UNREACHABLE_ROWS {
        let known = |rules: &&str| rows.contains(&(row, rules));
        assert!(if *rules == "*" { EVERY.iter().any(known) } else { known(rules) }, "{row}: {why}");
    }
}
