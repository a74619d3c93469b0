use super::*;
use crate::build::{EVERY, Play, broken};
use crate::observation::Part;
use serde_json::json;

fn judge() -> Box<dyn Judge> {
    Box::<Progress>::default()
}

/// An open table on which nothing was ever broken.
fn sound(rules: &str) -> Play {
    let mut play = Play::off(rules);
    play.config.alone = true;
    play.start();
    play.opening();
    play.pass(140_000);
    play
}

fn push(play: &mut Play, line: Line) {
    play.wire(line, true);
    play.pass(120);
    play.wire(line, false);
    play.pass(100);
}

/// Somebody looks once more, later.
fn later(mut play: Play) -> Play {
    play.pass(30_000);
    play.say("");
    play
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut play = sound(rules);
        play.round([1, 3, 6]);
        play.pass(9_000);
        play.round([5, 5, 5]);
        later(play).lawful(judge());
    }
}

#[test]
fn a_call_that_leads_to_nothing_is_found() {
    for (rules, line, clause) in
        [("sg-v6", Line::PlaceBets, BEGINS), ("nz-div9", Line::Tumble, SPINS), ("nz-1998", Line::PlaceBets, BEGINS)]
    {
        let mut play = sound(rules);
        push(&mut play, line);
        broken(&later(play.clone()), judge(), clause);
        // Nobody holds a sound table to what somebody did meanwhile, or to a press on a latched one.
        play.truth(Truth::Broken { part: Part::Buttons, broken: true });
        later(play).lawful(judge());
        let mut play = sound(rules);
        play.truth(Truth::Broken { part: Part::Reader, broken: true });
        play.latch("reader");
        push(&mut play, line);
        later(play).lawful(judge());
    }
}

#[test]
fn a_spin_that_never_ends_and_one_that_is_not_valid_are_found() {
    let mut play = sound("nz-div9");
    push(&mut play, Line::Tumble);
    play.began();
    play.spin_begin();
    play.turn(16);
    play.motor_off();
    broken(&later(play.clone()), judge(), ENDS);
    play.spin_end(4, false);
    broken(&later(play.clone()), judge(), ENDS);
    // It was stopped.
    play.truth(Truth::Process { alive: false });
    later(play).lawful(judge());
}

#[test]
fn what_is_latched_or_void_on_a_sound_table_is_found() {
    let mut play = sound("nz-div9");
    play.latch("reader");
    broken(&play, judge(), ALARM);
    let mut play = sound("nz-div9");
    play.begin();
    let mut turned = play.clone();
    play.void("equipment", "");
    broken(&play, judge(), SOUND);
    // A hand turned the shaft back while the motor ran.
    turned.spin_begin();
    turned.turn(3);
    turned.pass(150);
    turned.quarter(-1);
    turned.void("equipment", "");
    turned.lawful(judge());
}

#[test]
fn a_table_that_is_not_opened_although_all_is_right_is_found() {
    let mut play = Play::off("sg-v6");
    play.config.alone = true;
    play.start();
    play.pass(2_000);
    play.turn_key();
    play.pass(100);
    play.ask("open", json!({"name": "Ana", "supervisor": true}));
    let asked = play.clone();
    for key in 1..=6 {
        play.key(Key::Digit(key));
    }
    play.key(Key::Entry);
    for item in ["areas", "seal", "bell", "sign"] {
        play.ask("witness", json!({"item": item, "right": true, "name": "Ana"}));
    }
    play.pass(70_000);
    broken(&later(play), judge(), OPENS);
    let mut refused = asked.clone();
    refused.record_of(None, "refused", json!({"what": "open", "why": "the moon is full"}));
    broken(&refused, judge(), OPENS);
    let mut failed = asked;
    failed.record_of(None, "tested", json!({"test": "lamps", "passed": false, "found": "dark"}));
    broken(&failed, judge(), TESTS);
}
