//! Rounds whose void is due by what people and the shaft did.

use super::*;

#[test]
fn nz_7_1_d_never_activated_voids_the_round() {
    let mut play = Play::open("nz-div9");
    play.press(Line::PlaceBets);
    play.began();
    play.no_more_bets();
    let mut void = play.clone();
    void.void("never-activated", "NZ9 7.1(d)");
    assert!(void.lawful(judge()).contains(&("void reasons compared with the truth", 1)));
    play.pass(40_000);
    play.press(Line::PlaceBets);
    broken(&play, judge(), MUST_BE_VOID);
}

#[test]
fn sgoc_5_5_3_a_shaft_that_turns_before_no_more_bets_voids_the_round() {
    let mut play = Play::open("sg-open");
    play.begin();
    for _ in 0..5 {
        play.pass(150);
        play.quarter(1);
    }
    let mut void = play.clone();
    void.void("activated-early", "SGOC 5.5.3");
    void.lawful(judge());
    play.pass(1_000);
    play.no_more_bets();
    play.pass(40_000);
    play.press(Line::Tumble);
    broken(&play, judge(), MUST_BE_VOID);
}

#[test]
fn a_contact_that_makes_for_less_than_a_debounce_calls_nothing() {
    let mut play = Play::open("nz-div9");
    let dice = [1, 3, 6];
    play.begin();
    play.wire(Line::NoMoreBets, true);
    play.pass(10);
    play.wire(Line::NoMoreBets, false);
    play.spin(dice);
    play.press(Line::PlaceBets);
    play.called("place-bets");
    play.no_more_bets();
    play.pass(400);
    play.reveal();
    play.establish(dice);
    play.enter(dice);
    play.result(dice, &call(dice));
    play.light(Some(dice));
    play.verified();
    play.pay(dice);
    play.lawful(judge());
}

/// SGOC 5.5.3: while the button chatters nobody knows whether its edges are a call; the shaft turned all the same.
#[test]
fn a_shaft_that_turns_while_the_button_chatters_turned_early() {
    for chatters in [true, false] {
        let mut play = Play::open("sg-open");
        play.begin();
        play.truth(Truth::Broken { part: Part::Buttons, broken: chatters });
        play.wire(Line::NoMoreBets, true);
        play.pass(200);
        play.quarter(1);
        play.void("activated-early", "SGOC 5.5.3");
        all_broken(&play, if chatters { &[] } else { &[FALSE_CLAIM] });
    }
}
