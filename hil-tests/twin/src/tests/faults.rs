//! Each fault shows at the wires, proves that it did only then, and is gone when it is healed.

use super::super::*;
use tumbler_core::effect::BusOp;
use tumbler_core::input::{BusFailure, BusReply};

const SECOND: u64 = 1000 * MS;
const POLL: BusOp = BusOp::ReadInput { address: 2, count: 12 };
const SENSE: BusOp = BusOp::ReadDiscrete { address: 0, count: 50 };

fn table() -> Twin {
    Twin::new(Config { bounce: false, temperature: false, ..Config::full(true, 50) }, 1)
}

fn ask(twin: &mut Twin, at: u64, unit: u8, op: &BusOp) -> Result<BusReply, BusFailure> {
    twin.bus(at, unit, op, &mut Vec::new())
}

/// Number of the terminal's first event, and its events.
fn events(twin: &mut Twin, at: u64) -> (u16, Vec<u16>) {
    match ask(twin, at, 1, &POLL) {
        Ok(BusReply::Words(words)) => (words[1], words[3..3 + usize::from(words[2])].to_vec()),
        other => panic!("{other:?}"),
    }
}

fn light(twin: &mut Twin, at: u64, bits: u64) {
    let on = BusOp::WriteCoils { address: 0, count: 50, bits };
    assert_eq!(ask(twin, at, 2, &on), Ok(BusReply::Written));
}

fn edges(wires: &[Wire], wanted: InLine) -> Vec<(u64, bool)> {
    let edge = |wire: &Wire| match *wire {
        Wire::Edge { at, line, active } if line == wanted => Some((at, active)),
        _ => None,
    };
    wires.iter().filter_map(edge).collect()
}

#[test]
fn a_ghost_makes_the_neighbour_press_by_turns_with_the_key() {
    let (mut twin, mut seen) = (table(), Vec::new());
    twin.fault(0, Fault::KeyGhost, &mut seen);
    assert!(!twin.took_effect(Fault::KeyGhost));
    twin.person(0, Act::Key(3), &mut seen);
    assert_eq!(events(&mut twin, 20 * MS).1, [3, 4, 3, 4]);
    assert!(twin.took_effect(Fault::KeyGhost));
    let pressed = |truth: &Wire| matches!(truth, Wire::Truth { truth: Truth::Key(_), .. });
    assert_eq!(seen.iter().filter(|wire| pressed(wire)).count(), 1, "a finger pressed one key");
    twin.heal(SECOND, Fault::KeyGhost, &mut seen);
    twin.person(SECOND, Act::Key(5), &mut seen);
    assert_eq!(events(&mut twin, 2 * SECOND).1, [3, 4, 3, 4, 5]);
}

#[test]
fn a_flood_fills_the_terminals_queue_at_a_thousand_presses_a_second() {
    let (mut twin, mut seen) = (table(), Vec::new());
    let flood = Fault::Noise(Noise::Keys);
    twin.fault(0, flood, &mut seen);
    twin.advance(62 * MS, &mut seen);
    assert!(!twin.took_effect(flood), "the queue of 64 has room yet");
    twin.advance(70 * MS, &mut seen);
    assert!(twin.took_effect(flood));
    let acknowledge = BusOp::WriteHolding { address: 0, values: vec![65] };
    twin.heal(70 * MS, flood, &mut seen);
    assert_eq!(ask(&mut twin, 80 * MS, 1, &acknowledge), Ok(BusReply::Written));
    assert_eq!(events(&mut twin, SECOND), (65, vec![]));
}

#[test]
fn a_chattering_button_makes_for_less_than_16_ms_and_never_under_a_finger() {
    let (mut twin, mut seen) = (table(), Vec::new());
    let chatter = Fault::Noise(Noise::Chatter(InLine::Tumble));
    twin.fault(0, chatter, &mut seen);
    twin.advance(SECOND, &mut seen);
    assert!(twin.took_effect(chatter));
    let made = edges(&seen, InLine::Tumble);
    assert!(made.len() > 20 && made.chunks_exact(2).all(|c| c[0].1 && !c[1].1 && c[1].0 - c[0].0 <= 15 * MS));
    seen.clear();
    twin.person(2 * SECOND, Act::Hold(InLine::Tumble), &mut seen);
    seen.clear();
    twin.advance(3 * SECOND, &mut seen);
    assert_eq!(edges(&seen, InLine::Tumble), []);
    twin.person(3 * SECOND, Act::LetGo(InLine::Tumble), &mut seen);
    twin.heal(3 * SECOND, chatter, &mut seen);
    seen.clear();
    twin.advance(4 * SECOND, &mut seen);
    assert_eq!(edges(&seen, InLine::Tumble), []);
}

