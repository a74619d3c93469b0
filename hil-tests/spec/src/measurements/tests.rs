mod buttons;
mod devices;

use super::*;
use crate::observation::{BusKind, Key, Part, Transaction, Words};
use crate::script::{Script, broken};
use report::{DRAWN, LIMITS, NAMED, PERSONS, QUANTITIES, SOUND, VALUES, VERDICTS};
use serde_json::json;

const MS: u64 = 1_000_000;

fn judge() -> Box<dyn Judge> {
    Box::<Measurements>::default()
}

/// A table in maintenance, the key turned.
fn maintained(rules: &str) -> Script {
    let mut script = Script::open(rules);
    script.config.alone = true;
    script.config.free_play = true;
    script.turn_key();
    script.pass(500);
    script.ask("maintenance", json!({"on": true, "name": "Teo"}));
    script.record_of(None, "maintenance", json!({"on": true, "by": "Teo"}));
    script.pass(500);
    script
}

fn ask(script: &mut Script, test: &str) {
    script.ask("hardware-test", json!({"test": test, "name": "Teo", "technician": true}));
}

fn begin(script: &mut Script, test: &str) {
    ask(script, test);
    script.record_of(None, "test-began", json!({"test": format!("hardware {test}"), "by": "Teo"}));
    script.pass(5);
}

fn value(quantity: &str, value: i64, limits: &Value, verdict: &str) -> Value {
    json!({"quantity": quantity, "value": value, "limits": limits, "verdict": verdict})
}

fn report(script: &mut Script, test: &str, verdict: &str, measurements: &[Value]) {
    script.record_of(
        None,
        "hardware-tested",
        json!({"test": test, "by": "Teo", "verdict": verdict, "measurements": measurements}),
    );
}

/// Five readings, of which the third is the highest.
fn temperatures() -> Script {
    let mut script = maintained("sg-v6");
    begin(&mut script, "temperature");
    for reading in [31_000, 31_400, 31_900, 31_850, 31_800] {
        script.pass(1_000);
        script.see(Seen::Temperature { milli_celsius: Some(reading) });
    }
    script
}

fn warmth(highest: i64, spread: i64, apart: i64) -> Vec<Value> {
    vec![
        value("temperature", highest, &json!({"marginal_above": 60_000, "fail_above": 80_000}), "pass"),
        value("temperature-spread", spread, &json!({"marginal_above": 2_000, "fail_above": 10_000}), "pass"),
        value("temperature-interval", apart, &json!({"marginal_above": 1_000_000, "fail_above": 2_000_000}), "pass"),
    ]
}

#[test]
fn a_right_report_is_silent() {
    let mut script = temperatures();
    report(&mut script, "temperature", "pass", &warmth(31_900, 900, 1_000_000));
    let exercised = script.lawful(judge());
    assert!(exercised.contains(&("reports", 1)) && exercised.contains(&("values", 3)), "{exercised:?}");
}

#[test]
fn nothing_is_said_where_judges_are_not_alone() {
    let mut script = temperatures();
    script.config.alone = false;
    report(&mut script, "cam", "fail", &[]);
    script.lawful(judge());
}

#[test]
fn each_wrong_value_is_found() {
    for (highest, spread, apart) in [(31_902, 900, 1_000_000), (31_900, 0, 1_000_000), (31_900, 900, 999_000)] {
        let mut script = temperatures();
        report(&mut script, "temperature", "pass", &warmth(highest, spread, apart));
        broken(&script, judge(), VALUES);
    }
}

#[test]
fn what_is_measured_is_what_the_page_names() {
    let mut script = temperatures();
    report(&mut script, "temperature", "pass", &warmth(31_900, 900, 1_000_000)[..2]);
    broken(&script, judge(), QUANTITIES);
    let mut script = temperatures();
    let mut values = warmth(31_900, 900, 1_000_000);
    values.push(value("seal-breaks", 0, &json!({"marginal_above": 0, "fail_above": 2}), "pass"));
    report(&mut script, "temperature", "pass", &values);
    broken(&script, judge(), QUANTITIES);
    let mut script = maintained("sg-v6");
    begin(&mut script, "temperature");
    script.pass(1_000);
    script.see(Seen::Temperature { milli_celsius: Some(31_000) });
    report(&mut script, "temperature", "pass", &[]);
    broken(&script, judge(), QUANTITIES);
}

