mod due;
mod late;
mod said;

use super::ending::{BELL, FALSE_CLAIM, MUST_BE_VOID, PAID, STANDS};
use super::order::{
    DICE, ESTABLISHED, FLAT, INTERRUPTED, KEEPS, KEYED, NUMBERS, ONCE, ONE_SPIN, OPENS, REVEAL, SPIN_ORDER, STEPS,
    THREE,
};
use super::*;
use crate::build::{EVERY, Play, broken, call};
use serde_json::{Value, json};

const COVERED: [&str; 3] = ["nz-1998", "nz-div9", "sg-v6"];

fn judge() -> Box<dyn Judge> {
    Box::<Rounds>::default()
}

/// Every one of these clauses is found broken, and no other.
fn all_broken(play: &Play, clauses: &[&str]) {
    let panel = play.judged(judge());
    let found: std::collections::BTreeSet<&str> = panel.violations().iter().map(|v| v.clause).collect();
    assert_eq!(found, clauses.iter().copied().collect(), "{:#?}", panel.violations());
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut play = Play::open(rules);
        play.round([1, 3, 6]);
        play.round([5, 5, 5]);
        let exercised = play.lawful(judge());
        for rule in ["rounds settled", "results compared with the true dice", "results compared with the keys pressed"]
        {
            assert!(exercised.contains(&(rule, 2)), "{rules}: {exercised:?}");
        }
        assert!(exercised.contains(&("bells at \"No more bets\"", 2)), "{exercised:?}");
    }
}

#[test]
fn a_round_begins_once_and_ends_once() {
    let mut twice = Play::open("nz-div9");
    twice.begin();
    twice.press(Line::Tumble);
    twice.began();
    broken(&twice, judge(), ONCE);
    let mut ended = Play::open("nz-div9");
    ended.round([1, 3, 6]);
    ended.settled([1, 3, 6]);
    broken(&ended, judge(), ONCE);
}

#[test]
fn rounds_are_numbered_without_gaps() {
    let mut play = Play::open("sg-v6");
    play.round([1, 3, 6]);
    play.round += 1;
    play.begin();
    broken(&play, judge(), NUMBERS);
}

#[test]
fn sgv6_1_7_a_round_begins_with_place_your_bets() {
    for (rules, lawful) in [("sg-v6", false), ("sg-open", false), ("nz-div9", true)] {
        let mut play = Play::open(rules);
        play.press(Line::Tumble);
        play.began();
        if lawful {
            play.lawful(judge());
        } else {
            broken(&play, judge(), OPENS);
        }
    }
}

#[test]
fn a_round_has_the_rule_set_in_force() {
    let mut play = Play::open("sg-v6");
    play.press(Line::PlaceBets);
    play.round = 1;
    play.record("round-began", json!({"rules": "sg-open", "layout": "sg-open-2"}));
    broken(&play, judge(), KEEPS);
}

#[test]
fn nz_6_1_the_spin_comes_first_and_sgoc_3_7_it_comes_last() {
    let mut early = Play::open("sg-open");
    early.begin();
    early.spin([1, 3, 6]);
    all_broken(&early, &[SPIN_ORDER]);
    let mut late = Play::open("nz-div9");
    late.press(Line::PlaceBets);
    late.began();
    late.no_more_bets();
    late.spin([1, 3, 6]);
    broken(&late, judge(), SPIN_ORDER);
    // SGV6 3.7 leaves it open.
    let mut either = Play::open("sg-v6");
    either.begin();
    either.no_more_bets();
    either.spin([1, 3, 6]);
    either.lawful(judge());
}

#[test]
fn one_press_is_one_spin_and_one_valid_spin_is_enough() {
    let mut unasked = Play::open("sg-open");
    unasked.begin();
    unasked.no_more_bets();
    unasked.spin_begin();
    broken(&unasked, judge(), ONE_SPIN);
    let mut again = Play::open("sg-v6");
    again.begin();
    again.spin([1, 3, 6]);
    again.spin([1, 3, 6]);
    broken(&again, judge(), ONE_SPIN);
}

