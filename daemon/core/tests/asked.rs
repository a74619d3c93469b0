//! What only people can know, people are asked: after which interruptions, what each answer does, and what a text answers by itself.

use crate::world;

use tumbler_core::input::Input;
use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::prompt::PromptId;
use tumbler_core::record::Event;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::round::{Doubt, Finding, SpinEnd};
use tumbler_core::settings::{House, Procedure, Settings};
use tumbler_core::snapshot::Phase;
use tumbler_core::units::{MilliCelsius, RoundId, Tumbles};
use tumbler_core::wire::console::{Answer, Command, Exit};
use tumbler_core::wire::registers::reader;
use world::play::{opened, play_to_reveal, reveal};
use world::text::{RULES, by_eye, cited, done, finding, refused, refused_to_supervisor, settled, spin_only, void};
use world::{SUPERVISOR, World, settings};

/// SGV6 5.4.1, SGOC 5.4.1, and where the texts are silent: after a valid spin there may be an outcome that only people can see.
/// It is asked for as a fact, unanswered it stays so, and nothing moves the dice.
#[test]
fn an_interruption_after_a_valid_spin_asks_for_a_fact() {
    for (rules, layout) in RULES {
        for seen in [false, true] {
            for reboot in [false, true] {
                let mut world = by_eye(rules, layout);
                play_to_reveal(&mut world);
                if seen {
                    reveal(&mut world);
                }
                world.restart(reboot);
                world.pass(1500);
                let says = format!("{rules}, seen {seen}, rebooted {reboot}");
                assert_eq!(world.table.phase(), Phase::Interrupted, "{says}");
                assert!(world.outs[OutLine::OutOfService.index()], "the sign is on: {says}");
                let question = world.table.snapshot().question.unwrap();
                assert_eq!((question.round, question.why), (RoundId(1), Doubt::Interrupted));
                assert_eq!(world.table.snapshot().prompt.unwrap().id, PromptId::Interrupted);
                world.press(InLine::Tumble);
                world.pass(300);
                assert!(!world.outs[OutLine::MotorEnable.index()], "{says}");
                refused(&mut world, void(false), "tumblerctl interrupted");
                refused(&mut world, Command::Open { name: SUPERVISOR.into() }, "in progress");
                refused(&mut world, Command::Maintenance { on: true, name: "teo".into() }, "in progress");
                world.restart(false);
                world.pass(1500);
                assert_eq!(world.table.phase(), Phase::Interrupted, "it stays so: {says}");
                done(&mut world, finding(Finding::Undisturbed));
                assert!(world.last_void().is_none(), "{says}");
                if rules.starts_with("sg-open") || seen {
                    assert_eq!(world.table.phase(), Phase::Revealed, "{says}");
                } else {
                    assert_eq!(world.table.phase(), Phase::BetsClosed, "{says}");
                    reveal(&mut world);
                }
                world.entry([4, 5, 6]);
                world.all_paid();
                assert!(settled(&world), "{says}: {:?}", world.records.last());
            }
        }
    }
}

/// NZ 6.1: the tumble comes before the bets, so an interrupted round is often still in betting; there it goes on.
#[test]
fn nz_play_resumes_in_betting() {
    let mut world = by_eye("nz-div9", "nz-div9-1");
    world.spin();
    world.press(InLine::PlaceBets);
    world.restart(false);
    world.pass(500);
    refused(&mut world, finding(Finding::NotFlat), "nobody can have seen");
    done(&mut world, finding(Finding::Undisturbed));
    assert_eq!(world.table.phase(), Phase::Betting);
    world.press(InLine::NoMoreBets);
    reveal(&mut world);
    world.entry([1, 3, 6]);
    world.all_paid();
    assert!(settled(&world));
}

/// The other two answers: a die that does not lie flat is void by its clause; what nobody can tell is decided by whom the text
/// names (5.14: the shift manager or above), or by a named person where it names nobody.
#[test]
fn each_answer_has_its_clauses() {
    let not_flat = ["NZ98 7.1(a)", "NZ9 7.1(a)", "SGV6 5.5.2", "SGOC 5.5.2", "SGOC-early 5.1.3"];
    for ((rules, layout), clause) in RULES.into_iter().zip(not_flat) {
        let mut world = by_eye(rules, layout);
        play_to_reveal(&mut world);
        reveal(&mut world);
        world.restart(false);
        let mut other = world.clone();
        done(&mut world, finding(Finding::NotFlat));
        assert_eq!(cited(&world), Some((VoidReason::NotFlat, clause.to_owned())));
        let left_to_manager = matches!(rules, "sg-v6" | "sg-open");
        if left_to_manager {
            refused_to_supervisor(&mut other, finding(Finding::CannotTell), "tumbler-manager");
        }
        done(&mut other, finding(Finding::CannotTell));
        let (reason, cited) = cited(&other).unwrap();
        assert_eq!(reason, VoidReason::Supervisor);
        if left_to_manager {
            assert!(cited.ends_with("5.14"), "{cited}");
        } else {
            assert!(cited.contains("silent") && cited.contains(SUPERVISOR), "{cited}");
        }
    }
}

