//! Nothing moves by a command alone: a test's spin begins by a press of `tumble` at the table, within 10 s of being asked for, and
//! "No spin" stops it (design.md, Motion by command).

use crate::world;

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

/// How often the motor was switched on from this step of the history on.
fn switched_on(world: &World, from: usize) -> usize {
    let effects = world.history[from..].iter().flat_map(|(_, effects)| effects);
    let starts =
        |e: &&Effect| matches!(e, Effect::Set(drive) if drive.line() == OutLine::MotorEnable && drive.is_active());
    effects.filter(starts).count()
}

fn has_moved(world: &World, from: usize) -> bool {
    switched_on(world, from) > 0
}

/// Gives the command and waits until the table asks for the press.
fn asked(world: &mut World, command: &Command) -> u64 {
    world.is_attended = false;
    let request = world.ask(command.clone());
    assert!(world.until(60_000, World::asks_for_press), "{command:?}: {:?}", world.table.snapshot().test);
    request
}

/// After how many steps of a millisecond such a command's test asks for the press.
fn asks_after(command: usize) -> usize {
    let (mut world, command) = commands().swap_remove(command);
    world.is_attended = false;
    world.ask(command);
    let mut steps = 0;
    while !world.asks_for_press() {
        world.pass(1);
        steps += 1;
    }
    steps
}

/// Lets time pass to so many of these steps before the question.
fn just_before(world: &mut World, asks_after: usize, before: usize) {
    (before..asks_after).for_each(|_| world.pass(1));
    assert!(!world.asks_for_press());
}

/// The test is over without success: the answer, or the report, says this.
fn failed(world: &World, request: u64, command: &Command, why: &str) {
    let answer = world.reply(request).unwrap_or_else(|| panic!("{command:?} is not answered"));
    let said = match answer {
        Answer::Refused { why: said, .. } => said.contains(why),
        Answer::Done(_) => world.has(|e| matches!(e, Event::HardwareTested(report) if report.found.contains(why))),
    };
    assert!(said, "{command:?}: {answer:?}, {:?}", world.records.last());
}

/// Nobody pressed within 10 s of `began`, so the test fails; and then somebody does press, too late.
fn given_up(world: &mut World, request: u64, command: &Command, began: u64) {
    let moved = world.history.len();
    assert!(world.until(20_000, |w| w.reply(request).is_some()), "{command:?}");
    let waited = (world.now.0 - began) / 1_000_000;
    assert!((9_900..=10_200).contains(&waited), "{command:?}: {waited} ms");
    failed(world, request, command, NOBODY);
    assert!(!has_moved(world, moved), "{command:?}");
    world.press(InLine::Tumble);
    world.pass(2000);
}