#[test]
fn sgv6_3_7_fewer_than_three_true_tumbles_are_no_valid_spin() {
    for rules in EVERY {
        let mut play = Play::open(rules);
        play.begin();
        if !play.covered() {
            play.no_more_bets();
        }
        play.press(Line::Tumble);
        play.spin_begin();
        play.turn(10);
        play.motor_off();
        play.coast();
        let mut void = play.clone();
        void.spin_end(2, false);
        void.void("fewer-than-three", "as the rule set has it");
        assert!(void.lawful(judge()).contains(&("void reasons compared with the truth", 1)));
        let mut more = play.clone();
        more.record("spin-ended", json!({"tumbles": 2, "valid": false, "steps": 16, "needed": 13, "how": "target"}));
        broken(&more, judge(), STEPS);
        play.spin_end(3, true);
        broken(&play, judge(), THREE);
    }
}

#[test]
fn nz_7_1_c_and_sgv6_5_5_3_exposed_dice_void_the_round() {
    for rules in COVERED {
        let exposed = || {
            let mut play = Play::open(rules);
            play.begin();
            play.spin([1, 3, 6]);
            play.dome(true);
            play.pass(100);
            play
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
        let mut play = Play::open(rules);
        play.begin();
        play.wire(Line::MotorEnable, false);
        play.press(Line::Tumble);
        play.record("spin-began", json!(null));
        play.dome(true);
        play.pass(100);
        play.record("refused", json!({"what": "tumble", "why": "the dome is not down"}));
        play.dome(false);
        play.pass(40_000);
        assert!(play.lawful(judge()).contains(&("rounds that had to be void", 0)), "{rules}");
    }
}

#[test]
fn a_void_reason_that_did_not_happen_is_found() {
    let mut play = Play::open("nz-div9");
    play.until_bets_closed([1, 3, 6]);
    for reason in ["fewer-than-three", "not-flat", "exposed", "never-activated", "activated-early", "interruption"] {
        let mut void = play.clone();
        void.void(reason, "any");
        broken(&void, judge(), FALSE_CLAIM);
    }
    let mut equipment = play.clone();
    equipment.void("equipment", "");
    equipment.lawful(judge());
}

#[test]
fn nz_7_1_a_cocked_dice_are_no_outcome() {
    let mut play = Play::open("nz-div9");
    play.until_bets_closed([1, 3, 6]);
    play.truth(Truth::Dice { faces: [1, 3, 6], flat: [true, false, true] });
    let mut void = play.clone();
    void.void("not-flat", "NZ9 7.1(a)");
    void.lawful(judge());
    // A reader that is broken cannot be held against the table; nor can a dealer who says flat.
    let mut excused = play.clone();
    excused.truth(Truth::Broken { part: Part::Reader, broken: true });
    excused.reveal();
    excused.establish([1, 3, 6]);
    excused.lawful(judge());
    play.reveal();
    play.establish([1, 3, 6]);
    broken(&play, judge(), FLAT);
}

/// SGOC 3.7: no cover hides dice that still turn. Two faults at once leave the table no way to know that they do.
#[test]
fn sgoc_3_7_dice_are_at_rest_when_they_are_revealed() {
    let revealed = |broken: &[Part]| {
        let mut play = Play::open("sg-open");
        play.begin();
        play.no_more_bets();
        play.press(Line::Tumble);
        play.spin_begin();
        for part in broken {
            play.truth(Truth::Broken { part: *part, broken: true });
        }
        play.turn(16);
        play.motor_off();
        play.pass(200);
        play.truth(Truth::Dice { faces: [1, 3, 6], flat: [true; 3] });
        play.spin_end(4, true);
        play.reveal();
        play
    };
    for blind in [&[Part::Cam][..], &[Part::Relay, Part::Cam]] {
        revealed(blind).lawful(judge());
    }
    for one in [&[][..], &[Part::Relay]] {
        broken(&revealed(one), judge(), REVEAL);
    }
}

/// faults.md cam.phantom: a quarter back cannot be told from the noise of one sensor, and the dice are taken to rest; two are a turn.
#[test]
fn a_shaft_that_is_turned_back_before_the_reveal_is_found_from_its_second_quarter_on() {
    let revealed = |back: i64| {
        let mut play = Play::open("sg-open");
        play.begin();
        play.no_more_bets();
        play.press(Line::Tumble);
        play.spin_begin();
        play.turn(16);
        play.motor_off();
        play.pass(200);
        for _ in 0..back {
            play.quarter(-1);
        }
        play.pass(150);
        play.truth(Truth::Dice { faces: [1, 3, 6], flat: [true; 3] });
        play.spin_end(4, true);
        play.reveal();
        play
    };
    revealed(1).lawful(judge());
    broken(&revealed(2), judge(), REVEAL);
}

#[test]
fn nz_6_3_no_reveal_under_the_dome() {
    let mut play = Play::open("nz-div9");
    play.until_bets_closed([1, 3, 6]);
    play.record("revealed", json!({"how": "dome"}));
    broken(&play, judge(), REVEAL);
}

#[test]
fn an_outcome_needs_all_four_and_a_result_needs_an_outcome() {
    let mut play = Play::open("sg-v6");
    play.begin();
    play.no_more_bets();
    play.dome(true);
    play.record("revealed", json!({"how": "dome"}));
    play.establish([1, 3, 6]);
    broken(&play, judge(), ESTABLISHED);
    let mut result = Play::open("sg-v6");
    result.until_bets_closed([1, 3, 6]);
    result.reveal();
    result.result([1, 3, 6], &call([1, 3, 6]));
    broken(&result, judge(), ESTABLISHED);
}

#[test]
fn the_result_is_what_the_dice_show_and_the_keys_say() {
    let mut play = Play::open("nz-div9");
    play.until_bets_closed([1, 3, 6]);
    play.reveal();
    play.establish([1, 3, 6]);
    let mut wrong = play.clone();
    wrong.enter([5, 5, 5]);
    wrong.result([5, 5, 5], &call([5, 5, 5]));
    broken(&wrong, judge(), DICE);
    play.enter([5, 5, 5]);
    let mut said = play.clone();
    said.ask("settle", json!({"dice": [6, 3, 1], "reason": "the dice show it", "name": "Ana"}));
    said.result([1, 3, 6], &call([1, 3, 6]));
    assert!(said.judged(judge()).findings().is_empty(), "the supervisor said what the dice show");
    play.result([1, 3, 6], &call([1, 3, 6]));
    broken(&play, judge(), KEYED);
}

#[test]
fn nz_7_2_an_amended_result_is_the_supervisors() {
    let mut play = Play::open("nz-div9");
    play.until_settling([5, 5, 5]);
    play.record("amended", json!({"from": [5, 5, 5], "to": [1, 3, 6], "by": "Ana"}));
    play.result([1, 3, 6], &call([1, 3, 6]));
    let mut first = play.clone();
    play.pay([1, 3, 6]);
    play.lawful(judge());
    first.key(Key::Entry);
    first.settled([5, 5, 5]);
    broken(&first, judge(), DICE);
}

#[test]
fn dice_moved_by_a_hand_after_they_were_seen_change_nothing() {
    let mut play = Play::open("nz-div9");
    play.until_bets_closed([1, 3, 6]);
    play.reveal();
    play.establish([1, 3, 6]);
    play.truth(Truth::Dice { faces: [5, 5, 5], flat: [true; 3] });
    play.enter([1, 3, 6]);
    play.result([1, 3, 6], &call([1, 3, 6]));
    play.lawful(judge());
}

#[test]
fn nz_4_4_settled_only_when_paid() {
    let mut play = Play::open("nz-div9");
    play.until_settling([1, 3, 6]);
    let mut other = play.clone();
    other.key(Key::Entry);
    other.settled([5, 5, 5]);
    broken(&other, judge(), DICE);
    let mut early = play.clone();
    let mut noisy = play.clone();
    play.settled([1, 3, 6]);
    broken(&play, judge(), PAID);
    // Frames that are hit press no key.
    noisy.truth(Truth::Broken { part: Part::Bus, broken: true });
    noisy.settled([1, 3, 6]);
    broken(&noisy, judge(), PAID);
    // The dealer pays while the record of the amendment is still being written.
    early.tell_mqtt = false;
    early.record("amended", json!({"from": [1, 3, 6], "to": [5, 5, 5], "by": "Ana"}));
    let amended = early.trace.0.pop().unwrap();
    let mut before = early.clone();
    early.key(Key::Entry);
    early.trace.0.push(Observation { at_ns: early.now_ns, ..amended.clone() });
    early.settled([5, 5, 5]);
    early.lawful(judge());
    before.trace.0.push(amended);
    before.settled([5, 5, 5]);
    broken(&before, judge(), PAID);
}

#[test]
fn nothing_voids_an_established_round_but_damaged_dice() {
    let mut play = Play::open("sg-v6");
    play.until_settling([1, 3, 6]);
    let mut damaged = play.clone();
    damaged.void("damaged-dice", "SGV6 5.6");
    damaged.lawful(judge());
    play.void("equipment", "");
    broken(&play, judge(), STANDS);
    // NZ 4.9: an established result is settled, whatever is found of the dice.
    let mut nz = Play::open("nz-div9");
    nz.until_settling([1, 3, 6]);
    nz.void("damaged-dice", "");
    broken(&nz, judge(), STANDS);
}

/// faults.md reader.wrong_pose_*: the supervisor sees a die that is not flat and a reader that says flat.
#[test]
fn the_supervisors_eye_overrules_a_reader_that_said_flat() {
    let mut play = Play::open("sg-v6");
    play.until_bets_closed([1, 3, 6]);
    play.reveal();
    play.establish([1, 3, 6]);
    play.turn_key();
    let ended = |play: &Play, not_flat: bool, latch: bool| {
        let mut play = play.clone();
        play.ask("void", json!({"not_flat": not_flat, "reason": "die 2 leans", "name": "Ana"}));
        if latch {
            play.latch("reader");
        }
        play.void("not-flat", "SGV6 5.5.2");
        play
    };
    ended(&play, true, true).lawful(judge());
    for (not_flat, latch) in [(false, true), (true, false)] {
        broken(&ended(&play, not_flat, latch), judge(), STANDS);
    }
    play.enter([1, 3, 6]);
    play.result([1, 3, 6], &call([1, 3, 6]));
    broken(&ended(&play, true, true), judge(), STANDS);
}

#[test]
fn sgv6_5_4_an_interrupted_round_is_concluded_or_void() {
    let killed = |play: &mut Play| {
        play.truth(Truth::Process { alive: false });
        play.pass(500);
        play.truth(Truth::Process { alive: true });
    };
    let mut open = Play::open("sg-v6");
    open.until_bets_closed([1, 3, 6]);
    killed(&mut open);
    let mut void = open.clone();
    void.void("interruption", "SGV6 5.4.2");
    assert!(void.lawful(judge()).contains(&("rounds interrupted", 1)));
    open.reveal();
    open.establish([1, 3, 6]);
    broken(&open, judge(), INTERRUPTED);
    let mut established = Play::open("sg-v6");
    established.until_settling([1, 3, 6]);
    killed(&mut established);
    established.pay([1, 3, 6]);
    established.lawful(judge());
}

#[test]
fn nz_6_2_the_bell_rings_with_no_more_bets() {
    let mut play = Play::open("nz-div9");
    play.round([1, 3, 6]);
    play.trace.0.retain(|seen| !matches!(seen.what, Seen::Wire { line: Line::Bell, initial: false, .. }));
    broken(&play, judge(), BELL);
}
