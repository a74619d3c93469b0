use super::*;
use crate::build::{EVERY, Play, broken, call};
use crate::observation::{Key, Part};
use serde_json::json;

const DICE: [u8; 3] = [1, 3, 6];

fn judge() -> Box<dyn Judge> {
    Box::<Lamps>::default()
}

fn with_result(rules: &str) -> Play {
    let mut play = Play::open(rules);
    play.until_bets_closed(DICE);
    play.reveal();
    play.establish(DICE);
    play.enter(DICE);
    play.result(DICE, &call(DICE));
    play
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut play = Play::open(rules);
        play.round(DICE);
        play.round([5, 5, 5]);
        play.pass(3_000);
        play.mqtt("status", json!({}));
        let exercised = play.lawful(judge());
        assert!(exercised.contains(&("lamps verified", 2)), "{exercised:?}");
    }
}

#[test]
fn nz_3_3_b_another_area_is_found() {
    let mut play = with_result("nz-div9");
    let [first, second] = play.lamps(DICE);
    play.light_mask([first | first.wrapping_add(1), second]);
    broken(&play, judge(), WINNERS);
}

#[test]
fn no_lamp_lights_before_the_result() {
    let mut play = Play::open("sg-v6");
    play.until_bets_closed(DICE);
    play.reveal();
    play.establish(DICE);
    play.enter(DICE);
    let mut differs = play.clone();
    differs.record("entry-differs", json!({"entered": [1, 1, 1], "read": DICE}));
    differs.light(Some(DICE));
    broken(&differs, judge(), AFTER);
    play.light(Some(DICE));
    broken(&play, judge(), AFTER);
}

#[test]
fn no_lamp_lights_in_another_phase_but_in_a_test() {
    let mut play = Play::open("sg-v6");
    play.light(Some(DICE));
    broken(&play, judge(), OTHER);
    let mut test = Play::open("sg-v6");
    test.turn_key();
    test.ask("reset", json!({"code": "lamps", "exit": "rectified", "name": "Ana"}));
    test.light(Some(DICE));
    test.lawful(judge());
}

/// A process that was stopped for a moment goes on with the test; one that was killed has none.
#[test]
fn a_test_outlives_a_hang_and_not_a_kill() {
    for (there, back) in [
        (Truth::Hung { hung: true }, Truth::Hung { hung: false }),
        (Truth::Process { alive: false }, Truth::Process { alive: true }),
    ] {
        let mut play = Play::open("nz-div9");
        play.turn_key();
        play.ask("reset", json!({"code": "lamps", "exit": "rectified", "name": "Ana"}));
        play.truth(there);
        play.pass(1_000);
        play.truth(back);
        play.light(Some([1, 3, 6]));
        if matches!(there, Truth::Hung { .. }) {
            play.lawful(judge());
        } else {
            broken(&play, judge(), OTHER);
        }
    }
}

#[test]
fn a_false_verification_is_found() {
    let mut dark = with_result("nz-div9");
    let [first, second] = dark.lamps(DICE);
    dark.light_mask([first, second]);
    dark.sense([first & (first - 1), second]);
    dark.verified();
    broken(&dark, judge(), VERIFIED);
    let mut unread = with_result("nz-div9");
    unread.light_mask([first, second]);
    unread.verified();
    broken(&unread, judge(), VERIFIED);
    let mut untrue = with_result("nz-div9");
    untrue.light(Some(DICE));
    untrue.truth(Truth::Lamps { boards: [0, second] });
    let mut swapped = untrue.clone();
    untrue.verified();
    broken(&untrue, judge(), VERIFIED);
    // Swapped wires are found by a person in the opening test, not by readback.
    swapped.truth(Truth::Broken { part: Part::Lamps, broken: true });
    swapped.verified();
    swapped.lawful(judge());
}

#[test]
fn nz_7_3_lamps_without_a_verdict_are_found() {
    let late = |latch: bool| {
        let mut play = with_result("nz-div9");
        play.light_mask(play.lamps(DICE));
        play.pass(400);
        if latch {
            play.latch("lamps");
        }
        play.pass(3_000);
        play.display(0x136);
        play
    };
    late(true).lawful(judge());
    broken(&late(false), judge(), VERDICT);
}

#[test]
fn lamps_left_on_after_the_round_are_found() {
    let mut play = Play::open("nz-div9");
    play.until_settling(DICE);
    play.key(Key::Entry);
    play.settled(DICE);
    play.pass(3_000);
    play.display(0x0FFF);
    broken(&play, judge(), OFF);
}

/// Boards that could not be told have their time from when they can be.
#[test]
fn lamps_of_a_board_that_replies_again_go_dark() {
    let healed = |dark: bool| {
        let mut play = Play::open("nz-div9");
        play.until_settling(DICE);
        play.key(Key::Entry);
        play.settled(DICE);
        play.truth(Truth::Broken { part: Part::Lamps, broken: true });
        play.pass(2_100);
        play.display(0x0FFF);
        play.pass(1_900);
        play.truth(Truth::Broken { part: Part::Lamps, broken: false });
        play.pass(200);
        play.display(0x0FFF);
        if dark {
            play.light(None);
        }
        play.pass(2_000);
        play.display(0x0FFF);
        play
    };
    healed(true).lawful(judge());
    broken(&healed(false), judge(), OFF);
}

#[test]
fn an_amended_result_lights_its_own_areas() {
    let mut play = with_result("nz-div9");
    play.light(Some(DICE));
    play.verified();
    play.record("amended", json!({"from": DICE, "to": [5, 5, 5], "by": "Ana"}));
    let mut old = play.clone();
    play.light(Some([5, 5, 5]));
    play.verified();
    play.lawful(judge());
    old.light(Some(DICE));
    broken(&old, judge(), WINNERS);
}

#[test]
fn lamps_that_flicker_at_the_end_of_the_round_are_still_told_to_shine() {
    for told in [true, false] {
        let mut play = with_result("sg-v6");
        play.light(Some(DICE));
        play.verified();
        let winning = play.lamps(DICE);
        let other = play.lamps([5, 5, 5]);
        play.truth(Truth::Lamps { boards: [0; 2] });
        play.key(Key::Entry);
        play.settled(DICE);
        play.truth(Truth::Lamps { boards: if told { winning } else { other } });
        play.light(None);
        if told {
            play.lawful(judge());
        } else {
            broken(&play, judge(), OTHER);
        }
    }
}
