//! Rounds from the rules' clauses: each order of play, each ending.

use crate::world;

use tumbler_core::input::Input;
use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::Event;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::rules;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::{Dice, Mono};
use tumbler_core::wire::console::{Answer, Command, Exit, Witness};
use tumbler_core::wire::registers::reader;
use world::play::{opened, play_to_reveal, reveal};
use world::{SUPERVISOR, World, settings};

/// NZ 6.1 to 6.5 and 4.4; SGV6 and SGOC 3.2 to 3.9: a healthy round under every rule set and layout.
#[test]
fn a_healthy_round_is_settled_under_every_layout() {
    for layout in rules::layouts() {
        for pips in [[1, 3, 6], [2, 2, 5], [4, 4, 4]] {
            let mut world = opened(&layout.rules, &layout.id);
            world.faces = pips.map(u16::from);
            play_to_reveal(&mut world);
            if rules::rule_set(&layout.rules).unwrap().order.covered {
                assert_eq!(world.faces_read, 0, "no face is read before the reveal");
            }
            reveal(&mut world);
            assert_eq!(world.table.phase(), Phase::Revealed, "{} {:?}", layout.id, world.records);
            world.entry(pips.map(u16::from));
            assert_eq!(world.table.phase(), Phase::Settling);
            let dice = Dice::from_pips(pips).unwrap();
            let lit = world.table.snapshot().sensed;
            let winning: Vec<String> = layout.winning(dice).into_iter().map(|w| w.id).collect();
            assert_eq!(lit, winning);
            world.pass(500);
            assert!(world.has(|e| *e == Event::LampsVerified));
            world.all_paid();
            assert!(world.has(|e| matches!(e, Event::Settled { dice: d, .. } if *d == dice)));
            assert_eq!(world.table.phase(), Phase::Ready);
            assert!(world.latched().is_empty());
            assert_eq!(world.table.snapshot().sensed, Vec::<String>::new());
        }
    }
}

/// NZ 7.1(a), SGV6 5.5.2, SGOC 5.5.2, SGOC-early 5.1.3.
#[test]
fn a_die_that_is_not_flat_voids_the_round() {
    for (rules, clause) in [
        ("nz-1998", "NZ98 7.1(a)"),
        ("nz-div9", "NZ9 7.1(a)"),
        ("sg-v6", "SGV6 5.5.2"),
        ("sg-open", "SGOC 5.5.2"),
        ("sg-open-early", "SGOC-early 5.1.3"),
    ] {
        let layout = &rules::rule_set(rules).unwrap().layouts[0].id;
        let mut world = opened(rules, layout);
        world.poses[1] = reader::NOT_FLAT;
        play_to_reveal(&mut world);
        reveal(&mut world);
        let void = world.first_void().unwrap();
        assert_eq!((void.reason, void.cited().as_str()), (VoidReason::NotFlat, clause));
        assert!(world.latched().is_empty(), "not flat is no malfunction");
        assert_eq!(world.faces_read, 0, "faces of a round voided before its reveal are never read");
    }
}

/// NZ 7.1(a), SGV6 5.5.2: a die that does not lie flat is one that somebody saw; under the dome nobody does.
#[test]
fn the_supervisor_finds_no_die_cocked_before_the_reveal() {
    for (rules, layout) in [("nz-div9", "nz-div9-1"), ("sg-v6", "sg-v6-1")] {
        let mut world = opened(rules, layout);
        play_to_reveal(&mut world);
        world.turn_key();
        let void =
            Command::Void { reason: "cocked".into(), damaged_dice: false, not_flat: true, name: SUPERVISOR.into() };
        let request = world.ask(void);
        world.pass(100);
        assert!(matches!(world.reply(request), Some(Answer::Refused { why, .. }) if why.contains("not revealed")));
        assert!(world.first_void().is_none(), "{:?}", world.records);
    }
}

