mod due;
mod late;
mod outcome;
mod said;

use super::ending::{BELL, FALSE_CLAIM, MUST_BE_VOID, PAID, STANDS};
use super::order::{
    DICE, ESTABLISHED, FLAT, INTERRUPTED, KEEPS, KEYED, NUMBERS, ONCE, ONE_SPIN, OPENS, REVEAL, SPIN_ORDER, STEPS,
    THREE,
};
use super::*;
use crate::script::{EVERY, Script, broken, call};
use serde_json::{Value, json};

const COVERED: [&str; 3] = ["nz-1998", "nz-div9", "sg-v6"];

fn judge() -> Box<dyn Judge> {
    Box::<Rounds>::default()
}

/// Every one of these clauses is found broken, and no other.
fn all_broken(script: &Script, clauses: &[&str]) {
    let panel = script.judged(judge());
    let found: std::collections::BTreeSet<&str> = panel.violations().iter().map(|v| v.clause).collect();
    assert_eq!(found, clauses.iter().copied().collect(), "{:#?}", panel.violations());
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut script = Script::open(rules);
        script.round([1, 3, 6]);
        script.round([5, 5, 5]);
        let exercised = script.lawful(judge());
        for rule in ["rounds settled", "results compared with the true dice", "results compared with the keys pressed"]
        {
            assert!(exercised.contains(&(rule, 2)), "{rules}: {exercised:?}");
        }
        assert!(exercised.contains(&("bells at \"No more bets\"", 2)), "{exercised:?}");
    }
}

#[test]
fn a_round_begins_once_and_ends_once() {
    let mut twice = Script::open("nz-div9");
    twice.begin();
    twice.press(Line::Tumble);
    twice.began();
    broken(&twice, judge(), ONCE);
    let mut ended = Script::open("nz-div9");
    ended.round([1, 3, 6]);
    ended.settled([1, 3, 6]);
    broken(&ended, judge(), ONCE);
}

#[test]
fn rounds_are_numbered_without_gaps() {
    let mut script = Script::open("sg-v6");
    script.round([1, 3, 6]);
    script.round += 1;
    script.begin();
    broken(&script, judge(), NUMBERS);
}

#[test]
fn sgv6_1_7_a_round_begins_with_place_your_bets() {
    for (rules, lawful) in [("sg-v6", false), ("sg-open", false), ("nz-div9", true)] {
        let mut script = Script::open(rules);
        script.press(Line::Tumble);
        script.began();
        if lawful {
            script.lawful(judge());
        } else {
            broken(&script, judge(), OPENS);
        }
    }
}

#[test]
fn a_round_has_the_rule_set_in_force() {
    let mut script = Script::open("sg-v6");
    script.press(Line::PlaceBets);
    script.round = 1;
    script.record("round-began", json!({"rules": "sg-open", "layout": "sg-open-2"}));
    broken(&script, judge(), KEEPS);
}

#[test]
fn nz_6_1_the_spin_comes_first_and_sgoc_3_7_it_comes_last() {
    let mut early = Script::open("sg-open");
    early.begin();
    early.spin([1, 3, 6]);
    all_broken(&early, &[SPIN_ORDER]);
    let mut late = Script::open("nz-div9");
    late.press(Line::PlaceBets);
    late.began();
    late.no_more_bets();
    late.spin([1, 3, 6]);
    broken(&late, judge(), SPIN_ORDER);
    // SGV6 3.7 leaves it open.
    let mut either = Script::open("sg-v6");
    either.begin();
    either.no_more_bets();
    either.spin([1, 3, 6]);
    either.lawful(judge());
}

#[test]
fn one_press_is_one_spin_and_one_valid_spin_is_enough() {
    let mut unasked = Script::open("sg-open");
    unasked.begin();
    unasked.no_more_bets();
    unasked.spin_begin();
    broken(&unasked, judge(), ONE_SPIN);
    let mut again = Script::open("sg-v6");
    again.begin();
    again.spin([1, 3, 6]);
    again.spin([1, 3, 6]);
    broken(&again, judge(), ONE_SPIN);
}

#[test]
fn sgv6_3_7_fewer_than_three_true_tumbles_are_no_valid_spin() {
    for rules in EVERY {
        let mut script = Script::before_spin(rules);
        script.press(Line::Tumble);
        script.spin_begin();
        script.turn(10);
        script.motor_off();
        script.coast();
        let mut void = script.clone();
        void.spin_end(2, false);
        void.void("fewer-than-three", "as the rule set has it");
        assert!(void.lawful(judge()).contains(&("void reasons compared with the truth", 1)));
        let mut more = script.clone();
        more.record("spin-ended", json!({"tumbles": 2, "valid": false, "steps": 16, "needed": 13, "how": "target"}));
        broken(&more, judge(), STEPS);
        script.spin_end(3, true);
        broken(&script, judge(), THREE);
    }
}

