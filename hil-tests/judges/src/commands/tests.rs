use super::*;
use crate::build::{EVERY, Play, broken};
use serde_json::json;

fn judge() -> Box<dyn Judge> {
    Box::<Commands>::default()
}

/// An open table on which a supervisor has just turned the key.
fn keyed(rules: &str) -> Play {
    let mut play = Play::off(rules);
    play.config.alone = true;
    play.start();
    play.pass(4_000);
    play.opening();
    // `open` and four times `witness`.
    for _ in 0..5 {
        play.say("done");
    }
    play.pass(400_000);
    turn_key(&mut play);
    play
}

/// For long enough to be no bounce.
fn turn_key(play: &mut Play) {
    play.wire(Line::SupervisorKey, true);
    play.pass(200);
    play.wire(Line::SupervisorKey, false);
    play.pass(1_000);
}

fn ask(play: &mut Play, role: &str, command: &str, mut with: Value) {
    with["name"] = "Mei".into();
    for (name, roles) in [("supervisor", "supervisor manager"), ("manager", "manager"), ("technician", "technician")] {
        with[name] = roles.split(' ').any(|one| one == role).into();
    }
    play.ask(command, with);
}

fn refuse(play: &mut Play, what: &str) {
    play.say("no");
    play.record_of(None, "refused", json!({"what": what, "why": "mei: no"}));
    play.pass(50);
}

/// Asks, and has it done by this record; the judge finds nothing, and finds it where it is refused or nothing comes of it.
fn must_do(play: &Play, role: &str, command: &str, with: &Value, what: &str, record: (&str, Value)) {
    let mut done = play.clone();
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

/// Asks, and is refused; the judge finds nothing, and finds it where it is done or nobody refuses it.
fn must_refuse(play: &Play, role: &str, command: &str, with: &Value, what: &str, record: (&str, Value)) {
    let mut not = play.clone();
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
        let play = keyed(rules);
        let (on, record) = (json!({"on": true}), ("maintenance", json!({"on": true, "by": "Mei"})));
        must_do(&play, "technician", "maintenance", &on, "maintenance", record.clone());
        must_do(&play, "supervisor", "maintenance", &on, "maintenance", record.clone());
        must_refuse(&play, "nobody", "maintenance", &on, "maintenance", record.clone());
        let off = json!({"on": false});
        must_refuse(&play, "supervisor", "maintenance", &off, "maintenance", record.clone());
        let mut unkeyed = play.clone();
        unkeyed.pass(310_000);
        must_refuse(&unkeyed, "supervisor", "maintenance", &on, "maintenance", record.clone());
        let mut round = play;
        round.begin();
        must_refuse(&round, "supervisor", "maintenance", &on, "maintenance", record);
    }
}

#[test]
fn a_latch_is_reset_under_a_newer_turn_of_the_key() {
    let mut play = keyed("nz-div9");
    play.latch("lamps");
    play.pass(500);
    let record = ("unlatched", json!({"code": "lamps", "how": "procedure: by hand", "by": "Mei"}));
    let by_hand = json!({"code": "lamps", "exit": {"procedure": "by hand"}});
    must_refuse(&play, "supervisor", "reset", &by_hand, "reset", record.clone());
    turn_key(&mut play);
    must_do(&play, "supervisor", "reset", &by_hand, "reset", record.clone());
    must_refuse(&play, "technician", "reset", &by_hand, "reset", record.clone());
    let other = json!({"code": "seal", "exit": {"procedure": "by hand"}});
    must_refuse(&play, "supervisor", "reset", &other, "reset", record);
    let began = ("test-began", json!({"test": "lamps", "by": "Mei"}));
    must_do(&play, "supervisor", "reset", &json!({"code": "lamps", "exit": "rectified"}), "reset", began);
}

