use super::*;
use crate::build::{Play, broken};
use serde_json::json;

fn judge() -> Box<dyn Judge> {
    Box::<Secrecy>::default()
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in crate::build::EVERY {
        let mut play = Play::open(rules);
        play.round([1, 3, 6]);
        play.round([5, 5, 5]);
        let exercised = play.lawful(judge());
        assert!(exercised.iter().all(|(rule, n)| *n > 0 || rule.contains("before")), "{exercised:?}");
    }
}

#[test]
fn faces_read_under_the_dome_are_found() {
    let mut play = Play::open("nz-div9");
    play.until_bets_closed([1, 3, 6]);
    play.read_faces([1, 3, 6]);
    broken(&play, judge(), FACES);
}

#[test]
fn faces_read_with_the_dome_open_before_no_more_bets_are_found() {
    let mut play = Play::open("sg-v6");
    play.begin();
    play.spin([1, 3, 6]);
    play.dome(true);
    play.pass(200);
    play.read_faces([1, 3, 6]);
    broken(&play, judge(), FACES);
}

#[test]
fn faces_read_while_the_shaft_turns_are_found_under_open_cover() {
    let mut play = Play::open("sg-open");
    play.begin();
    play.no_more_bets();
    play.spin_begin();
    play.turn(5);
    play.read_faces([1, 3, 6]);
    broken(&play, judge(), FACES);
}

#[test]
fn faces_of_a_round_voided_before_its_reveal_are_never_read() {
    let mut play = Play::open("nz-div9");
    play.begin();
    play.spin([1, 3, 6]);
    play.void("exposed", "NZ9 7.1(c)");
    play.dome(true);
    play.pass(500);
    let lawful = play.clone().lawful(judge());
    assert!(lawful.contains(&("rounds ended before their reveal", 1)));
    play.read_faces([1, 3, 6]);
    broken(&play, judge(), VOIDED);
}

#[test]
fn a_digit_on_the_display_before_the_reveal_is_found() {
    let mut play = Play::open("nz-div9");
    play.until_bets_closed([1, 3, 6]);
    play.display(0x0EEE);
    play.clone().lawful(judge());
    play.display(0x0FF3);
    broken(&play, judge(), SHOWN);
}

#[test]
fn a_key_told_before_the_reveal_is_found() {
    let mut play = Play::open("nz-div9");
    play.until_bets_closed([1, 3, 6]);
    play.key(Key::Digit(4));
    play.mqtt("keypad", json!({"v": 1, "key": "some-key"}));
    play.clone().lawful(judge());
    play.mqtt("keypad", json!({"v": 1, "key": {"digit": 4}}));
    broken(&play, judge(), KEYS);
}

#[test]
fn a_record_a_message_or_a_line_that_tells_faces_is_found() {
    let told = |with: fn(&mut Play)| {
        let mut play = Play::open("nz-div9");
        play.until_bets_closed([1, 3, 6]);
        for key in [2, 2, 5] {
            play.key(Key::Digit(key));
        }
        with(&mut play);
        play
    };
    told(|p| p.say("2 of 3 dice, version 0.1.0, dice identities 101, 102, 103")).lawful(judge());
    told(|p| {
        p.say(r#"{"id":1,"answer":{"record":{"round":0,"kind":"result","data":{"dice":[1,3,6],"areas":["big"]}}}}"#)
    })
    .lawful(judge());
    told(|p| p.mqtt_state(json!({"result": null, "lit": [], "display": ""}))).lawful(judge());
    for leak in [
        (|p| p.record("noted", json!({"what": "reader sees 6 1 3"}))) as fn(&mut Play),
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
