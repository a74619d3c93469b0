use super::*;
use crate::build::{Play, broken};
use crate::observation::{BusKind, Key, Part, Transaction, Words};
use report::{DRAWN, LIMITS, PERSONS, QUANTITIES, SOUND, VALUES, VERDICTS};
use serde_json::json;

const MS: u64 = 1_000_000;

fn judge() -> Box<dyn Judge> {
    Box::<Measurements>::default()
}

/// A table in maintenance, the key turned.
fn maintained(rules: &str) -> Play {
    let mut play = Play::open(rules);
    play.config.alone = true;
    play.turn_key();
    play.pass(500);
    play.ask("maintenance", json!({"on": true, "name": "Teo"}));
    play.record_of(None, "maintenance", json!({"on": true, "by": "Teo"}));
    play.pass(500);
    play
}

fn ask(play: &mut Play, test: &str) {
    play.ask("hardware-test", json!({"test": test, "name": "Teo", "technician": true}));
}

fn begin(play: &mut Play, test: &str) {
    ask(play, test);
    play.record_of(None, "test-began", json!({"test": format!("hardware {test}"), "by": "Teo"}));
    play.pass(5);
}

fn value(quantity: &str, value: i64, limits: &Value, verdict: &str) -> Value {
    json!({"quantity": quantity, "value": value, "limits": limits, "verdict": verdict})
}

fn report(play: &mut Play, test: &str, verdict: &str, measurements: &[Value]) {
    play.record_of(
        None,
        "hardware-tested",
        json!({"test": test, "by": "Teo", "verdict": verdict, "measurements": measurements}),
    );
}

/// Five readings, of which the third is the highest.
fn temperatures() -> Play {
    let mut play = maintained("sg-v6");
    begin(&mut play, "temperature");
    for reading in [31_000, 31_400, 31_900, 31_850, 31_800] {
        play.pass(1_000);
        play.see(Seen::Temperature { milli_celsius: Some(reading) });
    }
    play
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
    let mut play = temperatures();
    report(&mut play, "temperature", "pass", &warmth(31_900, 900, 1_000_000));
    let exercised = play.lawful(judge());
    assert!(exercised.contains(&("reports", 1)) && exercised.contains(&("values", 3)), "{exercised:?}");
}

#[test]
fn nothing_is_said_where_judges_are_not_alone() {
    let mut play = temperatures();
    play.config.alone = false;
    report(&mut play, "cam", "fail", &[]);
    play.lawful(judge());
}

#[test]
fn each_wrong_value_is_found() {
    for (highest, spread, apart) in [(31_902, 900, 1_000_000), (31_900, 0, 1_000_000), (31_900, 900, 999_000)] {
        let mut play = temperatures();
        report(&mut play, "temperature", "pass", &warmth(highest, spread, apart));
        broken(&play, judge(), VALUES);
    }
}

#[test]
fn what_is_measured_is_what_the_page_names() {
    let mut play = temperatures();
    report(&mut play, "temperature", "pass", &warmth(31_900, 900, 1_000_000)[..2]);
    broken(&play, judge(), QUANTITIES);
    let mut play = temperatures();
    let mut values = warmth(31_900, 900, 1_000_000);
    values.push(value("seal-breaks", 0, &json!({"marginal_above": 0, "fail_above": 2}), "pass"));
    report(&mut play, "temperature", "pass", &values);
    broken(&play, judge(), QUANTITIES);
    let mut play = maintained("sg-v6");
    begin(&mut play, "temperature");
    play.pass(1_000);
    play.see(Seen::Temperature { milli_celsius: Some(31_000) });
    report(&mut play, "temperature", "pass", &[]);
    broken(&play, judge(), QUANTITIES);
}

