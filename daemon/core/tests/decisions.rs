//! What people may decide, and when: a supervisor's commands against the state of the round.

use crate::world;

use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::input::Input;
use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::prompt::PromptId;
use tumbler_core::record::Event;
use tumbler_core::round::call::Call;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::snapshot::Phase;
use tumbler_core::units::{Dice, RoundId};
use tumbler_core::wire::console::{Answer, Caller, Command, Exit, Witness};
use tumbler_core::wire::registers::{reader, terminal};
use world::play::{maintained, opened, play_to_reveal, reveal, settle_round};
use world::{SUPERVISOR, World, settings};

/// Asks with the key just turned; what is told.
fn told(world: &mut World, command: Command) -> Answer {
    world.turn_key();
    let request = world.ask(command);
    world.pass(100);
    world.reply(request).unwrap().clone()
}

fn refused(world: &mut World, command: Command, why: &str) {
    match told(world, command) {
        Answer::Refused { why: said, .. } => assert!(said.contains(why), "{said}"),
        done @ Answer::Done(_) => panic!("{done:?}, where this is expected: {why}"),
    }
}

fn done(world: &mut World, command: Command) -> String {
    match told(world, command) {
        Answer::Done(said) => said,
        refused @ Answer::Refused { .. } => panic!("{refused:?}"),
    }
}

/// A closed table whose opening tests a supervisor has just begun; and that request.
fn opening() -> (World, u64) {
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.pass(2000);
    world.turn_key();
    let open = world.ask(Command::Open { name: name() });
    (world, open)
}

fn name() -> String {
    SUPERVISOR.into()
}

fn void(damaged_dice: bool, not_flat: bool) -> Command {
    Command::Void { reason: "seen".into(), damaged_dice, not_flat, name: name() }
}

fn dice(pips: [u8; 3]) -> Dice {
    Dice::from_pips(pips).unwrap()
}

/// A table without a dice reader: the dealer's eye decides.
fn without_reader(rules: &str, layout: &str) -> World {
    let mut bare = settings(rules, layout);
    bare.reader = false;
    let mut world = World::new(bare);
    world.pass(2000);
    world.open();
    world
}

/// SGV6 5.6, NZ 7.1: once the outcome is established only damaged dice void it, or eyes that contradict the reader.
#[test]
fn an_established_outcome_is_voided_for_damaged_dice_or_against_the_reader_only() {
    let mut world = opened("nz-div9", "nz-div9-1");
    play_to_reveal(&mut world);
    reveal(&mut world);
    assert!(world.has(|event| matches!(event, Event::Established { .. })));
    refused(&mut world, void(false, false), "the outcome is established");
    done(&mut world, void(false, true));
    assert_eq!(world.last_void().unwrap().reason, VoidReason::NotFlat);
    assert_eq!(world.latched(), [Code::Reader], "it found flat what does not lie flat");
}

/// NZ 7.1(a): where nobody said that the dice lie flat, nobody was wrong.
#[test]
fn nz_7_1_a_dice_that_only_people_judge_blame_no_reader() {
    for by_button in [false, true] {
        let mut world = without_reader("nz-div9", "nz-div9-1");
        play_to_reveal(&mut world);
        reveal(&mut world);
        if by_button {
            world.press(InLine::NoSpin);
        } else {
            done(&mut world, void(false, true));
        }
        let void = world.last_void().unwrap();
        assert_eq!((void.reason, void.cited().as_str()), (VoidReason::NotFlat, "NZ9 7.1(a)"), "{by_button}");
        assert_eq!(world.latched(), []);
    }
    let mut world = without_reader("nz-div9", "nz-div9-1");
    play_to_reveal(&mut world);
    world.press(InLine::NoSpin);
    assert_eq!(world.last_void().unwrap().reason, VoidReason::Declared, "before the reveal nobody saw a die");
}

/// SGOC-early 5.1.1: each affected round is voided afterwards, one that ended void already is not; other rounds stay.
#[test]
fn a_round_that_ended_void_is_not_voided_again_and_its_neighbour_is() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.press(InLine::PlaceBets);
    world.press(InLine::NoSpin);
    world.pass(500);
    settle_round(&mut world);
    let afterwards = |round| Command::VoidAfterwards { round: RoundId(round), reason: "chipped".into(), name: name() };
    refused(&mut world, afterwards(1), "round 1 ended void already");
    world.press(InLine::Tumble);
    refused(&mut world, afterwards(3), "that round is in progress");
    world.press(InLine::NoSpin);
    world.pass(3000);
    refused(&mut world, afterwards(4), "there was no round 4");
    refused(&mut world, afterwards(0), "there was no round 0");
    done(&mut world, afterwards(2));
    assert_eq!(world.latched(), [Code::Dice]);
}

