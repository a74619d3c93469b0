//! Presses of the dealer's buttons about the moment in which a round ends.

use crate::world;

use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::record::Event;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::wire::console::{Answer, Command, Exit};
use world::play::opened;
use world::{SUPERVISOR, World};

/// A line that people touch comes on and off for so many milliseconds each, for so long.
fn chatter(world: &mut World, line: InLine, on: u64, off: u64, ms: u64) {
    let end = world.now.0 + ms * 1_000_000;
    while world.now.0 < end {
        world.line(line, true);
        world.pass(on);
        world.line(line, false);
        world.pass(off);
    }
}

/// What the next so many milliseconds of such a chatter have recorded of presses and turns.
fn records_of(world: &mut World, line: InLine, on: u64, off: u64, ms: u64) -> usize {
    let from = world.records.len();
    chatter(world, line, on, off, ms);
    let of_hands = |e: &&Event| {
        matches!(
            e,
            Event::Called { .. }
                | Event::Refused { .. }
                | Event::KeyTurned
                | Event::RoundBegan { .. }
                | Event::SpinBegan
                | Event::Latched { .. }
        )
    };
    world.records[from..].iter().map(|record| &record.event).filter(of_hands).count()
}

/// SECURITY.md, "What counts": a line outside fills no disk. A contact that comes on faster than a hand presses, for longer than a hand
/// does, latches as a stuck one, and writes nothing after that.
#[test]
fn what_chatters_slowly_latches_once_and_writes_no_stream() {
    for (line, code) in
        InLine::BUTTONS.map(|b| (b, Code::Buttons)).into_iter().chain([(InLine::SupervisorKey, Code::Key)])
    {
        for (on, off) in [(22, 22), (22, 400), (1000, 400), (200, 4000)] {
            let mut world = opened("nz-div9", "nz-div9-1");
            chatter(&mut world, line, on, off, 40 * (on + off));
            // A key that is off for less than a hand takes to turn it was never turned back.
            let turned = code == Code::Buttons || off > 300;
            assert_eq!(world.latched().contains(&code), turned, "{line:?} {on}/{off}: {:?}", world.latched());
            world.pass(200);
            let shown = world.table.revision();
            assert_eq!(
                records_of(&mut world, line, on, off, 20_000),
                0,
                "{line:?} {on}/{off}: {:?}",
                world.records.last()
            );
            assert!(world.table.revision() - shown < 100, "{line:?} {on}/{off}");
            let latches = world.events().filter(|e| matches!(e, Event::Latched { code: c, .. } if *c == code)).count();
            assert_eq!(latches, usize::from(turned), "{line:?} {on}/{off}");
        }
        // Bursts with a rest between them: one press of each.
        let mut world = opened("nz-div9", "nz-div9-1");
        for _ in 0..5 {
            chatter(&mut world, line, 30, 400, 40 * 430);
            world.pass(6000);
        }
        assert!(records_of(&mut world, line, 30, 400, 40 * 430) <= 3, "{line:?}: {:?}", world.records);
    }
}

/// faults.md key.stuck_on: the privilege lapses after 5 min, and `key` latches after 30 min, also where the contact of the key breaks for
/// less than a hand takes to turn it.
#[test]
fn a_loose_contact_of_a_key_left_turned_renews_nothing() {
    for off in [30, 250] {
        let mut world = opened("nz-div9", "nz-div9-1");
        world.pass(1000);
        let turns = |w: &World| w.events().filter(|e| matches!(e, Event::KeyTurned)).count();
        let before = turns(&world);
        let began = world.now.0;
        while world.now.0 < began + 295_000_000_000 {
            world.line(InLine::SupervisorKey, true);
            world.pass(3000);
            world.line(InLine::SupervisorKey, false);
            world.pass(off);
        }
        assert!(world.table.snapshot().key && turns(&world) == before + 1);
        while world.now.0 < began + 305_000_000_000 {
            chatter(&mut world, InLine::SupervisorKey, 3000, off, 1);
        }
        assert!(!world.table.snapshot().key, "the privilege lapses after 5 min");
        while world.now.0 < began + 1_790_000_000_000 {
            chatter(&mut world, InLine::SupervisorKey, 3000, off, 1);
        }
        assert_eq!(world.latched(), []);
        while world.now.0 < began + 1_810_000_000_000 {
            chatter(&mut world, InLine::SupervisorKey, 3000, off, 1);
        }
        assert_eq!((world.latched(), turns(&world)), (vec![Code::Key], before + 1));
        // Turned back by a hand, and on again: a new turn.
        world.pass(400);
        world.turn_key();
        world.pass(300);
        assert!(world.table.snapshot().key && turns(&world) == before + 2);
    }
}

