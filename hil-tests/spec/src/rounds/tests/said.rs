//! What records say of order, lamps, dice and spins is so.

use super::*;

#[test]
fn nz_6_1_what_is_out_of_order_is_said_and_nothing_else_is() {
    for (in_order, said) in [(true, false), (true, true), (false, false), (false, true)] {
        let mut script = Script::open("nz-div9");
        if in_order {
            script.begin();
            script.spin([1, 3, 6]);
        } else {
            script.press(Line::PlaceBets);
            script.began();
        }
        let remark = said.then_some("before the tumbler was activated");
        script.record("called", json!({"call": "place-bets", "in_turn": true, "remark": remark}));
        if in_order == said {
            broken(&script, judge(), order::REMARKS);
        } else {
            script.lawful(judge());
        }
    }
}

#[test]
fn nz_7_3_a_settlement_says_whether_its_lamps_were_proved() {
    let mut script = Script::open("sg-v6");
    script.until_settling([1, 3, 6]);
    script.pass(4_000);
    script.key(Key::Entry);
    let mut untrue = script.clone();
    script.settled([1, 3, 6]);
    script.lawful(judge());
    untrue.record("settled", json!({"dice": [1, 3, 6], "total": 10, "lamps": "by-the-dice"}));
    broken(&untrue, judge(), ending::LAMPS);
}

#[test]
fn nz_4_2_a_result_is_what_the_reader_read() {
    let mut script = Script::open("nz-div9");
    script.until_bets_closed([1, 3, 6]);
    script.reveal();
    script.establish([1, 3, 6]);
    script.record("faces-read", json!({"dice": [1, 3, 6]}));
    script.enter([2, 5, 5]);
    script.result([2, 5, 5], "2, double 5, total 12");
    broken(&script, judge(), order::DICE);
}

#[test]
fn a_spin_has_its_end_before_the_daemon_stops() {
    let mut script = Script::open("nz-div9");
    script.press(Line::Tumble);
    script.began();
    script.spin_begin();
    let mut ended = script.clone();
    ended.motor_off();
    ended.spin_end(0, false);
    ended.record_of(None, "stopped", Value::Null);
    ended.lawful(judge());
    script.record_of(None, "stopped", Value::Null);
    broken(&script, judge(), order::STOPPED);
}
