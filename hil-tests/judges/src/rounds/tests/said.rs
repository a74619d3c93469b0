//! What records say of order, lamps, dice and spins is so.

use super::*;

#[test]
fn nz_6_1_what_is_out_of_order_is_said_and_nothing_else_is() {
    for (in_order, said) in [(true, false), (true, true), (false, false), (false, true)] {
        let mut play = Play::open("nz-div9");
        if in_order {
            play.begin();
            play.spin([1, 3, 6]);
        } else {
            play.press(Line::PlaceBets);
            play.began();
        }
        let remark = said.then_some("before the tumbler was activated");
        play.record("called", json!({"call": "place-bets", "in_turn": true, "remark": remark}));
        if in_order == said {
            broken(&play, judge(), order::REMARKS);
        } else {
            play.lawful(judge());
        }
    }
}

#[test]
fn nz_7_3_a_settlement_says_whether_its_lamps_were_proved() {
    let mut play = Play::open("sg-v6");
    play.until_settling([1, 3, 6]);
    play.pass(4_000);
    play.key(Key::Entry);
    let mut untrue = play.clone();
    play.settled([1, 3, 6]);
    play.lawful(judge());
    untrue.record("settled", json!({"dice": [1, 3, 6], "total": 10, "lamps": "by-the-dice"}));
    broken(&untrue, judge(), ending::LAMPS);
}

#[test]
fn nz_4_2_a_result_is_what_the_reader_read() {
    let mut play = Play::open("nz-div9");
    play.until_bets_closed([1, 3, 6]);
    play.reveal();
    play.establish([1, 3, 6]);
    play.record("faces-read", json!({"dice": [1, 3, 6]}));
    play.enter([2, 5, 5]);
    play.result([2, 5, 5], "2, double 5, total 12");
    broken(&play, judge(), order::DICE);
}

#[test]
fn a_spin_has_its_end_before_the_daemon_stops() {
    let mut play = Play::open("nz-div9");
    play.press(Line::Tumble);
    play.began();
    play.spin_begin();
    let mut ended = play.clone();
    ended.motor_off();
    ended.spin_end(0, false);
    ended.record_of(None, "stopped", Value::Null);
    ended.lawful(judge());
    play.record_of(None, "stopped", Value::Null);
    broken(&play, judge(), order::STOPPED);
}
