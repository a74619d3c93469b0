use super::*;
use crate::build::{Play, broken};
use serde_json::json;

fn judge() -> Box<dyn Judge> {
    Box::<Status>::default()
}

/// An open table that has run for a while.
fn open() -> Play {
    let mut play = Play::off("nz-div9");
    play.config.alone = true;
    play.start();
    play.opening();
    play.pass(10_000);
    play
}

/// What a table that stands like this says of itself, but for this.
fn status(play: &Play, phase: &str, but: Value) -> Value {
    let mut status =
        json!({"phase": phase, "open": true, "malfunctions": [], "motor": false, "round": play.round, "result": null});
    for (field, value) in but.as_object().into_iter().flatten() {
        status[field] = value.clone();
    }
    status
}

/// It says so for some seconds.
fn says(play: &Play, phase: &str, but: Value) -> Play {
    let mut play = play.clone();
    for _ in 0..5 {
        play.pass(1_000);
        let status = status(&play, phase, but.clone());
        play.see(Seen::Status(status));
    }
    play
}

#[test]
fn a_status_that_is_true_passes_and_each_untrue_field_is_found() {
    let mut play = open();
    says(&play, "ready", json!({})).lawful(judge());
    for but in [
        json!({"open": false}),
        json!({"phase": "betting"}),
        json!({"motor": true}),
        json!({"malfunctions": [{"code": "seal"}]}),
        json!({"prompt": {"id": "witness", "of": ["seal"], "text": "x"}}),
    ] {
        broken(&says(&play, "ready", but), judge(), AGREES);
    }
    play.until_settling([1, 3, 6]);
    says(&play, "settling", json!({"result": [1, 3, 6]})).lawful(judge());
    broken(&says(&play, "settling", json!({"result": [1, 3, 5]})), judge(), AGREES);
    broken(&says(&play, "settling", json!({"result": [1, 3, 6], "round": 9})), judge(), AGREES);
}

#[test]
fn a_void_round_shows_until_the_next_or_until_the_table_is_opened_anew() {
    let mut play = open();
    play.begin();
    play.void("supervisor", "");
    says(&play, "void", json!({})).lawful(judge());
    broken(&says(&play, "ready", json!({})), judge(), AGREES);
    play.record_of(None, "closed", json!({"by": "Ana"}));
    play.opening();
    says(&play, "ready", json!({})).lawful(judge());
}

#[test]
fn people_are_told_what_is_waited_for() {
    let mut play = open();
    play.until_bets_closed([1, 3, 6]);
    play.record("asked", json!({"why": "knocked"}));
    let prompt = |id: &str, of: &[&str]| json!({"prompt": {"id": id, "of": of, "text": "x"}});
    says(&play, "interrupted", prompt("knocked", &["not-flat"])).lawful(judge());
    broken(&says(&play, "interrupted", prompt("dice", &["cannot-tell"])), judge(), AGREES);
    broken(&says(&play, "interrupted", json!({})), judge(), AGREES);
    let mut play = open();
    play.record_of(None, "closed", json!({"by": "Ana"}));
    play.record_of(None, "test-began", json!({"test": "opening", "by": "Ana"}));
    play.tested("keys");
    play.tested("seal");
    let closed = |id: &str, of: &[&str]| {
        let mut but = prompt(id, of);
        but["open"] = false.into();
        but
    };
    says(&play, "closed", closed("witness", &["areas", "bell", "sign"])).lawful(judge());
    broken(&says(&play, "closed", closed("witness", &["areas", "bell"])), judge(), AGREES);
}

#[test]
fn a_moment_counts_for_nothing() {
    let mut play = open();
    for open in [true, false, true, true] {
        play.pass(1_000);
        let status = status(&play, "ready", json!({"open": open}));
        play.see(Seen::Status(status));
    }
    play.lawful(judge());
}