/// NZ 7.1(c), SGV6 5.5.3.
#[test]
fn dice_exposed_before_no_more_bets_void_the_round() {
    for (rules, clause) in [("nz-1998", "NZ98 7.1(c)"), ("nz-div9", "NZ9 7.1(c)"), ("sg-v6", "SGV6 5.5.3")] {
        let layout = &rules::rule_set(rules).unwrap().layouts[0].id;
        let mut world = opened(rules, layout);
        world.press(InLine::PlaceBets);
        world.spin();
        world.lift();
        let void = world.last_void().unwrap();
        assert_eq!((void.reason, void.cited().as_str()), (VoidReason::Exposed, clause));
        assert_eq!(world.table.phase(), Phase::Void);
    }
}

/// NZ 7.1(d): and nothing of the kind under Singapore's rules, where the round waits for its spin.
#[test]
fn no_more_bets_without_a_spin_voids_under_new_zealand_only() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.press(InLine::PlaceBets);
    world.press(InLine::NoMoreBets);
    let void = world.last_void().unwrap();
    assert_eq!((void.reason, void.cited().as_str()), (VoidReason::NeverActivated, "NZ9 7.1(d)"));
    let mut world = opened("sg-v6", "sg-v6-1");
    world.press(InLine::PlaceBets);
    world.press(InLine::NoMoreBets);
    assert_eq!(world.table.phase(), Phase::BetsClosed);
}

/// SGOC 5.5.3, SGOC-early 5.1.4: the request is refused and nothing moves; a shaft that turns all the same voids.
#[test]
fn open_cover_refuses_an_early_tumble_and_voids_an_early_turn() {
    for (rules, clause) in [("sg-open", "SGOC 5.5.3"), ("sg-open-early", "SGOC-early 5.1.4")] {
        let layout = &rules::rule_set(rules).unwrap().layouts[0].id;
        let mut world = opened(rules, layout);
        world.press(InLine::PlaceBets);
        world.press(InLine::Tumble);
        world.pass(500);
        assert!(
            world.last_void().is_none() && world.has(|e| matches!(e, Event::Refused { what, .. } if what == "tumble"))
        );
        for (line, active) in [(InLine::CamA, !world.lines[1]), (InLine::CamB, !world.lines[2])] {
            world.line(line, active);
            world.pass(20);
        }
        let void = world.last_void().unwrap();
        assert_eq!((void.reason, void.cited().as_str()), (VoidReason::ActivatedEarly, clause));
        assert_eq!(world.latched(), [Code::Tumbler]);
    }
}

/// NZ 7.3 with 7.4, SGV6 5.10: the round is settled by the dice, and no further game is conducted.
#[test]
fn a_dead_lamp_lets_the_round_settle_and_then_blocks() {
    let mut world = opened("nz-div9", "nz-div9-2");
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.dead_lamps = rules::layout("nz-div9-2").unwrap().lit_bits(Dice::from_pips([1, 3, 6]).unwrap());
    world.entry([1, 3, 6]);
    world.pass(1000);
    assert_eq!(world.latched(), [Code::Lamps]);
    assert_eq!(world.table.phase(), Phase::Settling);
    world.all_paid();
    assert!(world.has(|e| matches!(e, Event::Settled { .. })));
    assert_eq!(world.table.phase(), Phase::Blocked);
    world.cover();
    world.press(InLine::Tumble);
    assert_eq!(world.table.phase(), Phase::Blocked);

    let reset = |exit| Command::Reset { code: Code::Lamps, exit, name: SUPERVISOR.into() };
    let old = world.ask(reset(Exit::Rectified));
    assert!(
        matches!(world.reply(old), Some(Answer::Refused { why, .. }) if why.contains("key")),
        "the key's turn is older"
    );
    world.turn_key();
    let unmended = world.ask(reset(Exit::Rectified));
    assert!(world.until(60_000, |w| w.reply(unmended).is_some()));
    assert!(matches!(world.reply(unmended), Some(Answer::Refused { .. })), "the lamps are still dead");
    world.dead_lamps = 0;
    let mended = world.ask(reset(Exit::Rectified));
    assert!(world.until(60_000, |w| w.table.snapshot().test.is_some_and(|test| test.ends_with("witness: areas"))));
    world.ask(Command::Witness { item: Witness::Areas, right: true, name: SUPERVISOR.into() });
    assert!(world.until(60_000, |w| w.reply(mended).is_some()));
    assert!(matches!(world.reply(mended), Some(Answer::Done(_))), "{:?}", world.reply(mended));
    world.pass(200);
    assert_eq!(world.table.phase(), Phase::Ready);
}

