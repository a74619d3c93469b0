use super::*;
use crate::script::{EVERY, Script, broken};
use serde_json::json;

fn judge() -> Box<dyn Judge> {
    Box::<Commands>::default()
}

/// An open table on which a supervisor has just turned the key.
fn keyed(rules: &str) -> Script {
    let mut script = Script::off(rules);
    script.config.alone = true;
    script.start();
    script.pass(4_000);
    script.opening();
    // `open` and four times `witness`.
    for _ in 0..5 {
        script.say("done");
    }
    script.pass(400_000);
    turn_key(&mut script);
    script
}

/// For long enough to be no bounce.
fn turn_key(script: &mut Script) {
    script.wire(Line::SupervisorKey, true);
    script.pass(200);
    script.wire(Line::SupervisorKey, false);
    script.pass(1_000);
}

fn ask(script: &mut Script, role: &str, command: &str, mut with: Value) {
    with["name"] = "Mei".into();
    for (name, roles) in [("supervisor", "supervisor manager"), ("manager", "manager"), ("technician", "technician")] {
        with[name] = roles.split(' ').any(|one| one == role).into();
    }
    script.ask(command, with);
}

fn refuse(script: &mut Script, what: &str) {
    script.say("no");
    script.record_of(None, "refused", json!({"what": what, "why": "mei: no"}));
    script.pass(50);
}

/// Asks, and has it done by this record; the judge finds nothing, and finds it where it is refused or nothing comes of it.
fn must_do(script: &Script, role: &str, command: &str, with: &Value, what: &str, record: (&str, Value)) {
    let mut done = script.clone();
    ask(&mut done, role, command, with.clone());
    let mut not = done.clone();
    let mut nothing = done.clone();
    let round = (done.round > 0).then_some(done.round);
    done.record_of(round, record.0, record.1);
    done.say("done");
    done.lawful(judge());
    refuse(&mut not, what);
    broken(&not, judge(), DONE);
    nothing.say("done");
    nothing.pass(9_000);
    nothing.say("");
    broken(&nothing, judge(), DONE);
}

/// A command that must be refused: the judge finds nothing if it is, and a violation if it is done or not refused.
fn must_refuse(script: &Script, role: &str, command: &str, with: &Value, what: &str, record: (&str, Value)) {
    let mut not = script.clone();
    ask(&mut not, role, command, with.clone());
    let mut done = not.clone();
    let mut nothing = not.clone();
    refuse(&mut not, what);
    not.lawful(judge());
    let round = (done.round > 0).then_some(done.round);
    done.record_of(round, record.0, record.1);
    broken(&done, judge(), REFUSED);
    nothing.say("done");
    nothing.pass(9_000);
    nothing.say("");
    broken(&nothing, judge(), REFUSED);
}

#[test]
fn maintenance_is_between_rounds_and_for_those_who_may() {
    for rules in EVERY {
        let script = keyed(rules);
        let (on, record) = (json!({"on": true}), ("maintenance", json!({"on": true, "by": "Mei"})));
        must_do(&script, "technician", "maintenance", &on, "maintenance", record.clone());
        must_do(&script, "supervisor", "maintenance", &on, "maintenance", record.clone());
        must_refuse(&script, "nobody", "maintenance", &on, "maintenance", record.clone());
        let off = json!({"on": false});
        must_refuse(&script, "supervisor", "maintenance", &off, "maintenance", record.clone());
        let mut unkeyed = script.clone();
        unkeyed.pass(310_000);
        must_refuse(&unkeyed, "supervisor", "maintenance", &on, "maintenance", record.clone());
        let mut round = script;
        round.begin();
        must_refuse(&round, "supervisor", "maintenance", &on, "maintenance", record);
    }
}

#[test]
fn a_latch_is_reset_under_a_newer_turn_of_the_key() {
    let mut script = keyed("nz-div9");
    script.latch("lamps");
    script.pass(500);
    let record = ("unlatched", json!({"code": "lamps", "how": "procedure: by hand", "by": "Mei"}));
    let by_hand = json!({"code": "lamps", "exit": {"procedure": "by hand"}});
    must_refuse(&script, "supervisor", "reset", &by_hand, "reset", record.clone());
    turn_key(&mut script);
    must_do(&script, "supervisor", "reset", &by_hand, "reset", record.clone());
    must_refuse(&script, "technician", "reset", &by_hand, "reset", record.clone());
    let other = json!({"code": "seal", "exit": {"procedure": "by hand"}});
    must_refuse(&script, "supervisor", "reset", &other, "reset", record);
    let began = ("test-began", json!({"test": "lamps", "by": "Mei"}));
    must_do(&script, "supervisor", "reset", &json!({"code": "lamps", "exit": "rectified"}), "reset", began);
}