#[test]
fn limits_and_verdicts_are_the_pages() {
    let right = || warmth(31_900, 900, 1_000_000);
    let mut other = right();
    other[0]["limits"]["fail_above"] = 81_000.into();
    let mut play = temperatures();
    report(&mut play, "temperature", "pass", &other);
    broken(&play, judge(), LIMITS);
    let mut worse = right();
    worse[1]["verdict"] = "marginal".into();
    let mut play = temperatures();
    report(&mut play, "temperature", "pass", &worse);
    broken(&play, judge(), VERDICTS);
    let mut play = temperatures();
    report(&mut play, "temperature", "marginal", &right());
    broken(&play, judge(), VERDICTS);
}

#[test]
fn the_report_is_of_the_test_that_began_and_of_who_began_it() {
    let mut play = temperatures();
    play.record_of(
        None,
        "hardware-tested",
        json!({"test": "temperature", "by": "Ana", "verdict": "pass", "measurements": warmth(31_900, 900, 1_000_000)}),
    );
    broken(&play, judge(), REPORT);
    let mut play = maintained("sg-v6");
    report(&mut play, "bell", "pass", &[]);
    broken(&play, judge(), REPORT);
    let mut play = temperatures();
    begin(&mut play, "seal");
    broken(&play, judge(), IN_TIME);
}

#[test]
fn a_test_is_begun_in_maintenance_under_the_key_by_who_asked() {
    let mut open = Play::open("sg-v6");
    open.config.alone = true;
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
    let refused = |play: &mut Play| {
        ask(play, "bus");
        play.record_of(None, "refused", json!({"what": "hardware-test", "why": "no"}));
    };
    let mut play = maintained("sg-v6");
    refused(&mut play);
    broken(&play, judge(), REFUSED);
    let mut late = maintained("sg-v6");
    late.pass(302_000);
    refused(&mut late);
    assert!(late.lawful(judge()).contains(&("refusals", 1)));
}

#[test]
fn what_a_person_says_is_the_persons_word() {
    let bell = |struck: bool, right: Option<bool>| {
        let mut play = maintained("sg-v6");
        begin(&mut play, "bell");
        if struck {
            play.wire(Line::Bell, true);
        }
        if let Some(right) = right {
            play.ask("witness", json!({"item": "bell", "right": right, "name": "Teo"}));
        }
        let told = json!({"test": "bell", "by": "Teo", "verdict": "pass", "seen": ["bell"], "measurements": []});
        play.record_of(None, "hardware-tested", told);
        play
    };
    bell(true, Some(true)).lawful(judge());
    for play in [bell(false, Some(true)), bell(true, Some(false)), bell(true, None)] {
        broken(&play, judge(), PERSONS);
    }
}

#[test]
fn a_sound_device_comes_to_the_end_of_its_test() {
    let mut play = temperatures();
    let told = |play: &mut Play| {
        play.record_of(
            None,
            "hardware-tested",
            json!({"test": "temperature", "by": "Teo", "verdict": "fail", "found": "x", "measurements": warmth(31_900, 900, 1_000_000)}),
        );
    };
    told(&mut play);
    broken(&play, judge(), SOUND);
    let mut play = temperatures();
    play.truth(Truth::Broken { part: Part::Motor, broken: true });
    told(&mut play);
    play.lawful(judge());
}

#[test]
fn what_measures_out_of_limits_is_not_rectified() {
    let mut play = Play::open("sg-v6");
    play.config.alone = true;
    play.latch("seal");
    play.turn_key();
    play.ask("reset", json!({"code": "seal", "exit": "rectified", "name": "Teo"}));
    play.record_of(None, "test-began", json!({"test": "seal", "by": "Teo"}));
    for _ in 0..3 {
        play.pass(300);
        play.wire(Line::Seal, false);
        play.wire(Line::Seal, true);
    }
    play.pass(1_200);
    play.ask("witness", json!({"item": "seal", "right": true, "name": "Teo"}));
    let breaks = value("seal-breaks", 3, &json!({"marginal_above": 0, "fail_above": 2}), "fail");
    let told = json!({"test": "seal", "by": "Teo", "verdict": "fail", "seen": ["seal"], "measurements": [breaks]});
    play.record_of(None, "hardware-tested", told);
    play.clone().lawful(judge());
    play.unlatch("seal", "rectified");
    broken(&play, judge(), RECTIFIED);
}

