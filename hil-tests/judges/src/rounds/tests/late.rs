//! Records that are seen long after what they tell, on disks that are slow or fail.

use super::*;

/// The guards are looked at a second time once the record of the spin is durable: what they refuse then activates nothing.
#[test]
fn nz_7_1_d_a_spin_that_was_granted_and_never_ran_activates_nothing() {
    let mut play = Play::open("nz-div9");
    play.begin();
    play.record("spin-began", Value::Null);
    let mut ran = play.clone();
    play.no_more_bets();
    play.void("never-activated", "NZ9 7.1(d)");
    assert!(play.lawful(judge()).contains(&("void reasons compared with the truth", 1)));
    ran.motor_run(4);
    ran.no_more_bets();
    ran.void("never-activated", "NZ9 7.1(d)");
    broken(&ran, judge(), FALSE_CLAIM);
}

/// On a slow disk an ending is durable only after the dealer pressed for the next round.
#[test]
fn a_press_before_the_last_ending_is_durable_counts_for_the_next_round() {
    for late in [false, true] {
        let mut play = Play::open("nz-div9");
        play.tell_mqtt = false;
        play.until_bets_closed([1, 3, 6]);
        if late {
            play.void("supervisor", "");
            let ended = play.trace.0.pop().unwrap();
            play.press(Line::Tumble);
            play.trace.0.push(Observation { at_ns: play.now_ns, ..ended });
        } else {
            play.press(Line::Tumble);
            play.pass(100);
            play.void("supervisor", "");
        }
        play.began();
        play.spin_begin();
        // A press that is older than the ending asks for nothing.
        all_broken(&play, if late { &[] } else { &[OPENS, ONE_SPIN] });
    }
}

/// A disk that fails keeps a round's first record from being seen until it works again.
#[test]
fn sgv6_5_4_a_round_that_began_on_a_failing_disk_may_be_void() {
    for mended_in_time in [true, false] {
        let mut play = Play::open("sg-v6");
        play.tell_mqtt = false;
        play.truth(Truth::Broken { part: Part::Journal, broken: true });
        play.press(Line::PlaceBets);
        if mended_in_time {
            play.truth(Truth::Broken { part: Part::Journal, broken: false });
            play.pass(10);
        }
        play.began();
        let began = play.trace.0.pop().unwrap();
        play.pass(3_000);
        if !mended_in_time {
            play.truth(Truth::Broken { part: Part::Journal, broken: false });
        }
        play.pass(500);
        play.trace.0.push(Observation { at_ns: play.now_ns, ..began });
        play.void("interruption", "SGV6 5.4.2");
        all_broken(&play, if mended_in_time { &[FALSE_CLAIM] } else { &[] });
    }
}

/// faults.md journal.missing: what was lost with the journal is no round that goes on.
#[test]
fn a_journal_that_was_begun_anew_ends_the_round_that_it_lost() {
    for latched in [json!([{"code": "journal"}]), json!([])] {
        let mut play = Play::open("sg-v6");
        play.round([1, 3, 6]);
        play.begin();
        let standing = json!({"boot": "b1", "open": false, "latched": latched.clone(), "last_round": 1, "round": null});
        play.record_of(None, "keyframe", standing);
        play.round = 1;
        play.begin();
        if latched == json!([]) {
            all_broken(&play, &[NUMBERS, ONCE]);
        } else {
            play.lawful(judge());
        }
    }
}

/// The shaft turns by hand while the round's first record is still being written.
#[test]
fn sgoc_5_5_3_a_shaft_that_turned_before_the_record_was_seen_turned_early() {
    for turned in [true, false] {
        let mut play = Play::open("sg-open");
        play.tell_mqtt = false;
        play.press(Line::PlaceBets);
        play.began();
        let began = play.trace.0.pop().unwrap();
        play.pass(100);
        if turned {
            play.quarter(1);
        }
        play.pass(400);
        play.trace.0.push(Observation { at_ns: play.now_ns, ..began });
        play.void("activated-early", "SGOC 5.5.3");
        all_broken(&play, if turned { &[] } else { &[FALSE_CLAIM] });
    }
}

/// NZ 6.2: the bell waits for a record that a broken disk never brings.
#[test]
fn a_bell_that_waits_for_a_broken_disk_is_excused() {
    let mut play = Play::open("nz-div9");
    play.truth(Truth::Broken { part: Part::Journal, broken: true });
    play.round([1, 3, 6]);
    play.trace.0.retain(|seen| !matches!(seen.what, Seen::Wire { line: Line::Bell, initial: false, .. }));
    play.lawful(judge());
}