#[test]
fn nz_7_1_c_and_sgv6_5_5_3_exposed_dice_void_the_round() {
    for rules in COVERED {
        let exposed = || {
            let mut script = Script::open(rules);
            script.begin();
            script.spin([1, 3, 6]);
            script.dome(true);
            script.pass(100);
            script
        };
        let mut void = exposed();
        void.press(Line::NoSpin);
        void.void("exposed", "as the rule set has it");
        assert!(void.lawful(judge()).contains(&("rounds that had to be void", 1)));
        let mut settled = exposed();
        settled.no_more_bets();
        settled.record("revealed", json!({"how": "dome"}));
        settled.establish([1, 3, 6]);
        settled.enter([1, 3, 6]);
        settled.result([1, 3, 6], &call([1, 3, 6]));
        settled.key(Key::Entry);
        settled.settled([1, 3, 6]);
        broken(&settled, judge(), MUST_BE_VOID);
        let mut forgotten = exposed();
        forgotten.pass(40_000);
        forgotten.press(Line::PlaceBets);
        broken(&forgotten, judge(), MUST_BE_VOID);
    }
}

#[test]
fn nz_7_1_c_wants_dice_that_were_spun() {
    for rules in COVERED {
        let mut script = Script::open(rules);
        script.begin();
        script.wire(Line::MotorEnable, false);
        script.press(Line::Tumble);
        script.record("spin-began", json!(null));
        script.dome(true);
        script.pass(100);
        script.record("refused", json!({"what": "tumble", "why": "the dome is not down"}));
        script.dome(false);
        script.pass(40_000);
        assert!(script.lawful(judge()).contains(&("rounds that had to be void", 0)), "{rules}");
    }
}

#[test]
fn a_void_reason_that_did_not_happen_is_found() {
    let mut script = Script::open("nz-div9");
    script.until_bets_closed([1, 3, 6]);
    for reason in ["fewer-than-three", "not-flat", "exposed", "never-activated", "activated-early", "interruption"] {
        let mut void = script.clone();
        void.void(reason, "any");
        broken(&void, judge(), FALSE_CLAIM);
    }
    let mut equipment = script.clone();
    equipment.void("equipment", "");
    equipment.lawful(judge());
}

#[test]
fn nz_7_1_a_cocked_dice_are_no_outcome() {
    let mut script = Script::open("nz-div9");
    script.until_bets_closed([1, 3, 6]);
    script.truth(Truth::Dice { faces: [1, 3, 6], flat: [true, false, true] });
    let mut void = script.clone();
    void.void("not-flat", "NZ9 7.1(a)");
    void.lawful(judge());
    // The table is not to blame for a broken reader, nor for a dealer who says "flat".
    let mut excused = script.clone();
    excused.truth(Truth::Broken { part: Part::Reader, broken: true });
    excused.reveal();
    excused.establish([1, 3, 6]);
    excused.lawful(judge());
    script.reveal();
    script.establish([1, 3, 6]);
    broken(&script, judge(), FLAT);
}

/// SGOC 3.7: no cover hides dice that still turn. Two faults at once leave the table no way to know that they do.
#[test]
fn sgoc_3_7_dice_are_at_rest_when_they_are_revealed() {
    let revealed = |broken: &[Part]| {
        let mut script = Script::open("sg-open");
        script.begin();
        script.no_more_bets();
        script.press(Line::Tumble);
        script.spin_begin();
        for part in broken {
            script.truth(Truth::Broken { part: *part, broken: true });
        }
        script.turn(16);
        script.motor_off();
        script.pass(200);
        script.truth(Truth::Dice { faces: [1, 3, 6], flat: [true; 3] });
        script.spin_end(4, true);
        script.reveal();
        script
    };
    for blind in [&[Part::Cam][..], &[Part::Relay, Part::Cam]] {
        revealed(blind).lawful(judge());
    }
    for one in [&[][..], &[Part::Relay]] {
        broken(&revealed(one), judge(), REVEAL);
    }
}

/// faults.md cam.phantom: a quarter turn back looks like the noise of one sensor, and the dice count as at rest; two are a
/// turn.
#[test]
fn a_shaft_that_is_turned_back_before_the_reveal_is_found_from_its_second_quarter_on() {
    let revealed = |back: i64| {
        let mut script = Script::open("sg-open");
        script.begin();
        script.no_more_bets();
        script.press(Line::Tumble);
        script.spin_begin();
        script.turn(16);
        script.motor_off();
        script.pass(200);
        for _ in 0..back {
            script.quarter(-1);
        }
        script.pass(150);
        script.truth(Truth::Dice { faces: [1, 3, 6], flat: [true; 3] });
        script.spin_end(4, true);
        script.reveal();
        script
    };
    revealed(1).lawful(judge());
    broken(&revealed(2), judge(), REVEAL);
}

#[test]
fn nz_6_3_no_reveal_under_the_dome() {
    let mut script = Script::open("nz-div9");
    script.until_bets_closed([1, 3, 6]);
    script.record("revealed", json!({"how": "dome"}));
    broken(&script, judge(), REVEAL);
}
