//! The twin against the physics and the wiring of the table (design.md, Wires).

mod faults;

use super::*;
use tumbler_core::effect::BusOp;
use tumbler_core::input::BusReply;

const SECOND: u64 = 1000 * MS;

fn covered() -> Twin {
    Twin::new(Config { bounce: false, temperature: false, ..Config::full(true, 50) }, 1)
}

/// Drives the motor as the daemon does until `until`, and returns what showed.
fn spin(twin: &mut Twin, from: u64, until: u64) -> Vec<Wire> {
    let mut out = Vec::new();
    twin.output(from, OutLine::MotorEnable, true, &mut out);
    let mut level = twin.pin_level(OutLine::MotorAlive);
    let mut at = from;
    while at < until {
        level = !level;
        twin.output(at, OutLine::MotorAlive, level, &mut out);
        at += 10 * MS;
    }
    twin.advance(until, &mut out);
    out
}

fn truths(wires: &[Wire]) -> Vec<(u64, Truth)> {
    wires
        .iter()
        .filter_map(|w| match w {
            Wire::Truth { at, truth } => Some((*at, *truth)),
            _ => None,
        })
        .collect()
}

fn when(wires: &[Wire], wanted: Truth) -> Option<u64> {
    truths(wires).into_iter().find(|(_, t)| *t == wanted).map(|(at, _)| at)
}

#[test]
fn a_powered_tumbler_really_tumbles_and_the_dice_come_to_rest_after_it() {
    let mut twin = covered();
    twin.dictate(Some([1, 3, 6]));
    let mut seen = spin(&mut twin, 0, 2800 * MS);
    assert!(when(&seen, Truth::Shaft { quarters: 16 }).is_some(), "{:?}", truths(&seen));
    twin.output(2800 * MS, OutLine::MotorEnable, false, &mut seen);
    twin.advance(5 * SECOND, &mut seen);
    let rest = when(&seen, Truth::DiceRest { faces: [1, 3, 6], flat: [true; 3] }).unwrap();
    assert!((3100 * MS..3600 * MS).contains(&rest), "{rest}");
    assert_eq!(twin.next(), None, "a table at rest has nothing more to do");
}

/// design.md, Dead-man line: outside, a monostable drops motor power 100 ms after the last edge, so that a killed daemon stops the
/// motor although its pin stays high.
#[test]
fn motor_power_is_gone_100_ms_after_the_last_alive_edge() {
    let mut twin = covered();
    let mut seen = spin(&mut twin, 0, SECOND);
    twin.advance(3 * SECOND, &mut seen);
    assert_eq!(when(&seen, Truth::MotorPower(false)), Some(990 * MS + 100 * MS));
    assert!(twin.pin_level(OutLine::MotorEnable));
    assert!(!twin.shaft_moves());
}

#[test]
fn without_alive_edges_the_motor_never_starts_unless_the_relay_is_welded() {
    let mut twin = covered();
    let mut seen = Vec::new();
    twin.output(0, OutLine::MotorEnable, true, &mut seen);
    twin.advance(SECOND, &mut seen);
    assert!(!twin.motor_power());
    twin.fault(SECOND, Fault::DeadmanWelded, &mut seen);
    assert!(twin.motor_power() && twin.took_effect(Fault::DeadmanWelded));
    twin.heal(2 * SECOND, Fault::DeadmanWelded, &mut seen);
    assert!(!twin.motor_power());
}

/// design.md, Motor guard: the wiring diagram puts the dome and seal contacts in series with motor power.
#[test]
fn dome_and_seal_are_in_series_with_motor_power() {
    for act in [Act::LiftDome, Act::BreakSeal] {
        let mut twin = covered();
        let mut seen = spin(&mut twin, 0, SECOND);
        assert!(twin.motor_power());
        twin.person(SECOND, act, &mut seen);
        assert!(!twin.motor_power(), "{act:?}");
    }
    let mut open = Twin::new(Config::full(false, 50), 1);
    assert!(open.level(InLine::DomeOpen) && !open.level(InLine::DomeClosed));
    spin(&mut open, 0, SECOND);
    assert!(open.motor_power(), "Open Cover has no dome in series");
}