/// The outcome is established, and a hand moves a die before its record is seen.
#[test]
fn nz_7_1_a_die_moved_while_the_record_is_written_lay_flat_when_it_was_made() {
    for before in [false, true] {
        let mut play = Play::open("nz-div9");
        play.tell_mqtt = false;
        play.until_bets_closed([1, 3, 6]);
        play.reveal();
        let cocked = Truth::Dice { faces: [1, 3, 6], flat: [true, false, true] };
        if before {
            play.truth(cocked);
            play.pass(10);
        }
        play.establish([1, 3, 6]);
        let established = play.trace.0.pop().unwrap();
        play.pass(500);
        play.truth(cocked);
        play.trace.0.push(Observation { at_ns: play.now_ns, ..established });
        if before {
            broken(&play, judge(), FLAT);
        } else {
            let faces = [1, 3, 6];
            play.enter(faces);
            play.result(faces, &call(faces));
            play.light(Some(faces));
            play.verified();
            play.pay(faces);
            play.lawful(judge());
        }
    }
}

/// The call counts from when its button has settled: a shaft that turns in that time turned before it.
#[test]
fn sgoc_5_5_3_a_shaft_that_turns_while_the_call_is_being_pressed_turned_early() {
    for (after_ms, early) in [(10, true), (100, false)] {
        let mut play = Play::open("sg-open");
        play.begin();
        play.pass(1_000);
        play.wire(Line::NoMoreBets, true);
        play.pass(after_ms);
        play.quarter(1);
        play.void("activated-early", "SGOC 5.5.3");
        if early {
            play.lawful(judge());
        } else {
            broken(&play, judge(), FALSE_CLAIM);
        }
    }
}

/// design.md, Outcome established: "the dice as first seen stand": as far as anybody has seen them.
#[test]
fn dice_moved_before_their_faces_were_read_are_settled_by_the_dealers_eye() {
    for read in [false, true] {
        let mut play = Play::open("sg-v6");
        play.until_bets_closed([1, 3, 6]);
        play.reveal();
        play.establish([1, 3, 6]);
        if read {
            play.record("faces-read", json!({"dice": [1, 3, 6]}));
        }
        play.truth(Truth::Dice { faces: [5, 5, 5], flat: [true; 3] });
        play.latch("interference");
        play.enter([5, 5, 5]);
        play.result([5, 5, 5], &call([5, 5, 5]));
        if read {
            broken(&play, judge(), DICE);
        } else {
            play.lawful(judge());
        }
    }
}

/// NZ 3.3(a)(iii): the last three numbers are those of when the result was taken.
#[test]
fn keys_pressed_before_the_result_is_seen_do_not_change_it() {
    for late in [true, false] {
        let mut play = Play::open("sg-v6");
        play.tell_mqtt = false;
        play.until_bets_closed([1, 3, 6]);
        play.reveal();
        play.establish([1, 3, 6]);
        play.enter([1, 3, 6]);
        if late {
            play.result([1, 3, 6], &call([1, 3, 6]));
            let result = play.trace.0.pop().unwrap();
            play.pass(100);
            play.enter([5, 5, 5]);
            play.trace.0.push(Observation { at_ns: play.now_ns, ..result });
            play.lawful(judge());
        } else {
            play.enter([5, 5, 5]);
            play.result([1, 3, 6], &call([1, 3, 6]));
            broken(&play, judge(), KEYED);
        }
    }
}

/// The judges come to a table that was played on before, as after a power cut.
fn came_late(in_round: bool) -> Play {
    let mut play = Play::open("sg-v6");
    play.config.from_commissioning = false;
    play.trace.0.clear();
    play.see(Seen::InitialState { open: true, latched: vec![], in_round });
    play.round = 7;
    play
}

#[test]
fn a_round_that_began_before_the_judges_came_may_end_once() {
    let ends = |play: &mut Play| play.record("voided", json!({"reason": "interruption", "clauses": ["SGV6 5.4.2"]}));
    let mut once = came_late(true);
    ends(&mut once);
    once.clone().lawful(judge());
    ends(&mut once);
    broken(&once, judge(), ONCE);
    let mut none = came_late(false);
    ends(&mut none);
    broken(&none, judge(), ONCE);
    // It has not ended, and another one begins.
    let mut begins = came_late(true);
    begins.record("round-began", json!({"rules": "sg-v6", "layout": "sg-v6-1"}));
    let found = begins.judged(judge()).violations().to_vec();
    assert!(found.iter().any(|v| v.clause == ONCE && v.what.contains("in another")), "{found:#?}");
}
