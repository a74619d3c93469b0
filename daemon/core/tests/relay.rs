//! The proof of the dead-man relay: only a shaft that it stopped proves it, whatever the guard lines do meanwhile (design.md, Dead-man
//! line; faults.md deadman.stuck).

use crate::world;

use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::Event;
use tumbler_core::round::SpinEnd;
use tumbler_core::snapshot::Phase;
use tumbler_core::wire::console::{Answer, Command, Exit, Witness};
use world::play::{opened, reveal};
use world::{SUPERVISOR, World, settings};

/// Waits until the dead-man edges have ended and the relay is to stop the shaft.
fn stopping(world: &mut World) {
    assert!(world.until(60_000, |w| w.outs[OutLine::MotorEnable.index()]), "the motor starts");
    let stops =
        |w: &World| w.outs[OutLine::MotorEnable.index()] && w.last_beat.is_some_and(|b| w.now.0 > b.0 + 15_000_000);
    assert!(world.until(10_000, stops), "the stop begins");
}

fn ended(world: &mut World, request: u64) -> Answer {
    assert!(world.until(200_000, |w| w.reply(request).is_some()), "{:?}", world.table.snapshot().test);
    world.reply(request).unwrap().clone()
}

fn proves_relay(world: &World) -> bool {
    world.has(|event| matches!(event, Event::Tested { test, passed: true, .. } if test == "deadman"))
}

/// Each guard line with its rest level, and how it breaks in the stop: flickers, a break that ends the stop, and one too many.
const BREAKS: [(u64, u32); 4] = [(300, 1), (1500, 3), (4000, 1), (300, 4)];
const GUARDS: [InLine; 5] = [InLine::DomeClosed, InLine::DomeOpen, InLine::Seal, InLine::MotorFault, InLine::PowerGood];

/// NZ 5(c), design.md, Dead-man line: however a guard breaks while the relay is to stop the shaft, a welded relay opens no table, and a
/// sound one opens it unless the break ended the stop.
#[test]
fn a_break_in_the_stop_of_an_opening_proves_no_relay() {
    let mut begun = World::new(settings("nz-div9", "nz-div9-1"));
    begun.pass(2000);
    begun.turn_key();
    for welded in [true, false] {
        let mut begun = begun.clone();
        begun.welded = welded;
        let request = begun.ask(Command::Open { name: SUPERVISOR.into() });
        stopping(&mut begun);
        for line in GUARDS {
            for (micros, times) in BREAKS {
                let what = format!("welded: {welded}, {line:?} breaks {times} times for {micros} us in the stop");
                let mut world = begun.clone();
                world.breaks(line, micros, times);
                let answer = ended(&mut world, request);
                let ends_stop = micros >= 3000 || times > 3;
                assert_eq!(matches!(answer, Answer::Done(_)), !welded && !ends_stop, "{what}: {answer:?}");
                assert_eq!(proves_relay(&world), !welded && !ends_stop, "{what}");
                assert_eq!(
                    world.latched().contains(&Code::Deadman),
                    welded && !ends_stop,
                    "{what}: {:?}",
                    world.latched()
                );
                if let (Answer::Refused { why, .. }, true, false) = (answer, ends_stop, line == InLine::MotorFault) {
                    assert!(why.contains(&format!("{} broke while the dead-man relay", line.name())), "{what}: {why}");
                }
            }
        }
    }
}

/// NZ 7.4: a welded relay stays latched, whatever breaks in the stop of the spin that is to prove it.
#[test]
fn a_break_in_the_stop_rectifies_no_relay() {
    let mut begun = World::new(settings("nz-div9", "nz-div9-1"));
    begun.pass(2000);
    begun.turn_key();
    begun.welded = true;
    let request = begun.ask(Command::Open { name: SUPERVISOR.into() });
    ended(&mut begun, request);
    begun.pass(3000);
    assert_eq!(begun.latched(), [Code::Deadman]);
    begun.turn_key();
    let request = begun.ask(Command::Reset { code: Code::Deadman, exit: Exit::Rectified, name: SUPERVISOR.into() });
    let proved =
        begun.events().filter(|e| matches!(e, Event::Tested { test, passed: true, .. } if test == "deadman")).count();
    stopping(&mut begun);
    for (micros, times) in BREAKS {
        let mut world = begun.clone();
        world.breaks(InLine::Seal, micros, times);
        let answer = ended(&mut world, request);
        assert!(matches!(answer, Answer::Refused { .. }), "{micros} us: {answer:?}");
        assert!(world.latched().contains(&Code::Deadman));
        let now = world
            .events()
            .filter(|e| matches!(e, Event::Tested { test, passed: true, .. } if test == "deadman"))
            .count();
        assert_eq!(now, proved);
    }
}