/// faults.md dome.*: a supervisor confirms an open dome only where the dice may be seen and the contacts do not say so already.
#[test]
fn an_open_dome_is_confirmed_only_where_the_dice_may_be_seen() {
    let confirm = || Command::ConfirmDome { reason: "I see the dice".into(), name: name() };
    let early = "the dice may not be seen yet";
    let mut world = opened("nz-div9", "nz-div9-1");
    refused(&mut world, confirm(), "no round under a dome");
    world.press(InLine::Tumble);
    world.pass(500);
    refused(&mut world, confirm(), early);
    world.pass(4000);
    world.press(InLine::PlaceBets);
    refused(&mut world, confirm(), early);
    world.press(InLine::NoMoreBets);
    world.lift();
    refused(&mut world, confirm(), "the contacts say so themselves");
    // Singapore calls before the spin: "No more bets" alone shows nothing either.
    let mut world = opened("sg-v6", "sg-v6-1");
    world.press(InLine::PlaceBets);
    world.press(InLine::NoMoreBets);
    refused(&mut world, confirm(), early);
    world.spin();
    world.pass(1000);
    done(&mut world, confirm());
    assert_eq!((world.table.phase(), world.latched()), (Phase::Revealed, vec![Code::Dome]));
    refused(&mut world, confirm(), "the contacts say so themselves");
}

/// SGV6 5.10: settled by the dice; a result that is entered is amended, not overwritten.
#[test]
fn a_result_is_not_replaced_by_settling_another() {
    let mut world = without_reader("sg-v6", "sg-v6-1");
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.entry([1, 3, 6]);
    let amend = Command::Amend { dice: dice([1, 3, 4]), uphold: false, name: name() };
    done(&mut world, amend);
    world.pass(500);
    assert_eq!(world.table.snapshot().display, "134", "the display follows the amendment");
    let back = Command::Amend { dice: dice([1, 3, 6]), uphold: false, name: name() };
    done(&mut world, back);
    world.pass(500);
    let settle = |pips| Command::Settle { dice: Some(dice(pips)), reason: "lamps".into(), name: name() };
    refused(&mut world, settle([1, 3, 5]), "amend it first");
    refused(&mut world, settle([1, 3, 6]), "collect and pay first");
    world.pass(3500);
    done(&mut world, settle([1, 3, 6]));
    assert!(world.has(|event| matches!(event, Event::Settled { dice: settled, .. } if *settled == dice([1, 3, 6]))));
}

/// design.md rule 2: what the display shows of an amendment is durable.
#[test]
fn an_amended_result_is_shown_once_it_is_durable() {
    let mut world = without_reader("sg-v6", "sg-v6-1");
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.entry([1, 3, 6]);
    world.pass(500);
    world.disk = false;
    world.ask(Command::Amend { dice: dice([1, 3, 4]), uphold: false, name: name() });
    world.pass(500);
    assert_eq!(world.table.snapshot().display, "136");
    world.disk = true;
    world.commit();
    world.pass(100);
    assert_eq!(world.table.snapshot().display, "134");
}

/// NZ 4.2, SGV6 3.8: the dice decide. In the moment between "flat" and the faces nobody's numbers are taken against a reader in service.
#[test]
fn nobody_settles_or_upholds_before_the_reader_has_read_the_faces() {
    for command in [
        Command::Settle { dice: Some(dice([4, 5, 6])), reason: "seen".into(), name: name() },
        Command::Amend { dice: dice([4, 5, 6]), uphold: true, name: name() },
    ] {
        let mut world = opened("sg-v6", "sg-v6-1");
        play_to_reveal(&mut world);
        world.turn_key();
        world.pass(800);
        // It answers again before it counts as lost.
        world.silent.push(reader::UNIT);
        world.line(InLine::DomeClosed, false);
        world.line(InLine::DomeOpen, true);
        assert!(world.until(600, |world| world.has(|event| matches!(event, Event::Established { .. }))));
        let request = world.ask(command);
        let told = world.reply(request).unwrap();
        assert!(matches!(told, Answer::Refused { why, .. } if why.contains("not read the faces yet")), "{told:?}");
        world.pass(500);
        assert!(!world.has(|event| matches!(event, Event::Result { .. })));
    }
}

/// NZ 6.2, 7.1(d): each call once in its turn.
#[test]
fn place_your_bets_is_in_turn_once_and_not_after_no_more_bets() {
    let mut world = opened("sg-v6", "sg-v6-1");
    for line in [InLine::PlaceBets, InLine::PlaceBets, InLine::NoMoreBets, InLine::PlaceBets, InLine::NoMoreBets] {
        world.press(line);
    }
    let called: Vec<_> = world
        .events()
        .filter_map(|event| match event {
            Event::Called { call, in_turn, .. } => Some((*call, *in_turn)),
            _ => None,
        })
        .collect();
    let [bets, closed] = [Call::PlaceBets, Call::NoMoreBets];
    assert_eq!(called, [(bets, true), (bets, false), (closed, true), (bets, false), (closed, false)]);
    // And where the spin comes first, "Place your bets" may be left out, but not come late.
    let mut world = opened("nz-div9", "nz-div9-1");
    world.spin();
    world.press(InLine::NoMoreBets);
    world.press(InLine::PlaceBets);
    world.pass(500);
    assert!(world.has(|event| matches!(event, Event::Called { call: Call::PlaceBets, in_turn: false, .. })));
}

