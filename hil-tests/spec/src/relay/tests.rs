use super::*;
use crate::observation::Truth;
use crate::script::{EVERY, Script, broken};
use serde_json::json;

fn judge() -> Box<dyn Judge> {
    Box::<Relay>::default()
}

/// The place in the trace of the last message on `event`.
fn last_event(script: &Script) -> usize {
    script
        .trace
        .0
        .iter()
        .rposition(|seen| matches!(&seen.what, Seen::Mqtt { topic, .. } if topic.ends_with("/event")))
        .unwrap()
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut script = Script::open(rules);
        script.round([1, 3, 6]);
        script.round([5, 5, 5]);
        let (seq, exercised) = (script.seq, script.lawful(judge()));
        assert!(exercised.contains(&("events equal to the journal's records", seq)), "{exercised:?}");
        assert!(exercised.contains(&("latches compared with the retained faults", 1)));
    }
}

#[test]
fn a_gap_is_found_and_a_duplicate_is_none() {
    let mut script = Script::open("nz-div9");
    script.round([1, 3, 6]);
    let again = script.trace.0[last_event(&script)].what.clone();
    let mut twice = script.clone();
    twice.see(again);
    assert!(twice.lawful(judge()).contains(&("events that came again", 1)));
    let at = last_event(&script);
    script.trace.0.remove(at);
    script.begin();
    broken(&script, judge(), ORDER);
}

#[test]
fn a_record_never_told_is_found() {
    let mut script = Script::open("nz-div9");
    script.round([1, 3, 6]);
    let at = last_event(&script);
    script.trace.0.remove(at);
    script.pass(40_000);
    script.mqtt("state", json!({}));
    let mut away = script.clone();
    broken(&script, judge(), LOST);
    away.truth(Truth::Broken { part: Part::Network, broken: true });
    away.lawful(judge());
}

#[test]
fn an_event_that_differs_from_its_record_is_found() {
    let mut script = Script::open("nz-div9");
    script.round([1, 3, 6]);
    let at = last_event(&script);
    payload(&mut script, at)["data"]["total"] = 11.into();
    let panel = script.judged(judge());
    let found: Vec<_> = panel.violations().iter().map(|violation| violation.clause).collect();
    assert_eq!(found, [CHAIN, EQUAL], "it is neither the journal's record nor its own body");
}

fn payload(script: &mut Script, at: usize) -> &mut Value {
    match &mut script.trace.0[at].what {
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
    let mut script = Script::open("nz-div9");
    script.round([1, 3, 6]);
    let at = last_event(&script);
    shorten(payload(&mut script, at));
    script.begin();
    let (seq, exercised) = (script.seq, script.lawful(judge()));
    assert!(exercised.contains(&("links reckoned from events", seq)), "{exercised:?}");
    assert!(exercised.contains(&("events in short form", 1)), "{exercised:?}");
    assert!(exercised.contains(&("events equal to the journal's records", seq)), "{exercised:?}");
}

#[test]
fn a_chain_that_does_not_add_up_is_found() {
    let mut script = Script::open("nz-div9");
    script.round([1, 3, 6]);
    let at = last_event(&script);
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
        let mut script = script.clone();
        *payload(&mut script, at).pointer_mut(pointer).unwrap() = value;
        broken(&script, judge(), CHAIN);
    }
}

/// Rewritten history: every message is consistent in itself, but one of them is not the one that was published before.
#[test]
fn a_record_that_is_told_again_with_another_link_is_found() {
    let mut script = Script::open("nz-div9");
    script.round([1, 3, 6]);
    let at = last_event(&script);
    let mut again = script.trace.0[at].what.clone();
    if let Seen::Mqtt { payload: Some(event), .. } = &mut again {
        let mut forged = Script::off("nz-div9");
        forged.seq = event["seq"].as_u64().unwrap() - 1;
        forged.record("stopped", Value::Null);
        *event = payload(&mut forged, 1).clone();
    }
    script.see(again);
    broken(&script, judge(), CHAIN);
}

#[test]
fn faults_mirror_the_latches() {
    let mut script = Script::open("nz-div9");
    script.latch("lamps");
    script.clone().lawful(judge());
    let mut unlatched = script.clone();
    unlatched.unlatch("lamps", "rectified");
    unlatched.clone().lawful(judge());
    unlatched.mqtt("fault/lamps", json!({"v": 1, "code": "lamps"}));
    broken(&unlatched, judge(), MIRROR);
    script.mqtt("fault/lamps", Value::Null);
    broken(&script, judge(), MIRROR);
}

#[test]
fn what_is_retained_and_where_is_fixed() {
    let told = |topic: &str, retained| {
        let mut script = Script::open("nz-div9");
        script.see(Seen::Mqtt { topic: topic.into(), payload: Some(json!({"v": 1, "status": "online"})), retained });
        script
    };
    told("taisai/lab/1/status", true).lawful(judge());
    told("taisai/lab/2/anything", false).lawful(judge());
    broken(&told("taisai/lab/1/status", false), judge(), RETAIN);
    broken(&told("taisai/lab/1/keypad", true), judge(), RETAIN);
    broken(&told("taisai/lab/1/command", false), judge(), TOPICS);
}

#[test]
fn the_will_says_offline() {
    let mut script = Script::open("nz-div9");
    script.truth(Truth::Process { alive: false });
    let mut told = script.clone();
    told.mqtt("status", json!({"v": 1, "status": "offline"}));
    told.pass(90_000);
    told.truth(Truth::Supply { good: true });
    told.lawful(judge());
    script.pass(90_000);
    script.truth(Truth::Supply { good: true });
    broken(&script, judge(), WILL);
}
