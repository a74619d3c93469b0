use super::*;
use crate::observation::Part;
use crate::script::{EVERY, Script, broken};
use serde_json::json;

fn judge() -> Box<dyn Judge> {
    Box::<Progress>::default()
}

/// An open table on which nothing was ever broken.
fn sound(rules: &str) -> Script {
    let mut script = Script::off(rules);
    script.config.alone = true;
    script.start();
    script.opening();
    script.pass(140_000);
    script
}

fn push(script: &mut Script, line: Line) {
    script.wire(line, true);
    script.pass(120);
    script.wire(line, false);
    script.pass(100);
}

/// Somebody looks once more, later.
fn later(mut script: Script) -> Script {
    script.pass(30_000);
    script.say("");
    script
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut script = sound(rules);
        script.round([1, 3, 6]);
        script.pass(9_000);
        script.round([5, 5, 5]);
        later(script).lawful(judge());
    }
}

#[test]
fn a_call_that_leads_to_nothing_is_found() {
    for (rules, line, clause) in
        [("sg-v6", Line::PlaceBets, BEGINS), ("nz-div9", Line::Tumble, SPINS), ("nz-1998", Line::PlaceBets, BEGINS)]
    {
        let mut script = sound(rules);
        push(&mut script, line);
        broken(&later(script.clone()), judge(), clause);
        // Nobody holds a sound table to what somebody did meanwhile, or to a press on a latched one.
        script.truth(Truth::Broken { part: Part::Buttons, broken: true });
        later(script).lawful(judge());
        let mut script = sound(rules);
        script.truth(Truth::Broken { part: Part::Reader, broken: true });
        script.latch("reader");
        push(&mut script, line);
        later(script).lawful(judge());
    }
}

#[test]
fn a_spin_that_never_ends_and_one_that_is_not_valid_are_found() {
    let mut script = sound("nz-div9");
    push(&mut script, Line::Tumble);
    script.began();
    script.spin_begin();
    script.turn(16);
    script.motor_off();
    broken(&later(script.clone()), judge(), ENDS);
    script.spin_end(4, false);
    broken(&later(script.clone()), judge(), ENDS);
    // It was stopped.
    script.truth(Truth::Process { alive: false });
    later(script).lawful(judge());
}

#[test]
fn what_is_latched_or_void_on_a_sound_table_is_found() {
    let mut script = sound("nz-div9");
    script.latch("reader");
    broken(&script, judge(), ALARM);
    let mut script = sound("nz-div9");
    script.begin();
    let mut turned = script.clone();
    script.void("equipment", "");
    broken(&script, judge(), SOUND);
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
    let mut script = Script::off("sg-v6");
    script.config.alone = true;
    script.start();
    script.pass(2_000);
    script.turn_key();
    script.pass(100);
    script.ask("open", json!({"name": "Ana", "supervisor": true}));
    let asked = script.clone();
    for key in 1..=6 {
        script.key(Key::Digit(key));
    }
    script.key(Key::Entry);
    for item in ["areas", "seal", "bell", "sign"] {
        script.ask("witness", json!({"item": item, "right": true, "name": "Ana"}));
    }
    script.pass(70_000);
    broken(&later(script), judge(), OPENS);
    let mut refused = asked.clone();
    refused.record_of(None, "refused", json!({"what": "open", "why": "the moon is full"}));
    broken(&refused, judge(), OPENS);
    let mut failed = asked;
    failed.record_of(None, "tested", json!({"test": "lamps", "passed": false, "found": "dark"}));
    broken(&failed, judge(), TESTS);
}