#[test]
fn the_domes_contacts_are_antivalent_with_travel_between_them() {
    let mut twin = covered();
    let mut seen = Vec::new();
    twin.person(0, Act::LiftDome, &mut seen);
    assert!(!twin.level(InLine::DomeClosed) && !twin.level(InLine::DomeOpen));
    twin.advance(150 * MS, &mut seen);
    assert!(!twin.level(InLine::DomeClosed) && twin.level(InLine::DomeOpen));
    let edge = seen.iter().find(|w| matches!(w, Wire::Edge { line: InLine::DomeOpen, .. })).unwrap();
    assert!((100 * MS..140 * MS).contains(&edge.at()));
}

#[test]
fn contacts_bounce_and_end_at_the_right_level() {
    for seed in 0..50 {
        let mut twin = Twin::new(Config::full(true, 50), seed);
        let mut seen = Vec::new();
        twin.person(0, Act::LiftDome, &mut seen);
        twin.person(0, Act::Press { line: InLine::Tumble, millis: 120 }, &mut seen);
        twin.advance(100 * MS, &mut seen);
        assert!(twin.level(InLine::Tumble));
        twin.advance(400 * MS, &mut seen);
        assert!(!twin.level(InLine::Tumble) && twin.level(InLine::DomeOpen) && !twin.level(InLine::DomeClosed));
        let settled =
            seen.iter().filter(|w| matches!(w, Wire::Edge { line: InLine::DomeOpen, .. })).map(Wire::at).max();
        assert!(settled <= Some(175 * MS), "the dome's contacts are quiet within 30 ms of the travel");
        let levels: Vec<bool> = seen
            .iter()
            .filter_map(|w| match w {
                Wire::Edge { line: InLine::Tumble, active, .. } => Some(*active),
                _ => None,
            })
            .collect();
        assert!(levels.iter().zip(levels.iter().skip(1)).all(|(a, b)| a != b), "edges alternate");
    }
}

#[test]
fn a_die_that_a_hand_lays_in_a_turning_tumbler_is_tumbled_on() {
    let mut twin = covered();
    let mut wires = spin(&mut twin, 0, 1_000 * MS);
    twin.person(1_000 * MS, Act::MoveDie { die: 1, face: 2, flat: false }, &mut wires);
    wires.extend(spin(&mut twin, 1_010 * MS, 2_500 * MS));
    twin.advance(4_000 * MS, &mut wires);
    let rests: Vec<[bool; 3]> = truths(&wires)
        .into_iter()
        .filter_map(|(_, truth)| match truth {
            Truth::DiceRest { flat, .. } => Some(flat),
            _ => None,
        })
        .collect();
    assert_eq!(rests, [[true; 3]], "one rest, after the shaft's, with whatever fell");
}

#[test]
fn a_dome_that_is_put_back_at_once_breaks_its_contact_until_it_is_down() {
    let mut twin = Twin::new(Config { temperature: false, ..Config::full(true, 50) }, 1);
    let mut wires = Vec::new();
    for n in 0..50 {
        let at = n * SECOND;
        twin.person(at, Act::LiftDome, &mut wires);
        twin.person(at + 4 * MS, Act::LowerDome, &mut wires);
        assert!(!twin.level(InLine::DomeClosed), "{n}");
        twin.advance(at + 50 * MS, &mut wires);
        assert!(!twin.level(InLine::DomeClosed), "{n}");
        twin.advance(at + 500 * MS, &mut wires);
        assert!(twin.level(InLine::DomeClosed), "{n}");
    }
}

#[test]
fn power_that_came_and_went_at_once_leaves_a_shaft_at_rest() {
    let mut twin = covered();
    let mut wires = Vec::new();
    twin.fault(5 * MS, Fault::Runaway, &mut wires);
    twin.heal(5 * MS, Fault::Runaway, &mut wires);
    twin.advance(2_000 * MS, &mut wires);
    assert!(!twin.shaft_moves() && !twin.dice_move(), "{wires:?}");
}

#[test]
fn everything_shows_in_order_of_time() {
    let mut twin = Twin::new(Config::full(true, 107), 5);
    let mut seen = spin(&mut twin, 0, 2 * SECOND);
    twin.person(2 * SECOND, Act::LiftDome, &mut seen);
    twin.advance(10 * SECOND, &mut seen);
    assert!(seen.iter().zip(seen.iter().skip(1)).all(|(a, b)| a.at() <= b.at()));
}

