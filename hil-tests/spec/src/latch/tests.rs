use super::*;
use crate::script::{EVERY, Script, broken};
use serde_json::{Value, json};

fn judge() -> Box<dyn Judge> {
    Box::<Latch>::default()
}

fn latched(code: &str) -> Script {
    let mut script = Script::open("nz-div9");
    script.round([1, 3, 6]);
    script.latch(code);
    script.wire(Line::OutOfService, true);
    script.pass(1_000);
    script
}

fn restarted(script: &mut Script) {
    script.truth(Truth::Process { alive: false });
    script.pass(1_000);
    script.start();
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut script = Script::open(rules);
        script.round([1, 3, 6]);
        script.round([5, 5, 5]);
        assert!(script.lawful(judge()).contains(&("rounds begun", 2)));
    }
}

#[test]
fn nz_7_4_no_game_while_latched_and_games_again_afterwards() {
    let mut script = latched("tumbler");
    let mut early = script.clone();
    early.begin();
    broken(&early, judge(), NO_GAME);
    script.turn_key();
    script.ask("reset", json!({"code": "tumbler", "exit": "rectified", "name": "Ana"}));
    script.pass(500);
    script.unlatch("tumbler", "rectified");
    script.wire(Line::OutOfService, false);
    script.round([5, 5, 5]);
    let exercised = script.lawful(judge());
    assert!(exercised.contains(&("malfunctions latched", 1)) && exercised.contains(&("latches opened", 1)));
}

#[test]
fn a_restart_opens_no_latch() {
    let mut script = latched("seal");
    restarted(&mut script);
    script.pass(100);
    let mut kept = script.clone();
    kept.record_of(None, "keyframe", json!({"boot": "b1", "open": true, "latched": [{"code": "seal"}]}));
    assert!(kept.lawful(judge()).contains(&("starts while latched", 1)));
    let mut lost = script.clone();
    lost.record_of(None, "keyframe", json!({"boot": "b1", "open": true, "latched": []}));
    broken(&lost, judge(), KEPT);
    script.wire(Line::OutOfService, true);
    script.begin();
    broken(&script, judge(), NO_GAME);
}

#[test]
fn no_spin_while_what_moves_it_is_latched() {
    for (code, lawful) in [("tumbler", false), ("journal", false), ("reader", true)] {
        let mut script = Script::open("sg-v6");
        script.begin();
        script.latch(code);
        script.record("spin-began", Value::Null);
        if lawful {
            script.lawful(judge());
        } else {
            broken(&script, judge(), NO_SPIN);
        }
    }
}

#[test]
fn nz_5_no_game_before_the_opening_nor_after_the_closing() {
    let mut never = Script::off("sg-v6");
    never.start();
    never.begin();
    broken(&never, judge(), CLOSED);
    let mut closed = Script::open("sg-v6");
    closed.round([1, 3, 6]);
    closed.record_of(None, "closed", json!({"by": "Ana"}));
    closed.begin();
    broken(&closed, judge(), CLOSED);
    let mut maintained = Script::open("sg-v6");
    maintained.record_of(None, "maintenance", json!({"on": true, "by": "Bo"}));
    maintained.begin();
    broken(&maintained, judge(), CLOSED);
}

#[test]
fn permission_ends_with_the_boot() {
    let mut script = Script::open("sg-v6");
    let rebooted = json!({"boot": "b2", "build": "t", "config": "c", "backend": "virtual",
        "rules": "sg-v6", "layout": "sg-v6-3"});
    script.record_of(None, "started", rebooted);
    script.begin();
    broken(&script, judge(), CLOSED);
}

#[test]
fn reset_old_key_is_found() {
    let mut script = Script::open("nz-div9");
    script.turn_key();
    script.pass(1_000);
    script.latch("dome");
    let mut old = script.clone();
    old.unlatch("dome", "rectified");
    broken(&old, judge(), EXIT);
    script.turn_key();
    script.unlatch("dome", "rectified");
    script.lawful(judge());
}

#[test]
fn a_procedure_replaces_no_motor() {
    for (code, lawful) in [("tumbler", false), ("seal", false), ("lamps", true), ("reader", true)] {
        let mut script = latched(code);
        script.turn_key();
        script.unlatch(code, "the dealer calls the areas");
        if lawful {
            script.lawful(judge());
        } else {
            broken(&script, judge(), PROCEDURE);
        }
    }
}

#[test]
fn the_sign_is_on_while_latched_and_off_in_a_game() {
    let mut script = Script::open("nz-div9");
    script.round([1, 3, 6]);
    script.latch("tumbler");
    script.pass(2_000);
    script.press(Line::Tumble);
    broken(&script, judge(), SIGN);
    let mut playing = Script::open("nz-div9");
    playing.wire(Line::OutOfService, true);
    playing.pass(2_000);
    playing.begin();
    broken(&playing, judge(), OPEN_SIGN);
}

/// faults.md journal.missing: the latch of a new journal stands for every latch that was lost with the old one.
#[test]
fn the_latch_of_a_journal_begun_anew_stands_for_those_that_were_lost() {
    for (kept, right) in [(json!([{"code": "journal"}]), true), (json!([]), false)] {
        let mut script = latched("lamps");
        let standing = json!({"boot": "b1", "open": false, "latched": kept, "last_round": 1, "round": null});
        script.record_of(None, "keyframe", standing);
        if right {
            script.lawful(judge());
        } else {
            broken(&script, judge(), KEPT);
        }
    }
}

#[test]
fn a_sign_that_is_off_while_the_outputs_are_known_not_to_obey_is_no_second_finding() {
    for (code, found) in [("gpio", false), ("seal", true)] {
        let mut script = Script::open("nz-div9");
        script.latch(code);
        script.wire(Line::OutOfService, true);
        script.wire(Line::OutOfService, false);
        script.pass(5_000);
        script.wire(Line::PlaceBets, true);
        if found {
            broken(&script, judge(), SIGN);
        } else {
            script.lawful(judge());
        }
    }
}
