//! Tests of the single devices, each compared with the wires, the bus or the sensor.

use super::*;

/// A spin of four tumbles, a quarter in 150 ms, and one quarter more as it runs out.
fn spin(test: &str) -> (Script, Vec<i64>) {
    spin_that(test, true)
}

/// The same of a shaft that makes another step without power, or stops before it.
fn spin_that(test: &str, coasts: bool) -> (Script, Vec<i64>) {
    let mut script = maintained("sg-v6");
    begin(&mut script, test);
    script.motor_on();
    script.turn(17);
    script.pass(120);
    if coasts {
        script.quarter(1);
    }
    script.pass(300);
    script.motor_off();
    // After the opening the shaft stands somewhere; the count of its cam begins again.
    (script, vec![600_000; 4])
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

fn spun(found: [i64; 7], periods: &[i64]) -> Script {
    reported(spin("motor").0, &motor(found), periods)
}

fn reported(mut script: Script, measured: &[Value], periods: &[i64]) -> Script {
    let waves = seen_waves(&script);
    let plots = json!({"periods": periods, "waves": waves});
    let told = json!({"test": "motor", "by": "Teo", "verdict": "pass", "measurements": measured, "plots": plots});
    script.record_of(None, "hardware-tested", told);
    script
}

/// What the cam's wires showed since the motor went on.
fn seen_waves(script: &Script) -> Value {
    let seen = &script.trace.0;
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
    // A hand-written quarter reports both sensors again: a level that did not change is not an edge.
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

/// hardware-tests.md: the coast time is that of the last step after motor off; where there is none, nothing was measured.
#[test]
fn a_shaft_that_stops_before_its_next_step_has_no_coast_time() {
    let clauses = |coasts: bool, told: usize, coast: i64| -> Vec<&str> {
        let (script, periods) = spin_that("motor", coasts);
        let [start, tumbles, mean, least, greatest, spread, _] = RIGHT;
        let measured = motor([start, tumbles, mean, least, greatest, spread, coast]);
        let script = reported(script, &measured[..told], &periods);
        script.judged(judge()).violations().iter().map(|v| v.clause).collect()
    };
    let (untold, told) = (6, 7);
    assert!(!clauses(false, untold, 0).contains(&QUANTITIES), "nothing is missing");
    assert!(clauses(true, untold, 0).contains(&QUANTITIES), "it was seen");
    assert!(clauses(false, told, 0).contains(&VALUES), "nobody measured it");
    assert!(!clauses(true, told, RIGHT[6]).iter().any(|clause| [VALUES, QUANTITIES].contains(clause)));
}

fn poll(script: &mut Script, first: u16, keys: &[u16], held: u16, display: u16) {
    let mut words = vec![held, first, u16::try_from(keys.len()).unwrap()];
    words.extend((0..8).map(|n| keys.get(n).copied().unwrap_or(0)));
    words.push(display);
    transact(script, BusKind::ReadInput, 2, 12, &words);
}

fn transact(script: &mut Script, kind: BusKind, address: u16, count: u16, words: &[u16]) {
    let begun_ns = script.now_ns;
    script.now_ns += 4 * MS;
    let words = Words::new(words);
    script.see(Seen::Bus(Transaction { begun_ns, unit: 1, kind, address, count, words, bits: 0, ok: true }));
}

#[test]
fn keys_are_counted_as_the_terminal_tells_them() {
    let told = |right: i64, wrong: i64, bounces: i64, hold: i64| {
        let mut script = maintained("sg-v6");
        begin(&mut script, "terminal");
        poll(&mut script, 1, &[], 0, 0x0FFF);
        for shown in [0x0123, 0x0456, 0x0FFF] {
            transact(&mut script, BusKind::WriteHolding, 1, 1, &[shown]);
            poll(&mut script, 1, &[], 0, shown);
        }
        // A wrong key, a bounce of the first right one, and 100 ms of holding it.
        let mut number = 1;
        for (keys, pause) in [(&[3][..], 200), (&[1, 1], 100), (&[2], 200), (&[3], 200), (&[4], 200)] {
            script.truth(Truth::Pressed(Key::Digit(1)));
            poll(&mut script, number, keys, 1, 0x0FFF);
            number += u16::try_from(keys.len()).unwrap();
            script.pass(pause - 4);
            poll(&mut script, number, &[], 0, 0x0FFF);
        }
        poll(&mut script, number, &[5, 6, 7], 0, 0x0FFF);
        let values = [
            value("keys-pressed", right, &json!({"fail_below": 7, "marginal_below": 7}), "pass"),
            value("keys-wrong", wrong, &json!({"marginal_above": 0, "fail_above": 2}), "marginal"),
            value("key-bounces", bounces, &json!({"marginal_above": 1, "fail_above": 4}), "pass"),
            value("key-hold", hold, &json!({"marginal_above": 2_000_000, "fail_above": 5_000_000}), "pass"),
        ];
        report(&mut script, "terminal", "marginal", &values);
        script
    };
    told(7, 1, 1, 200_000).lawful(judge());
    for script in [told(7, 2, 1, 200_000), told(7, 1, 0, 200_000), told(7, 1, 1, 90_000)] {
        broken(&script, judge(), VALUES);
    }
}

/// Page, `lamps`: "of a result of which an area does not, there is none: that area is dark or lit untold".
#[test]
fn what_never_lights_has_no_time_to_light() {
    let told = |dark: u64, time: Option<i64>| {
        let mut script = maintained("nz-1998");
        begin(&mut script, "lamps");
        let all = [(1_u64 << 50) - 1, 0];
        for picture in [all, [0; 2]] {
            script.light_mask(picture);
            script.pass(30);
            script.sense([picture[0] & !dark, 0]);
            script.pass(500);
        }
        script.ask("witness", json!({"item": "areas", "right": true, "name": "Teo"}));
        let none = json!({"marginal_above": 0, "fail_above": 0});
        let failed = if dark == 0 { "pass" } else { "fail" };
        let mut values =
            vec![value("lamps-dark", dark.count_ones().into(), &none, failed), value("lamps-untold", 0, &none, "pass")];
        let limits = json!({"marginal_above": 250_000, "fail_above": 500_000});
        values.extend(
            time.map(|time| value("lamps-time", time, &limits, if time > 250_000 { "marginal" } else { "pass" })),
        );
        let layout = script.config.layout.clone();
        let areas = &script.config.lamps[0].areas;
        let areas: Vec<&String> =
            areas.iter().enumerate().filter(|(i, _)| dark >> i & 1 != 0).map(|(_, a)| a).collect();
        let plots = json!({"layout": layout, "dark": areas});
        let verdict = if dark == 0 && time.is_some_and(|time| time > 250_000) { "marginal" } else { failed };
        let told = json!({"test": "lamps", "by": "Teo", "verdict": verdict, "seen": ["areas"], "measurements": values, "plots": plots});
        script.record_of(None, "hardware-tested", told);
        script
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
        let mut script = maintained("sg-v6");
        let flicker = |script: &mut Script| {
            script.wire(Line::Seal, false);
            script.pass(1);
            script.wire(Line::Seal, true);
        };
        begin(&mut script, "seal");
        script.pass(1_000);
        flicker(&mut script);
        script.pass(1_200);
        flicker(&mut script);
        script.ask("witness", json!({"item": "seal", "right": true, "name": "Teo"}));
        let verdict = if breaks == 0 { "pass" } else { "marginal" };
        let breaks = value("seal-breaks", breaks, &json!({"marginal_above": 0, "fail_above": 2}), verdict);
        let told = json!({"test": "seal", "by": "Teo", "verdict": verdict, "seen": ["seal"], "measurements": [breaks]});
        script.record_of(None, "hardware-tested", told);
        script
    };
    told(1).lawful(judge());
    broken(&told(2), judge(), VALUES);
    broken(&told(0), judge(), VALUES);
}

/// Page, `temperature`: "a reset takes them after three good ones in a row", of the table too.
#[test]
fn a_reset_measures_the_temperature_after_three_good_readings() {
    let told = |readings: &[i32], [highest, spread]: [i64; 2]| {
        let mut script = Script::open("sg-v6");
        script.config.alone = true;
        script.config.free_play = true;
        script.latch("temperature");
        script.turn_key();
        script.ask("reset", json!({"code": "temperature", "exit": "rectified", "name": "Teo"}));
        script.record_of(None, "test-began", json!({"test": "temperature", "by": "Teo"}));
        for reading in readings {
            script.pass(1_000);
            script.see(Seen::Temperature { milli_celsius: Some(*reading) });
        }
        report(&mut script, "temperature", "pass", &warmth(highest, spread, 1_000_000));
        script
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