#[test]
fn a_runaway_turns_although_nothing_is_commanded() {
    let mut twin = covered();
    let mut seen = Vec::new();
    twin.fault(0, Fault::Runaway, &mut seen);
    twin.advance(SECOND, &mut seen);
    assert!(twin.motor_power() && twin.milli_tumbles(SECOND) > 1000 && twin.took_effect(Fault::Runaway));
    twin.heal(SECOND, Fault::Runaway, &mut seen);
    twin.advance(2 * SECOND, &mut seen);
    assert!(!twin.shaft_moves());
}

#[test]
fn a_stalled_shaft_gives_no_more_cam_edges_until_it_is_freed() {
    let mut twin = covered();
    spin(&mut twin, 0, SECOND);
    let mut seen = Vec::new();
    twin.fault(SECOND, Fault::MotorStall, &mut seen);
    seen.clear();
    let stalled = spin(&mut twin, SECOND + 50 * MS, 2 * SECOND);
    assert!(!stalled.iter().any(|w| matches!(w, Wire::Edge { .. })), "{stalled:?}");
    assert!(twin.motor_power() && twin.took_effect(Fault::MotorStall));
    twin.heal(2 * SECOND, Fault::MotorStall, &mut seen);
    assert!(spin(&mut twin, 2 * SECOND, 3 * SECOND).iter().any(|w| matches!(w, Wire::Edge { .. })));
}

#[test]
fn a_cut_supply_drops_power_good_before_everything_stops() {
    let mut twin = covered();
    spin(&mut twin, 0, SECOND);
    let mut seen = Vec::new();
    twin.person(SECOND, Act::CutSupply, &mut seen);
    assert!(!twin.level(InLine::PowerGood) && twin.motor_power());
    twin.advance(SECOND + 24 * MS, &mut seen);
    assert!(twin.motor_power());
    twin.advance(SECOND + 25 * MS, &mut seen);
    assert!(!twin.motor_power() && !twin.supply());
    let read = BusOp::ReadInput { address: 0, count: 1 };
    assert!(twin.bus(2 * SECOND, 1, &read, &mut seen).is_err());
    twin.person(3 * SECOND, Act::RestoreSupply, &mut seen);
    assert!(!twin.motor_power(), "the pins came up low");
    assert_eq!(twin.bus(3 * SECOND, 1, &read, &mut seen), Ok(BusReply::Words(vec![1])));
}

#[test]
fn the_same_seed_shows_the_same_wires() {
    let run = |seed| {
        let mut twin = Twin::new(Config::full(true, 50), seed);
        let mut seen = spin(&mut twin, 0, 2 * SECOND);
        twin.person(3 * SECOND, Act::LiftDome, &mut seen);
        twin.advance(10 * SECOND, &mut seen);
        seen
    };
    assert_eq!(run(4), run(4));
    assert_ne!(run(4), run(5));
}

#[test]
fn a_flicker_breaks_the_contact_for_as_long_as_told_only_while_the_shaft_turns() {
    let mut twin = covered();
    let mut seen = Vec::new();
    let flicker = Fault::Noise(Noise::Flicker { line: InLine::DomeClosed, micros: 2000, every_ms: 600 });
    twin.fault(0, flicker, &mut seen);
    twin.advance(SECOND, &mut seen);
    assert!(seen.is_empty() && !twin.took_effect(flicker));
    let seen = spin(&mut twin, SECOND, 2 * SECOND);
    let edges: Vec<&Wire> = seen.iter().filter(|w| matches!(w, Wire::Edge { line: InLine::DomeClosed, .. })).collect();
    assert!(edges.len() >= 4 && edges.len() % 2 == 0);
    assert!(edges.chunks(2).all(|pair| pair[1].at() - pair[0].at() == 2 * MS));
}

#[test]
fn a_temperature_is_read_twice_a_second() {
    let mut twin = Twin::new(Config { bounce: false, ..Config::full(true, 50) }, 1);
    let mut wires = Vec::new();
    twin.advance(10 * SECOND, &mut wires);
    let read: Vec<u64> = wires.iter().filter(|wire| matches!(wire, Wire::Temperature { .. })).map(Wire::at).collect();
    assert!(read.len() >= 20, "{read:?}");
    assert!(read.windows(2).all(|pair| pair[1] - pair[0] == 500 * MS), "{read:?}");
}