/// "A text answers by itself": without a valid spin the interruption voids. A stop that was ordered counts the tumbles, and "does not
/// tumble at least three times" is true. After a kill nobody knows the count: the tumbler was stopped by nothing that may stop it (NZ 7.1(b)),
/// or the round was interrupted (SGV6 5.4.2) with no valid tumble (3.7). The early edition is silent: a person is asked.
#[test]
fn an_interruption_without_a_valid_spin_voids() {
    let clauses = [
        ("NZ98 7.1(b), NZ98 6.1", Some("NZ98 7.1(b)")),
        ("NZ9 7.1(b), NZ9 6.1", Some("NZ9 7.1(b)")),
        ("SGV6 5.5.1, SGV6 5.4.2", Some("SGV6 5.4.2, SGV6 3.7")),
        ("SGOC 5.5.1, SGOC 5.4.2", Some("SGOC 5.4.2, SGOC 3.7")),
        ("SGOC-early 5.1.2", None),
    ];
    for ((rules, layout), (stopped, killed)) in RULES.into_iter().zip(clauses) {
        for (stop, clause) in [(true, Some(stopped)), (false, killed)] {
            let mut world = opened(rules, layout);
            spin_only(&mut world);
            world.pass(700);
            if stop {
                world.input(tumbler_core::input::Input::Stop);
            }
            world.restart(false);
            let void = clause.map(|clause| (VoidReason::Interruption, clause.to_owned()));
            assert_eq!(cited(&world), void, "{rules}");
            if void.is_none() {
                assert!(world.has(|e| matches!(e, Event::Asked { why: Doubt::SpinLost })), "{rules}");
                refused(&mut world, finding(Finding::Undisturbed), "nobody knows");
                done(&mut world, finding(Finding::CannotTell));
                assert!(world.last_void().unwrap().cited().contains(SUPERVISOR), "{rules}");
            }
        }
    }
}

/// SGV6 5.5.1, NZ 6.1: three tumbles that were made stay made. A kill after the third is no void by "fewer than three": people say how the
/// dice lie; under SGV6 with bets open no bet has won or lost (5.4.2).
#[test]
fn three_tumbles_outlast_a_kill() {
    for (rules, layout) in RULES {
        let mut world = opened(rules, layout);
        spin_only(&mut world);
        while !world.has(|e| matches!(e, Event::SpinMade { .. })) {
            world.pass(10);
        }
        world.commit();
        let mut again = world.clone();
        for rebooted in [false, true] {
            world.restart(rebooted);
            let ended = |e: &Event| {
                matches!(e, Event::SpinEnded { valid: true, tumbles: Tumbles(3), how: SpinEnd::Interruption, .. })
            };
            assert!(world.has(ended), "{rules}: {:?}", world.records);
            let void = (rules == "sg-v6").then(|| (VoidReason::Interruption, "SGV6 5.4.2".to_owned()));
            assert_eq!(cited(&world), void, "{rules}");
            assert_eq!(world.has(|e| matches!(e, Event::Asked { why: Doubt::Interrupted })), void.is_none(), "{rules}");
            core::mem::swap(&mut world, &mut again);
        }
    }
}

