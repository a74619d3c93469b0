use super::*;
use crate::script::{Script, broken};
use serde_json::json;

fn judge() -> Box<dyn Judge> {
    Box::<Status>::default()
}

/// An open table that has run for a while.
fn open() -> Script {
    let mut script = Script::off("nz-div9");
    script.config.alone = true;
    script.start();
    script.opening();
    script.pass(10_000);
    script
}

/// The status of a healthy table, with these differences.
fn status(script: &Script, phase: &str, but: Value) -> Value {
    let mut status = json!({"phase": phase, "open": true, "malfunctions": [], "motor": false, "round": script.round, "result": null});
    for (field, value) in but.as_object().into_iter().flatten() {
        status[field] = value.clone();
    }
    status
}

/// It says so for some seconds.
fn says(script: &Script, phase: &str, but: Value) -> Script {
    let mut script = script.clone();
    for _ in 0..5 {
        script.pass(1_000);
        let status = status(&script, phase, but.clone());
        script.see(Seen::Status(status));
    }
    script
}

#[test]
fn a_status_that_is_true_passes_and_each_untrue_field_is_found() {
    let mut script = open();
    says(&script, "ready", json!({})).lawful(judge());
    for but in [
        json!({"open": false}),
        json!({"phase": "betting"}),
        json!({"motor": true}),
        json!({"malfunctions": [{"code": "seal"}]}),
        json!({"prompt": {"id": "witness", "of": ["seal"], "text": "x"}}),
    ] {
        broken(&says(&script, "ready", but), judge(), AGREES);
    }
    script.until_settling([1, 3, 6]);
    says(&script, "settling", json!({"result": [1, 3, 6]})).lawful(judge());
    broken(&says(&script, "settling", json!({"result": [1, 3, 5]})), judge(), AGREES);
    broken(&says(&script, "settling", json!({"result": [1, 3, 6], "round": 9})), judge(), AGREES);
}

#[test]
fn a_void_round_shows_until_the_next_or_until_the_table_is_opened_anew() {
    let mut script = open();
    script.begin();
    script.void("supervisor", "");
    says(&script, "void", json!({})).lawful(judge());
    broken(&says(&script, "ready", json!({})), judge(), AGREES);
    script.record_of(None, "closed", json!({"by": "Ana"}));
    script.opening();
    says(&script, "ready", json!({})).lawful(judge());
}

#[test]
fn people_are_told_what_is_waited_for() {
    let mut script = open();
    script.until_bets_closed([1, 3, 6]);
    script.record("asked", json!({"why": "knocked"}));
    let prompt = |id: &str, of: &[&str]| json!({"prompt": {"id": id, "of": of, "text": "x"}});
    says(&script, "interrupted", prompt("knocked", &["not-flat"])).lawful(judge());
    broken(&says(&script, "interrupted", prompt("dice", &["cannot-tell"])), judge(), AGREES);
    broken(&says(&script, "interrupted", json!({})), judge(), AGREES);
    let mut script = open();
    script.record_of(None, "closed", json!({"by": "Ana"}));
    script.record_of(None, "test-began", json!({"test": "opening", "by": "Ana"}));
    script.tested("keys");
    script.tested("seal");
    let closed = |id: &str, of: &[&str]| {
        let mut but = prompt(id, of);
        but["open"] = false.into();
        but
    };
    says(&script, "closed", closed("witness", &["areas", "bell", "sign"])).lawful(judge());
    broken(&says(&script, "closed", closed("witness", &["areas", "bell"])), judge(), AGREES);
}

#[test]
fn a_moment_counts_for_nothing() {
    let mut script = open();
    for open in [true, false, true, true] {
        script.pass(1_000);
        let status = status(&script, "ready", json!({"open": open}));
        script.see(Seen::Status(status));
    }
    script.lawful(judge());
}
