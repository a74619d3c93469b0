//! What a restart carries on, and what it proves again.

use crate::world;

use tumbler_core::input::Input;
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::record::{Event, Standing};
use tumbler_core::round::{Finding, SpinEnd};
use tumbler_core::rules;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::Dice;
use tumbler_core::wire::console::{Answer, Command, Exit};
use tumbler_core::wire::registers::{reader, terminal};
use world::play::{opened, play_to_reveal, reveal, settle_round};
use world::{SUPERVISOR, World};

/// How many records of this kind there are.
fn count(world: &World, of: impl Fn(&Event) -> bool) -> usize {
    world.events().filter(|event| of(event)).count()
}

/// A table of this layout whose round has a result, and the first of its winning lamps.
fn settling(layout: &str) -> (World, u128) {
    let layout = rules::layout(layout).unwrap();
    let mut world = opened(&layout.rules, &layout.id);
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.entry([1, 3, 6]);
    world.pass(500);
    let lit = layout.lit_bits(Dice::from_pips([1, 3, 6]).unwrap());
    (world, 1 << lit.trailing_zeros())
}

/// NZ 3.3(b) and 6.5, SGV6 3.9: what was proved of the lamps before a restart is proved again before the round can end.
#[test]
fn lamps_of_a_result_are_proved_anew_after_a_restart() {
    for layout in ["nz-div9-1", "sg-v6-2", "sg-open-early-1"] {
        let (mut world, lamp) = settling(layout);
        let verified = |world: &World| count(world, |e| *e == Event::LampsVerified);
        assert_eq!(verified(&world), 1, "{layout}");
        // One of the winning lamps fails in the moment of the restart.
        world.dead_lamps = lamp;
        world.restart(false);
        world.pass(50);
        world.keys(&[terminal::ENTRY]);
        assert_eq!(verified(&world), 1, "{layout}");
        assert!(world.has(|e| matches!(e, Event::EntryError { why, .. } if why.contains("not proved lit"))));
        assert_eq!(world.table.phase(), Phase::Settling);
        world.dead_lamps = 0;
        world.pass(300);
        assert_eq!(verified(&world), 2, "{layout}");
        world.all_paid();
        assert!(world.has(|e| matches!(e, Event::Settled { .. })));
        assert_eq!(world.table.phase(), Phase::Ready);
    }
}

/// NZ 3.3(b), SGV6 3.9: a round keeps the layout that it began on, and all its winning areas light, where a restart finds a layout of
/// fewer areas.
#[test]
fn a_round_lights_its_own_areas_whatever_layout_counts_from_now_on() {
    for dead in [false, true] {
        let (mut world, _) = settling("sg-v6-3");
        let lit = rules::layout("sg-v6-3").unwrap().lit_bits(Dice::from_pips([1, 3, 6]).unwrap());
        let second_board = lit >> 64 << 64;
        assert_ne!(second_board, 0);
        world.dead_lamps = if dead { second_board } else { 0 };
        world.settings = world::settings("sg-open-early", "sg-open-early-1");
        world.restart(false);
        world.pass(1500);
        assert_eq!(count(&world, |e| *e == Event::LampsVerified), if dead { 1 } else { 2 });
        assert_eq!(world.latched(), if dead { vec![Code::Lamps] } else { vec![] });
    }
}

/// NZ 3.3(b), 7.4: lamps that work are no malfunction, however late after a restart the field bus comes up, as long as no unit
/// of it is lost; one that is dead then is found as in any round.
#[test]
fn lamps_have_their_time_from_when_the_bus_comes_up_after_a_restart() {
    for (layout, up) in [("nz-div9-1", 20), ("sg-v6-2", 460), ("sg-v6-2", 500), ("sg-open-early-1", 900)] {
        for dead in [false, true] {
            let (mut world, lamp) = settling(layout);
            world.dead_lamps = if dead { lamp } else { 0 };
            world.bus_works = false;
            world.restart(false);
            world.pass(up);
            world.bus_works = true;
            world.pass(400);
            assert_eq!(world.latched(), [], "{layout} up after {up} ms");
            world.pass(700);
            assert_eq!(world.latched(), if dead { vec![Code::Lamps] } else { vec![] }, "{layout} up after {up} ms");
            world.all_paid();
            assert_eq!(world.table.phase(), if dead { Phase::Blocked } else { Phase::Ready }, "{layout}");
        }
    }
}