/// Where a text is silent the device voids nothing by itself. A New Zealand or early round whose spin is still to come goes on after the
/// controller was away; where the seal keeps the motor off it stays, and ends by NZ 7.1(d), or by a named person. A house that
/// has a document for it is cited by its name.
#[test]
fn silence_is_no_void() {
    for (rules, layout) in [("nz-1998", "nz-1998"), ("nz-div9", "nz-div9-1"), ("sg-open-early", "sg-open-early-1")] {
        let nz = rules.starts_with("nz");
        let mut world = opened(rules, layout);
        world.press(InLine::PlaceBets);
        world.commit();
        world.restart(false);
        assert_eq!((world.last_void(), world.table.phase()), (None, Phase::Betting), "{rules}: it was away");
        let mut goes_on = world.clone();
        goes_on.press(InLine::NoMoreBets);
        let never = goes_on.last_void().map(|void| void.reason);
        assert_eq!(never, nz.then_some(VoidReason::NeverActivated), "{rules}");
        world.line(InLine::Seal, false);
        world.pass(100);
        assert_eq!((world.last_void(), world.latched()), (None, vec![Code::Seal]), "{rules}");
        let mut called = world.clone();
        called.press(InLine::NoMoreBets);
        assert_eq!(called.last_void().is_some(), nz, "{rules}: 7.1(d)");
        done(&mut world, void(false));
        assert!(world.last_void().unwrap().cited().contains(SUPERVISOR), "{rules}");
    }
    for (situation, voids) in [(Procedure::Person, false), (Procedure::Void, true)] {
        let house = House { document: "HP-12 of May 2026".into(), motor_held: situation, ..House::default() };
        let mut world = World::new(Settings { house, ..settings("nz-div9", "nz-div9-1") });
        world.pass(2000);
        world.open();
        world.press(InLine::PlaceBets);
        world.line(InLine::Seal, false);
        world.pass(100);
        let cited = world.last_void().map(|void| void.cited());
        assert_eq!(cited.is_some_and(|cited| cited.contains("HP-12 of May 2026, motor_held")), voids);
    }
}

/// SGV6 and SGOC void after a technical interruption (5.4.2), and what they do not provide for is the shift manager's (5.14).
#[test]
fn a_house_decides_nothing_that_a_text_decides() {
    use Procedure::Void;
    for (rules, layout, silent) in [
        ("nz-div9", "nz-div9-1", true),
        ("sg-v6", "sg-v6-1", false),
        ("sg-open", "sg-open-1", false),
        ("sg-open-early", "sg-open-early-1", true),
    ] {
        let house = House { document: "HP-12 of May 2026".into(), motor_held: Void, spin_lost: Void, wrong_dice: Void };
        let wrong = Settings { house, ..settings(rules, layout) }.check().err().unwrap_or_default();
        let refused: Vec<&str> = wrong.iter().map(|wrong| wrong.path.as_str()).collect();
        let all = ["house.motor_held", "house.spin_lost", "house.wrong_dice"];
        assert_eq!(refused, if silent { [].as_slice() } else { &all }, "{rules}");
    }
}

/// NZ 7.1(a) speaks of a die that "is not lying flat", whoever moved it; SG 5.5.2 of one that fails to come to rest. What was
/// knocked is interference, and under Singapore a person is asked.
#[test]
fn a_die_that_is_knocked_after_the_spin() {
    for (rules, layout) in [("nz-div9", "nz-div9-1"), ("sg-v6", "sg-v6-1")] {
        let mut world = opened(rules, layout);
        if rules == "sg-v6" {
            world.press(InLine::PlaceBets);
        }
        world.spin();
        world.pass(1000);
        world.poses[0] = reader::NOT_FLAT;
        world.motion += 1;
        world.pass(1500);
        assert_eq!(world.latched(), [Code::Interference], "{rules}");
        if rules == "sg-v6" {
            assert_eq!(world.table.phase(), Phase::Interrupted);
            assert_eq!(world.table.snapshot().question.unwrap().why, Doubt::Knocked);
            world.press(InLine::NoMoreBets);
            world.lift();
            refused_to_supervisor(&mut world, finding(Finding::NotFlat), "tumbler-manager");
            done(&mut world, finding(Finding::NotFlat));
            assert_eq!(cited(&world), Some((VoidReason::Supervisor, "SGV6 5.14".into())));
        } else {
            assert_eq!(cited(&world), Some((VoidReason::NotFlat, "NZ9 7.1(a)".into())));
        }
    }
}

/// What breaks after a valid spin, other than the tumbler.
fn breaks(world: &mut World, what: &str) {
    match what {
        "seal" => world.line(InLine::Seal, false),
        "dome" => world.line(InLine::DomeOpen, true),
        "wires" => world.lose_lines(),
        _ => world.input(Input::JournalFailed { reason: "no space".into() }),
    }
    world.pass(600);
}