#[test]
fn only_a_manager_voids_by_decision_under_singapore() {
    let record = ("decided", json!({"kind": "void", "what": "void", "reason": "r", "by": "Mei"}));
    for rules in EVERY {
        let mut script = keyed(rules);
        must_refuse(&script, "manager", "void", &json!({"reason": "r"}), "void", record.clone());
        script.begin();
        script.pass(500);
        let decides = json!({"reason": "r", "damaged_dice": false, "not_flat": false});
        // NZ 7.1 names the grounds, and nothing keeps the motor off here.
        if rules.starts_with("nz-") {
            must_refuse(&script, "manager", "void", &decides, "void", record.clone());
            continue;
        }
        must_do(&script, "manager", "void", &decides, "void", record.clone());
        if matches!(rules, "sg-v6" | "sg-open") {
            must_refuse(&script, "supervisor", "void", &decides, "void", record.clone());
        } else {
            must_do(&script, "supervisor", "void", &decides, "void", record.clone());
        }
        must_do(&script, "supervisor", "void", &json!({"reason": "r", "damaged_dice": true}), "void", record.clone());
        must_refuse(&script, "supervisor", "void", &json!({"reason": "r", "not_flat": true}), "void", record.clone());
    }
}

#[test]
fn what_is_found_late_is_of_a_round_that_has_ended() {
    let mut script = keyed("sg-v6");
    script.round([1, 3, 6]);
    script.pass(1_000);
    let record = ("voided-afterwards", json!({"round": 1, "reason": "r", "clauses": ["SGV6 5.6"], "by": "Mei"}));
    must_do(&script, "supervisor", "void-afterwards", &json!({"round": 1}), "void-afterwards", record.clone());
    must_refuse(&script, "supervisor", "void-afterwards", &json!({"round": 2}), "void-afterwards", record.clone());
    must_refuse(&script, "supervisor", "void-afterwards", &json!({"round": 0}), "void-afterwards", record.clone());
    script.begin();
    script.pass(500);
    must_refuse(&script, "supervisor", "void-afterwards", &json!({"round": 2}), "void-afterwards", record);
    let corrected = ("corrected", json!({"round": 1, "reason": "r", "by": "Mei"}));
    must_do(&script, "supervisor", "correct", &json!({"round": 1}), "correct", corrected);
}

#[test]
fn dice_are_enrolled_that_the_reader_tells_apart() {
    let mut script = keyed("nz-1998");
    script.read_poses([1, 1, 1]);
    let record = ("dice-enrolled", json!({"dice": [101, 102, 103], "by": "Mei"}));
    must_do(&script, "supervisor", "enrol-dice", &json!({"reason": "r"}), "dice enrol", record.clone());
    script.begin();
    must_refuse(&script, "supervisor", "enrol-dice", &json!({"reason": "r"}), "dice enrol", record);
}

#[test]
fn nobody_is_held_to_a_table_that_was_away() {
    let mut script = keyed("nz-div9");
    ask(&mut script, "supervisor", "maintenance", json!({"on": true}));
    script.truth(Truth::Process { alive: false });
    script.pass(20_000);
    script.start();
    script.lawful(judge());
}

#[test]
fn a_command_that_nobody_answers_is_found() {
    let mut script = keyed("nz-div9");
    ask(&mut script, "supervisor", "maintenance", json!({"on": true}));
    script.record_of(None, "maintenance", json!({"on": true, "by": "Mei"}));
    let mut answered = script.clone();
    answered.say("maintenance");
    for script in [&mut answered, &mut script] {
        script.pass(9_000);
        script.record_of(None, "noted", json!({}));
    }
    answered.lawful(judge());
    broken(&script, judge(), ANSWERED);
}

#[test]
fn what_a_person_finds_out_of_order_is_latched() {
    let mut script = keyed("nz-div9");
    script.round([1, 3, 6]);
    ask(&mut script, "supervisor", "void-afterwards", json!({"round": 1, "reason": "r"}));
    script.record_of(None, "corrected", json!({"round": 1, "reason": "r", "by": "Mei"}));
    script.say("done");
    let mut latched = script.clone();
    latched.latch("dice");
    for script in [&mut latched, &mut script] {
        script.pass(1_000);
        script.record_of(None, "key-turned", Value::Null);
    }
    latched.lawful(judge());
    broken(&script, judge(), SAID);
}
