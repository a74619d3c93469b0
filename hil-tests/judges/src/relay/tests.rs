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
    payload(&mut play, at)["data"]["total"] = 11.into();
    let panel = play.judged(judge());
    let found: Vec<_> = panel.violations().iter().map(|violation| violation.clause).collect();
    assert_eq!(found, [CHAIN, EQUAL], "it is neither the journal's record nor its own body");
}

fn payload(play: &mut Play, at: usize) -> &mut Value {
    match &mut play.trace.0[at].what {
        Seen::Mqtt { payload: Some(payload), .. } => payload,
        other => panic!("{other:?}"),
    }
}

/// An event in short form, as a table tells a record that is too long for the broker.
fn shorten(event: &mut Value) {
    let fields = event.as_object_mut().unwrap();
    for left_out in ["data", "body", "clauses"] {
        fields.remove(left_out);
    }
    fields.insert("short".into(), true.into());
}

#[test]
fn the_chain_is_reckoned_from_events_alone_in_short_form_too() {
    let mut play = Play::open("nz-div9");
    play.round([1, 3, 6]);
    let at = last_event(&play);
    shorten(payload(&mut play, at));
    play.begin();
    let (seq, exercised) = (play.seq, play.lawful(judge()));
    assert!(exercised.contains(&("links reckoned from events", seq)), "{exercised:?}");
    assert!(exercised.contains(&("events in short form", 1)), "{exercised:?}");
    assert!(exercised.contains(&("events equal to the journal's records", seq)), "{exercised:?}");
}

#[test]
fn a_chain_that_does_not_add_up_is_found() {
    let mut play = Play::open("nz-div9");
    play.round([1, 3, 6]);
    let at = last_event(&play);
    let other = "ab".repeat(32);
    let changes: [(&str, Value); 12] = [
        ("/chain/previous", other.clone().into()),
        ("/chain/link", other.clone().into()),
        ("/chain/body_hash", other.clone().into()),
        ("/chain/genesis", other.clone().into()),
        ("/chain/first", 2.into()),
        ("/chain/header", "tumblerd record 2\n".into()),
        ("/chain/format", 3.into()),
        ("/head", other.into()),
        ("/boot", "c".into()),
        ("/wall", 1.into()),
        ("/body", "{}".into()),
        ("/chain", Value::Null),
    ];
    for (pointer, value) in changes {
        let mut play = play.clone();
        *payload(&mut play, at).pointer_mut(pointer).unwrap() = value;
        broken(&play, judge(), CHAIN);
    }
}

/// History that was written anew: every message adds up in itself, and one of them is not the one that was told before.
#[test]
fn a_record_that_is_told_again_with_another_link_is_found() {
    let mut play = Play::open("nz-div9");
    play.round([1, 3, 6]);
    let at = last_event(&play);
    let mut again = play.trace.0[at].what.clone();
    if let Seen::Mqtt { payload: Some(event), .. } = &mut again {
        let mut forged = Play::off("nz-div9");
        forged.seq = event["seq"].as_u64().unwrap() - 1;
        forged.record("stopped", Value::Null);
        *event = payload(&mut forged, 1).clone();
    }
    play.see(again);
    broken(&play, judge(), CHAIN);
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