/// NZ 5: the table opens once everything was witnessed, and not before.
#[test]
fn nz_5_the_last_witness_opens_the_table() {
    let (mut world, open) = opening();
    let mut shown = std::collections::BTreeSet::new();
    while world.reply(open).is_none() {
        world.pass(10);
        shown.extend(world.table.snapshot().test);
    }
    let says = |words: &str| shown.iter().any(|test| test.contains(words));
    assert!(says("opening: lamps, showing ") && says("opening: tumbler"), "{shown:?}");
    assert!(matches!(world.reply(open), Some(Answer::Done(told)) if told.contains("press every key")));
    refused(&mut world, Command::Witness { item: Witness::Bell, right: true, name: name() }, "no test waits");
    world.keys(&[1, 2, 3, 4, 5, 6]);
    assert!(world.table.snapshot().test.unwrap().contains("Entry"), "one key is left");
    let asked = |world: &World| world.table.snapshot().prompt.map(|prompt| (prompt.id, prompt.of.join(" ")));
    assert_eq!(asked(&world), Some((PromptId::Keys, "entry".into())));
    world.keys(&[terminal::ENTRY]);
    assert_eq!(asked(&world), Some((PromptId::Witness, "areas seal bell sign".into())));
    let mut said = Vec::new();
    for item in [Witness::Bell, Witness::Areas, Witness::Sign, Witness::Seal] {
        assert_eq!(world.table.phase(), Phase::Closed);
        let request = world.ask(Command::Witness { item, right: true, name: name() });
        world.pass(100);
        said.push(world.reply(request).unwrap().clone());
    }
    let done = |words: &str| Answer::Done(words.into());
    assert_eq!(
        said,
        [done("bell: right"), done("areas: right"), done("sign: right"), done("all witnessed: the table opens")]
    );
    assert_eq!((world.table.phase(), asked(&world)), (Phase::Ready, None));
}

/// design.md, People and roles: a technician answers for what a hardware test asks, and for nothing that opens a table.
#[test]
fn a_technician_witnesses_a_hardware_test_and_no_opening() {
    let technician = || Caller { account: "bo".into(), technician: true, supervisor: false, manager: false };
    let seen = || Command::Witness { item: Witness::Bell, right: true, name: "bo".into() };
    let (mut world, open) = opening();
    assert!(world.until(120_000, |w| w.reply(open).is_some()));
    world.input(Input::Console { request: 90, caller: technician(), command: seen() });
    assert!(matches!(world.reply(90), Some(Answer::Refused { why, .. }) if why.contains("tumbler-supervisor")));

    let mut world = maintained("nz-div9", "nz-div9-1");
    world.ask(Command::HardwareTest { test: HardwareTest::Bell, name: "bo".into() });
    assert!(world.until(60_000, |w| w.table.snapshot().test.is_some_and(|test| test.contains("witness"))));
    world.input(Input::Console { request: 91, caller: technician(), command: seen() });
    world.pass(500);
    assert!(matches!(world.reply(91), Some(Answer::Done(_))), "{:?}", world.reply(91));
}

/// A test that is called off ends at once, and proves nothing.
#[test]
fn closing_the_table_calls_its_opening_off() {
    let (mut world, open) = opening();
    world.pass(300);
    assert!(world.reply(open).is_none() && world.table.is_testing());
    world.ask(Command::Close { name: name() });
    world.pass(300);
    assert!(matches!(world.reply(open), Some(Answer::Refused { .. })), "{:?}", world.reply(open));
    assert!(!world.table.is_testing() && world.table.phase() == Phase::Closed);
}

/// NZ 7.4, faults.md bell.dead: an output that is dead shows only when it is driven, and so its reset drives them all.
#[test]
fn nz_7_4_a_reset_of_the_wires_drives_bell_and_motor() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.lose_lines();
    assert_eq!(world.latched(), [Code::Gpio]);
    world.shaft_works = false;
    let reset = || Command::Reset { code: Code::Gpio, exit: Exit::Rectified, name: name() };
    world.turn_key();
    let dead = world.ask(reset());
    assert!(world.until(60_000, |w| w.reply(dead).is_some()));
    assert!(matches!(world.reply(dead), Some(Answer::Refused { .. })), "{:?}", world.reply(dead));
    assert!(world.latched().contains(&Code::Gpio));

    let mut world = opened("nz-div9", "nz-div9-1");
    world.lose_lines();
    world.turn_key();
    let mended = world.ask(reset());
    let (mut rang, mut turned) = (false, false);
    while world.reply(mended).is_none() {
        world.pass(10);
        rang |= world.outs[OutLine::Bell.index()];
        turned |= world.outs[OutLine::MotorEnable.index()];
    }
    assert!(rang && turned, "bell {rang}, motor {turned}");
    assert!(matches!(world.reply(mended), Some(Answer::Done(_))), "{:?}", world.reply(mended));
}

