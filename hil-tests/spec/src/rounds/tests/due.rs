//! Rounds whose void is due by what people and the shaft did.

use super::*;

#[test]
fn nz_7_1_d_never_activated_voids_the_round() {
    let mut script = Script::open("nz-div9");
    script.press(Line::PlaceBets);
    script.began();
    script.no_more_bets();
    let mut void = script.clone();
    void.void("never-activated", "NZ9 7.1(d)");
    assert!(void.lawful(judge()).contains(&("void reasons compared with the truth", 1)));
    script.pass(40_000);
    script.press(Line::PlaceBets);
    broken(&script, judge(), MUST_BE_VOID);
}

#[test]
fn sgoc_5_5_3_a_shaft_that_turns_before_no_more_bets_voids_the_round() {
    let mut script = Script::open("sg-open");
    script.begin();
    for _ in 0..5 {
        script.pass(150);
        script.quarter(1);
    }
    let mut void = script.clone();
    void.void("activated-early", "SGOC 5.5.3");
    void.lawful(judge());
    script.pass(1_000);
    script.no_more_bets();
    script.pass(40_000);
    script.press(Line::Tumble);
    broken(&script, judge(), MUST_BE_VOID);
}

#[test]
fn a_contact_that_makes_for_less_than_a_debounce_calls_nothing() {
    let mut script = Script::open("nz-div9");
    let dice = [1, 3, 6];
    script.begin();
    script.wire(Line::NoMoreBets, true);
    script.pass(10);
    script.wire(Line::NoMoreBets, false);
    script.spin(dice);
    script.press(Line::PlaceBets);
    script.called("place-bets");
    script.no_more_bets();
    script.pass(400);
    script.reveal();
    script.establish(dice);
    script.enter(dice);
    script.result(dice, &call(dice));
    script.light(Some(dice));
    script.verified();
    script.pay(dice);
    script.lawful(judge());
}

#[test]
fn a_call_that_is_debounced_after_the_spin_began_is_no_call_without_one() {
    let chattering = |millis| {
        let mut script = Script::open("nz-div9");
        script.press(Line::PlaceBets);
        script.began();
        script.called("place-bets");
        script.wire(Line::Tumble, true);
        script.wire(Line::NoMoreBets, true);
        script.pass(millis);
        script.record("noted", json!({"kind": "late-spin"}));
        script.spin_begin();
        script.pass(40_000);
        script.press(Line::PlaceBets);
        script
    };
    let due = |millis| chattering(millis).judged(judge()).violations().iter().any(|v| v.clause == MUST_BE_VOID);
    assert!(!due(20) && due(200));
}

/// SGOC 5.5.3: while the button chatters nobody knows whether its edges are a call; the shaft turned all the same.
#[test]
fn a_shaft_that_turns_while_the_button_chatters_turned_early() {
    for chatters in [true, false] {
        let mut script = Script::open("sg-open");
        script.begin();
        script.truth(Truth::Broken { part: Part::Buttons, broken: chatters });
        script.wire(Line::NoMoreBets, true);
        script.pass(200);
        script.quarter(1);
        script.void("activated-early", "SGOC 5.5.3");
        all_broken(&script, if chatters { &[] } else { &[FALSE_CLAIM] });
    }
}