/// SGV6 5.4.1, 5.4.2: a round whose records are lost with the journal is void unless its outcome was established; then it
/// is concluded. It keeps its number.
#[test]
fn a_round_outlives_its_journal() {
    for established in [false, true] {
        let mut world = opened("sg-v6", "sg-v6-1");
        play_to_reveal(&mut world);
        if established {
            reveal(&mut world);
        }
        world.pass(500);
        let round = world.table.snapshot().round;
        world.restart_without_journal();
        world.pass(1500);
        assert_eq!(world.latched(), [Code::Journal]);
        if established {
            assert_eq!(world.table.snapshot().round, round);
            world.entry([1, 3, 6]);
            world.pass(500);
            world.all_paid();
            assert!(world.has(|e| matches!(e, Event::Settled { .. })));
            assert_eq!(world.first_void(), None);
        } else {
            assert_eq!(world.first_void().map(|void| void.cited()).as_deref(), Some("SGV6 5.4.2"));
            assert_eq!(world.table.snapshot().round, None);
        }
    }
}

/// design.md, Outcome established: "the dice as first seen stand", also where a die is moved while the daemon is down.
#[test]
fn faces_first_seen_outlive_a_restart() {
    for layout in ["nz-div9-1", "sg-v6-1", "sg-open-1"] {
        let mut world = opened(&rules::layout(layout).unwrap().rules, layout);
        play_to_reveal(&mut world);
        assert!(!world.has(|e| matches!(e, Event::FacesRead { .. })) || layout == "sg-open-1", "{layout}");
        reveal(&mut world);
        let first = Dice::from_pips([1, 3, 6]).unwrap();
        assert_eq!(count(&world, |e| *e == Event::FacesRead { dice: first }), 1, "{layout}");
        world.faces = [2, 3, 6];
        world.restart(false);
        world.pass(1500);
        world.entry([2, 3, 6]);
        let moved = Dice::from_pips([2, 3, 6]).unwrap();
        assert!(world.has(|e| *e == Event::EntryDiffers { entered: moved, read: first }), "{layout}");
        assert_eq!(world.table.phase(), Phase::Revealed, "{layout}");
        if layout == "nz-div9-1" {
            // NZ 7.2, also after another restart: not by the dealer alone.
            world.restart(false);
            world.pass(1500);
            world.entry([1, 3, 6]);
            assert!(!world.has(|e| matches!(e, Event::Result { .. })));
            world.turn_key();
            world.ask(Command::Supervise { name: SUPERVISOR.into() });
        }
        world.entry([1, 3, 6]);
        assert!(world.has(|e| matches!(e, Event::Result { dice, .. } if *dice == first)), "{layout}");
        assert_eq!(count(&world, |e| matches!(e, Event::FacesRead { .. })), 1, "{layout}");
    }
}

/// SGV6 5.4.1, 5.6: an outcome that was established before a restart is established after it, also where a die is tilted while
/// the daemon is down, or the table breaks before the result is entered.
#[test]
fn an_established_outcome_outlives_a_restart() {
    for layout in ["nz-div9-1", "sg-v6-1", "sg-open-1"] {
        for breaks in [false, true] {
            let mut world = opened(&rules::layout(layout).unwrap().rules, layout);
            play_to_reveal(&mut world);
            reveal(&mut world);
            assert_eq!(count(&world, |e| matches!(e, Event::Established { .. })), 1, "{layout}");
            world.poses[0] = reader::NOT_FLAT;
            world.restart(false);
            if breaks {
                world.line(InLine::Seal, false);
            }
            world.pass(1500);
            world.entry([1, 3, 6]);
            world.pass(500);
            world.all_paid();
            assert_eq!(world.first_void(), None, "{layout}");
            assert!(world.has(|e| matches!(e, Event::Settled { .. })), "{layout}");
            assert_eq!(count(&world, |e| matches!(e, Event::Established { .. })), 1, "{layout}: once and for all");
        }
    }
}