#[test]
fn only_a_manager_voids_by_decision_under_singapore() {
    let record = ("decided", json!({"what": "void", "reason": "r", "by": "Mei"}));
    for rules in EVERY {
        let mut play = keyed(rules);
        must_refuse(&play, "manager", "void", &json!({"reason": "r"}), "void", record.clone());
        play.begin();
        play.pass(500);
        let decides = json!({"reason": "r", "damaged_dice": false, "not_flat": false});
        must_do(&play, "manager", "void", &decides, "void", record.clone());
        if matches!(rules, "sg-v6" | "sg-open") {
            must_refuse(&play, "supervisor", "void", &decides, "void", record.clone());
        } else {
            must_do(&play, "supervisor", "void", &decides, "void", record.clone());
        }
        must_do(&play, "supervisor", "void", &json!({"reason": "r", "damaged_dice": true}), "void", record.clone());
        must_refuse(&play, "supervisor", "void", &json!({"reason": "r", "not_flat": true}), "void", record.clone());
    }
}

#[test]
fn what_is_found_late_is_of_a_round_that_has_ended() {
    let mut play = keyed("sg-v6");
    play.round([1, 3, 6]);
    play.pass(1_000);
    let record = ("voided-afterwards", json!({"round": 1, "reason": "r", "clauses": ["SGV6 5.6"], "by": "Mei"}));
    must_do(&play, "supervisor", "void-afterwards", &json!({"round": 1}), "void-afterwards", record.clone());
    must_refuse(&play, "supervisor", "void-afterwards", &json!({"round": 2}), "void-afterwards", record.clone());
    must_refuse(&play, "supervisor", "void-afterwards", &json!({"round": 0}), "void-afterwards", record.clone());
    play.begin();
    play.pass(500);
    must_refuse(&play, "supervisor", "void-afterwards", &json!({"round": 2}), "void-afterwards", record);
    let corrected = ("corrected", json!({"round": 1, "reason": "r", "by": "Mei"}));
    must_do(&play, "supervisor", "correct", &json!({"round": 1}), "correct", corrected);
}

#[test]
fn dice_are_enrolled_that_the_reader_tells_apart() {
    let mut play = keyed("nz-1998");
    play.read_poses([1, 1, 1]);
    let record = ("dice-enrolled", json!({"dice": [101, 102, 103], "by": "Mei"}));
    must_do(&play, "supervisor", "enrol-dice", &json!({"reason": "r"}), "dice enrol", record.clone());
    play.begin();
    must_refuse(&play, "supervisor", "enrol-dice", &json!({"reason": "r"}), "dice enrol", record);
}

#[test]
fn nobody_is_held_to_a_table_that_was_away() {
    let mut play = keyed("nz-div9");
    ask(&mut play, "supervisor", "maintenance", json!({"on": true}));
    play.truth(Truth::Process { alive: false });
    play.pass(20_000);
    play.start();
    play.lawful(judge());
}

#[test]
fn a_command_that_nobody_answers_is_found() {
    let mut play = keyed("nz-div9");
    ask(&mut play, "supervisor", "maintenance", json!({"on": true}));
    play.record_of(None, "maintenance", json!({"on": true, "by": "Mei"}));
    let mut answered = play.clone();
    answered.say("maintenance");
    for play in [&mut answered, &mut play] {
        play.pass(9_000);
        play.record_of(None, "noted", json!({}));
    }
    answered.lawful(judge());
    broken(&play, judge(), ANSWERED);
}

#[test]
fn what_a_person_finds_out_of_order_is_latched() {
    let mut play = keyed("nz-div9");
    play.round([1, 3, 6]);
    ask(&mut play, "supervisor", "void-afterwards", json!({"round": 1, "reason": "r"}));
    play.record_of(None, "corrected", json!({"round": 1, "reason": "r", "by": "Mei"}));
    play.say("done");
    let mut latched = play.clone();
    latched.latch("dice");
    for play in [&mut latched, &mut play] {
        play.pass(1_000);
        play.record_of(None, "key-turned", Value::Null);
    }
    latched.lawful(judge());
    broken(&play, judge(), SAID);
}