/// A spin of four tumbles, a quarter in 150 ms, and one quarter more as it runs out.
fn spin(test: &str) -> (Play, Vec<i64>) {
    let mut play = maintained("sg-v6");
    begin(&mut play, test);
    play.motor_on();
    play.turn(17);
    play.pass(120);
    play.quarter(1);
    play.pass(300);
    play.motor_off();
    // The shaft of the opening stands at a quarter of its own; its cam begins to count anew.
    (play, vec![600_000; 4])
}

fn motor(found: [i64; 7]) -> Vec<Value> {
    let period =
        json!({"fail_below": 300_000, "marginal_below": 450_000, "marginal_above": 900_000, "fail_above": 1_500_000});
    let [start, tumbles, mean, least, greatest, spread, coast] = found;
    vec![
        value("start-time", start, &json!({"marginal_above": 450_000, "fail_above": 700_000}), "pass"),
        value("tumbles", tumbles, &json!({"fail_below": 4, "marginal_below": 4}), "pass"),
        value("period-mean", mean, &period, "pass"),
        value("period-least", least, &period, "pass"),
        value("period-greatest", greatest, &period, "pass"),
        value("period-spread", spread, &json!({"marginal_above": 40, "fail_above": 80}), "pass"),
        value("coast-time", coast, &json!({"marginal_above": 600_000, "fail_above": 2_100_000}), "pass"),
    ]
}

fn spun(found: [i64; 7], periods: &[i64]) -> Play {
    let (mut play, _) = spin("motor");
    let waves = seen_waves(&play);
    let plots = json!({"periods": periods, "waves": waves});
    let told = json!({"test": "motor", "by": "Teo", "verdict": "pass", "measurements": motor(found), "plots": plots});
    play.record_of(None, "hardware-tested", told);
    play
}

/// What the cam's wires showed since the motor went on.
fn seen_waves(play: &Play) -> Value {
    let seen = &play.trace.0;
    let enabled = |seen: &Observation| matches!(seen.what, Seen::Wire { line: Line::MotorEnable, active: true, .. });
    let on = seen.iter().rposition(enabled).unwrap();
    let wave = |line: Line| {
        let edge = |seen: &Observation| match seen.what {
            Seen::Wire { line: of, active, .. } if of == line => Some((seen.at_ns, active)),
            _ => None,
        };
        let mut level = seen[..on].iter().rev().find_map(edge).unwrap().1;
        let before = level;
        let mut edges = Vec::new();
        for (at, active) in seen[on..].iter().filter_map(edge) {
            if core::mem::replace(&mut level, active) != active {
                edges.push((at - seen[on].at_ns) / 1_000);
            }
        }
        json!({"line": line.name(), "active": before, "edges": edges})
    };
    json!([wave(Line::CamA), wave(Line::CamB)])
}

const RIGHT: [i64; 7] = [150_000, 4, 600_000, 600_000, 600_000, 0, 120_000];

#[test]
fn a_spin_is_reckoned_from_the_wires() {
    let (_, periods) = spin("motor");
    let unequal = spun(RIGHT, &periods);
    // The wires of a hand-written quarter tell both sensors anew: what did not change is no edge.
    let found = unequal.judged(judge()).violations().to_vec();
    assert!(found.iter().all(|v| v.clause != VALUES && v.clause != LIMITS), "{found:#?}");
    for (place, wrong) in [(0, 148_000), (1, 5), (2, 601_000), (3, 599_000), (4, 610_000), (5, 3), (6, 90_000)] {
        let mut values = RIGHT;
        values[place] = wrong;
        let found = spun(values, &periods).judged(judge()).violations().to_vec();
        assert!(found.iter().any(|v| v.clause == VALUES), "{place}: {found:#?}");
    }
    let found = spun(RIGHT, &[600_000; 3]).judged(judge()).violations().to_vec();
    assert!(found.iter().any(|v| v.clause == DRAWN), "{found:#?}");
}