/// design.md rule 8: a game starts only with durable permission, and a damaged journal grants none (NZ 5: opened again).
#[test]
fn a_damaged_journal_closes_the_table() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.restart_damaged();
    world.pass(500);
    assert_eq!((world.table.phase(), world.latched()), (Phase::Blocked, vec![Code::Journal]));
    world.turn_key();
    let request = world.ask(Command::Reset { code: Code::Journal, exit: Exit::Rectified, name: SUPERVISOR.into() });
    assert!(world.until(2000, |w| w.reply(request).is_some()));
    assert!(matches!(world.reply(request), Some(Answer::Done(_))), "{:?}", world.reply(request));
    assert_eq!(world.table.phase(), Phase::Closed);
    world.press(InLine::Tumble);
    assert!(!world.has(|e| matches!(e, Event::RoundBegan { .. })));
}

/// SGV6 5.4: what the table would leave to a restart is, at every moment, what its durable records amount to.
#[test]
fn sgv6_5_4_a_table_leaves_what_its_records_amount_to() {
    let mut world = opened("sg-v6", "sg-v6-1");
    let compare = |world: &mut World, when: &str| {
        world.pass(500);
        let mut folded = Standing::default();
        world.records.iter().for_each(|record| folded.fold(record));
        let said = world.table.standing();
        assert_eq!(
            (&said.round, said.last_round, &said.latched),
            (&folded.round, folded.last_round, &folded.latched),
            "{when}"
        );
    };
    compare(&mut world, "no round");
    world.press(InLine::PlaceBets);
    compare(&mut world, "betting");
    world.press(InLine::NoMoreBets);
    world.spin();
    compare(&mut world, "spun");
    reveal(&mut world);
    compare(&mut world, "revealed");
    world.entry([1, 3, 6]);
    compare(&mut world, "settling");
    world.line(InLine::Seal, false);
    compare(&mut world, "latched");
    world.all_paid();
    compare(&mut world, "settled");
    world.compare_with_records();
    assert!(!world.has(|event| matches!(event, Event::Keyframe(_))), "not after each round");
}

/// A start reads the last 1,000 records, so that a keyframe must be among them. It comes with every 64th round, and says what the
/// records before it amount to.
#[test]
fn every_64th_round_leaves_a_keyframe_that_says_what_was_before_it() {
    let mut world = opened("nz-div9", "nz-div9-1");
    for _ in 0..128 {
        settle_round(&mut world);
    }
    let (mut folded, mut after) = (Standing::default(), Vec::new());
    for record in &world.records {
        if let Event::Keyframe(said) = &record.event {
            assert_eq!((&said.round, said.last_round, &said.recent), (&None, folded.last_round, &folded.recent));
            after.push(said.last_round.0);
        }
        folded.fold(record);
    }
    assert_eq!(after, [64, 128]);
}

