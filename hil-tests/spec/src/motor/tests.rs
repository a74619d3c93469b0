use super::*;
use crate::script::{EVERY, Script, broken};
use serde_json::{Value, json};

fn judge() -> Box<dyn Judge> {
    Box::<Motor>::default()
}

fn spinning(rules: &str) -> Script {
    let mut script = Script::before_spin(rules);
    script.spin_begin();
    script.turn(5);
    script
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut script = Script::open(rules);
        script.round([1, 3, 6]);
        script.round([5, 5, 5]);
        let exercised = script.lawful(judge());
        assert!(exercised.contains(&("motor commanded on", 4)), "{exercised:?}");
    }
}

/// The four guards that every rule set has, and the dome where there is one.
#[test]
fn a_guard_that_does_not_cut_the_motor_is_found() {
    let guards = [(Line::Seal, false), (Line::MotorFault, true), (Line::PowerGood, false)];
    let dome = [(Line::DomeClosed, false), (Line::DomeOpen, true)];
    for rules in ["nz-div9", "sg-open"] {
        for (line, active) in guards.into_iter().chain(dome.into_iter().filter(|_| rules == "nz-div9")) {
            let mut cut = spinning(rules);
            cut.wire(line, active);
            let mut kept = cut.clone();
            cut.motor_off();
            cut.pass(1);
            cut.wire(Line::NoSpin, true);
            assert!(cut.lawful(judge()).contains(&("guard edges while the motor was on", 1)));
            kept.pass(1);
            kept.wire(Line::NoSpin, true);
            broken(&kept, judge(), GUARD);
        }
    }
}

#[test]
fn a_motor_left_on_at_the_end_of_the_run_is_found() {
    let mut script = spinning("nz-div9");
    script.wire(Line::DomeClosed, false);
    broken(&script, judge(), GUARD);
}

#[test]
fn motor_on_over_an_open_dome_is_found() {
    let mut script = Script::open("nz-div9");
    script.begin();
    script.wire(Line::DomeClosed, false);
    script.pass(100);
    script.record("spin-began", Value::Null);
    script.motor_on();
    broken(&script, judge(), GUARD);
}

#[test]
fn a_slow_bench_has_its_reaction_time() {
    let mut script = spinning("nz-div9");
    script.config.reaction_ns = 5_000_000;
    script.wire(Line::DomeClosed, false);
    script.pass(4);
    script.wire(Line::NoSpin, true);
    script.motor_off();
    script.clone().lawful(judge());
    let mut late = spinning("nz-div9");
    late.config.reaction_ns = 5_000_000;
    late.wire(Line::DomeClosed, false);
    late.pass(6);
    late.wire(Line::NoSpin, true);
    late.motor_off();
    broken(&late, judge(), GUARD);
}

/// A pin that no write reached for a while is driven low once it was read back as on for `readback` (virtual-wire.md, 100 ms).
#[test]
fn a_pin_that_writes_reach_again_goes_off_in_100_ms() {
    let mended = |ms| {
        let mut script = spinning("nz-div9");
        script.truth(Truth::Broken { part: Part::Gpio, broken: true });
        script.wire(Line::DomeClosed, false);
        // The dead-man relay drops meanwhile.
        script.truth(Truth::MotorPower { on: false });
        script.pass(500);
        script.truth(Truth::Broken { part: Part::Gpio, broken: false });
        script.pass(ms);
        script
    };
    let mut off = mended(100);
    off.motor_off();
    off.lawful(judge());
    let mut on = mended(101);
    on.wire(Line::NoSpin, true);
    on.motor_off();
    broken(&on, judge(), GUARD);
}

#[test]
fn a_flicker_lets_the_same_spin_go_on_and_more_does_not() {
    let flickered = |ms| {
        let mut script = spinning("nz-div9");
        script.wire(Line::DomeClosed, false);
        script.motor_off();
        script.pass(ms);
        script.wire(Line::DomeClosed, true);
        script.motor_on();
        script.turn(11);
        script.motor_off();
        script
    };
    flickered(2).lawful(judge());
    broken(&flickered(10), judge(), ONE_SPIN);
}