/// NZ 7.2: amended under the supervisor before the wagers are settled; afterwards the result stands.
#[test]
fn wrong_numbers_are_amended_before_all_paid_and_not_after() {
    let mut world = opened("nz-1998", "nz-1998");
    world.settings.reader = false;
    let mut world = {
        let mut s = settings("nz-1998", "nz-1998");
        s.reader = false;
        let mut w = World::new(s);
        w.pass(2000);
        w.open();
        w
    };
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.entry([1, 3, 5]);
    world.turn_key();
    let dice = Dice::from_pips([1, 3, 6]).unwrap();
    let amend = || Command::Amend { dice, uphold: false, name: SUPERVISOR.into() };
    let before = world.ask(amend());
    assert!(matches!(world.reply(before), Some(Answer::Done(_))), "{:?}", world.reply(before));
    world.pass(1000);
    world.all_paid();
    assert!(world.has(|e| matches!(e, Event::Settled { dice: d, .. } if *d == dice)));
    let after = world.ask(amend());
    assert!(matches!(world.reply(after), Some(Answer::Refused { .. })));
}

/// SGV6 5.4: an interruption voids a round without an outcome, and concludes one with it.
#[test]
fn an_interruption_voids_or_concludes() {
    for reboot in [false, true] {
        let mut world = opened("sg-v6", "sg-v6-2");
        play_to_reveal(&mut world);
        world.restart(reboot);
        // A valid spin may have an outcome that only people can see: a person is asked.
        assert!(world.last_void().is_none());
        assert_eq!(world.table.phase(), Phase::Interrupted);

        let mut world = opened("sg-v6", "sg-v6-2");
        world.press(InLine::PlaceBets);
        world.press(InLine::NoMoreBets);
        world.restart(reboot);
        let void = world.last_void().unwrap();
        assert_eq!((void.reason, void.cited().as_str()), (VoidReason::Interruption, "SGV6 5.4.2"));
        assert_eq!(world.table.phase(), if reboot { Phase::Closed } else { Phase::Void });

        let mut world = opened("sg-v6", "sg-v6-2");
        play_to_reveal(&mut world);
        reveal(&mut world);
        world.restart(reboot);
        world.pass(1500);
        assert!(world.last_void().is_none());
        assert_eq!(world.table.phase(), Phase::Revealed);
        world.entry([1, 3, 6]);
        world.pass(600);
        world.all_paid();
        assert!(world.has(|e| matches!(e, Event::Settled { .. })), "{:?}", world.records.last());
        assert_eq!(world.table.phase(), if reboot { Phase::Closed } else { Phase::Ready }, "{:?}", world.latched());
    }
}

/// SGV6 5.4.2: once the dead-man relay has dropped, a spin does not go on, and nothing energises again by itself. The
/// silence of devices that nobody asked is no fault of theirs.
/// design.md, Dead-man line: the relay has dropped 100 ms after the last edge, to the nanosecond, and no edge may bring the motor back.
#[test]
fn no_edge_comes_after_a_standstill_in_which_the_relay_dropped() {
    for (since_edge, goes_on) in [(99_999_999, true), (100_000_000, false), (100_000_001, false)] {
        let mut world = opened("sg-v6", "sg-v6-1");
        world.press(InLine::PlaceBets);
        world.press(InLine::Tumble);
        world.pass(500);
        // Nothing else is due before the next edge.
        let beat = |world: &World| Mono(world.last_beat.unwrap().0 + 10_000_000);
        while world.table.next_deadline() != Some(beat(&world)) {
            world.pass(1);
        }
        let edge = world.last_beat.unwrap();
        world.now = Mono(edge.0 + since_edge);
        world.input(Input::Tick);
        assert_eq!(world.last_beat != Some(edge), goes_on, "{since_edge} ns after the last edge");
    }
}

