//! The hardware test of the buttons and the key (hardware-tests.md): what is asked for, what is found by name, and that nothing in it
//! commands anything.

use crate::world;

use tumbler_core::hardware_test::{HardwareTest, Quantity, Report, Verdict};
use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::prompt::PromptId;
use tumbler_core::record::Event;
use tumbler_core::wire::console::{Answer, Command};
use world::World;

const ASKED: [InLine; 5] =
    [InLine::Tumble, InLine::PlaceBets, InLine::NoMoreBets, InLine::NoSpin, InLine::SupervisorKey];

/// A table in maintenance whose test of the buttons has begun.
fn begun() -> World {
    let mut world = world::play::maintained("nz-div9", "nz-div9-1");
    world.pass(1000);
    world.ask(Command::HardwareTest { test: HardwareTest::Buttons, name: "teo".into() });
    world.pass(300);
    world
}

/// What is asked for now, as programs and as people read it.
fn asks(world: &World) -> (PromptId, String, String) {
    let prompt = world.table.snapshot().prompt.unwrap();
    (prompt.id, prompt.of.concat(), prompt.text.split_once(": ").unwrap().1.to_owned())
}

fn report(world: &World) -> Option<&Report> {
    world.events().find_map(|event| match event {
        Event::HardwareTested(report) => Some(&**report),
        _ => None,
    })
}

fn value(report: &Report, quantity: Quantity) -> (i64, Verdict) {
    let found = report.measurements.iter().find(|m| m.quantity == quantity);
    found.map(|m| (m.value, m.verdict)).unwrap_or_else(|| panic!("{quantity:?} in {report:?}"))
}

/// Waits for the report, for which nobody does anything more.
fn ended(world: &mut World, within_ms: u64) -> Report {
    assert!(world.until(within_ms, |w| report(w).is_some()), "the test ends: {:?}", world.table.snapshot().test);
    let motor = |line| world.outs[OutLine::index(line)];
    assert!(!motor(OutLine::MotorEnable) && !world.has(|e| matches!(e, Event::Called { .. } | Event::Refused { .. })));
    report(world).unwrap().clone()
}

/// hardware-tests.md: each is asked for and let go of, in the order of the table's buttons, the key last.
#[test]
fn each_is_pressed_as_asked_and_none_of_it_commands_anything() {
    let mut world = begun();
    let turns = world.events().filter(|e| matches!(e, Event::KeyTurned)).count();
    for (n, line) in ASKED.into_iter().enumerate() {
        let (id, of, text) = asks(&world);
        if line == InLine::SupervisorKey {
            assert_eq!((id, text.as_str()), (PromptId::TurnKey, "turn the supervisor's key within 10 s"));
        } else {
            assert_eq!((id, of.as_str(), text), (PromptId::Button, line.name(), format!("press {of} within 10 s")));
        }
        world.line(line, true);
        world.pass(60);
        let (id, of, text) = asks(&world);
        if line == InLine::SupervisorKey {
            assert_eq!((id, text.as_str()), (PromptId::TurnKeyBack, "turn the supervisor's key back within 10 s"));
        } else {
            assert_eq!((id, of.as_str(), text), (PromptId::LetGo, line.name(), format!("let go of {of} within 5 s")));
        }
        world.pass(40 + n as u64);
        world.line(line, false);
        world.pass(60);
    }
    world.pass(500);
    let found = ended(&mut world, 20);
    assert_eq!((found.verdict, found.found.as_str()), (Verdict::Pass, ""), "{found:?}");
    let all = [Quantity::ButtonsPressed, Quantity::ButtonsWrong, Quantity::ButtonsTogether, Quantity::ButtonHold];
    assert_eq!(all.map(|of| value(&found, of).0), [5, 0, 0, 103_000]);
    let all = [Quantity::ButtonBounce, Quantity::ButtonBounces, Quantity::ButtonFlickers];
    assert_eq!(all.map(|of| value(&found, of).0), [0, 0, 0]);
    assert_eq!(world.events().filter(|e| matches!(e, Event::KeyTurned)).count(), turns, "no privilege is given");
    assert!(!world.has(|e| matches!(e, Event::RoundBegan { .. } | Event::SpinBegan | Event::Opened { .. })));
}

/// design.md, Buttons and key: a turn gives five minutes of privilege; one that a test asked for gives none.
#[test]
fn a_turn_in_the_test_gives_no_privilege() {
    let mut world = world::play::maintained("nz-div9", "nz-div9-1");
    world.pass(290_000);
    world.ask(Command::HardwareTest { test: HardwareTest::Buttons, name: "teo".into() });
    world.pass(300);
    ASKED.into_iter().for_each(|line| world.press(line));
    assert_eq!(ended(&mut world, 1000).verdict, Verdict::Pass);
    world.pass(15_000);
    let again = world.ask(Command::HardwareTest { test: HardwareTest::Bus, name: "teo".into() });
    assert!(
        matches!(world.reply(again), Some(Answer::Refused { why, .. }) if why.contains("turn the supervisor's key"))
    );
}