/// SGV6 5.4.1 knows no difference between a controller that was away and equipment that fails: the dice of a valid spin have fallen,
/// and a person says how they lie. Only the tumbler, which would move them, voids (NZ 7.1(b), SGV6 5.4.2).
#[test]
fn equipment_that_fails_after_a_valid_spin_voids_nothing() {
    for (rules, layout) in [("nz-1998", "nz-1998"), ("nz-div9", "nz-div9-1"), ("sg-v6", "sg-v6-1")] {
        for (what, code) in [("seal", Code::Seal), ("dome", Code::Dome), ("wires", Code::Gpio), ("disk", Code::Journal)]
        {
            let mut world = opened(rules, layout);
            play_to_reveal(&mut world);
            breaks(&mut world, what);
            let says = format!("{rules}, {what}");
            assert_eq!(cited(&world), None, "{says}");
            assert!(world.latched().contains(&code), "{says}: {:?}", world.latched());
            assert_eq!(world.table.phase(), Phase::Interrupted, "{says}");
        }
        let mut world = opened(rules, layout);
        play_to_reveal(&mut world);
        for (line, active) in [(InLine::CamA, true), (InLine::CamB, true), (InLine::CamA, false), (InLine::CamB, false)]
        {
            world.line(line, active);
            world.pass(20);
        }
        let (reason, cited) = cited(&world).unwrap();
        assert_eq!(reason, VoidReason::Equipment, "{rules}");
        assert!(cited.ends_with(if rules == "sg-v6" { "5.4.2" } else { "7.1(b)" }), "{rules}: {cited}");
    }
}

/// Three tumbles that were counted are made, also where the seal breaks while the shaft still turns; fewer are void.
#[test]
fn three_counted_tumbles_outlast_a_broken_seal() {
    for (rules, layout) in RULES {
        let mut world = opened(rules, layout);
        spin_only(&mut world);
        assert!(world.until(10_000, |w| w.table.snapshot().tumbles.0 >= 3));
        world.line(InLine::Seal, false);
        world.pass(3000);
        assert_eq!(cited(&world), None, "{rules}");
        assert!(world.has(|e| matches!(e, Event::SpinEnded { valid: true, how: SpinEnd::Seal, .. })), "{rules}");
        assert_eq!(world.table.phase(), Phase::Interrupted, "{rules}");
    }
}

/// The same where the dome ends the spin: 13 steps prove three full tumbles, and `spin-ended` says so. Whether the dice were exposed
/// besides is another matter (NZ 7.1(c), SGV6 5.5.3).
#[test]
fn three_counted_tumbles_outlast_a_dome_that_is_moved() {
    for (rules, layout) in RULES {
        for contradicts in [false, true] {
            let mut world = opened(rules, layout);
            spin_only(&mut world);
            assert!(world.until(10_000, |w| w.table.snapshot().tumbles.0 >= 3));
            if contradicts {
                let open = world.lines[InLine::DomeOpen.index()];
                world.line(InLine::DomeOpen, !open);
            } else {
                world.lift();
            }
            world.pass(3000);
            let proves = |e: &Event| matches!(e, Event::SpinEnded { valid, how: SpinEnd::Dome, steps, .. } if *valid && *steps >= 13);
            assert!(world.has(proves), "{rules}, {contradicts}: {:?}", world.records);
            let exposed = rules.starts_with("nz") || rules == "sg-v6";
            let voided = (exposed && !contradicts).then_some(VoidReason::Exposed);
            assert_eq!(cited(&world).map(|(reason, _)| reason), voided, "{rules}, {contradicts}");
        }
    }
}

/// A round that waits for a spin which the tumbler may not make any more is void by the text, and not by a person's choice: no
/// latch opens before the round has ended (SGV6 and SGOC 5.4.2).
#[test]
fn a_round_that_can_have_no_spin_is_void() {
    for (rules, layout, clause) in [("sg-v6", "sg-v6-1", "SGV6 5.4.2"), ("sg-open", "sg-open-1", "SGOC 5.4.2")] {
        let mut world = opened(rules, layout);
        world.press(InLine::PlaceBets);
        world.input(Input::Temperature { reading: Some(MilliCelsius(120_000)) });
        world.pass(100);
        assert_eq!(world.latched(), [Code::Temperature], "{rules}");
        let (reason, cited) = cited(&world).unwrap();
        assert_eq!(reason, VoidReason::Equipment, "{rules}");
        assert!(cited.contains(clause), "{rules}: {cited}");
    }
}

