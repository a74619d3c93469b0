//! Spins that a hand or a guard disturbs.

use super::*;

/// SGV6 5.5.1 counts what the tumbler does after it was activated. A shaft that stood for a moment while the motor was on, and goes on
/// while a guard flickers, is in the same spin.
#[test]
fn a_spin_goes_on_over_a_flicker_though_the_shaft_stood_before_it() {
    for rules in EVERY.into_iter().filter(|rules| Script::open(rules).covered()) {
        let flickers = |off_ms: u64| {
            let mut script = spinning(rules);
            script.turn(6);
            for _ in 0..40 {
                script.pass(10);
                script.alive_edge();
            }
            script.motor_off();
            script.pass(off_ms);
            script.quarter(1);
            script.motor_on();
            script.turn(9);
            script.motor_off();
            script.coast();
            script.truth(Truth::Dice { faces: [1, 3, 6], flat: [true; 3] });
            script.spin_end(4, true);
            script.read_poses([1, 1, 1]);
            if rules.starts_with("nz") {
                script.press(Line::PlaceBets);
                script.called("place-bets");
            }
            script.no_more_bets();
            script.pass(400);
            script.reveal();
            script.establish([1, 3, 6]);
            script.result([1, 3, 6], &crate::script::call([1, 3, 6]));
            script.verified();
            script.settled([1, 3, 6]);
            script
        };
        flickers(2).lawful(judge());
        // At rest with the motor off the spin is over, and what comes later does not belong to it.
        broken(&flickers(400), judge(), GOES_ON);
    }
}

/// SGV6 5.4.2 and 5.5.1: a spin that a guard cut is judged once the shaft stands. One that a hand turns on and on does not come to a
/// stand, which is a fact by then as well; where it stands at once it is none.
#[test]
fn a_shaft_that_does_not_come_to_a_stand_after_a_guard_is_technical_besides() {
    let turned = |quarters: u32| {
        let mut script = spinning("sg-v6");
        script.turn(1);
        script.wire(Line::DomeClosed, false);
        script.motor_off();
        script.pass(5);
        script.read_poses([1, 1, 1]);
        script.pass(5);
        script.wire(Line::DomeClosed, true);
        for _ in 0..quarters {
            script.pass(240);
            script.quarter(1);
        }
        script.pass(400);
        script.void("equipment", &named("sg-v6", &["5.5.1", "5.4.2"]));
        script
    };
    turned(7).lawful(judge());
    broken(&turned(1), judge(), CLAUSES);
}

/// faults.md cam.both_noise: by the wires, a shaft that a hand throws back under power is a cam that may be loose, and of which nobody
/// can tell how often it turned. One sensor's bounce is none.
#[test]
fn a_shaft_that_is_thrown_back_leaves_its_count_in_doubt() {
    let thrown = |back: u32| {
        let mut script = spinning("sg-v6");
        script.turn(15);
        for _ in 0..back {
            script.pass(200);
            script.quarter(-1);
        }
        script.motor_off();
        script.pass(5);
        script.void("equipment", &named("sg-v6", &["5.5.1", "5.4.2"]));
        script
    };
    thrown(2).lawful(judge());
    broken(&thrown(1), judge(), CLAUSES);
}

/// SGOC 3.7: the dice tumbled three times, whoever turned the shaft a step back then.
#[test]
fn a_step_back_takes_no_tumble_back() {
    let settled = |steps: u32| {
        let (mut script, faces) = (spinning("sg-open"), [1, 3, 6]);
        script.turn(steps);
        script.pass(200);
        script.quarter(-1);
        script.motor_off();
        script.pass(400);
        script.truth(Truth::Dice { faces, flat: [true; 3] });
        script.spin_end(3, true);
        script.read_poses([1, 1, 1]);
        script.pass(400);
        script.reveal();
        script.establish(faces);
        script.enter(faces);
        script.result(faces, &crate::script::call(faces));
        script.light(Some(faces));
        script.verified();
        script.pay(faces);
        script
    };
    settled(13).lawful(judge());
    broken(&settled(12), judge(), GOES_ON);
}

/// faults.md dome.chatter: a contact that breaks for the fourth time in a spin is loose, however short each break is.
#[test]
fn a_dome_that_flickers_for_the_fourth_time_is_equipment() {
    let flickered = |times: u32| {
        let mut script = spinning("sg-v6");
        script.turn(4);
        for time in 1..=times {
            script.pass(40);
            script.wire(Line::DomeClosed, false);
            script.wire(Line::MotorEnable, false);
            script.pass(2);
            script.wire(Line::DomeClosed, true);
            if time < times {
                script.wire(Line::MotorEnable, true);
            }
        }
        script.pass(400);
        script.void("equipment", &named("sg-v6", &["5.5.1", "5.4.2"]));
        script
    };
    flickered(4).lawful(judge());
    broken(&flickered(3), judge(), CLAUSES);
}
