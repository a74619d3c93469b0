use super::*;
use crate::build::{EVERY, Play};
use crate::observation::Key;

/// What is found broken; these runs are not of a table that asks its units all the time, which is tried apart.
fn found(play: &Play) -> Vec<&'static str> {
    let panel = play.judged(Box::<Malfunctions>::default());
    let clauses = panel.violations().iter().map(|found| found.clause);
    clauses.filter(|clause| *clause != ASKED).collect()
}

/// An open table that has run for a while.
fn open(rules: &str) -> Play {
    let mut play = Play::off(rules);
    play.config.alone = true;
    play.start();
    play.opening();
    play.pass(10_000);
    play
}

/// The reader is read four times a second, with this motion counter.
fn read(play: &mut Play, seconds: u64, motion: u16, pose: u16) {
    for _ in 0..seconds * 4 {
        play.pass(250);
        let number = u16::try_from(play.now_ns / 50_000_000 % 60_000).unwrap();
        play.read_block([number, 3, pose, 1, 1, 101, 102, 103, motion]);
    }
}

/// Somebody looks once more, later.
fn later(mut play: Play, ms: u64) -> Play {
    play.pass(ms);
    play.say("");
    play
}

#[test]
fn lawful_rounds_pass_under_every_rule_set() {
    for rules in EVERY {
        let mut play = open(rules);
        play.round([1, 3, 6]);
        play.round([5, 5, 5]);
        assert_eq!(found(&later(play, 100)), [] as [&str; 0]);
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
        let mut play = open("nz-div9");
        play.wire(line, level);
        assert_eq!(found(&later(later(play.clone(), 500), 9_000)), [UNSEEN]);
        let mut latched = later(play, after_ms);
        latched.latch(code);
        assert_eq!(found(&later(latched, 9_000)), [] as [&str; 0]);
    }
}

#[test]
fn no_latch_without_its_sign_and_none_opens_while_it_lasts() {
    let mut play = open("sg-v6");
    let mut causeless = play.clone();
    causeless.latch("seal");
    assert_eq!(found(&causeless), [CAUSELESS]);
    play.wire(Line::Seal, false);
    let mut play = later(play, 200);
    play.latch("seal");
    play.pass(5_000);
    let mut mended = play.clone();
    mended.wire(Line::Seal, true);
    mended.pass(500);
    mended.unlatch("seal", "rectified");
    assert_eq!(found(&mended), [] as [&str; 0]);
    play.unlatch("seal", "rectified");
    assert_eq!(found(&play), [LASTS]);
}

#[test]
fn buttons_of_which_none_is_held_pass_their_test() {
    let mut play = open("sg-open");
    let fails = |play: &mut Play| {
        play.record_of(None, "tested", serde_json::json!({"test": "buttons", "passed": false, "found": "x"}));
    };
    let mut held = play.clone();
    held.wire(Line::NoSpin, true);
    let mut held = later(held, 4_000);
    fails(&mut held);
    assert_eq!(found(&held), [] as [&str; 0]);
    fails(&mut play);
    assert_eq!(found(&play), [CAUSELESS]);
}

#[test]
fn dice_that_a_hand_moves_after_they_have_come_to_rest_are_interference() {
    let mut play = open("nz-div9");
    play.until_bets_closed([1, 3, 6]);
    read(&mut play, 4, 7, 1);
    let mut still = play.clone();
    read(&mut still, 6, 7, 1);
    assert_eq!(found(&still), [] as [&str; 0]);
    read(&mut play, 1, 8, 1);
    let mut latched = play.clone();
    latched.latch("interference");
    read(&mut latched, 4, 8, 1);
    assert_eq!(found(&latched), [] as [&str; 0]);
    read(&mut play, 4, 8, 1);
    assert_eq!(found(&play), [UNSEEN]);
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
    let mut play = open("sg-v6");
    play.until_bets_closed([1, 3, 6]);
    let mut void = play.clone();
    read(&mut void, 6, 7, 3);
    void.void("not-flat", "SGV6 5.5.2");
    read(&mut void, 6, 7, 3);
    assert_eq!(found(&void), [] as [&str; 0]);
    read(&mut play, 12, 7, 3);
    assert_eq!(found(&play), [RESTLESS]);
}

#[test]
fn units_are_asked_and_what_they_told_of_keys_is_acknowledged() {
    let mut play = open("nz-1998");
    play.read_poses([1, 1, 1]);
    let panel = later(play, 4_000).judged(Box::<Malfunctions>::default());
    assert!(panel.violations().iter().any(|found| found.clause == ASKED));
    let mut play = Play::off("nz-1998");
    play.config.alone = true;
    play.start();
    play.key(Key::Digit(3));
    for _ in 0..16 {
        play.pass(450);
        play.sense([0; 2]);
        play.read_poses([1, 1, 1]);
        play.read_keys(&[3]);
    }
    assert_eq!(found(&play), [ACKNOWLEDGED]);
}

#[test]
fn a_latch_opens_by_its_own_test() {
    let mut play = open("nz-div9");
    play.latch("interference");
    play.pass(8_000);
    play.record_of(None, "test-began", serde_json::json!({"test": "interference", "by": "Ana"}));
    let mut proved = play.clone();
    proved.tested("dice");
    proved.unlatch("interference", "rectified");
    assert_eq!(found(&proved), [] as [&str; 0]);
    play.unlatch("interference", "rectified");
    assert_eq!(found(&play), [UNPROVED]);
}
