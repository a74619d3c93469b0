use super::*;
use crate::build::{EVERY, Play, broken};
use serde_json::{Value, json};

fn judge() -> Box<dyn Judge> {
    Box::<Motor>::default()
}

fn spinning(rules: &str) -> Play {
    let mut play = Play::open(rules);
    play.begin();
    if !play.covered() {
        play.no_more_bets();
    }
    play.spin_begin();
    play.turn(5);
    play
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut play = Play::open(rules);
        play.round([1, 3, 6]);
        play.round([5, 5, 5]);
        let exercised = play.lawful(judge());
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
    let mut play = spinning("nz-div9");
    play.wire(Line::DomeClosed, false);
    broken(&play, judge(), GUARD);
}

#[test]
fn motor_on_over_an_open_dome_is_found() {
    let mut play = Play::open("nz-div9");
    play.begin();
    play.wire(Line::DomeClosed, false);
    play.pass(100);
    play.record("spin-began", Value::Null);
    play.motor_on();
    broken(&play, judge(), GUARD);
}

#[test]
fn a_slow_bench_has_its_reaction_time() {
    let mut play = spinning("nz-div9");
    play.config.reaction_ns = 5_000_000;
    play.wire(Line::DomeClosed, false);
    play.pass(4);
    play.wire(Line::NoSpin, true);
    play.motor_off();
    play.clone().lawful(judge());
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
        let mut play = spinning("nz-div9");
        play.truth(Truth::Broken { part: Part::Gpio, broken: true });
        play.wire(Line::DomeClosed, false);
        // The dead-man relay drops meanwhile.
        play.truth(Truth::MotorPower { on: false });
        play.pass(500);
        play.truth(Truth::Broken { part: Part::Gpio, broken: false });
        play.pass(ms);
        play
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
        let mut play = spinning("nz-div9");
        play.wire(Line::DomeClosed, false);
        play.motor_off();
        play.pass(ms);
        play.wire(Line::DomeClosed, true);
        play.motor_on();
        play.turn(11);
        play.motor_off();
        play
    };
    flickered(2).lawful(judge());
    broken(&flickered(10), judge(), ONE_SPIN);
}

#[test]
fn a_slow_bench_sees_the_answer_to_a_flicker_after_the_contact_is_back() {
    let answered = |reaction_ns| {
        let mut play = spinning("nz-div9");
        play.config.reaction_ns = reaction_ns;
        play.wire(Line::DomeClosed, false);
        play.pass(1);
        play.wire(Line::DomeClosed, true);
        play.pass(1);
        play.motor_off();
        play.motor_on();
        play.turn(11);
        play.motor_off();
        play
    };
    answered(5_000_000).lawful(judge());
    broken(&answered(1_000_000), judge(), ONE_SPIN);
}

#[test]
fn a_second_run_in_one_spin_is_found() {
    let mut play = spinning("sg-open");
    play.motor_off();
    play.pass(500);
    play.motor_on();
    broken(&play, judge(), ONE_SPIN);
}

#[test]
fn motor_on_without_a_recorded_spin_is_found() {
    let mut play = Play::open("sg-v6");
    play.begin();
    play.motor_on();
    broken(&play, judge(), PERMIT);
    let mut closed = Play::off("sg-v6");
    closed.start();
    closed.ask("open", json!({"name": "Ana"}));
    closed.motor_on();
    broken(&closed, judge(), PERMIT);
}

#[test]
fn a_dead_man_edge_without_the_motor_is_found() {
    let mut play = Play::open("sg-v6");
    play.pass(10);
    play.wire(Line::MotorAlive, true);
    play.wire(Line::MotorAlive, false);
    let found = play.judged(judge());
    assert!(!found.violations().is_empty() && found.violations().iter().all(|v| v.clause == ALIVE));
}

#[test]
fn a_dead_man_edge_before_motor_enable_reads_low_is_found() {
    let mut play = spinning("sg-v6");
    play.truth(Truth::Process { alive: false });
    play.pass(50);
    play.truth(Truth::MotorPower { on: false });
    play.pass(50);
    play.truth(Truth::Process { alive: true });
    play.wire(Line::MotorAlive, false);
    play.wire(Line::MotorAlive, true);
    let found = play.judged(judge());
    assert!(found.violations().iter().any(|v| v.clause == START), "{:?}", found.violations());
}

#[test]
fn power_after_a_kill_is_gone_in_100_ms() {
    let killed = |ms| {
        let mut play = spinning("sg-v6");
        play.truth(Truth::Process { alive: false });
        play.pass(ms);
        play.quarter(1);
        play.truth(Truth::MotorPower { on: false });
        play
    };
    killed(100).lawful(judge());
    broken(&killed(130), judge(), DEADMAN);
    // A welded relay is not the table's doing.
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
    let mut play = spinning("nz-div9");
    play.truth(Truth::Dome { open: true });
    play.turn(1);
    broken(&play, judge(), COVER);
}