#[test]
fn sgv6_5_4_2_a_spin_does_not_go_on_after_the_daemon_stood_still() {
    for (stood, voids) in [(60, false), (300, true), (5000, true)] {
        let mut world = opened("sg-v6", "sg-v6-1");
        world.press(InLine::PlaceBets);
        world.press(InLine::Tumble);
        world.pass(500);
        assert!(world.powered());
        world.now = Mono(world.now.0 + stood * 1_000_000);
        world.input(Input::Tick);
        assert_eq!(world.outs[OutLine::MotorEnable.index()], !voids, "{stood} ms");
        world.pass(3000);
        let void = world.last_void().map(|void| (void.reason, void.cited()));
        assert_eq!(void, voids.then(|| (VoidReason::Interruption, "SGV6 5.5.1, SGV6 5.4.2".to_owned())), "{stood} ms");
        assert_eq!(world.latched(), [], "{stood} ms");
    }
}

/// NZ 7.4: a table that is blocked because its journal cannot be written says so, although it cannot record it.
#[test]
fn nz_7_4_a_journal_that_fails_is_shown_at_once() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.disk = false;
    let before = world.table.revision();
    world.input(Input::JournalFailed { reason: "no room".into() });
    world.pass(20);
    assert_ne!(world.table.revision(), before);
    let shown = world.table.snapshot();
    assert_eq!((shown.phase, shown.malfunctions[0].code), (Phase::Blocked, Code::Journal));
    assert!(world.outs[OutLine::OutOfService.index()]);
}

/// NZ 7.4: the journal is rectified when a test of it has passed, and a disk that fails or fills meanwhile fails the test.
#[test]
fn nz_7_4_a_journal_that_fails_its_test_stays_latched() {
    let mut world = opened("nz-div9", "nz-div9-1");
    let reset = |world: &mut World| {
        world.turn_key();
        world.ask(Command::Reset { code: Code::Journal, exit: Exit::Rectified, name: SUPERVISOR.into() })
    };
    let full = || Input::JournalFailed { reason: "almost full".into() };
    world.input(full());
    world.pass(20);
    world.disk = false;
    let refused = reset(&mut world);
    world.input(full());
    world.disk = true;
    world.pass(20);
    let said = world.reply(refused).cloned();
    assert!(matches!(&said, Some(Answer::Refused { why, .. }) if why.contains("almost full")), "{said:?}");
    assert_eq!(world.latched(), [Code::Journal]);
    let done = reset(&mut world);
    world.pass(20);
    assert!(matches!(world.reply(done), Some(Answer::Done(_))), "{:?}", world.reply(done));
    assert_eq!(world.latched(), []);
}