fn poll(play: &mut Play, first: u16, keys: &[u16], held: u16, display: u16) {
    let mut words = vec![held, first, u16::try_from(keys.len()).unwrap()];
    words.extend((0..8).map(|n| keys.get(n).copied().unwrap_or(0)));
    words.push(display);
    transact(play, BusKind::ReadInput, 2, 12, &words);
}

fn transact(play: &mut Play, kind: BusKind, address: u16, count: u16, words: &[u16]) {
    let begun_ns = play.now_ns;
    play.now_ns += 4 * MS;
    let words = Words::new(words);
    play.see(Seen::Bus(Transaction { begun_ns, unit: 1, kind, address, count, words, bits: 0, ok: true }));
}

#[test]
fn keys_are_counted_as_the_terminal_tells_them() {
    let told = |right: i64, wrong: i64, bounces: i64, hold: i64| {
        let mut play = maintained("sg-v6");
        begin(&mut play, "terminal");
        poll(&mut play, 1, &[], 0, 0x0FFF);
        for shown in [0x0123, 0x0456, 0x0FFF] {
            transact(&mut play, BusKind::WriteHolding, 1, 1, &[shown]);
            poll(&mut play, 1, &[], 0, shown);
        }
        // A wrong key, a bounce of the first right one, and 100 ms of holding it.
        let mut number = 1;
        for (keys, pause) in [(&[3][..], 200), (&[1, 1], 100), (&[2], 200), (&[3], 200), (&[4], 200)] {
            play.truth(Truth::Pressed(Key::Digit(1)));
            poll(&mut play, number, keys, 1, 0x0FFF);
            number += u16::try_from(keys.len()).unwrap();
            play.pass(pause - 4);
            poll(&mut play, number, &[], 0, 0x0FFF);
        }
        poll(&mut play, number, &[5, 6, 7], 0, 0x0FFF);
        let values = [
            value("keys-pressed", right, &json!({"fail_below": 7, "marginal_below": 7}), "pass"),
            value("keys-wrong", wrong, &json!({"marginal_above": 0, "fail_above": 2}), "marginal"),
            value("key-bounces", bounces, &json!({"marginal_above": 1, "fail_above": 4}), "pass"),
            value("key-hold", hold, &json!({"marginal_above": 2_000_000, "fail_above": 5_000_000}), "pass"),
        ];
        report(&mut play, "terminal", "marginal", &values);
        play
    };
    told(7, 1, 1, 200_000).lawful(judge());
    for play in [told(7, 2, 1, 200_000), told(7, 1, 0, 200_000), told(7, 1, 1, 90_000)] {
        broken(&play, judge(), VALUES);
    }
}

