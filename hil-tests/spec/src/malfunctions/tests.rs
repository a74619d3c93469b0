use super::*;
use crate::observation::Key;
use crate::script::{EVERY, Script};

/// What is found broken; these runs are not of a table that asks its units all the time, which is tried apart.
fn found(script: &Script) -> Vec<&'static str> {
    let panel = script.judged(Box::<Malfunctions>::default());
    let clauses = panel.violations().iter().map(|found| found.clause);
    clauses.filter(|clause| *clause != ASKED).collect()
}

/// An open table that has run for a while.
fn open(rules: &str) -> Script {
    let mut script = Script::off(rules);
    script.config.alone = true;
    script.start();
    script.opening();
    script.pass(10_000);
    script
}

/// The reader is read four times a second, with this motion counter.
fn read(script: &mut Script, seconds: u64, motion: u16, pose: u16) {
    for _ in 0..seconds * 4 {
        script.pass(250);
        let number = u16::try_from(script.now_ns / 50_000_000 % 60_000).unwrap();
        script.read_block([number, 3, pose, 1, 1, 101, 102, 103, motion]);
    }
}

/// Somebody looks once more, later.
fn later(mut script: Script, ms: u64) -> Script {
    script.pass(ms);
    script.say("");
    script
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut script = open(rules);
        script.round([1, 3, 6]);
        script.round([5, 5, 5]);
        assert_eq!(found(&later(script, 100)), [] as [&str; 0]);
    }
}

#[test]
fn what_is_out_of_order_is_latched() {
    for (line, level, code, after_ms) in [
        (Line::Seal, false, "seal", 20),
        (Line::MotorFault, true, "tumbler", 20),
        (Line::DomeOpen, true, "dome", 400),
        (Line::Tumble, true, "buttons", 6_000),
    ] {
        let mut script = open("nz-div9");
        script.wire(line, level);
        assert_eq!(found(&later(later(script.clone(), 500), 9_000)), [UNSEEN]);
        let mut latched = later(script, after_ms);
        latched.latch(code);
        assert_eq!(found(&later(latched, 9_000)), [] as [&str; 0]);
    }
}

#[test]
fn no_latch_without_its_sign_and_none_opens_while_it_lasts() {
    let mut script = open("sg-v6");
    let mut causeless = script.clone();
    causeless.latch("seal");
    assert_eq!(found(&causeless), [CAUSELESS]);
    script.wire(Line::Seal, false);
    let mut script = later(script, 200);
    script.latch("seal");
    script.pass(5_000);
    let mut mended = script.clone();
    mended.wire(Line::Seal, true);
    mended.pass(500);
    mended.unlatch("seal", "rectified");
    assert_eq!(found(&mended), [] as [&str; 0]);
    script.unlatch("seal", "rectified");
    assert_eq!(found(&script), [LASTS]);
}

#[test]
fn buttons_of_which_none_is_held_pass_their_test() {
    let mut script = open("sg-open");
    let fails = |script: &mut Script| {
        script.record_of(None, "tested", serde_json::json!({"test": "buttons", "passed": false, "found": "x"}));
    };
    let mut held = script.clone();
    held.wire(Line::NoSpin, true);
    let mut held = later(held, 4_000);
    fails(&mut held);
    assert_eq!(found(&held), [] as [&str; 0]);
    fails(&mut script);
    assert_eq!(found(&script), [CAUSELESS]);
}

#[test]
fn dice_that_a_hand_moves_after_they_have_come_to_rest_are_interference() {
    let mut script = open("nz-div9");
    script.until_bets_closed([1, 3, 6]);
    read(&mut script, 4, 7, 1);
    let mut still = script.clone();
    read(&mut still, 6, 7, 1);
    assert_eq!(found(&still), [] as [&str; 0]);
    read(&mut script, 1, 8, 1);
    let mut latched = script.clone();
    latched.latch("interference");
    read(&mut latched, 4, 8, 1);
    assert_eq!(found(&latched), [] as [&str; 0]);
    read(&mut script, 4, 8, 1);
    assert_eq!(found(&script), [UNSEEN]);
    // What a broken reader tells is nothing.
    let mut fault = open("nz-div9");
    fault.until_bets_closed([1, 3, 6]);
    read(&mut fault, 4, 7, 1);
    fault.truth(Truth::Broken { part: Part::Reader, broken: true });
    read(&mut fault, 5, 8, 1);
    assert_eq!(found(&fault), [] as [&str; 0]);
}

#[test]
fn dice_that_never_come_to_rest_void_the_round() {
    let mut script = open("sg-v6");
    script.until_bets_closed([1, 3, 6]);
    let mut void = script.clone();
    read(&mut void, 6, 7, 3);
    void.void("not-flat", "SGV6 5.5.2");
    read(&mut void, 6, 7, 3);
    assert_eq!(found(&void), [] as [&str; 0]);
    read(&mut script, 12, 7, 3);
    assert_eq!(found(&script), [RESTLESS]);
}

#[test]
fn units_are_asked_and_what_they_told_of_keys_is_acknowledged() {
    let mut script = open("nz-1998");
    script.read_poses([1, 1, 1]);
    let panel = later(script, 4_000).judged(Box::<Malfunctions>::default());
    assert!(panel.violations().iter().any(|found| found.clause == ASKED));
    let mut script = Script::off("nz-1998");
    script.config.alone = true;
    script.start();
    script.key(Key::Digit(3));
    for _ in 0..16 {
        script.pass(450);
        script.sense([0; 2]);
        script.read_poses([1, 1, 1]);
        script.read_keys(&[3]);
    }
    assert_eq!(found(&script), [ACKNOWLEDGED]);
}

/// faults.md button.chatter_*; virtual-wire.md, Motor guard: more presses than a hand makes explain `buttons` and `key`, and breaks of
/// `power_good` explain `gpio`. Fewer do not.
#[test]
fn a_line_that_comes_on_again_and_again_explains_its_latch() {
    for (line, rest, code, few, many) in [
        (Line::NoMoreBets, false, "buttons", 30, 31),
        (Line::SupervisorKey, false, "key", 30, 31),
        (Line::PowerGood, true, "gpio", 2, 4),
    ] {
        for (times, expected) in [(few, vec![CAUSELESS]), (many, vec![])] {
            let mut script = open("nz-div9");
            for _ in 0..times {
                script.wire(line, !rest);
                script.pass(30);
                script.wire(line, rest);
                script.pass(30);
            }
            // Longer than a level counts as its own symptom.
            script.pass(4_000);
            script.latch(code);
            assert_eq!(found(&script), expected, "{code} after {times}");
        }
    }
}

#[test]
fn a_latch_opens_by_its_own_test() {
    let mut script = open("nz-div9");
    script.latch("interference");
    script.pass(8_000);
    script.record_of(None, "test-began", serde_json::json!({"test": "interference", "by": "Ana"}));
    let mut proved = script.clone();
    proved.tested("dice");
    proved.unlatch("interference", "rectified");
    assert_eq!(found(&proved), [] as [&str; 0]);
    script.unlatch("interference", "rectified");
    assert_eq!(found(&script), [UNPROVED]);
}
