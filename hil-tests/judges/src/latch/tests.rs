use super::*;
use crate::build::{EVERY, Play, broken};
use serde_json::{Value, json};

fn judge() -> Box<dyn Judge> {
    Box::<Latch>::default()
}

fn latched(code: &str) -> Play {
    let mut play = Play::open("nz-div9");
    play.round([1, 3, 6]);
    play.latch(code);
    play.wire(Line::OutOfService, true);
    play.pass(1_000);
    play
}

fn restarted(play: &mut Play) {
    play.truth(Truth::Process { alive: false });
    play.pass(1_000);
    play.start();
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut play = Play::open(rules);
        play.round([1, 3, 6]);
        play.round([5, 5, 5]);
        assert!(play.lawful(judge()).contains(&("rounds begun", 2)));
    }
}

#[test]
fn nz_7_4_no_game_while_latched_and_games_again_afterwards() {
    let mut play = latched("tumbler");
    let mut early = play.clone();
    early.begin();
    broken(&early, judge(), NO_GAME);
    play.turn_key();
    play.ask("reset", json!({"code": "tumbler", "exit": "rectified", "name": "Ana"}));
    play.pass(500);
    play.unlatch("tumbler", "rectified");
    play.wire(Line::OutOfService, false);
    play.round([5, 5, 5]);
    let exercised = play.lawful(judge());
    assert!(exercised.contains(&("malfunctions latched", 1)) && exercised.contains(&("latches opened", 1)));
}

#[test]
fn a_restart_opens_no_latch() {
    let mut play = latched("seal");
    restarted(&mut play);
    play.pass(100);
    let mut kept = play.clone();
    kept.record_of(None, "keyframe", json!({"boot": "b1", "open": true, "latched": [{"code": "seal"}]}));
    assert!(kept.lawful(judge()).contains(&("starts while latched", 1)));
    let mut lost = play.clone();
    lost.record_of(None, "keyframe", json!({"boot": "b1", "open": true, "latched": []}));
    broken(&lost, judge(), KEPT);
    play.wire(Line::OutOfService, true);
    play.begin();
    broken(&play, judge(), NO_GAME);
}

#[test]
fn no_spin_while_what_moves_it_is_latched() {
    for (code, lawful) in [("tumbler", false), ("journal", false), ("reader", true)] {
        let mut play = Play::open("sg-v6");
        play.begin();
        play.latch(code);
        play.record("spin-began", Value::Null);
        if lawful {
            play.lawful(judge());
        } else {
            broken(&play, judge(), NO_SPIN);
        }
    }
}

#[test]
fn nz_5_no_game_before_the_opening_nor_after_the_closing() {
    let mut never = Play::off("sg-v6");
    never.start();
    never.begin();
    broken(&never, judge(), CLOSED);
    let mut closed = Play::open("sg-v6");
    closed.round([1, 3, 6]);
    closed.record_of(None, "closed", json!({"by": "Ana"}));
    closed.begin();
    broken(&closed, judge(), CLOSED);
    let mut maintained = Play::open("sg-v6");
    maintained.record_of(None, "maintenance", json!({"on": true, "by": "Bo"}));
    maintained.begin();
    broken(&maintained, judge(), CLOSED);
}

#[test]
fn permission_ends_with_the_boot() {
    let mut play = Play::open("sg-v6");
    let rebooted = json!({"boot": "b2", "build": "t", "config": "c", "backend": "virtual",
        "rules": "sg-v6", "layout": "sg-v6-3"});
    play.record_of(None, "started", rebooted);
    play.begin();
    broken(&play, judge(), CLOSED);
}

#[test]
fn reset_old_key_is_found() {
    let mut play = Play::open("nz-div9");
    play.turn_key();
    play.pass(1_000);
    play.latch("dome");
    let mut old = play.clone();
    old.unlatch("dome", "rectified");
    broken(&old, judge(), EXIT);
    play.turn_key();
    play.unlatch("dome", "rectified");
    play.lawful(judge());
}

#[test]
fn a_procedure_replaces_no_motor() {
    for (code, lawful) in [("tumbler", false), ("seal", false), ("lamps", true), ("reader", true)] {
        let mut play = latched(code);
        play.turn_key();
        play.unlatch(code, "the dealer calls the areas");
        if lawful {
            play.lawful(judge());
        } else {
            broken(&play, judge(), PROCEDURE);
        }
    }
}

#[test]
fn the_sign_is_on_while_latched_and_off_in_a_game() {
    let mut play = Play::open("nz-div9");
    play.round([1, 3, 6]);
    play.latch("tumbler");
    play.pass(2_000);
    play.press(Line::Tumble);
    broken(&play, judge(), SIGN);
    let mut playing = Play::open("nz-div9");
    playing.wire(Line::OutOfService, true);
    playing.pass(2_000);
    playing.begin();
    broken(&playing, judge(), OPEN_SIGN);
}

/// faults.md journal.missing: a journal that was begun anew says so by its own latch, which blocks for all that was lost.
#[test]
fn the_latch_of_a_journal_begun_anew_stands_for_those_that_were_lost() {
    for (kept, right) in [(json!([{"code": "journal"}]), true), (json!([]), false)] {
        let mut play = latched("lamps");
        let standing = json!({"boot": "b1", "open": false, "latched": kept, "last_round": 1, "round": null});
        play.record_of(None, "keyframe", standing);
        if right {
            play.lawful(judge());
        } else {
            broken(&play, judge(), KEPT);
        }
    }
}

#[test]
fn a_sign_that_is_off_while_the_outputs_are_known_not_to_obey_is_no_second_finding() {
    for (code, found) in [("gpio", false), ("seal", true)] {
        let mut play = Play::open("nz-div9");
        play.latch(code);
        play.wire(Line::OutOfService, true);
        play.wire(Line::OutOfService, false);
        play.pass(5_000);
        play.wire(Line::PlaceBets, true);
        if found {
            broken(&play, judge(), SIGN);
        } else {
            play.lawful(judge());
        }
    }
}