/// NZ 3.3(a)(iii), SG 5.11: the next game begins with a blank display and without anything keyed.
#[test]
fn nothing_keyed_outlives_its_round() {
    let mut world = without_reader("nz-div9", "nz-div9-1");
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.keys(&[2, 2]);
    assert_eq!(world.table.snapshot().display, " 22");
    world.press(InLine::NoSpin);
    world.pass(1000);
    assert_eq!((world.table.phase(), world.table.snapshot().display.as_str()), (Phase::Void, "---"));
    world.cover();
    play_to_reveal(&mut world);
    reveal(&mut world);
    world.keys(&[5]);
    assert_eq!(world.table.snapshot().display, "  5");
    world.all_paid();
    assert!(!world.has(|event| matches!(event, Event::Result { .. })), "one number is no result");
}

/// NZ 3.3(a)(iii): an entry that waits for the reader is what it was when the entry key was pressed.
#[test]
fn keys_after_the_entry_change_nothing_of_it() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.poses = [reader::MOVING; 3];
    play_to_reveal(&mut world);
    world.lift();
    world.pass(200);
    world.entry([1, 3, 6]);
    assert!(!world.has(|event| matches!(event, Event::Result { .. })), "the dice are not at rest yet");
    world.keys(&[5, terminal::ENTRY]);
    assert_eq!(world.table.snapshot().display, "136");
    world.poses = [reader::FLAT; 3];
    world.pass(1500);
    assert!(world.has(|event| matches!(event, Event::Result { dice: entered, .. } if *entered == dice([1, 3, 6]))));
    assert!(!world.has(|event| matches!(event, Event::EntryError { .. })));
}

/// design.md, Result: a reader that is lost leaves flatness to the dealer's eye. Dice that it last saw moving are no dice that
/// never come to rest (faults.md reader.silent: settled by the dealer).
#[test]
fn dice_that_a_lost_reader_saw_moving_are_the_dealers() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.poses = [reader::MOVING; 3];
    play_to_reveal(&mut world);
    world.silent.push(10);
    world.lift();
    world.pass(10_000);
    assert_eq!((world.latched(), world.first_void()), (vec![Code::Reader], None));
    world.entry([1, 3, 6]);
    world.pass(500);
    world.all_paid();
    assert!(world.has(|event| matches!(event, Event::Settled { .. })));
}

/// NZ 7.4: each unit of the field bus is proved by its own answers, whatever another one does.
#[test]
fn nz_7_4_a_unit_is_proved_while_another_is_silent() {
    let units = [(Code::Terminal, 1), (Code::Reader, 10), (Code::Lamps, 2)];
    for (code, unit) in units {
        let mut world = opened("nz-div9", "nz-div9-1");
        world.silent = units.map(|(_, unit)| unit).to_vec();
        world.pass(3000);
        assert_eq!(world.latched().len(), 3, "{:?}", world.latched());
        let reset = || Command::Reset { code, exit: Exit::Rectified, name: name() };
        world.turn_key();
        let silent = world.ask(reset());
        assert!(world.until(120_000, |w| w.reply(silent).is_some()));
        assert!(matches!(world.reply(silent), Some(Answer::Refused { .. })), "{code}: {:?}", world.reply(silent));
        world.silent.retain(|other| *other != unit);
        world.pass(1000);
        world.turn_key();
        world.ask(reset());
        let said = |world: &World| world.table.snapshot().test.unwrap_or_default();
        let measures = |w: &World| {
            let test = said(w);
            ["press the key", "look at", "tumbler", "until the dice rest", "showing", "witness"]
                .iter()
                .any(|word| test.contains(word))
        };
        assert!(world.until(10_000, measures), "{code} goes on to what is measured: {}", said(&world));
    }
}

/// NZ 5(b), faults.md display.wrong: a display that shows something else opens no table.
#[test]
fn nz_5_b_a_display_that_shows_something_else_opens_no_table() {
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.stuck_display = Some(0x888);
    world.pass(100);
    world.turn_key();
    let open = world.ask(Command::Open { name: name() });
    assert!(world.until(60_000, |w| w.reply(open).is_some()));
    assert!(matches!(world.reply(open), Some(Answer::Refused { .. })), "{:?}", world.reply(open));
}
