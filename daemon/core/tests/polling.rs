//! How often each unit of the field bus is asked: fast where somebody waits for it, slowly elsewhere (design.md, Field bus).

use crate::world;

use tumbler_core::effect::{BusOp, Effect};
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::line::InLine;
use tumbler_core::wire::console::Command;
use tumbler_core::wire::registers::reader;
use world::World;
use world::play::{maintained, opened, play_to_reveal, reveal};

const TERMINAL: u8 = 1;
const READER: u8 = 10;

/// How often this unit is read within so many milliseconds.
fn polls(world: &mut World, unit: u8, ms: u64) -> usize {
    let before = world.history.len();
    world.pass(ms);
    let reads = |effect: &&Effect| match effect {
        Effect::Bus(request) => {
            request.unit == unit && matches!(request.op, BusOp::ReadInput { .. } | BusOp::ReadDiscrete { .. })
        }
        _ => false,
    };
    world.history[before..].iter().map(|(_, effects)| effects.iter().filter(reads).count()).sum()
}

/// Within a second: every 20 ms or every 250 ms, each a little later for the time on the wire.
fn assert_polled(world: &mut World, unit: u8, fast: bool, when: &str) {
    let polls = polls(world, unit, 1000);
    let expected = if fast { 35..=50 } else { 3..=5 };
    assert!(expected.contains(&polls), "unit {unit}, {when}: {polls} polls in a second");
}

/// design.md, Keys of the terminal: a key is seen before the next finger movement, from when keys matter.
#[test]
fn the_terminal_is_asked_fast_where_keys_matter() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.pass(1000);
    assert_polled(&mut world, TERMINAL, false, "no round");
    world.spin();
    assert_polled(&mut world, TERMINAL, false, "while bets are placed");
    world.press(InLine::NoMoreBets);
    assert_polled(&mut world, TERMINAL, true, "after \"No more bets\"");
    let mut gone = world.clone();
    gone.bus_works = false;
    gone.pass(3000);
    assert!(!gone.table.snapshot().lost_units.is_empty());
    assert_polled(&mut gone, TERMINAL, false, "lost");
    reveal(&mut world);
    assert_polled(&mut world, TERMINAL, true, "after the reveal");
    // Singapore's order closes the bets first: until the spin is over no key matters.
    let mut world = opened("sg-v6", "sg-v6-1");
    world.press(InLine::PlaceBets);
    world.press(InLine::NoMoreBets);
    world.pass(1000);
    assert_polled(&mut world, TERMINAL, false, "before the spin");
}

/// NZ 7.1(a): the reader is asked fast until it has found the dice at rest.
#[test]
fn the_reader_is_asked_fast_while_dice_may_move() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.pass(1000);
    assert_polled(&mut world, READER, false, "no round");
    world.poses = [reader::MOVING; 3];
    world.press(InLine::Tumble);
    assert_polled(&mut world, READER, true, "while the shaft turns");
    world.pass(3000);
    assert_polled(&mut world, READER, true, "while the dice move");
    world.poses = [reader::FLAT; 3];
    world.pass(2000);
    assert_polled(&mut world, READER, false, "at rest");
    let mut world = opened("nz-div9", "nz-div9-1");
    play_to_reveal(&mut world);
    reveal(&mut world);
    assert_polled(&mut world, READER, false, "the outcome is established");
}

/// What a hardware test measures it looks at closely, and nothing else.
#[test]
fn a_hardware_test_asks_its_own_unit_fast() {
    for (test, terminal, reads) in [
        (HardwareTest::Terminal, true, false),
        (HardwareTest::Reader, false, true),
        (HardwareTest::Bus, true, true),
        (HardwareTest::Seal, false, false),
    ] {
        let mut world = maintained("nz-div9", "nz-div9-1");
        world.poses = [reader::MOVING; 3];
        world.ask(Command::HardwareTest { test, name: "teo".into() });
        // After its spin, while the dice do not come to rest.
        world.pass(if test == HardwareTest::Reader { 4500 } else { 1000 });
        assert!(world.table.is_testing(), "{test}");
        for (unit, fast) in [(TERMINAL, terminal), (READER, reads)] {
            let polls = polls(&mut world, unit, 300);
            // The test of the bus asks everything as fast as it can, and ends soon.
            let expected = if fast { 7..=30 } else { 0..=2 };
            assert!(expected.contains(&polls), "{test}: unit {unit}: {polls} polls in 300 ms");
        }
    }
}
