use super::*;
use crate::observation::{Key, Part};
use crate::script::{EVERY, Script, broken, call};
use serde_json::json;

const DICE: [u8; 3] = [1, 3, 6];

fn judge() -> Box<dyn Judge> {
    Box::<Lamps>::default()
}

fn with_result(rules: &str) -> Script {
    let mut script = Script::open(rules);
    script.until_bets_closed(DICE);
    script.reveal();
    script.establish(DICE);
    script.enter(DICE);
    script.result(DICE, &call(DICE));
    script
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut script = Script::open(rules);
        script.round(DICE);
        script.round([5, 5, 5]);
        script.pass(3_000);
        script.mqtt("status", json!({}));
        let exercised = script.lawful(judge());
        assert!(exercised.contains(&("lamps verified", 2)), "{exercised:?}");
    }
}

#[test]
fn nz_3_3_b_another_area_is_found() {
    let mut script = with_result("nz-div9");
    let [first, second] = script.lamps(DICE);
    script.light_mask([first | first.wrapping_add(1), second]);
    broken(&script, judge(), WINNERS);
}

#[test]
fn no_lamp_lights_before_the_result() {
    let mut script = Script::open("sg-v6");
    script.until_bets_closed(DICE);
    script.reveal();
    script.establish(DICE);
    script.enter(DICE);
    let mut differs = script.clone();
    differs.record("entry-differs", json!({"entered": [1, 1, 1], "read": DICE}));
    differs.light(Some(DICE));
    broken(&differs, judge(), AFTER);
    script.light(Some(DICE));
    broken(&script, judge(), AFTER);
}

#[test]
fn no_lamp_lights_in_another_phase_but_in_a_test() {
    let mut script = Script::open("sg-v6");
    script.light(Some(DICE));
    broken(&script, judge(), OTHER);
    let mut test = Script::open("sg-v6");
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
        let mut script = Script::open("nz-div9");
        script.turn_key();
        script.ask("reset", json!({"code": "lamps", "exit": "rectified", "name": "Ana"}));
        script.truth(there);
        script.pass(1_000);
        script.truth(back);
        script.light(Some([1, 3, 6]));
        if matches!(there, Truth::Hung { .. }) {
            script.lawful(judge());
        } else {
            broken(&script, judge(), OTHER);
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
        let mut script = with_result("nz-div9");
        script.light_mask(script.lamps(DICE));
        script.pass(400);
        if latch {
            script.latch("lamps");
        }
        script.pass(3_000);
        script.display(0x136);
        script
    };
    late(true).lawful(judge());
    broken(&late(false), judge(), VERDICT);
}

#[test]
fn lamps_left_on_after_the_round_are_found() {
    let mut script = Script::open("nz-div9");
    script.until_settling(DICE);
    script.key(Key::Entry);
    script.settled(DICE);
    script.pass(3_000);
    script.display(0x0FFF);
    broken(&script, judge(), OFF);
}

/// For boards that could not be reached, the time counts from when they can be.
#[test]
fn lamps_of_a_board_that_replies_again_go_dark() {
    let healed = |dark: bool| {
        let mut script = Script::open("nz-div9");
        script.until_settling(DICE);
        script.key(Key::Entry);
        script.settled(DICE);
        script.truth(Truth::Broken { part: Part::Lamps, broken: true });
        script.pass(2_100);
        script.display(0x0FFF);
        script.pass(1_900);
        script.truth(Truth::Broken { part: Part::Lamps, broken: false });
        script.pass(200);
        script.display(0x0FFF);
        if dark {
            script.light(None);
        }
        script.pass(2_000);
        script.display(0x0FFF);
        script
    };
    healed(true).lawful(judge());
    broken(&healed(false), judge(), OFF);
}

#[test]
fn an_amended_result_lights_its_own_areas() {
    let mut script = with_result("nz-div9");
    script.light(Some(DICE));
    script.verified();
    script.record("amended", json!({"from": DICE, "to": [5, 5, 5], "by": "Ana"}));
    let mut old = script.clone();
    script.light(Some([5, 5, 5]));
    script.verified();
    script.lawful(judge());
    old.light(Some(DICE));
    broken(&old, judge(), WINNERS);
}

#[test]
fn lamps_that_flicker_at_the_end_of_the_round_are_still_told_to_shine() {
    for told in [true, false] {
        let mut script = with_result("sg-v6");
        script.light(Some(DICE));
        script.verified();
        let winning = script.lamps(DICE);
        let other = script.lamps([5, 5, 5]);
        script.truth(Truth::Lamps { boards: [0; 2] });
        script.key(Key::Entry);
        script.settled(DICE);
        script.truth(Truth::Lamps { boards: if told { winning } else { other } });
        script.light(None);
        if told {
            script.lawful(judge());
        } else {
            broken(&script, judge(), OTHER);
        }
    }
}