/// What was pressed in the test and is held when it ends acts on nothing afterwards.
#[test]
fn a_press_that_outlasts_the_test_commands_nothing() {
    let mut world = begun();
    world.line(InLine::Tumble, true);
    world.pass(100);
    world.ask(Command::Close { name: "teo".into() });
    let found = ended(&mut world, 500);
    assert_eq!(found.verdict, Verdict::Fail);
    assert!(found.found.contains("called off"), "{found:?}");
    world.pass(1000);
    world.line(InLine::Tumble, false);
    world.pass(1000);
    assert!(!world.has(|e| matches!(e, Event::Refused { .. } | Event::Called { .. } | Event::SpinBegan)));
}

/// Nobody comes: each is named, and the test ends all the same.
#[test]
fn what_nobody_presses_is_named_in_bounded_time() {
    let mut world = begun();
    let found = ended(&mut world, 51_000);
    assert_eq!(found.verdict, Verdict::Fail);
    for line in ASKED {
        assert!(found.found.contains(&format!("{} was not seen within 10 s", line.name())), "{found:?}");
    }
    assert_eq!(value(&found, Quantity::ButtonsPressed), (0, Verdict::Fail));
    assert!(world.latched().is_empty());
}

/// Presses what is asked for, as a person at a table would whose buttons do `wired`.
fn attended(wired: impl Fn(&mut World, InLine)) -> (World, Report) {
    let mut world = begun();
    for line in ASKED {
        let name = line.name();
        let asked = |w: &World| match w.table.snapshot().prompt {
            Some(prompt) => match prompt.id {
                PromptId::Button => prompt.of.concat() == name,
                PromptId::TurnKey => line == InLine::SupervisorKey,
                _ => false,
            },
            None => true,
        };
        assert!(world.until(60_000, asked), "{name} is asked for");
        wired(&mut world, line);
    }
    let report = ended(&mut world, 60_000);
    (world, report)
}

/// hardware-tests.md: a wire that is broken, crossed or bridged is found by its name.
#[test]
fn what_is_wired_wrong_is_named() {
    let (_, broken) = attended(|w, line| {
        if line != InLine::NoSpin {
            w.press(line)
        }
    });
    assert!(
        broken.found.contains("no_spin was not seen within 10 s") && !broken.found.contains("tumble"),
        "{broken:?}"
    );
    assert_eq!(value(&broken, Quantity::ButtonsPressed), (4, Verdict::Fail));

    let (_, crossed) = attended(|w, line| {
        w.press(match line {
            InLine::Tumble => InLine::NoMoreBets,
            InLine::NoMoreBets => InLine::Tumble,
            other => other,
        });
    });
    assert!(crossed.found.contains("tumble and no_more_bets are crossed"), "{crossed:?}");
    assert_eq!((crossed.verdict, value(&crossed, Quantity::ButtonsWrong).0), (Verdict::Fail, 2));
    assert!(!crossed.found.contains("no_spin") && !crossed.found.contains("not seen"), "{crossed:?}");

    let (_, bridged) = attended(|w, line| {
        w.line(InLine::PlaceBets, line == InLine::Tumble || line == InLine::PlaceBets);
        w.press(line);
        w.line(InLine::PlaceBets, false);
        w.pass(60);
    });
    assert!(bridged.found.contains("place_bets came on together with tumble"), "{bridged:?}");
    assert_eq!(value(&bridged, Quantity::ButtonsTogether), (1, Verdict::Fail));
}

/// hardware-tests.md: a button that came on instead of another is named whenever it came; one slip is marginal, and no failure.
#[test]
fn a_slip_is_named_and_fails_nothing() {
    let slips = |line: InLine| {
        attended(move |w, asked| {
            if asked == line {
                w.press(InLine::PlaceBets);
            }
            w.press(asked);
        })
    };
    for line in [InLine::Tumble, InLine::NoSpin, InLine::SupervisorKey] {
        let (world, slip) = slips(line);
        let named = format!("place_bets came on when {} was asked for", line.name());
        assert!(slip.found.starts_with(&named) && !slip.found.contains(';'), "{slip:?}");
        assert_eq!((slip.verdict, value(&slip, Quantity::ButtonsWrong)), (Verdict::Marginal, (1, Verdict::Marginal)));
        let told = world.replies.iter().find_map(|(_, answer)| match answer {
            Answer::Done(told) if told.starts_with("buttons: ") => Some(told.clone()),
            _ => None,
        });
        assert_eq!(told, Some(format!("buttons: marginal: {}", slip.found)));
    }

    // What was called off names it too, and has failed.
    let mut world = begun();
    world.press(InLine::PlaceBets);
    world.ask(Command::Close { name: "teo".into() });
    let found = ended(&mut world, 500);
    assert_eq!(found.verdict, Verdict::Fail);
    assert!(found.found.contains("called off") && found.found.contains("place_bets came on when tumble"), "{found:?}");
}