/// Page, `lamps`: "of a result of which an area does not, there is none: that area is dark or lit untold".
#[test]
fn what_never_lights_has_no_time_to_light() {
    let told = |dark: u64, time: Option<i64>| {
        let mut play = maintained("nz-1998");
        begin(&mut play, "lamps");
        let all = [(1_u64 << 50) - 1, 0];
        for picture in [all, [0; 2]] {
            play.light_mask(picture);
            play.pass(30);
            play.sense([picture[0] & !dark, 0]);
            play.pass(500);
        }
        play.ask("witness", json!({"item": "areas", "right": true, "name": "Teo"}));
        let none = json!({"marginal_above": 0, "fail_above": 0});
        let failed = if dark == 0 { "pass" } else { "fail" };
        let mut values =
            vec![value("lamps-dark", dark.count_ones().into(), &none, failed), value("lamps-untold", 0, &none, "pass")];
        let limits = json!({"marginal_above": 250_000, "fail_above": 500_000});
        values.extend(
            time.map(|time| value("lamps-time", time, &limits, if time > 250_000 { "marginal" } else { "pass" })),
        );
        let layout = play.config.layout.clone();
        let areas = &play.config.lamps[0].areas;
        let areas: Vec<&String> =
            areas.iter().enumerate().filter(|(i, _)| dark >> i & 1 != 0).map(|(_, a)| a).collect();
        let plots = json!({"layout": layout, "dark": areas});
        let verdict = if dark == 0 && time.is_some_and(|time| time > 250_000) { "marginal" } else { failed };
        let told = json!({"test": "lamps", "by": "Teo", "verdict": verdict, "seen": ["areas"], "measurements": values, "plots": plots});
        play.record_of(None, "hardware-tested", told);
        play
    };
    told(0, Some(42_000)).lawful(judge());
    told(0b101, None).lawful(judge());
    broken(&told(0b101, Some(500_000)), judge(), VALUES);
    broken(&told(0b101, Some(42_000)), judge(), VALUES);
    broken(&told(0, Some(500_000)), judge(), VALUES);
    broken(&told(0, None), judge(), QUANTITIES);
}

/// Page, `seal`: "within the 2 s for which the test watches it, and not while a person looks at the seal".
#[test]
fn breaks_of_the_seal_are_those_of_its_2_s() {
    let told = |breaks: i64| {
        let mut play = maintained("sg-v6");
        let flicker = |play: &mut Play| {
            play.wire(Line::Seal, false);
            play.pass(1);
            play.wire(Line::Seal, true);
        };
        begin(&mut play, "seal");
        play.pass(1_000);
        flicker(&mut play);
        play.pass(1_200);
        flicker(&mut play);
        play.ask("witness", json!({"item": "seal", "right": true, "name": "Teo"}));
        let verdict = if breaks == 0 { "pass" } else { "marginal" };
        let breaks = value("seal-breaks", breaks, &json!({"marginal_above": 0, "fail_above": 2}), verdict);
        let told = json!({"test": "seal", "by": "Teo", "verdict": verdict, "seen": ["seal"], "measurements": [breaks]});
        play.record_of(None, "hardware-tested", told);
        play
    };
    told(1).lawful(judge());
    broken(&told(2), judge(), VALUES);
    broken(&told(0), judge(), VALUES);
}

/// Page, `temperature`: "a reset takes them after three good ones in a row", of the table too.
#[test]
fn a_reset_measures_the_temperature_after_three_good_readings() {
    let told = |readings: &[i32], [highest, spread]: [i64; 2]| {
        let mut play = Play::open("sg-v6");
        play.config.alone = true;
        play.latch("temperature");
        play.turn_key();
        play.ask("reset", json!({"code": "temperature", "exit": "rectified", "name": "Teo"}));
        play.record_of(None, "test-began", json!({"test": "temperature", "by": "Teo"}));
        for reading in readings {
            play.pass(1_000);
            play.see(Seen::Temperature { milli_celsius: Some(*reading) });
        }
        report(&mut play, "temperature", "pass", &warmth(highest, spread, 1_000_000));
        play
    };
    let good = [33_000, 32_000, 31_000, 30_000, 30_000, 30_000, 30_000, 30_000];
    told(&good, [30_000, 0]).lawful(judge());
    let [mut hot, mut late] = [good.to_vec(), good[3..].to_vec()];
    hot.insert(0, 85_000);
    hot.insert(1, 33_000);
    told(&hot, [30_000, 0]).lawful(judge());
    broken(&told(&hot, [33_000, 2_000]), judge(), VALUES);
    late.insert(0, 45_000);
    late.insert(1, 34_500);
    broken(&told(&late, [30_000, 0]), judge(), QUANTITIES);
}
