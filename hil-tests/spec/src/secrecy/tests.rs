use super::*;
use crate::script::{Script, broken};
use serde_json::json;

fn judge() -> Box<dyn Judge> {
    Box::<Secrecy>::default()
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in crate::script::EVERY {
        let mut script = Script::open(rules);
        script.round([1, 3, 6]);
        script.round([5, 5, 5]);
        let exercised = script.lawful(judge());
        assert!(exercised.iter().all(|(rule, n)| *n > 0 || rule.contains("before")), "{exercised:?}");
    }
}

#[test]
fn faces_read_under_the_dome_are_found() {
    let mut script = Script::open("nz-div9");
    script.until_bets_closed([1, 3, 6]);
    script.read_faces([1, 3, 6]);
    broken(&script, judge(), FACES);
}

#[test]
fn faces_read_with_the_dome_open_before_no_more_bets_are_found() {
    let mut script = Script::open("sg-v6");
    script.begin();
    script.spin([1, 3, 6]);
    script.dome(true);
    script.pass(200);
    script.read_faces([1, 3, 6]);
    broken(&script, judge(), FACES);
}

#[test]
fn faces_read_while_the_shaft_turns_are_found_under_open_cover() {
    let mut script = Script::open("sg-open");
    script.begin();
    script.no_more_bets();
    script.spin_begin();
    script.turn(5);
    script.read_faces([1, 3, 6]);
    broken(&script, judge(), FACES);
}

#[test]
fn faces_of_a_round_voided_before_its_reveal_are_never_read() {
    let mut script = Script::open("nz-div9");
    script.begin();
    script.spin([1, 3, 6]);
    script.void("exposed", "NZ9 7.1(c)");
    script.dome(true);
    script.pass(500);
    let lawful = script.clone().lawful(judge());
    assert!(lawful.contains(&("rounds ended before their reveal", 1)));
    script.read_faces([1, 3, 6]);
    broken(&script, judge(), VOIDED);
}

#[test]
fn a_digit_on_the_display_before_the_reveal_is_found() {
    let mut script = Script::open("nz-div9");
    script.until_bets_closed([1, 3, 6]);
    script.display(0x0EEE);
    script.clone().lawful(judge());
    script.display(0x0FF3);
    broken(&script, judge(), SHOWN);
}

#[test]
fn a_key_told_before_the_reveal_is_found() {
    let mut script = Script::open("nz-div9");
    script.until_bets_closed([1, 3, 6]);
    script.key(Key::Digit(4));
    script.mqtt("keypad", json!({"v": 1, "key": "some-key"}));
    script.clone().lawful(judge());
    script.mqtt("keypad", json!({"v": 1, "key": {"digit": 4}}));
    broken(&script, judge(), KEYS);
}

#[test]
fn a_record_a_message_or_a_line_that_tells_faces_is_found() {
    let told = |with: fn(&mut Script)| {
        let mut script = Script::open("nz-div9");
        script.until_bets_closed([1, 3, 6]);
        for key in [2, 2, 5] {
            script.key(Key::Digit(key));
        }
        with(&mut script);
        script
    };
    told(|p| p.say("2 of 3 dice, version 0.1.0, dice identities 101, 102, 103")).lawful(judge());
    told(|p| {
        p.say(r#"{"id":1,"answer":{"record":{"round":0,"kind":"result","data":{"dice":[1,3,6],"areas":["big"]}}}}"#)
    })
    .lawful(judge());
    told(|p| p.mqtt_state(json!({"result": null, "lit": [], "display": ""}))).lawful(judge());
    for leak in [
        (|p| p.record("noted", json!({"what": "reader sees 6 1 3"}))) as fn(&mut Script),
        |p| p.record("refused", json!({"what": "entry", "why": "keys 2, 2, 5 before the reveal"})),
        |p| p.record("entry-error", json!({"why": "digit 5 before the reveal"})),
        |p| p.record("result", json!({"dice": [1, 3, 6], "total": 10, "call": "x", "areas": []})),
        |p| p.record("rained", json!({"faces": 2})),
        |p| p.mqtt_state(json!({"result": [1, 3, 6]})),
        |p| p.mqtt_state(json!({"lit": ["big"]})),
        |p| p.say("lights pair-1-3"),
        |p| p.say("will be total 10"),
        |p| p.say(r#"{"dice":[3,1,6]}"#),
    ] {
        broken(&told(leak), judge(), LEAK);
    }
}
