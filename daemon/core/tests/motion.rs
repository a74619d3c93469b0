//! Nothing moves by a command alone: a test's spin begins by a press of `tumble` at the table, within 10 s of being asked for, and
//! "No spin" stops it (design.md, Motion by command).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail loudly")]

mod world;

use tumbler_core::effect::Effect;
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::prompt::PromptId;
use tumbler_core::record::Event;
use tumbler_core::wire::console::{Answer, Command, Exit};
use world::play::maintained;
use world::{SUPERVISOR, World, settings};

const NOBODY: &str = "nobody pressed tumble at the table within 10 s: ask again, and press it there";

fn name() -> String {
    SUPERVISOR.into()
}

fn closed() -> World {
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.pass(2000);
    world.turn_key();
    world
}

/// A table whose motor driver tripped and is whole again, the key turned since.
fn latched() -> World {
    let mut world = closed();
    world.line(InLine::MotorFault, true);
    world.pass(100);
    world.line(InLine::MotorFault, false);
    world.pass(3000);
    assert_eq!(world.latched(), [Code::Tumbler], "{:?}", world.records);
    world.turn_key();
    world
}

/// Every command that moves the tumbler, on a table that lets it.
fn commands() -> Vec<(World, Command)> {
    let test = |test| (maintained("nz-div9", "nz-div9-1"), Command::HardwareTest { test, name: name() });
    vec![
        (closed(), Command::Open { name: name() }),
        (latched(), Command::Reset { code: Code::Tumbler, exit: Exit::Rectified, name: name() }),
        test(HardwareTest::Motor),
        test(HardwareTest::Cam),
        test(HardwareTest::Reader),
    ]
}

fn motor(world: &World) -> bool {
    world.outs[OutLine::MotorEnable.index()]
}

fn has_moved(world: &World, from: usize) -> bool {
    let effects = world.history[from..].iter().flat_map(|(_, effects)| effects);
    effects.clone().any(|e| matches!(e, Effect::Set { line: OutLine::MotorEnable, active: true }))
}

/// Gives the command and waits until the table asks for the press.
fn asked(world: &mut World, command: &Command) -> u64 {
    world.is_attended = false;
    let request = world.ask(command.clone());
    assert!(world.until(60_000, World::asks_for_press), "{command:?}: {:?}", world.table.snapshot().test);
    request
}

/// The test is over without success: the answer, or the report, says this.
fn failed(world: &World, request: u64, command: &Command, why: &str) {
    let answer = world.reply(request).unwrap_or_else(|| panic!("{command:?} is not answered"));
    let said = match answer {
        Answer::Refused(said) => said.contains(why),
        Answer::Done(_) => world.has(|e| matches!(e, Event::HardwareTested(report) if report.found.contains(why))),
    };
    assert!(said, "{command:?}: {answer:?}, {:?}", world.records.last());
}

#[test]
fn nobody_at_the_table_means_no_motion() {
    for (mut world, command) in commands() {
        let from = world.history.len();
        let request = asked(&mut world, &command);
        let began = world.now.0;
        assert!(world.until(20_000, |w| w.reply(request).is_some()), "{command:?}");
        let waited = (world.now.0 - began) / 1_000_000;
        assert!((9_900..=10_200).contains(&waited), "{command:?}: {waited} ms");
        failed(&world, request, &command, NOBODY);
        assert!(!has_moved(&world, from), "{command:?}");
        // A press that comes too late moves nothing either.
        world.press(InLine::Tumble);
        world.pass(2000);
        assert!(!has_moved(&world, from), "{command:?}");
    }
}

#[test]
fn a_press_that_was_not_asked_for_begins_nothing() {
    for (mut world, command) in commands() {
        let from = world.history.len();
        world.is_attended = false;
        // Just before the command, and before the table asks.
        world.press(InLine::Tumble);
        let request = world.ask(command.clone());
        while !world.asks_for_press() {
            world.line(InLine::Tumble, true);
            world.pass(15);
            world.line(InLine::Tumble, false);
            world.pass(15);
        }
        assert!(world.until(20_000, |w| w.reply(request).is_some()), "{command:?}");
        failed(&world, request, &command, NOBODY);
        assert!(!has_moved(&world, from), "{command:?}");
    }
}

#[test]
fn one_press_begins_one_spin_and_no_spin_stops_it() {
    for (mut world, command) in commands() {
        let request = asked(&mut world, &command);
        let from = world.records.len();
        world.press(InLine::Tumble);
        world.pass(500);
        assert!(motor(&world), "{command:?}: {:?}", world.table.snapshot().test);
        assert!(!world.records[from..].iter().any(|r| matches!(r.event, Event::Refused { .. })), "{command:?}");
        world.line(InLine::NoSpin, true);
        world.pass(25);
        assert!(!motor(&world), "{command:?}");
        world.line(InLine::NoSpin, false);
        world.pass(3000);
        failed(&world, request, &command, "\"No spin\" was pressed");
        assert!(!motor(&world), "{command:?}");
    }
}

#[test]
fn no_spin_ends_the_wait_too() {
    for (mut world, command) in commands() {
        let from = world.history.len();
        let request = asked(&mut world, &command);
        world.press(InLine::NoSpin);
        failed(&world, request, &command, "\"No spin\" was pressed");
        world.press(InLine::Tumble);
        world.pass(2000);
        assert!(!has_moved(&world, from), "{command:?}");
    }
}

/// What stands in the way is put right first; then the table asks anew, for 10 s.
#[test]
fn what_stands_in_the_way_withdraws_the_question() {
    let mut world = closed();
    let from = world.history.len();
    let request = asked(&mut world, &Command::Open { name: name() });
    world.pass(8000);
    world.lift();
    let prompt = world.table.snapshot().prompt.map(|prompt| prompt.id);
    assert_eq!(prompt, Some(PromptId::ClearSpin));
    world.press(InLine::Tumble);
    world.pass(5000);
    assert!(world.reply(request).is_none() && !has_moved(&world, from));
    world.cover();
    assert!(world.until(1000, World::asks_for_press));
    world.pass(8000);
    world.press(InLine::Tumble);
    world.pass(500);
    assert!(motor(&world));
    assert!(world.until(10_000, |w| matches!(w.reply(request), Some(Answer::Done(_)))));
}