#[test]
fn limits_and_verdicts_are_the_pages() {
    let right = || warmth(31_900, 900, 1_000_000);
    let mut other = right();
    other[0]["limits"]["fail_above"] = 81_000.into();
    let mut script = temperatures();
    report(&mut script, "temperature", "pass", &other);
    broken(&script, judge(), LIMITS);
    let mut worse = right();
    worse[1]["verdict"] = "marginal".into();
    let mut script = temperatures();
    report(&mut script, "temperature", "pass", &worse);
    broken(&script, judge(), VERDICTS);
    let mut script = temperatures();
    report(&mut script, "temperature", "marginal", &right());
    broken(&script, judge(), VERDICTS);
}

#[test]
fn the_report_is_of_the_test_that_began_and_of_who_began_it() {
    let mut script = temperatures();
    script.record_of(
        None,
        "hardware-tested",
        json!({"test": "temperature", "by": "Ana", "verdict": "pass", "measurements": warmth(31_900, 900, 1_000_000)}),
    );
    broken(&script, judge(), REPORT);
    let mut script = maintained("sg-v6");
    report(&mut script, "bell", "pass", &[]);
    broken(&script, judge(), REPORT);
    let mut script = temperatures();
    begin(&mut script, "seal");
    broken(&script, judge(), IN_TIME);
}

#[test]
fn a_test_is_begun_in_maintenance_under_the_key_by_who_asked() {
    let mut open = Script::open("sg-v6");
    open.config.alone = true;
    open.config.free_play = true;
    open.turn_key();
    begin(&mut open, "seal");
    broken(&open, judge(), BEGIN);
    let mut late = maintained("sg-v6");
    late.pass(302_000);
    begin(&mut late, "seal");
    broken(&late, judge(), BEGIN);
    let mut unasked = maintained("sg-v6");
    unasked.record_of(None, "test-began", json!({"test": "hardware seal", "by": "Teo"}));
    broken(&unasked, judge(), BEGIN);
}

#[test]
fn what_may_be_begun_is_not_refused() {
    let refused = |script: &mut Script| {
        ask(script, "bus");
        script.record_of(None, "refused", json!({"what": "hardware-test", "why": "no"}));
    };
    let mut script = maintained("sg-v6");
    refused(&mut script);
    broken(&script, judge(), REFUSED);
    let mut late = maintained("sg-v6");
    late.pass(302_000);
    refused(&mut late);
    assert!(late.lawful(judge()).contains(&("refusals", 1)));
}

#[test]
fn what_a_person_says_is_the_persons_word() {
    let bell = |struck: bool, right: Option<bool>| {
        let mut script = maintained("sg-v6");
        begin(&mut script, "bell");
        if struck {
            script.wire(Line::Bell, true);
        }
        if let Some(right) = right {
            script.ask("witness", json!({"item": "bell", "right": right, "name": "Teo"}));
        }
        let told = json!({"test": "bell", "by": "Teo", "verdict": "pass", "seen": ["bell"], "measurements": []});
        script.record_of(None, "hardware-tested", told);
        script
    };
    bell(true, Some(true)).lawful(judge());
    for script in [bell(false, Some(true)), bell(true, Some(false)), bell(true, None)] {
        broken(&script, judge(), PERSONS);
    }
}

#[test]
fn a_sound_device_comes_to_the_end_of_its_test() {
    let mut script = temperatures();
    let told = |script: &mut Script| {
        script.record_of(
            None,
            "hardware-tested",
            json!({"test": "temperature", "by": "Teo", "verdict": "fail", "found": "x", "measurements": warmth(31_900, 900, 1_000_000)}),
        );
    };
    told(&mut script);
    broken(&script, judge(), SOUND);
    let mut script = temperatures();
    script.truth(Truth::Broken { part: Part::Motor, broken: true });
    told(&mut script);
    script.lawful(judge());
}

#[test]
fn what_measures_out_of_limits_is_not_rectified() {
    let mut script = Script::open("sg-v6");
    script.config.alone = true;
    script.config.free_play = true;
    script.latch("seal");
    script.turn_key();
    script.ask("reset", json!({"code": "seal", "exit": "rectified", "name": "Teo"}));
    script.record_of(None, "test-began", json!({"test": "seal", "by": "Teo"}));
    for _ in 0..3 {
        script.pass(300);
        script.wire(Line::Seal, false);
        script.wire(Line::Seal, true);
    }
    script.pass(1_200);
    script.ask("witness", json!({"item": "seal", "right": true, "name": "Teo"}));
    let breaks = value("seal-breaks", 3, &json!({"marginal_above": 0, "fail_above": 2}), "fail");
    let told = json!({"test": "seal", "by": "Teo", "verdict": "fail", "seen": ["seal"], "measurements": [breaks]});
    script.record_of(None, "hardware-tested", told);
    script.clone().lawful(judge());
    script.unlatch("seal", "rectified");
    broken(&script, judge(), RECTIFIED);
}
