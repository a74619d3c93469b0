use super::*;
use crate::script::{EVERY, Script, broken};
use serde_json::json;

fn judge() -> Box<dyn Judge> {
    Box::<Supervision>::default()
}

/// A table that is being opened, without one step.
fn opening_without(skip: &str) -> Script {
    let mut script = Script::off("sg-v6");
    script.start();
    let mut whole = script.clone();
    whole.opening();
    script.trace.0.clear();
    let tested = |seen: &Observation| matches!(&seen.what, Seen::Record(record) if record.data.get("test").is_some_and(|test| test == skip));
    script.trace.0 = whole.trace.0.into_iter().filter(|seen| !tested(seen)).collect();
    script.now_ns = whole.now_ns;
    script
}

fn remove(script: &mut Script, what: impl Fn(&Observation) -> bool) {
    script.trace.0.retain(|seen| !what(seen));
}

#[test]
fn lawful_openings_pass_under_every_rule_set() {
    for rules in EVERY {
        assert!(Script::open(rules).lawful(judge()).contains(&("openings", 1)));
    }
}

#[test]
fn nz_5_an_opening_without_one_of_its_tests_is_found() {
    for test in NEEDED {
        broken(&opening_without(test), judge(), TESTS);
    }
    // Its bell and its sign are for a person's ears and eyes.
    opening_without("bell").lawful(judge());
}

#[test]
fn nz_5_a_failed_test_opens_no_table() {
    let mut script = opening_without("");
    for seen in &mut script.trace.0 {
        if let Seen::Record(record) = &mut seen.what {
            if let Fact::Tested { test, passed } = &mut record.fact {
                *passed = test != "tumbler";
            }
        }
    }
    broken(&script, judge(), TESTS);
}

#[test]
fn nz_5_b_every_area_really_shines() {
    let mut script = Script::open("sg-v6");
    remove(&mut script, |seen| matches!(seen.what, Seen::Truth(Truth::Lamps { boards: [first, _] }) if first & 1 != 0));
    broken(&script, judge(), AREAS);
}

#[test]
fn a_table_that_is_asked_again_while_it_opens_is_opened_by_the_tests_in_progress() {
    let mut script = Script::off("sg-v6");
    script.start();
    let mut whole = script.clone();
    whole.opening();
    // After the lamps, before the end.
    let last =
        |seen: &Observation| matches!(&seen.what, Seen::Record(record) if matches!(record.fact, Fact::Tested { .. }));
    let place = whole.trace.0.iter().rposition(last).unwrap();
    let rest = whole.trace.0.split_off(place);
    whole.ask("open", json!({}));
    whole.record_of(None, "refused", json!({"what": "open", "why": "a test is in progress"}));
    for seen in whole.trace.0.iter_mut().skip(place) {
        seen.at_ns = rest[0].at_ns;
    }
    whole.trace.0.extend(rest);
    // Records count on.
    for (seq, seen) in (1..).zip(whole.trace.0.iter_mut().filter_map(|seen| match &mut seen.what {
        Seen::Record(record) => Some(record),
        _ => None,
    })) {
        seen.seq = seq;
    }
    whole.lawful(judge());
}

#[test]
fn nz_5_c_the_tumbler_really_turns() {
    let mut script = Script::open("sg-v6");
    remove(&mut script, |seen| matches!(seen.what, Seen::Truth(Truth::Shaft { quarters }) if quarters > 3));
    broken(&script, judge(), TUMBLER);
}

#[test]
fn a_welded_relay_passes_no_opening() {
    let mut script = Script::open("sg-v6");
    for seen in &mut script.trace.0 {
        if let Seen::Truth(Truth::MotorPower { on }) = &mut seen.what {
            *on = true;
        }
    }
    broken(&script, judge(), DEADMAN);
}

#[test]
fn a_decision_needs_the_key_and_a_name() {
    let mut script = Script::open("sg-v6");
    let mut named = script.clone();
    named.turn_key();
    named.record_of(None, "decided", json!({"what": "x", "reason": "y", "by": "Ana"}));
    assert!(named.clone().lawful(judge()).contains(&("decisions under the key", 2)));
    named.record_of(None, "decided", json!({"what": "x", "reason": "y", "by": " "}));
    broken(&named, judge(), KEY);
    script.pass(2_000_000);
    script.latch("lamps");
    script.unlatch("lamps", "rectified");
    broken(&script, judge(), KEY);
}