#[test]
fn a_press_of_a_crossed_button_is_seen_on_the_others_line() {
    let (mut twin, mut seen) = (table(), Vec::new());
    let crossed = Fault::ButtonsCrossed(InLine::Tumble, InLine::NoSpin);
    twin.fault(0, crossed, &mut seen);
    assert!(!twin.took_effect(crossed));
    twin.person(SECOND, Act::Press { line: InLine::Tumble, millis: 100 }, &mut seen);
    assert!(twin.took_effect(crossed));
    // Whoever mends it while a finger is on the button changes nothing of this press.
    twin.heal(SECOND + MS, crossed, &mut seen);
    twin.advance(2 * SECOND, &mut seen);
    assert_eq!(edges(&seen, InLine::Tumble), []);
    assert_eq!(edges(&seen, InLine::NoSpin).last().map(|(_, active)| *active), Some(false));
    let hand = |wire: &Wire| match wire {
        Wire::Truth { truth: Truth::Hand { button, down }, .. } => Some((*button, *down)),
        _ => None,
    };
    assert_eq!(seen.iter().filter_map(hand).collect::<Vec<_>>(), [(InLine::Tumble, true), (InLine::Tumble, false)]);
}

#[test]
fn without_their_supply_the_boards_answer_and_nothing_shines() {
    let (mut twin, mut seen) = (table(), Vec::new());
    twin.fault(0, Fault::LampSupplyDead, &mut seen);
    assert!(!twin.took_effect(Fault::LampSupplyDead), "no lamp is on");
    light(&mut twin, 0, 0b101);
    assert!(twin.took_effect(Fault::LampSupplyDead));
    assert_eq!((twin.shining(0), ask(&mut twin, SECOND, 2, &SENSE)), (0, Ok(BusReply::Bits(0))));
    twin.heal(SECOND, Fault::LampSupplyDead, &mut seen);
    assert_eq!((twin.shining(0), ask(&mut twin, SECOND, 2, &SENSE)), (0b101, Ok(BusReply::Bits(0b101))));
}

#[test]
fn flickering_lamps_are_dark_for_100_ms_five_times_a_second() {
    let (mut twin, mut seen) = (table(), Vec::new());
    let flicker = Fault::Noise(Noise::LampSupply);
    twin.fault(0, flicker, &mut seen);
    twin.advance(SECOND, &mut seen);
    assert!(!twin.took_effect(flicker), "no lamp is on");
    light(&mut twin, SECOND + 150 * MS, 1);
    twin.advance(2 * SECOND, &mut seen);
    assert!(twin.took_effect(flicker));
    let dark = |wire: &&Wire| matches!(wire, Wire::Truth { truth: Truth::Lamps { shine: 0, .. }, .. });
    assert_eq!(seen.iter().filter(dark).count(), 5);
    assert_eq!(ask(&mut twin, 2 * SECOND + 30 * MS, 2, &SENSE), Ok(BusReply::Bits(0)));
    twin.heal(2 * SECOND + 30 * MS, flicker, &mut seen);
    seen.clear();
    twin.advance(4 * SECOND, &mut seen);
    assert_eq!((twin.shining(0), seen.iter().filter(dark).count()), (1, 0));
}

#[test]
fn a_dead_bell_makes_no_sound_and_a_dead_sign_no_light() {
    let (mut twin, mut seen) = (table(), Vec::new());
    twin.fault(0, Fault::BellDead, &mut seen);
    twin.fault(0, Fault::SignDead, &mut seen);
    assert!(!twin.took_effect(Fault::BellDead) && !twin.took_effect(Fault::SignDead));
    for line in [OutLine::Bell, OutLine::OutOfService] {
        twin.output(1, line, true, &mut seen);
    }
    assert!(twin.took_effect(Fault::BellDead) && twin.took_effect(Fault::SignDead) && !twin.sign_lit());
    assert!(!seen.iter().any(|wire| matches!(wire, Wire::Truth { truth: Truth::Bell | Truth::Sign(_), .. })));
    assert!(twin.pin_level(OutLine::Bell), "the pin reads back as driven");
    twin.heal(2, Fault::SignDead, &mut seen);
    twin.heal(2, Fault::BellDead, &mut seen);
    twin.output(3, OutLine::Bell, false, &mut seen);
    twin.output(4, OutLine::Bell, true, &mut seen);
    assert!(twin.sign_lit() && seen.contains(&Wire::Truth { at: 4, truth: Truth::Bell }));
}

