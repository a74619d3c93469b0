//! Outcomes, results and how a round ends.

use super::*;

#[test]
fn an_outcome_needs_all_four_and_a_result_needs_an_outcome() {
    let mut script = Script::open("sg-v6");
    script.begin();
    script.no_more_bets();
    script.dome(true);
    script.record("revealed", json!({"how": "dome"}));
    script.establish([1, 3, 6]);
    broken(&script, judge(), ESTABLISHED);
    let mut result = Script::open("sg-v6");
    result.until_bets_closed([1, 3, 6]);
    result.reveal();
    result.result([1, 3, 6], &call([1, 3, 6]));
    broken(&result, judge(), ESTABLISHED);
}

#[test]
fn the_result_is_what_the_dice_show_and_the_keys_say() {
    let mut script = Script::open("nz-div9");
    script.until_bets_closed([1, 3, 6]);
    script.reveal();
    script.establish([1, 3, 6]);
    let mut wrong = script.clone();
    wrong.enter([5, 5, 5]);
    wrong.result([5, 5, 5], &call([5, 5, 5]));
    broken(&wrong, judge(), DICE);
    script.enter([5, 5, 5]);
    let mut said = script.clone();
    said.ask("settle", json!({"dice": [6, 3, 1], "reason": "the dice show it", "name": "Ana"}));
    said.result([1, 3, 6], &call([1, 3, 6]));
    assert!(said.judged(judge()).findings().is_empty(), "the supervisor said what the dice show");
    script.result([1, 3, 6], &call([1, 3, 6]));
    broken(&script, judge(), KEYED);
}

#[test]
fn nz_7_2_an_amended_result_is_the_supervisors() {
    let mut script = Script::open("nz-div9");
    script.until_settling([5, 5, 5]);
    script.record("amended", json!({"from": [5, 5, 5], "to": [1, 3, 6], "by": "Ana"}));
    script.result([1, 3, 6], &call([1, 3, 6]));
    let mut first = script.clone();
    script.pay([1, 3, 6]);
    script.lawful(judge());
    first.key(Key::Entry);
    first.settled([5, 5, 5]);
    broken(&first, judge(), DICE);
}

#[test]
fn dice_moved_by_a_hand_after_they_were_seen_change_nothing() {
    let mut script = Script::open("nz-div9");
    script.until_bets_closed([1, 3, 6]);
    script.reveal();
    script.establish([1, 3, 6]);
    script.truth(Truth::Dice { faces: [5, 5, 5], flat: [true; 3] });
    script.enter([1, 3, 6]);
    script.result([1, 3, 6], &call([1, 3, 6]));
    script.lawful(judge());
}

#[test]
fn nz_4_4_settled_only_when_paid() {
    let mut script = Script::open("nz-div9");
    script.until_settling([1, 3, 6]);
    let mut other = script.clone();
    other.key(Key::Entry);
    other.settled([5, 5, 5]);
    broken(&other, judge(), DICE);
    let mut early = script.clone();
    let mut noisy = script.clone();
    script.settled([1, 3, 6]);
    broken(&script, judge(), PAID);
    // Frames that are hit press no key.
    noisy.truth(Truth::Broken { part: Part::Bus, broken: true });
    noisy.settled([1, 3, 6]);
    broken(&noisy, judge(), PAID);
    // The dealer pays while the record of the amendment is still being written.
    early.tell_mqtt = false;
    early.record("amended", json!({"from": [1, 3, 6], "to": [5, 5, 5], "by": "Ana"}));
    let amended = early.trace.0.pop().unwrap();
    let mut before = early.clone();
    early.key(Key::Entry);
    early.trace.0.push(Observation { at_ns: early.now_ns, ..amended.clone() });
    early.settled([5, 5, 5]);
    early.lawful(judge());
    before.trace.0.push(amended);
    before.settled([5, 5, 5]);
    broken(&before, judge(), PAID);
}

#[test]
fn nothing_voids_an_established_round_but_damaged_dice() {
    let mut script = Script::open("sg-v6");
    script.until_settling([1, 3, 6]);
    let mut damaged = script.clone();
    damaged.void("damaged-dice", "SGV6 5.6");
    damaged.lawful(judge());
    script.void("equipment", "");
    broken(&script, judge(), STANDS);
    // NZ 4.9: an established result is settled, whatever is found of the dice.
    let mut nz = Script::open("nz-div9");
    nz.until_settling([1, 3, 6]);
    nz.void("damaged-dice", "");
    broken(&nz, judge(), STANDS);
}

/// faults.md reader.wrong_pose_*: the supervisor sees a die that is not flat and a reader that says flat.
#[test]
fn the_supervisors_eye_overrules_a_reader_that_said_flat() {
    let mut script = Script::open("sg-v6");
    script.until_bets_closed([1, 3, 6]);
    script.reveal();
    script.establish([1, 3, 6]);
    script.turn_key();
    let ended = |script: &Script, not_flat: bool, latch: bool| {
        let mut script = script.clone();
        script.ask("void", json!({"not_flat": not_flat, "reason": "die 2 leans", "name": "Ana"}));
        if latch {
            script.latch("reader");
        }
        script.void("not-flat", "SGV6 5.5.2");
        script
    };
    ended(&script, true, true).lawful(judge());
    for (not_flat, latch) in [(false, true), (true, false)] {
        broken(&ended(&script, not_flat, latch), judge(), STANDS);
    }
    script.enter([1, 3, 6]);
    script.result([1, 3, 6], &call([1, 3, 6]));
    broken(&ended(&script, true, true), judge(), STANDS);
}

#[test]
fn sgv6_5_4_an_interrupted_round_is_concluded_or_void() {
    let killed = |script: &mut Script| {
        script.truth(Truth::Process { alive: false });
        script.pass(500);
        script.truth(Truth::Process { alive: true });
    };
    let mut open = Script::open("sg-v6");
    open.until_bets_closed([1, 3, 6]);
    killed(&mut open);
    let mut void = open.clone();
    void.void("interruption", "SGV6 5.4.2");
    assert!(void.lawful(judge()).contains(&("rounds interrupted", 1)));
    open.reveal();
    open.establish([1, 3, 6]);
    broken(&open, judge(), INTERRUPTED);
    let mut established = Script::open("sg-v6");
    established.until_settling([1, 3, 6]);
    killed(&mut established);
    established.pay([1, 3, 6]);
    established.lawful(judge());
}

#[test]
fn nz_6_2_the_bell_rings_with_no_more_bets() {
    let mut script = Script::open("nz-div9");
    script.round([1, 3, 6]);
    script.trace.0.retain(|seen| !matches!(seen.what, Seen::Wire { line: Line::Bell, initial: false, .. }));
    broken(&script, judge(), BELL);
}