#[test]
fn a_slow_bench_sees_the_answer_to_a_flicker_after_the_contact_is_back() {
    let answered = |reaction_ns| {
        let mut script = spinning("nz-div9");
        script.config.reaction_ns = reaction_ns;
        script.wire(Line::DomeClosed, false);
        script.pass(1);
        script.wire(Line::DomeClosed, true);
        script.pass(1);
        script.motor_off();
        script.motor_on();
        script.turn(11);
        script.motor_off();
        script
    };
    answered(5_000_000).lawful(judge());
    broken(&answered(1_000_000), judge(), ONE_SPIN);
}

#[test]
fn a_second_run_in_one_spin_is_found() {
    let mut script = spinning("sg-open");
    script.motor_off();
    script.pass(500);
    script.motor_on();
    broken(&script, judge(), ONE_SPIN);
}

#[test]
fn motor_on_without_a_recorded_spin_is_found() {
    let mut script = Script::open("sg-v6");
    script.begin();
    script.motor_on();
    broken(&script, judge(), PERMIT);
    let mut closed = Script::off("sg-v6");
    closed.start();
    closed.ask("open", json!({"name": "Ana"}));
    closed.motor_on();
    broken(&closed, judge(), PERMIT);
}

/// Whoever asks for a test by a command, from wherever, moves nothing: a press at the table does.
#[test]
fn motion_in_a_test_without_a_press_is_found() {
    let tested = |pressed: Option<u64>| {
        let mut script = Script::off("sg-v6");
        script.start();
        script.wire(Line::SupervisorKey, true);
        script.ask("open", json!({"name": "Ana"}));
        if let Some(ms) = pressed {
            script.wire(Line::Tumble, true);
            script.pass(60);
            script.wire(Line::Tumble, false);
            script.pass(ms);
        }
        script.motor_on();
        script
    };
    tested(Some(100)).lawful(judge());
    broken(&tested(None), judge(), PRESS);
    broken(&tested(Some(10_000)), judge(), PRESS);
}

#[test]
fn a_dead_man_edge_without_the_motor_is_found() {
    let mut script = Script::open("sg-v6");
    script.pass(10);
    script.wire(Line::MotorAlive, true);
    script.wire(Line::MotorAlive, false);
    let found = script.judged(judge());
    assert!(!found.violations().is_empty() && found.violations().iter().all(|v| v.clause == ALIVE));
}

#[test]
fn a_dead_man_edge_before_motor_enable_reads_low_is_found() {
    let mut script = spinning("sg-v6");
    script.truth(Truth::Process { alive: false });
    script.pass(50);
    script.truth(Truth::MotorPower { on: false });
    script.pass(50);
    script.truth(Truth::Process { alive: true });
    script.wire(Line::MotorAlive, false);
    script.wire(Line::MotorAlive, true);
    let found = script.judged(judge());
    assert!(found.violations().iter().any(|v| v.clause == START), "{:?}", found.violations());
}

#[test]
fn power_after_a_kill_is_gone_in_100_ms() {
    let killed = |ms| {
        let mut script = spinning("sg-v6");
        script.truth(Truth::Process { alive: false });
        script.pass(ms);
        script.quarter(1);
        script.truth(Truth::MotorPower { on: false });
        script
    };
    killed(100).lawful(judge());
    broken(&killed(130), judge(), DEADMAN);
    // The table is not to blame for a welded relay.
    let mut welded = spinning("sg-v6");
    welded.truth(Truth::Broken { part: Part::Relay, broken: true });
    welded.motor_off();
    welded.truth(Truth::MotorPower { on: true });
    welded.pass(500);
    welded.quarter(1);
    welded.lawful(judge());
}

#[test]
fn power_under_a_dome_that_is_truly_away_is_found() {
    let mut script = spinning("nz-div9");
    script.truth(Truth::Dome { open: true });
    script.turn(1);
    broken(&script, judge(), COVER);
}
