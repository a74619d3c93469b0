//! De-energise at once; make durable; then energise, light and publish: a round in which the disk hangs at every step
//! in turn while something changes, for every order of play.

use crate::world;

use tumbler_core::effect::{BusOp, Effect};
use tumbler_core::input::Input;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::Event;
use tumbler_core::rules;
use tumbler_core::snapshot::Phase;
use tumbler_core::wire::registers::lamps;
use world::{World, settings};

type Step = fn(&mut World);

fn open(w: &mut World) {
    w.open();
}
fn tumble(w: &mut World) {
    w.press(InLine::Tumble);
    w.pass(4500);
}
fn place(w: &mut World) {
    w.press(InLine::PlaceBets);
}
fn close(w: &mut World) {
    w.press(InLine::NoMoreBets);
}
fn lift(w: &mut World) {
    w.lift();
    w.pass(500);
}
fn entry(w: &mut World) {
    w.entry([1, 3, 6]);
    w.pass(300);
}
fn all_paid(w: &mut World) {
    w.all_paid();
}

/// What may change while the disk writes.
const CHANGES: [(&str, Step); 9] = [
    ("nothing", |_| {}),
    ("dome away", |w| w.lift()),
    ("dome contact breaks", |w| w.line(InLine::DomeClosed, false)),
    ("seal", |w| w.line(InLine::Seal, false)),
    ("driver fault", |w| w.line(InLine::MotorFault, true)),
    ("supply", |w| w.line(InLine::PowerGood, false)),
    ("no spin", |w| w.press(InLine::NoSpin)),
    ("lines lost", |w| w.input(Input::LinesLost { reason: "gone".into() })),
    ("disk fails", |w| w.input(Input::JournalFailed { reason: "input/output error".into() })),
];

/// What energises, lights or strikes needs its record durable, and its guards good at that very moment.
fn watch(w: &World, effect: &Effect) {
    let durable = |found: fn(&Event) -> bool| w.records.iter().any(|r| r.seq <= w.durable && found(&r.event));
    match effect {
        Effect::Set(drive) if drive.line() == OutLine::MotorEnable && drive.is_active() => {
            assert!(durable(|e| matches!(e, Event::SpinBegan | Event::TestBegan { .. })));
            let good = w.lines[InLine::Seal.index()] && w.lines[InLine::PowerGood.index()] && !w.lines[0];
            assert!(good, "the motor starts though a guard is away");
        }
        Effect::Set(drive) if drive.line() == OutLine::Bell && drive.is_active() => {
            assert!(durable(|e| matches!(e, Event::Called { .. } | Event::TestBegan { .. })));
        }
        Effect::Bus(request) if request.unit == lamps::FIRST_UNIT => {
            if let BusOp::WriteCoils { bits: 1.., .. } = request.op {
                let result = w.table.standing().round.is_some_and(|round| round.result.is_some());
                let lit = result || w.table.snapshot().test.is_some();
                assert!(lit, "lamps light without a result");
                assert!(durable(|e| matches!(e, Event::Result { .. } | Event::TestBegan { .. })));
            }
        }
        _ => {}
    }
}

#[test]
fn every_commit_delayed_at_every_step_while_guards_change() {
    let mut played = 0;
    for (layout, steps) in [
        ("nz-1998", [open as Step, tumble, place, close, lift, entry, all_paid]),
        ("sg-v6-1", [open, place, close, tumble, lift, entry, all_paid]),
        ("sg-open-1", [open, place, close, tumble, lift, entry, all_paid]),
    ] {
        let layout = rules::layout(layout).unwrap();
        let mut world = World::new(settings(&layout.rules, &layout.id));
        world.watch = watch;
        world.pass(2000);
        for held in 1..steps.len() {
            let mut before = world.clone();
            for step in &steps[..held] {
                step(&mut before);
            }
            for (_, change) in CHANGES {
                let mut w = before.clone();
                w.disk = false;
                steps[held](&mut w);
                let running = w.outs[OutLine::MotorEnable.index()];
                assert!(!running, "nothing runs before its record is durable");
                change(&mut w);
                w.pass(300);
                w.disk = true;
                w.commit();
                for step in &steps[held..] {
                    step(&mut w);
                }
                let began = w.events().filter(|e| matches!(e, Event::RoundBegan { .. })).count();
                let ended = w.events().filter(|e| matches!(e, Event::Settled { .. } | Event::Voided(_))).count();
                assert!(ended <= began && began <= ended + 1);
                played += 1;
            }
        }
    }
    assert_eq!(played, 3 * 6 * 9);
}

/// design.md rule 2: make durable, then publish. Beside a disk that never catches up people still see the table, two commits late and
/// never ahead of the journal.
#[test]
fn a_disk_that_is_always_behind_does_not_freeze_the_picture() {
    let mut world = World::new(settings("sg-v6", "sg-v6-1"));
    world.pass(2000);
    world.open();
    let (mut revision, mut seen) = (world.table.revision(), world.table.snapshot());
    world.disk = false;
    place(&mut world);
    for commits in 0..6 {
        if revision != world.table.revision() {
            (revision, seen) = (world.table.revision(), world.table.snapshot());
        }
        assert!(seen.seq <= world.durable);
        assert_eq!(seen.phase == Phase::Betting, commits >= 2, "{:?} after {commits} commits", seen.phase);
        // A second call out of turn: another record, before the disk has caught up.
        place(&mut world);
        world.pass(1000);
        world.commit_first();
        assert!(!world.commits.is_empty());
    }
    world.commit();
    assert_eq!(world.table.snapshot().seq, world.durable);
}
