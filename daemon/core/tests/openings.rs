//! Malfunctions that a device's test finds.

use crate::world;

use tumbler_core::latch::Code;
use tumbler_core::line::OutLine;
use tumbler_core::snapshot::Phase;
use tumbler_core::wire::console::{Answer, Command};
use world::{SUPERVISOR, World, settings};

/// Carries the opening tests out as far as they go; what the supervisor is told.
fn opening(world: &mut World) -> Answer {
    world.pass(2000);
    world.turn_key();
    let request = world.ask(Command::Open { name: SUPERVISOR.into() });
    assert!(world.until(60_000, |w| w.reply(request).is_some()), "the opening tests end");
    world.reply(request).unwrap().clone()
}

/// NZ 7.4, faults.md motor.slow and dice.not_tumbled: the malfunction is the same, whether a game or an opening test (NZ 5(c))
/// finds it, and blocks until it is rectified.
#[test]
fn a_tumbler_that_an_opening_test_finds_wrong_is_a_malfunction() {
    let slow: fn(&mut World) = |world| world.step_ms = 450;
    let idle: fn(&mut World) = |world| world.dice_stay = true;
    for broken in [slow, idle] {
        let mut world = World::new(settings("sg-v6", "sg-v6-1"));
        broken(&mut world);
        let told = opening(&mut world);
        assert!(matches!(told, Answer::Refused { .. }), "{told:?}");
        assert_eq!((world.latched(), world.table.phase()), (vec![Code::Tumbler], Phase::Blocked), "{told:?}");
    }
}

/// NZ 7.4, faults.md dice.missing and dice.foreign.
#[test]
fn dice_that_an_opening_test_finds_wrong_are_a_malfunction() {
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.poses[1] = tumbler_core::wire::registers::reader::MISSING;
    let told = opening(&mut world);
    assert!(matches!(told, Answer::Refused { .. }), "{told:?}");
    assert_eq!((world.latched(), world.table.phase()), (vec![Code::Dice], Phase::Blocked), "{told:?}");
}

/// NZ 5(c), design.md, Motor guard: a spin that somebody's hand cut short opens nothing, and is no malfunction of the tumbler.
#[test]
fn an_opening_whose_spin_is_cut_short_fails_and_latches_nothing() {
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.pass(2000);
    world.turn_key();
    let request = world.ask(Command::Open { name: SUPERVISOR.into() });
    assert!(world.until(60_000, |w| w.outs[OutLine::MotorEnable.index()]), "its spin begins");
    world.pass(800);
    world.lift();
    assert!(world.until(60_000, |w| w.reply(request).is_some()));
    let told = world.reply(request).unwrap();
    assert!(matches!(told, Answer::Refused { why, .. } if why.contains("ended early")), "{told:?}");
    assert_eq!((world.latched(), world.table.phase()), (vec![], Phase::Closed));
}

/// NZ 5(c): a unit of the field bus is proved by replies in a row, not by nothing against it yet.
#[test]
fn an_opening_right_after_the_start_waits_for_replies_of_every_unit() {
    for (unit, name) in [(1, "the entry terminal"), (2, "lamp board 2"), (10, "the dice reader")] {
        let mut world = World::new(settings("nz-div9", "nz-div9-1"));
        world.silent.push(unit);
        world.turn_key();
        let request = world.ask(Command::Open { name: SUPERVISOR.into() });
        assert!(world.until(60_000, |w| w.reply(request).is_some()));
        let told = world.reply(request).unwrap();
        let why = format!("bus: {name} (unit {unit}) does not reply");
        assert!(matches!(told, Answer::Refused { why: told, .. } if told.contains(&why)), "{told:?}");
    }
}

/// NZ 3.3(b), 5(c), faults.md lamp.open: an opening names the areas that stay dark, blocks, and keeps nobody waiting.
#[test]
fn an_opening_names_the_areas_that_stay_dark() {
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.dead_lamps = 0b100;
    let area = &tumbler_core::rules::layout("nz-div9-1").unwrap().areas[2].id;
    let told = opening(&mut world);
    assert!(
        matches!(&told, Answer::Refused { why, .. } if why.contains(&format!("as they were told: {area}"))),
        "{told:?}"
    );
    assert_eq!((world.latched(), world.table.phase()), (vec![Code::Lamps], Phase::Blocked), "{told:?}");
}