/// faults.md button.stuck_*, key.stuck_on: named, and a stuck button is latched as whoever finds it would (NZ 7.4).
#[test]
fn what_sticks_is_named() {
    let (world, stuck) = attended(|w, line| {
        if line == InLine::PlaceBets {
            w.line(line, true);
        } else {
            w.press(line);
        }
    });
    assert!(stuck.found.contains("place_bets did not come off within 5 s"), "{stuck:?}");
    assert_eq!((value(&stuck, Quantity::ButtonsPressed).0, world.latched()), (4, vec![Code::Buttons]));
    assert_eq!(value(&stuck, Quantity::ButtonHold).1, Verdict::Fail);

    let (world, key) = attended(|w, line| match line {
        InLine::SupervisorKey => w.line(line, true),
        _ => w.press(line),
    });
    assert!(key.found.contains("supervisor_key did not come off within 10 s"), "{key:?}");
    assert!(world.latched().is_empty(), "30 min, and not sooner");
}

/// faults.md key.stuck_on: a key that stays turned in a test is stuck after 30 min, as any other.
#[test]
fn a_key_that_stays_turned_in_the_test_is_latched_in_its_time() {
    let mut world = begun();
    ASKED[..4].iter().for_each(|line| world.press(*line));
    world.line(InLine::SupervisorKey, true);
    ended(&mut world, 11_000);
    world.pass(1_780_000);
    assert!(world.latched().is_empty());
    world.pass(15_000);
    assert_eq!(world.latched(), [Code::Key]);
}

/// faults.md button.chatter_*: no level lasts for 20 ms.
#[test]
fn a_contact_that_chatters_or_bounces_is_named() {
    let (_, chatter) = attended(|w, line| {
        for _ in 0..5 {
            w.line(InLine::NoMoreBets, true);
            w.pass(8);
            w.line(InLine::NoMoreBets, false);
            w.pass(30);
        }
        w.press(line);
    });
    assert!(chatter.found.contains("no_more_bets flickered 25 times"), "{chatter:?}");
    assert_eq!(value(&chatter, Quantity::ButtonFlickers), (25, Verdict::Fail));

    let bounces = |times: u64, apart: u64| {
        attended(move |w, line| {
            for _ in 0..if line == InLine::Tumble { times } else { 0 } {
                w.line(line, true);
                w.pass(apart);
                w.line(line, false);
                w.pass(apart);
            }
            w.press(line);
        })
        .1
    };
    let good = bounces(3, 1);
    assert!((6_000..8_000).contains(&value(&good, Quantity::ButtonBounce).0), "{good:?}");
    assert_eq!(good.verdict, Verdict::Pass);
    assert_eq!(value(&good, Quantity::ButtonBounces), (3, Verdict::Pass));
    let worn = bounces(3, 2);
    assert_eq!((value(&worn, Quantity::ButtonBounce).1, worn.found.as_str()), (Verdict::Marginal, ""));
    let bad = bounces(3, 5);
    assert_eq!(value(&bad, Quantity::ButtonBounce).1, Verdict::Fail);
    assert!(bad.found.contains("tumble bounces"), "{bad:?}");
}

/// A key that is still turned from before is to be turned back first.
#[test]
fn what_is_on_when_its_turn_comes_is_to_be_let_go_first() {
    let mut world = world::play::maintained("nz-div9", "nz-div9-1");
    world.pass(1000);
    world.line(InLine::SupervisorKey, true);
    world.pass(100);
    world.ask(Command::HardwareTest { test: HardwareTest::Buttons, name: "teo".into() });
    world.pass(300);
    ASKED[..4].iter().for_each(|line| world.press(*line));
    assert_eq!(asks(&world).0, PromptId::TurnKeyBack);
    world.line(InLine::SupervisorKey, false);
    world.pass(400);
    assert_eq!(asks(&world).0, PromptId::TurnKey);
    world.press(InLine::SupervisorKey);
    assert_eq!(ended(&mut world, 500).verdict, Verdict::Pass);
}
