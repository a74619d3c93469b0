//! Records that are seen long after what they tell, on disks that are slow or fail.

use super::*;

/// The record that was just made is seen only after `meanwhile`, as its disk is slow.
fn seen_late(script: &mut Script, meanwhile: impl FnOnce(&mut Script)) {
    let record = script.trace.0.pop().unwrap();
    meanwhile(script);
    script.trace.0.push(Observation { at_ns: script.now_ns, ..record });
}

/// The guards are looked at a second time once the record of the spin is durable: what they refuse then activates nothing.
#[test]
fn nz_7_1_d_a_spin_that_was_granted_and_never_ran_activates_nothing() {
    let mut script = Script::open("nz-div9");
    script.begin();
    script.record("spin-began", Value::Null);
    let mut ran = script.clone();
    script.no_more_bets();
    script.void("never-activated", "NZ9 7.1(d)");
    assert!(script.lawful(judge()).contains(&("void reasons compared with the truth", 1)));
    ran.motor_run(4);
    ran.no_more_bets();
    ran.void("never-activated", "NZ9 7.1(d)");
    broken(&ran, judge(), FALSE_CLAIM);
}

/// On a slow disk an ending is durable only after the dealer pressed for the next round.
#[test]
fn a_press_before_the_last_ending_is_durable_counts_for_the_next_round() {
    for late in [false, true] {
        let mut script = Script::open("nz-div9");
        script.tell_mqtt = false;
        script.until_bets_closed([1, 3, 6]);
        if late {
            script.void("supervisor", "");
            seen_late(&mut script, |script| {
                script.press(Line::Tumble);
            });
        } else {
            script.press(Line::Tumble);
            script.pass(100);
            script.void("supervisor", "");
        }
        script.began();
        script.spin_begin();
        // A press that is older than the ending asks for nothing.
        all_broken(&script, if late { &[] } else { &[OPENS, ONE_SPIN] });
    }
}

/// A disk that fails keeps a round's first record from being seen until it works again.
#[test]
fn sgv6_5_4_a_round_that_began_on_a_failing_disk_may_be_void() {
    for mended_in_time in [true, false] {
        let mut script = Script::open("sg-v6");
        script.tell_mqtt = false;
        script.truth(Truth::Broken { part: Part::Journal, broken: true });
        script.press(Line::PlaceBets);
        if mended_in_time {
            script.truth(Truth::Broken { part: Part::Journal, broken: false });
            script.pass(10);
        }
        script.began();
        seen_late(&mut script, |script| {
            script.pass(3_000);
            if !mended_in_time {
                script.truth(Truth::Broken { part: Part::Journal, broken: false });
            }
            script.pass(500);
        });
        script.void("interruption", "SGV6 5.4.2");
        all_broken(&script, if mended_in_time { &[FALSE_CLAIM] } else { &[] });
    }
}

/// faults.md journal.missing: what was lost with the journal is no round that goes on.
#[test]
fn a_journal_that_was_begun_anew_ends_the_round_that_it_lost() {
    for latched in [json!([{"code": "journal"}]), json!([])] {
        let mut script = Script::open("sg-v6");
        script.round([1, 3, 6]);
        script.begin();
        let standing = json!({"boot": "b1", "open": false, "latched": latched.clone(), "last_round": 1, "round": null});
        script.record_of(None, "keyframe", standing);
        script.round = 1;
        script.begin();
        if latched == json!([]) {
            all_broken(&script, &[NUMBERS, ONCE]);
        } else {
            script.lawful(judge());
        }
    }
}

/// The shaft turns by hand while the round's first record is still being written.
#[test]
fn sgoc_5_5_3_a_shaft_that_turned_before_the_record_was_seen_turned_early() {
    for turned in [true, false] {
        let mut script = Script::open("sg-open");
        script.tell_mqtt = false;
        script.press(Line::PlaceBets);
        script.began();
        seen_late(&mut script, |script| {
            script.pass(100);
            if turned {
                script.quarter(1);
            }
            script.pass(400);
        });
        script.void("activated-early", "SGOC 5.5.3");
        all_broken(&script, if turned { &[] } else { &[FALSE_CLAIM] });
    }
}

/// NZ 6.2: the bell waits for a record that a broken disk never brings.
#[test]
fn a_bell_that_waits_for_a_broken_disk_is_excused() {
    let mut script = Script::open("nz-div9");
    script.truth(Truth::Broken { part: Part::Journal, broken: true });
    script.round([1, 3, 6]);
    script.trace.0.retain(|seen| !matches!(seen.what, Seen::Wire { line: Line::Bell, initial: false, .. }));
    script.lawful(judge());
}