/// table.md, Malfunctions: a latch for flickering in a spin is rectified by a spin in which that line does not break at all, and its
/// stop belongs to it; so does the time in which another line has cut the motor.
#[test]
fn a_line_that_breaks_in_the_stop_is_not_whole() {
    let mut begun = opened("nz-div9", "nz-div9-1");
    begun.press(InLine::Tumble);
    begun.pass(300);
    begun.breaks(InLine::Seal, 300, 4);
    begun.pass(3000);
    assert_eq!(begun.latched(), [Code::Seal]);
    begun.turn_key();
    let request = begun.ask(Command::Reset { code: Code::Seal, exit: Exit::Rectified, name: SUPERVISOR.into() });
    let asks = |w: &World| w.table.snapshot().test.is_some_and(|test| test.ends_with("witness: seal"));
    assert!(begun.until(60_000, asks));
    begun.ask(Command::Witness { item: Witness::Seal, right: true, name: SUPERVISOR.into() });
    stopping(&mut begun);
    for hidden in [false, true] {
        let mut world = begun.clone();
        world.line(InLine::PowerGood, !hidden);
        world.breaks(InLine::Seal, 300, 1);
        world.line(InLine::PowerGood, true);
        let answer = ended(&mut world, request);
        assert!(
            matches!(&answer, Answer::Refused { why, .. } if why.contains("seal broke while the tumbler ran")),
            "{answer:?}"
        );
        assert_eq!(world.latched(), [Code::Seal]);
    }
    let mut world = begun.clone();
    assert_eq!(ended(&mut world, request), Answer::Done("seal is rectified".into()));
}

/// A round whose spin is stopped by a break of this line, to its end.
fn play(world: &mut World, line: InLine, micros: u64) {
    world.press(InLine::Tumble);
    stopping(world);
    world.breaks(line, micros, 1);
    world.pass(1500);
    world.press(InLine::PlaceBets);
    world.press(InLine::NoMoreBets);
    reveal(world);
    world.entry(world.faces);
    world.all_paid();
    world.cover();
    world.pass(500);
}

/// design.md, Dead-man line: the spin counts, and its record says what stopped it. Three such spins in a row are borne, and the next one
/// latches the line. A spin that the relay stops begins the count anew, and flickers do not count.
#[test]
fn breaks_in_every_stop_latch_their_line() {
    for (line, code) in [(InLine::DomeClosed, Code::Dome), (InLine::Seal, Code::Seal), (InLine::PowerGood, Code::Gpio)]
    {
        for (micros, proved, latches) in [(4000, 9, true), (4000, 2, false), (1500, 9, false)] {
            let mut world = opened("nz-div9", "nz-div9-1");
            for round in 0..4 {
                assert_eq!(world.table.phase(), Phase::Ready, "{line:?}: {:?}", world.records);
                play(&mut world, line, if round == proved { 300 } else { micros });
            }
            let codes = if latches { vec![code] } else { vec![] };
            assert_eq!(world.latched(), codes, "{line:?}, {micros} us, proved by {proved}");
            let settled = world.events().filter(|e| matches!(e, Event::Settled { .. })).count();
            assert_eq!((settled, world.first_void()), (4, None), "{line:?}: the rules let them stand");
            let by_guard =
                |e: &&Event| matches!(e, Event::SpinEnded { valid: true, how, .. } if *how != SpinEnd::Target);
            let told = world.events().filter(by_guard).count();
            assert_eq!(
                told,
                if micros < 3000 {
                    0
                } else if proved < 4 {
                    3
                } else {
                    4
                }
            );
        }
    }
}