#[test]
fn replies_are_late_doubled_hit_or_of_another_unit_as_often_as_told() {
    for (garble, heard) in [
        (Garble::Late, Err(BusFailure::Timeout)),
        (Garble::Hit, Err(BusFailure::Corrupt)),
        (Garble::OtherUnit, Err(BusFailure::Corrupt)),
    ] {
        let (mut twin, mut seen) = (table(), Vec::new());
        let fault = Fault::Frames { garble, percent: 100 };
        twin.fault(0, fault, &mut seen);
        assert!(!twin.took_effect(fault));
        let answers: Vec<_> = (0..40).map(|_| ask(&mut twin, 0, 1, &POLL)).collect();
        assert!(answers.contains(&heard) && !answers.iter().any(Result::is_ok), "{garble:?}: {answers:?}");
        assert!(twin.took_effect(fault));
        twin.heal(1, fault, &mut seen);
        assert!(ask(&mut twin, 1, 1, &POLL).is_ok());
    }
    let (mut twin, mut seen) = (table(), Vec::new());
    twin.fault(0, Fault::Frames { garble: Garble::Twice, percent: 30 }, &mut seen);
    let twice = |twin: &mut Twin| twin.answer(0, 1, &POLL, &mut Vec::new()).garble == Some(Garble::Twice);
    let doubled = (0..1000).filter(|_| twice(&mut twin)).count();
    assert!((250..350).contains(&doubled), "{doubled}");
}

#[test]
fn a_late_reply_is_of_a_unit_that_acted() {
    let (mut twin, mut seen) = (table(), Vec::new());
    twin.fault(0, Fault::Frames { garble: Garble::Late, percent: 100 }, &mut seen);
    let on = BusOp::WriteCoils { address: 0, count: 50, bits: 1 };
    assert_eq!(ask(&mut twin, 0, 2, &on), Err(BusFailure::Timeout));
    assert_eq!(twin.shining(0), 1);
}

#[test]
fn the_readers_own_bus_faults_spare_the_other_units() {
    let poses = BusOp::ReadInput { address: 0x10, count: 9 };
    let (mut twin, mut seen) = (table(), Vec::new());
    let crc = Fault::ReaderFrames(Garble::Hit);
    twin.fault(0, crc, &mut seen);
    assert!((0..20).all(|_| ask(&mut twin, 0, 1, &POLL).is_ok()) && !twin.took_effect(crc));
    assert!((0..20).all(|_| ask(&mut twin, 0, 10, &poses).is_err()) && twin.took_effect(crc));
    twin.heal(0, crc, &mut seen);
    assert!(ask(&mut twin, 0, 10, &poses).is_ok());
}

#[test]
fn a_babbling_transmitter_leaves_no_room_for_a_transaction() {
    let (mut twin, mut seen) = (table(), Vec::new());
    assert_eq!(twin.babble(), None);
    twin.fault(0, Fault::BusBabble, &mut seen);
    assert!(!twin.took_effect(Fault::BusBabble));
    assert!(twin.babble().is_some_and(|bytes| Some(bytes) != twin.babble()));
    assert_eq!(ask(&mut twin, 0, 1, &POLL), Err(BusFailure::Timeout));
    assert!(twin.took_effect(Fault::BusBabble));
    twin.heal(1, Fault::BusBabble, &mut seen);
    assert_eq!(twin.babble(), None);
    assert!(ask(&mut twin, 1, 1, &POLL).is_ok());
}

#[test]
fn a_cut_cable_says_neither_and_a_shorted_one_both_wherever_the_dome_is() {
    for active in [false, true] {
        let (mut twin, mut seen) = (table(), Vec::new());
        let cable = Fault::DomeCable { active };
        twin.fault(0, cable, &mut seen);
        let both = |twin: &Twin| [InLine::DomeClosed, InLine::DomeOpen].map(|line| twin.level(line));
        assert!(both(&twin) == [active; 2] && twin.took_effect(cable));
        twin.person(0, Act::LiftDome, &mut seen);
        twin.advance(SECOND, &mut seen);
        assert_eq!(both(&twin), [active; 2]);
        twin.heal(SECOND, cable, &mut seen);
        assert_eq!(both(&twin), [false, true]);
    }
}

#[test]
fn a_dome_that_bounces_settles_30_ms_after_it_moved() {
    let (mut twin, mut seen) = (table(), Vec::new());
    twin.fault(0, Fault::DomeBounce, &mut seen);
    assert!(!twin.took_effect(Fault::DomeBounce));
    twin.person(0, Act::LiftDome, &mut seen);
    twin.advance(SECOND, &mut seen);
    let left = edges(&seen, InLine::DomeClosed);
    assert!(twin.took_effect(Fault::DomeBounce) && left.len() == 51);
    assert!(left.last().is_some_and(|(at, active)| !active && (29 * MS..=30 * MS).contains(at)), "{left:?}");
}