/// The outcome is established, and a hand moves a die before its record is seen.
#[test]
fn nz_7_1_a_die_moved_while_the_record_is_written_lay_flat_when_it_was_made() {
    for before in [false, true] {
        let mut script = Script::open("nz-div9");
        script.tell_mqtt = false;
        script.until_bets_closed([1, 3, 6]);
        script.reveal();
        let cocked = Truth::Dice { faces: [1, 3, 6], flat: [true, false, true] };
        if before {
            script.truth(cocked);
            script.pass(10);
        }
        script.establish([1, 3, 6]);
        seen_late(&mut script, |script| {
            script.pass(500);
            script.truth(cocked);
        });
        if before {
            broken(&script, judge(), FLAT);
        } else {
            let faces = [1, 3, 6];
            script.enter(faces);
            script.result(faces, &call(faces));
            script.light(Some(faces));
            script.verified();
            script.pay(faces);
            script.lawful(judge());
        }
    }
}

/// The call counts from when its button has settled: a shaft that turns in that time turned before it.
#[test]
fn sgoc_5_5_3_a_shaft_that_turns_while_the_call_is_being_pressed_turned_early() {
    for (after_ms, early) in [(10, true), (100, false)] {
        let mut script = Script::open("sg-open");
        script.begin();
        script.pass(1_000);
        script.wire(Line::NoMoreBets, true);
        script.pass(after_ms);
        script.quarter(1);
        script.void("activated-early", "SGOC 5.5.3");
        if early {
            script.lawful(judge());
        } else {
            broken(&script, judge(), FALSE_CLAIM);
        }
    }
}

/// design.md, Outcome established: "the dice as first seen stand": as far as anybody has seen them.
#[test]
fn dice_moved_before_their_faces_were_read_are_settled_by_the_dealers_eye() {
    for read in [false, true] {
        let mut script = Script::open("sg-v6");
        script.until_bets_closed([1, 3, 6]);
        script.reveal();
        script.establish([1, 3, 6]);
        if read {
            script.record("faces-read", json!({"dice": [1, 3, 6]}));
        }
        script.truth(Truth::Dice { faces: [5, 5, 5], flat: [true; 3] });
        script.latch("interference");
        script.enter([5, 5, 5]);
        script.result([5, 5, 5], &call([5, 5, 5]));
        if read {
            broken(&script, judge(), DICE);
        } else {
            script.lawful(judge());
        }
    }
}

/// NZ 3.3(a)(iii): the last three numbers are those of when the result was taken.
#[test]
fn keys_pressed_before_the_result_is_seen_do_not_change_it() {
    for late in [true, false] {
        let mut script = Script::open("sg-v6");
        script.tell_mqtt = false;
        script.until_bets_closed([1, 3, 6]);
        script.reveal();
        script.establish([1, 3, 6]);
        script.enter([1, 3, 6]);
        if late {
            script.result([1, 3, 6], &call([1, 3, 6]));
            seen_late(&mut script, |script| {
                script.pass(100);
                script.enter([5, 5, 5]);
            });
            script.lawful(judge());
        } else {
            script.enter([5, 5, 5]);
            script.result([1, 3, 6], &call([1, 3, 6]));
            broken(&script, judge(), KEYED);
        }
    }
}

/// The judges come to a table that was played on before, as after a power cut.
fn came_late(in_round: bool) -> Script {
    let mut script = Script::open("sg-v6");
    script.config.from_commissioning = false;
    script.trace.0.clear();
    script.see(Seen::InitialState { open: true, latched: vec![], in_round });
    script.round = 7;
    script
}

#[test]
fn a_round_that_began_before_the_judges_came_may_end_once() {
    let ends =
        |script: &mut Script| script.record("voided", json!({"reason": "interruption", "clauses": ["SGV6 5.4.2"]}));
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

/// A die did not lie flat and the round is void for it; a hand lays it flat before the record is seen.
#[test]
fn nz_7_1_a_die_laid_flat_while_the_record_is_written_was_not_flat_when_it_was_made() {
    for before in [false, true] {
        let mut script = Script::open("nz-div9");
        script.tell_mqtt = false;
        script.until_bets_closed([1, 3, 6]);
        script.truth(Truth::Dice { faces: [1, 3, 6], flat: [true, false, true] });
        let flat = Truth::Dice { faces: [1, 3, 6], flat: [true; 3] };
        if before {
            script.pass(10);
            script.truth(flat);
        }
        script.pass(10);
        script.void("not-flat", "NZ9 7.1(a)");
        seen_late(&mut script, |script| {
            script.pass(500);
            script.truth(flat);
        });
        all_broken(&script, if before { &[FALSE_CLAIM] } else { &[] });
    }
}