/// NZ 6.1, SGV6 5.5.1, 5.4.1: three tumbles that were counted before the program was told to stop are made; how the dice lie is
/// asked of people. One quarter less proves none.
#[test]
fn three_counted_tumbles_outlast_an_ordered_stop() {
    for (rules, layout) in [("nz-1998", "nz-1998"), ("sg-v6", "sg-v6-1"), ("sg-open-early", "sg-open-early-1")] {
        for steps in [12, 13] {
            let mut world = opened(rules, layout);
            if rules != "nz-1998" {
                world.press(InLine::PlaceBets);
            }
            if rules == "sg-open-early" {
                world.press(InLine::NoMoreBets);
            }
            world.press(InLine::Tumble);
            let mut turned = 0;
            while turned < steps {
                let before = world.cam;
                world.pass(1);
                turned += u32::from(world.cam != before);
            }
            world.input(Input::Stop);
            world.pass(1);
            let valid = steps == 13;
            let how = SpinEnd::Interruption;
            let ended = |e: &Event| matches!(e, Event::SpinEnded { valid: v, how: h, .. } if (*v, *h) == (valid, how));
            assert_eq!(count(&world, ended), 1, "{rules}, {steps} steps: {:?}", world.records);
            world.restart(false);
            world.pass(1500);
            // SGV6 5.4.2: while bets are open none has won or lost.
            let asked = valid && rules != "sg-v6";
            let phase = if asked { Phase::Interrupted } else { Phase::Void };
            assert_eq!(world.table.phase(), phase, "{rules}, {steps} steps");
            assert_eq!(world.last_void().is_none(), asked);
            assert!(!world.has(|e| matches!(e, Event::Revealed { .. })), "{rules}: nothing saw the shaft stand");
        }
    }
}

/// The technicians' page and the console's: the table closes after the round, and what was answered "done" no restart undoes.
#[test]
fn a_table_that_is_to_close_after_the_round_closes_after_a_restart_too() {
    for kill in [false, true] {
        let mut world = opened("nz-div9", "nz-div9-1");
        world.press(InLine::Tumble);
        world.pass(4000);
        let closes = world.ask(Command::Close { name: "teo".into() });
        world.pass(50);
        assert!(matches!(world.reply(closes), Some(Answer::Done(_))), "{:?}", world.replies);
        if kill {
            world.restart(false);
        } else {
            world.input(Input::Stop);
            world.restart(false);
        }
        world.pass(1500);
        assert_eq!(world.table.phase(), Phase::Interrupted);
        let answers =
            Command::Finding { finding: Finding::CannotTell, reason: "nobody looked".into(), name: SUPERVISOR.into() };
        world.turn_key();
        world.ask(answers);
        world.pass(100);
        assert!(world.last_void().is_some());
        assert_eq!(world.table.phase(), Phase::Closed);
        assert!(world.has(|e| matches!(e, Event::Closed { by } if by == "teo")));
    }
}

/// faults.md, Disk and journal: a daemon that is told to stop asks no unit any more, and its last record may take seconds. None of them is
/// lost by that.
#[test]
fn a_stop_on_a_slow_disk_loses_no_unit() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.disk = false;
    world.input(Input::Stop);
    world.pass(3000);
    world.disk = true;
    world.commit();
    assert_eq!(world.latched(), []);
    assert!(world.has(|e| matches!(e, Event::Stopped)));
}

/// `table.md`, SGV6 5.4.1: the dice as they were first read stand, also where the reader is lost before the entry, and after a
/// restart besides.
#[test]
fn faces_that_were_read_bind_the_entry_after_the_reader_is_lost() {
    for restart in [false, true] {
        let mut world = opened("sg-v6", "sg-v6-1");
        play_to_reveal(&mut world);
        reveal(&mut world);
        assert!(world.has(|e| matches!(e, Event::FacesRead { .. })), "{:?}", world.records);
        world.silent.push(reader::UNIT);
        world.pass(2000);
        assert!(world.has(|e| matches!(e, Event::Latched { code: Code::Reader, .. })));
        if restart {
            world.restart(false);
            world.pass(1500);
        }
        let read =
            world.events().find_map(|e| if let Event::FacesRead { dice } = e { Some(*dice) } else { None }).unwrap();
        let wrong = if read == Dice::from_pips([1, 1, 1]).unwrap() { [2, 2, 2] } else { [1, 1, 1] };
        world.entry(wrong);
        world.pass(500);
        assert!(world.has(|e| matches!(e, Event::EntryDiffers { .. })), "{restart}: {:?}", world.records);
        assert!(!world.has(|e| matches!(e, Event::Result { .. })));
    }
}