/// A hand that presses twice, or hammers on a button for some seconds, latches nothing: neither does a whole evening of it.
#[test]
fn a_hand_stays_far_below() {
    let mut world = opened("nz-div9", "nz-div9-1");
    for _ in 0..40 {
        for line in [InLine::PlaceBets, InLine::Tumble, InLine::SupervisorKey] {
            chatter(&mut world, line, 60, 340, 5 * 400);
        }
        world.pass(5000);
    }
    assert_eq!(world.latched(), []);
}

/// table.md, Malfunctions: `buttons` is rectified where none is held or chatters, `key` by a new turn of it. A contact that goes on
/// chattering is rectified by no pause of its own.
#[test]
fn what_chattered_is_rectified_by_a_rest() {
    let reset = |world: &mut World, code, chatters: Option<InLine>| {
        let request = world.ask(Command::Reset { code, exit: Exit::Rectified, name: SUPERVISOR.into() });
        chatters.into_iter().for_each(|line| chatter(world, line, 30, 400, 7000));
        assert!(world.until(10_000, |w| w.reply(request).is_some()));
        matches!(world.reply(request), Some(Answer::Done(_)))
    };
    for (line, code) in [(InLine::NoMoreBets, Code::Buttons), (InLine::SupervisorKey, Code::Key)] {
        let mut world = opened("nz-div9", "nz-div9-1");
        chatter(&mut world, line, 30, 400, 40 * 430);
        assert_eq!(world.latched(), [code]);
        if code == Code::Buttons {
            world.turn_key();
            chatter(&mut world, line, 30, 400, 3000);
        }
        assert!(!reset(&mut world, code, Some(line)), "it chatters");
        if code == Code::Key {
            world.pass(6000);
        }
        world.turn_key();
        assert!(reset(&mut world, code, None), "{:?}", world.replies.last());
        assert_eq!(world.latched(), []);
    }
}

/// NZ 6.1, 7.1; design.md, Buttons and key: a press acts once it is debounced, and presses act in the order of their edges. A dealer
/// who announces "No spin" and presses the tumbler's button 10 ms later ends one round and begins the next.
#[test]
fn a_press_debounced_just_after_the_rounds_end_begins_the_next() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.press(InLine::PlaceBets);
    world.line(InLine::NoSpin, true);
    world.pass(10);
    world.line(InLine::Tumble, true);
    world.pass(15);
    assert_eq!(world.first_void().map(|void| void.reason), Some(VoidReason::NeverActivated));
    assert_eq!(world.events().filter(|e| matches!(e, Event::RoundBegan { .. })).count(), 1, "not debounced yet");
    world.pass(20);
    assert_eq!(world.events().filter(|e| matches!(e, Event::RoundBegan { .. })).count(), 2);
    assert!(!world.has(|e| matches!(e, Event::Refused { .. })));
}

/// The same presses the other way about: the round in progress has had its spin, and is void after that.
#[test]
fn a_press_debounced_just_before_the_rounds_end_is_refused() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.spin();
    world.line(InLine::Tumble, true);
    world.pass(10);
    world.line(InLine::NoSpin, true);
    world.pass(40);
    assert!(world.has(|e| matches!(e, Event::Refused { what, .. } if what == "tumble")));
    assert!(world.first_void().is_some());
    assert_eq!(world.events().filter(|e| matches!(e, Event::RoundBegan { .. })).count(), 1);
}