/// NZ 7.1(b): a tumbler that stalls; and the way back through the latch (NZ 7.4).
#[test]
fn a_stall_voids_blocks_and_is_rectified_by_a_test_of_the_tumbler() {
    for (rules, clause) in [("nz-div9", "NZ9 7.1(b), NZ9 6.1"), ("sg-v6", "SGV6 5.5.1, SGV6 5.4.2")] {
        let layout = &rules::rule_set(rules).unwrap().layouts[0].id;
        let mut world = opened(rules, layout);
        world.shaft_works = false;
        if rules == "sg-v6" {
            world.press(InLine::PlaceBets);
        }
        world.press(InLine::Tumble);
        world.pass(1500);
        let void = world.last_void().unwrap();
        assert_eq!((void.reason, void.cited().as_str()), (VoidReason::Equipment, clause));
        assert_eq!((world.latched(), world.table.phase()), (vec![Code::Tumbler], Phase::Blocked));
        world.restart(false);
        world.pass(1500);
        assert_eq!(world.latched(), [Code::Tumbler], "the latch survives a restart");
        world.shaft_works = true;
        world.turn_key();
        let request = world.ask(Command::Reset { code: Code::Tumbler, exit: Exit::Rectified, name: SUPERVISOR.into() });
        assert!(world.until(60_000, |w| w.reply(request).is_some()), "{:?}", world.table.snapshot());
        assert!(matches!(world.reply(request), Some(Answer::Done(_))), "{:?}", world.reply(request));
        world.pass(200);
        assert!(world.latched().is_empty());
    }
}

/// NZ 7.1, SGV6 5.5.1: "No spin" while the tumbler runs ends the spin, once, with the tumbles counted so far.
#[test]
fn no_spin_ends_a_running_spin_once() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.press(InLine::Tumble);
    world.pass(900);
    world.press(InLine::NoSpin);
    world.pass(3000);
    let ended = world.events().filter(|e| matches!(e, Event::SpinEnded { valid: false, .. })).count();
    assert_eq!(ended, 1, "{:?}", world.records);
    assert_eq!(world.last_void().map(|v| v.reason), Some(VoidReason::FewerThanThree));
    assert!(world.latched().is_empty(), "an operator's act is no malfunction");
}

/// faults.md reader.stale: a counter that stands still is a reader that does not see, and 1 s later one that is lost.
#[test]
fn a_reader_that_repeats_its_measurement_is_lost_and_stays_so() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.stale = Some(world.now);
    world.pass(700);
    assert_eq!(world.latched(), []);
    world.pass(600);
    assert_eq!(world.latched(), [Code::Reader]);
    let reset = |world: &mut World| {
        world.turn_key();
        let ask = Command::Reset { code: Code::Reader, exit: Exit::Rectified, name: "Mei".into() };
        let request = world.ask(ask);
        world.pass(10_000);
        matches!(world.reply(request), Some(Answer::Done(_)))
    };
    assert!(!reset(&mut world), "every reply is in order, and none tells anything new");
    world.stale = None;
    world.pass(1000);
    assert!(reset(&mut world));
}

/// NZ 5(b): test runs prove that every area lights. Crossed lamps are seen by the person alone.
#[test]
fn areas_that_a_person_found_wrong_are_a_malfunction_of_the_lamps() {
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.pass(2000);
    world.turn_key();
    let open = world.ask(Command::Open { name: "Mei".into() });
    assert!(world.until(120_000, |w| matches!(w.reply(open), Some(Answer::Done(_)))));
    world.press_every_key();
    world.ask(Command::Witness { item: Witness::Areas, right: false, name: "Mei".into() });
    world.pass(1000);
    assert_eq!(world.latched(), [Code::Lamps]);
}

/// NZ 7.4: a tumbler that does not tumble the dice is not rectified by a shaft that turns.
#[test]
fn a_spin_that_does_not_move_the_dice_proves_no_tumbler() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.dice_stay = true;
    world.spin();
    world.pass(2000);
    assert_eq!(world.latched(), [Code::Tumbler]);
    let reset = || Command::Reset { code: Code::Tumbler, exit: Exit::Rectified, name: SUPERVISOR.into() };
    world.turn_key();
    let refused = world.ask(reset());
    assert!(world.until(60_000, |w| w.reply(refused).is_some()));
    assert!(matches!(world.reply(refused), Some(Answer::Refused { .. })), "{:?}", world.reply(refused));
    world.dice_stay = false;
    world.turn_key();
    let done = world.ask(reset());
    assert!(world.until(60_000, |w| w.reply(done).is_some()));
    assert!(matches!(world.reply(done), Some(Answer::Done(_))), "{:?}", world.reply(done));
}
