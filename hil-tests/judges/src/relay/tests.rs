use super::*;
use crate::build::{EVERY, Play, broken};
use crate::observation::Truth;
use serde_json::json;

fn judge() -> Box<dyn Judge> {
    Box::<Relay>::default()
}

/// The place in the trace of the last message on `event`.
fn last_event(play: &Play) -> usize {
    play.trace
        .0
        .iter()
        .rposition(|seen| matches!(&seen.what, Seen::Mqtt { topic, .. } if topic.ends_with("/event")))
        .unwrap()
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut play = Play::open(rules);
        play.round([1, 3, 6]);
        play.round([5, 5, 5]);
        let (seq, exercised) = (play.seq, play.lawful(judge()));
        assert!(exercised.contains(&("events equal to the journal's records", seq)), "{exercised:?}");
        assert!(exercised.contains(&("latches compared with the retained faults", 1)));
    }
}

#[test]
fn a_gap_is_found_and_a_duplicate_is_none() {
    let mut play = Play::open("nz-div9");
    play.round([1, 3, 6]);
    let again = play.trace.0[last_event(&play)].what.clone();
    let mut twice = play.clone();
    twice.see(again);
    assert!(twice.lawful(judge()).contains(&("events that came again", 1)));
    let at = last_event(&play);
    play.trace.0.remove(at);
    play.begin();
    broken(&play, judge(), ORDER);
}

#[test]
fn a_record_never_told_is_found() {
    let mut play = Play::open("nz-div9");
    play.round([1, 3, 6]);
    let at = last_event(&play);
    play.trace.0.remove(at);
    play.pass(40_000);
    play.mqtt("state", json!({}));
    let mut away = play.clone();
    broken(&play, judge(), LOST);
    away.truth(Truth::Broken { part: Part::Network, broken: true });
    away.lawful(judge());
}

#[test]
fn an_event_that_differs_from_its_record_is_found() {
    let mut play = Play::open("nz-div9");
    play.round([1, 3, 6]);
    let at = last_event(&play);
    if let Seen::Mqtt { payload: Some(payload), .. } = &mut play.trace.0[at].what {
        payload["data"]["total"] = 11.into();
    }
    broken(&play, judge(), EQUAL);
}

#[test]
fn faults_mirror_the_latches() {
    let mut play = Play::open("nz-div9");
    play.latch("lamps");
    play.clone().lawful(judge());
    let mut unlatched = play.clone();
    unlatched.unlatch("lamps", "rectified");
    unlatched.clone().lawful(judge());
    unlatched.mqtt("fault/lamps", json!({"v": 1, "code": "lamps"}));
    broken(&unlatched, judge(), MIRROR);
    play.mqtt("fault/lamps", Value::Null);
    broken(&play, judge(), MIRROR);
}

#[test]
fn what_is_retained_and_where_is_fixed() {
    let told = |topic: &str, retained| {
        let mut play = Play::open("nz-div9");
        play.see(Seen::Mqtt { topic: topic.into(), payload: Some(json!({"v": 1, "status": "online"})), retained });
        play
    };
    told("taisai/lab/1/status", true).lawful(judge());
    told("taisai/lab/2/anything", false).lawful(judge());
    broken(&told("taisai/lab/1/status", false), judge(), RETAIN);
    broken(&told("taisai/lab/1/keypad", true), judge(), RETAIN);
    broken(&told("taisai/lab/1/command", false), judge(), TOPICS);
}

#[test]
fn the_will_says_offline() {
    let mut play = Play::open("nz-div9");
    play.truth(Truth::Process { alive: false });
    let mut told = play.clone();
    told.mqtt("status", json!({"v": 1, "status": "offline"}));
    told.pass(90_000);
    told.truth(Truth::Supply { good: true });
    told.lawful(judge());
    play.pass(90_000);
    play.truth(Truth::Supply { good: true });
    broken(&play, judge(), WILL);
}