#[test]
fn nobody_at_the_table_means_no_motion() {
    for (mut world, command) in commands() {
        let from = world.history.len();
        let request = asked(&mut world, &command);
        let began = world.now.0;
        given_up(&mut world, request, &command, began);
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

/// What stands in the way is put right first; then the table asks again, within the same 10 s.
#[test]
fn what_stands_in_the_way_withdraws_the_question() {
    let mut world = closed();
    let from = world.history.len();
    let request = asked(&mut world, &Command::Open { name: name() });
    world.pass(2000);
    world.lift();
    let prompt = world.table.snapshot().prompt.map(|prompt| prompt.id);
    assert_eq!(prompt, Some(PromptId::ClearSpin));
    world.press(InLine::Tumble);
    world.pass(3000);
    assert!(world.reply(request).is_none() && !has_moved(&world, from));
    world.cover();
    world.press(InLine::Tumble);
    assert!(world.until(1000, World::asks_for_press));
    assert!(!has_moved(&world, from), "a press from before the table asked again does not count");
    world.pass(2000);
    world.press(InLine::Tumble);
    world.pass(500);
    assert!(motor(&world));
    assert!(world.until(10_000, |w| matches!(w.reply(request), Some(Answer::Done(_)))));
}

/// SECURITY.md, "What counts": without a press within the 10 s before, nothing moves. A guard line that chatters does not put them off,
/// and does not show people something new with every break.
#[test]
fn nothing_that_comes_and_goes_extends_the_question() {
    let breaks = [(InLine::PowerGood, 700, 1500), (InLine::Seal, 300, 20_000), (InLine::DomeOpen, 5000, 600_000)];
    for (at, (line, away, whole)) in (0..commands().len()).flat_map(|at| breaks.map(|way| (at, way))) {
        let (mut world, command) = commands().swap_remove(at);
        let request = asked(&mut world, &command);
        let (from, began) = (world.history.len(), world.now.0);
        let rest = world.lines[line.index()];
        let mut shown = world.table.revision();
        let mut changes = 0;
        while world.reply(request).is_none() && world.now.0 < began + 30_000_000_000 {
            for (active, micros) in [(!rest, away), (rest, whole)] {
                world.line(line, active);
                world.pass_nanos(micros * 1000);
                changes += u32::from(core::mem::replace(&mut shown, world.table.revision()) != shown);
            }
        }
        let waited = (world.now.0 - began) / 1_000_000;
        assert!((9_900..=10_700).contains(&waited), "{command:?}, {line:?}: {waited} ms");
        assert!(changes < 150, "{command:?}, {line:?}: {changes} changes are shown");
        world.press(InLine::Tumble);
        world.pass(2000);
        assert!(!has_moved(&world, from), "{command:?}");
    }
}

/// virtual-wire.md, Motor guard: a loose contact is known by its fourth break in a spin. So the table asks for the spin although the
/// line flickers, and the press that answers starts it.
#[test]
fn a_flicker_withdraws_no_question() {
    let mut world = closed();
    let request = asked(&mut world, &Command::Open { name: name() });
    world.pass(100);
    let shown = world.table.revision();
    for _ in 0..30 {
        world.line(InLine::Seal, false);
        world.pass(1);
        world.line(InLine::Seal, true);
        world.pass(39);
    }
    assert!(world.asks_for_press());
    assert!(world.table.revision() - shown < 10, "no break is shown");
    world.line(InLine::Tumble, true);
    for _ in 0..100 {
        world.pass(39);
        world.line(InLine::Seal, false);
        world.pass(1);
        world.line(InLine::Seal, true);
    }
    world.line(InLine::Tumble, false);
    assert!(matches!(world.reply(request), Some(Answer::Refused { .. })), "{:?}", world.reply(request));
    assert_eq!(world.latched(), [Code::Seal]);
}

/// A press is what comes after the question: who leans on the button since before it, or whose contact is shorted, has answered
/// nothing. Let go and pressed anew, it counts.
#[test]
fn a_button_that_is_held_since_before_the_question_begins_nothing() {
    for at in 0..commands().len() {
        let asks_after = asks_after(at);
        for button in [InLine::Tumble, InLine::NoSpin] {
            let (mut world, command) = commands().swap_remove(at);
            let from = world.history.len();
            world.is_attended = false;
            // Not for so long that it is stuck.
            let is_slow = asks_after > 500;
            world.line(button, !is_slow);
            world.pass(100);
            let request = world.ask(command.clone());
            if is_slow {
                just_before(&mut world, asks_after, 500);
            }
            world.line(button, true);
            world.pass(1000);
            assert!(!world.asks_for_press() && world.reply(request).is_none(), "{command:?}");
            let prompt = world.table.snapshot().prompt.unwrap();
            assert_eq!(prompt.id, PromptId::ClearSpin, "{command:?}");
            assert!(prompt.text.contains(&format!("the button {} is held: let it go", button.name())), "{prompt:?}");
            world.pass(3000);
            assert!(world.latched().iter().all(|code| *code != Code::Buttons), "{command:?}");
            // A contact that bounces on the way.
            for _ in 0..5 {
                world.line(button, false);
                world.pass(5);
                world.line(button, true);
                world.pass(5);
            }
            assert!(!world.asks_for_press() && !has_moved(&world, from), "{command:?}");
            world.line(button, false);
            assert!(world.until(100, World::asks_for_press), "{command:?}: {:?}", world.table.snapshot().test);
            assert!(!has_moved(&world, from), "{command:?}");
            world.press(InLine::Tumble);
            world.pass(500);
            assert!(motor(&world), "{command:?}");
        }
    }
}

/// The edge counts, and not the debounced level 20 ms later.
#[test]
fn a_press_just_before_the_question_begins_nothing() {
    for at in 0..commands().len() {
        let asks_after = asks_after(at);
        for before in [2, 10, 19, 25].into_iter().filter(|before| *before < asks_after) {
            let (mut world, command) = commands().swap_remove(at);
            let from = world.history.len();
            world.is_attended = false;
            world.ask(command.clone());
            just_before(&mut world, asks_after, before);
            world.line(InLine::Tumble, true);
            world.pass(60);
            world.line(InLine::Tumble, false);
            world.pass(500);
            assert!(world.asks_for_press() && !has_moved(&world, from), "{command:?}, {before} ms before");
        }
    }
}

/// What breaks and makes by itself is no person: while `buttons` is latched no press begins anything, and its reset needs none.
#[test]
fn a_button_that_is_not_to_be_relied_on_begins_nothing() {
    let mut world = maintained("nz-div9", "nz-div9-1");
    let from = world.history.len();
    world.is_attended = false;
    let command = Command::HardwareTest { test: HardwareTest::Motor, name: name() };
    world.line(InLine::Tumble, true);
    world.pass(3000);
    // Stuck while the table waits for it to be let go.
    let request = world.ask(command.clone());
    assert!(world.until(5000, |w| w.reply(request).is_some()));
    failed(&world, request, &command, "malfunction buttons is latched (the button tumble is stuck): reset it first");
    let request = world.ask(command.clone());
    world.pass(100);
    for _ in 0..100 {
        world.line(InLine::Tumble, false);
        world.pass(30);
        world.line(InLine::Tumble, true);
        world.pass(30);
    }
    failed(&world, request, &command, "malfunction buttons is latched");
    assert!(!has_moved(&world, from));
    world.line(InLine::Tumble, false);
    world.turn_key();
    world.ask(Command::Maintenance { on: false, name: name() });
    let request = world.ask(Command::Reset { code: Code::Buttons, exit: Exit::Rectified, name: name() });
    assert!(world.until(10_000, |w| w.reply(request).is_some()));
    assert!(matches!(world.reply(request), Some(Answer::Done(_))), "{:?}", world.reply(request));
}

/// A bouncing contact is one press, and one press is one spin: the one that bounces on begins no other.
#[test]
fn a_press_that_bounces_is_one_press() {
    for (mut world, command) in commands() {
        let request = asked(&mut world, &command);
        let from = world.history.len();
        for _ in 0..4 {
            world.line(InLine::Tumble, true);
            world.pass(6);
            world.line(InLine::Tumble, false);
            world.pass(6);
        }
        assert!(!has_moved(&world, from), "{command:?}");
        world.line(InLine::Tumble, true);
        world.pass(60);
        assert!(motor(&world), "{command:?}");
        world.line(InLine::Tumble, false);
        world.pass(10);
        world.line(InLine::Tumble, true);
        world.pass(60);
        world.line(InLine::Tumble, false);
        assert!(world.until(60_000, |w| w.reply(request).is_some()), "{command:?}");
        assert_eq!(switched_on(&world, from), 1, "{command:?}");
    }
}

/// One test at a time: a second command while one waits is refused, and neither delays the first nor begins anything.
#[test]
fn a_second_command_while_one_waits_is_refused() {
    for (mut world, command) in commands() {
        let first = asked(&mut world, &command);
        let from = world.history.len();
        let began = world.now.0;
        world.pass(3000);
        for (_, second) in commands() {
            let request = world.ask(second.clone());
            assert!(matches!(world.reply(request), Some(Answer::Refused { .. })), "{second:?} in {command:?}");
        }
        assert!(world.asks_for_press() && !has_moved(&world, from), "{command:?}");
        given_up(&mut world, first, &command, began);
        assert!(!has_moved(&world, from), "{command:?}");
    }
}

/// The key lets the command in, and the press moves: a key that is turned back moves nothing, and takes nothing back.
#[test]
fn the_key_moves_nothing_by_itself() {
    for (mut world, command) in commands() {
        let request = asked(&mut world, &command);
        let from = world.history.len();
        for _ in 0..3 {
            world.turn_key();
        }
        world.line(InLine::SupervisorKey, true);
        world.pass(2000);
        assert!(!has_moved(&world, from), "{command:?}");
        world.line(InLine::SupervisorKey, false);
        world.pass(100);
        assert!(world.asks_for_press() && !has_moved(&world, from), "{command:?}");
        world.press(InLine::Tumble);
        world.pass(200);
        assert!(motor(&world), "{command:?}");
        assert!(world.until(60_000, |w| w.reply(request).is_some()), "{command:?}");
    }
}

/// A test that was called off, or that a restart ended, waits for nobody.
#[test]
fn what_was_called_off_waits_for_nobody() {
    for (mut world, command) in commands() {
        let from = world.history.len();
        asked(&mut world, &command);
        world.ask(Command::Close { name: name() });
        world.pass(100);
        assert!(!world.asks_for_press(), "{command:?}");
        world.press(InLine::Tumble);
        world.pass(2000);
        assert!(!has_moved(&world, from), "{command:?}");
    }
    for (mut world, command) in commands() {
        asked(&mut world, &command);
        world.restart(false);
        world.pass(2000);
        assert!(!world.asks_for_press(), "{command:?}");
        world.press(InLine::Tumble);
        world.pass(2000);
        assert!(!has_moved(&world, 0), "{command:?}");
    }
}
