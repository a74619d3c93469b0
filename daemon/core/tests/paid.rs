//! When "all paid" counts, and by what a round was settled then: areas that were proved lit, proved again, or never.

use crate::world;

use tumbler_core::latch::Code;
use tumbler_core::record::{Event, Lit};
use tumbler_core::units::Mono;
use tumbler_core::wire::console::{Command, Exit};
use tumbler_core::wire::registers::terminal;
use world::play::{play_to_reveal, reveal};
use world::text::{by_eye, done};
use world::{SUPERVISOR, World};

/// The first lamp board.
const BOARD: u8 = 2;

/// A table of two lamp boards whose dice are in sight.
fn in_sight() -> World {
    let mut world = by_eye("nz-div9", "nz-div9-2");
    play_to_reveal(&mut world);
    reveal(&mut world);
    world
}

/// A procedure stands in for the lamps.
fn waive(world: &mut World) {
    let exit = Exit::Procedure("the dealer announces".into());
    done(world, Command::Reset { code: Code::Lamps, exit, name: SUPERVISOR.into() });
}

/// The dice of the next round are in sight.
fn next_in_sight(world: &mut World) {
    world.cover();
    play_to_reveal(world);
    reveal(world);
}

/// A result whose areas were proved, half a second ago.
fn proved() -> World {
    let mut world = in_sight();
    world.entry([1, 3, 6]);
    world.pass(500);
    assert_eq!(proofs(&world), 1);
    world
}

fn proofs(world: &World) -> usize {
    world.events().filter(|event| **event == Event::LampsVerified).count()
}

fn settled_by(world: &World) -> Option<Lit> {
    world.records.iter().rev().find_map(|record| match &record.event {
        Event::Settled { lamps, .. } => Some(*lamps),
        _ => None,
    })
}

/// When this became known last.
fn last(world: &World, of: fn(&Event) -> bool) -> Mono {
    world.records.iter().rfind(|record| of(&record.event)).unwrap().at
}

/// The first Entry that counts, of one every 100 ms, in milliseconds after the last record of this kind.
fn paid_after(world: &mut World, of: fn(&Event) -> bool) -> u64 {
    let settled = |world: &World| world.events().filter(|event| matches!(event, Event::Settled { .. })).count();
    let before = settled(world);
    for _ in 0..100 {
        world.keys.push(terminal::ENTRY);
        world.pass(100);
        if settled(world) > before {
            break;
        }
    }
    (last(world, |event| matches!(event, Event::Settled { .. })).0 - last(world, of).0) / 1_000_000
}

/// NZ 6.5, and "What a restart carries on": the areas are lit and proved again before the round can end, and people collect and
/// pay by them from then on.
#[test]
fn after_a_restart_all_paid_counts_from_the_new_proof() {
    let mut world = in_sight();
    world.entry([1, 3, 6]);
    world.pass(2000);
    world.restart(false);
    world.pass(500);
    assert_eq!(proofs(&world), 2);
    let after = paid_after(&mut world, |event| *event == Event::LampsVerified);
    assert!((3000..3500).contains(&after), "{after} ms");
    assert_eq!(settled_by(&world), Some(Lit::Proved));
}

/// NZ 7.3, SGV6 5.10: where the areas cannot be proved lit, the time runs from the result. How long ago that was a daemon that was
/// away does not know, so it runs from its start.
#[test]
fn after_a_restart_all_paid_without_lamps_is_no_sooner() {
    for waived in [false, true] {
        let mut world = in_sight();
        world.dead_lamps = u128::MAX;
        world.entry([1, 3, 6]);
        world.pass(1000);
        assert_eq!(world.latched(), [Code::Lamps]);
        if waived {
            world.all_paid();
            waive(&mut world);
            next_in_sight(&mut world);
            world.entry([1, 3, 6]);
            world.pass(1000);
        }
        world.restart(false);
        let after = paid_after(&mut world, |event| matches!(event, Event::Resumed { .. }));
        assert!((3000..3500).contains(&after), "waived {waived}: {after} ms");
        assert_eq!(settled_by(&world), Some(Lit::ByTheDice));
    }
}

/// A board that is lost and replies again is lit again, and so are the areas proved: by them people collect and pay, and the record
/// says so beside the malfunction.
#[test]
fn a_board_that_comes_back_is_proved_anew() {
    let mut world = proved();
    world.silent.push(BOARD);
    world.pass(2000);
    assert_eq!((proofs(&world), world.latched()), (1, vec![Code::Lamps]));
    world.silent.clear();
    world.pass(500);
    assert_eq!(proofs(&world), 2);
    let after = paid_after(&mut world, |event| *event == Event::LampsVerified);
    assert!((3000..3500).contains(&after), "{after} ms");
    assert_eq!(settled_by(&world), Some(Lit::Proved));
}

/// And one that stays away is not waited for: what was proved of it before says nothing of its areas now.
#[test]
fn a_board_that_stays_away_leaves_the_dice() {
    let mut world = proved();
    world.silent.push(BOARD);
    world.pass(3000);
    world.keys(&[terminal::ENTRY]);
    assert_eq!(settled_by(&world), Some(Lit::ByTheDice));
}

/// NZ 7.4 with 7.3: a procedure stands in for lamps that cannot be relied on; where all of them are proved lit all the same, the
/// record says that, as `lamps-verified` does before it.
#[test]
fn lamps_that_are_proved_under_a_procedure_are_proved() {
    let mut world = in_sight();
    world.dead_lamps = u128::MAX;
    world.entry([1, 3, 6]);
    world.pass(1000);
    world.all_paid();
    assert_eq!(settled_by(&world), Some(Lit::ByTheDice));
    waive(&mut world);
    world.dead_lamps = 0;
    next_in_sight(&mut world);
    world.entry([1, 3, 6]);
    assert_eq!(proofs(&world), 1);
    let after = paid_after(&mut world, |event| *event == Event::LampsVerified);
    assert!((3000..3500).contains(&after), "{after} ms");
    assert_eq!(settled_by(&world), Some(Lit::Proved));
}

/// The reverse: lamps that were proved and go dark, or flicker, are a malfunction, and the wagers are settled by the dice. One that
/// flickers on does not write a record with every look at it.
#[test]
fn lamps_that_fail_after_their_proof_leave_the_dice() {
    for flickers in [false, true] {
        let mut world = proved();
        for _ in 0..40 {
            world.dead_lamps = if world.dead_lamps == 0 || !flickers { u128::MAX } else { 0 };
            world.pass(60);
        }
        assert_eq!((proofs(&world), world.latched()), (1, vec![Code::Lamps]), "flickers {flickers}");
        world.all_paid();
        assert_eq!(settled_by(&world), Some(Lit::ByTheDice), "flickers {flickers}");
    }
}