/// Dice that everybody sees have won and lost (SGV6 5.4.1, NZ 4.9): nobody voids them by a choice. A person says that one does not lie
/// flat, or that nobody can tell.
#[test]
fn dice_in_sight_are_not_void_by_a_choice() {
    for (rules, layout) in RULES {
        let mut world = by_eye(rules, layout);
        play_to_reveal(&mut world);
        reveal(&mut world);
        refused(&mut world, void(false), "lie open");
        refused(&mut world, finding(Finding::Undisturbed), "the dealer keys");
        let mut other = world.clone();
        done(&mut other, finding(Finding::NotFlat));
        assert_eq!(cited(&other).unwrap().0, VoidReason::NotFlat, "{rules}");
        if matches!(rules, "sg-v6" | "sg-open") {
            refused_to_supervisor(&mut world, finding(Finding::CannotTell), "tumbler-manager");
        }
        done(&mut world, finding(Finding::CannotTell));
        assert_eq!(cited(&world).unwrap().0, VoidReason::Supervisor, "{rules}");
    }
}

/// Nobody can have seen dice that were moved under the dome, nor how dice lie under it.
#[test]
fn nobody_finds_what_nobody_can_have_seen() {
    let mut world = opened("sg-v6", "sg-v6-1");
    play_to_reveal(&mut world);
    world.pass(1000);
    world.motion += 1;
    world.pass(1500);
    let question = world.table.snapshot().question.unwrap();
    assert_eq!((question.why, question.answers), (Doubt::Knocked, vec![Finding::CannotTell]));
    refused(&mut world, finding(Finding::Undisturbed), "nobody can have seen");
    refused(&mut world, finding(Finding::NotFlat), "nobody can have seen");
    world.lift();
    refused(&mut world, finding(Finding::Undisturbed), "nobody can have seen");
    done(&mut world, finding(Finding::NotFlat));
    assert_eq!(cited(&world), Some((VoidReason::Supervisor, "SGV6 5.14".into())));
}

/// NZ 4.9 with dice that everybody sees; and a die that is found damaged between two rounds is out of service all the same.
#[test]
fn a_damaged_die_is_out_of_service_whenever_it_is_found() {
    let mut world = by_eye("nz-div9", "nz-div9-1");
    done(&mut world, void(true));
    assert_eq!((cited(&world), world.latched()), (None, vec![Code::Dice]));
    let mut world = by_eye("nz-div9", "nz-div9-1");
    play_to_reveal(&mut world);
    reveal(&mut world);
    done(&mut world, void(true));
    assert_eq!(cited(&world), None);
    world.entry([1, 3, 6]);
    world.all_paid();
    assert!(settled(&world));
    assert_eq!(world.latched(), [Code::Dice]);
}

/// NZ 5(d), 7.4: neither an opening nor a reset passes with dice of which a person says meanwhile that one is damaged. Who is no
/// supervisor, has no key or gives no reason says nothing.
#[test]
fn no_test_passes_with_dice_that_are_found_damaged_in_it() {
    let mut world = World::new(world::settings("sg-v6", "sg-v6-1"));
    world.pass(2000);
    refused(&mut world, Command::Open { name: " ".into() }, "give a name");
    let open = world.ask(Command::Open { name: SUPERVISOR.into() });
    world.pass(1000);
    let unsaid = Command::Void { reason: " ".into(), damaged_dice: true, not_flat: false, name: SUPERVISOR.into() };
    refused(&mut world, unsaid, "state the reason");
    done(&mut world, void(true));
    assert!(matches!(world.reply(open), Some(Answer::Refused { why, .. }) if why.contains("a die is damaged")));
    assert_eq!((world.table.phase(), world.latched()), (Phase::Blocked, vec![Code::Dice]));
    // As long as a hand takes to turn the key back (`key_back`).
    world.pass(400);
    world.turn_key();
    world.disk = false;
    let reset = world.ask(Command::Reset { code: Code::Dice, exit: Exit::Rectified, name: SUPERVISOR.into() });
    world.ask(void(true));
    world.disk = true;
    world.commit();
    world.pass(8000);
    assert!(matches!(world.reply(reset), Some(Answer::Refused { why, .. }) if why.contains("a die is damaged")));
    assert_eq!(world.latched(), [Code::Dice]);
    done(&mut world, Command::Reset { code: Code::Dice, exit: Exit::Rectified, name: SUPERVISOR.into() });
    assert_eq!(world.latched(), []);
}

/// An output that goes on reading back wrong is one fault: the journal does not grow with every look at it.
#[test]
fn a_fault_that_lasts_is_recorded_once() {
    let mut world = by_eye("nz-div9", "nz-div9-1");
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.entry([1, 3, 6]);
    world.input(Input::Readback { line: OutLine::MotorEnable, active: true });
    world.stuck_out = Some(OutLine::MotorEnable);
    world.pass(5000);
    let records = world.records.len();
    world.pass(60_000);
    assert!(world.records.len() <= records + 1, "{:?}", &world.records[records..]);
}
