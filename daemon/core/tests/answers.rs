//! "Done" is a promise: it comes once what was done is durable, so that no restart makes it untrue (design.md rule 2, "make durable,
//! then publish"). A refusal promises nothing and comes at once.

use crate::world;

use tumbler_core::input::Input;
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::units::{Dice, RoundId};
use tumbler_core::wire::console::{Answer, Command, Exit};
use world::{SUPERVISOR, World, settings};

type SetUp = fn(&mut World);

fn who() -> String {
    SUPERVISOR.into()
}

fn why() -> String {
    "seen".into()
}

/// A round whose numbers were entered wrong: the dice show 1, 3, 6.
fn wrong_numbers(w: &mut World) {
    w.spin();
    w.press(InLine::PlaceBets);
    w.press(InLine::NoMoreBets);
    w.lift();
    w.pass(1000);
    w.poses = [0; 3];
    w.entry([2, 3, 6]);
    w.pass(300);
}

/// A round without a spin: one that is valid is not voided by choice (NZ 7.1).
fn bets_only(w: &mut World) {
    w.press(InLine::PlaceBets);
}

/// Every command that changes the table at once, on a table in which it is allowed.
fn commands() -> Vec<(SetUp, Command)> {
    let dice = Dice::from_pips([1, 3, 6]).unwrap();
    vec![
        (|_| {}, Command::Close { name: who() }),
        (|_| {}, Command::Maintenance { on: true, name: who() }),
        (|_| {}, Command::EnrolDice { reason: why(), name: who() }),
        (
            |w| {
                bets_only(w);
                // The seal keeps the motor off, and a person ends the round.
                w.line(InLine::Seal, false);
                w.pass(300);
            },
            Command::Void { reason: why(), damaged_dice: false, not_flat: false, name: who() },
        ),
        (World::spin, Command::Void { reason: why(), damaged_dice: true, not_flat: false, name: who() }),
        (wrong_numbers, Command::Amend { dice, uphold: true, name: who() }),
        (
            |w| {
                bets_only(w);
                // NZ 7.1(d).
                w.press(InLine::NoMoreBets);
                w.spin();
                w.press(InLine::PlaceBets);
                w.press(InLine::NoMoreBets);
                w.lift();
                w.pass(1000);
                w.entry([1, 3, 6]);
                w.pass(300);
                w.all_paid();
            },
            Command::VoidAfterwards { round: RoundId(2), reason: why(), name: who() },
        ),
        (
            |w| {
                w.bus_works = false;
                assert!(w.until(60_000, |w| w.latched().contains(&Code::Reader)));
                w.bus_works = true;
                w.pass(3000);
                w.turn_key();
            },
            Command::Reset { code: Code::Reader, exit: Exit::Procedure("by eye".into()), name: who() },
        ),
    ]
}

fn asked(set_up: SetUp, command: &Command) -> (World, u64) {
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.pass(2000);
    world.open();
    set_up(&mut world);
    world.turn_key();
    world.pass(300);
    world.disk = false;
    let request = world.ask(command.clone());
    world.pass(1000);
    (world, request)
}

#[test]
fn done_waits_for_the_disk() {
    for (set_up, command) in commands() {
        let (mut world, request) = asked(set_up, &command);
        assert_eq!(world.reply(request), None, "{command:?} was answered before its record was durable");
        world.commit();
        assert!(matches!(world.reply(request), Some(Answer::Done(_))), "{command:?}: {:?}", world.reply(request));
        world.check_answers();
    }
}

/// Whoever reads "done" and loses the power the moment after, finds it done.
#[test]
fn where_the_journal_fails_the_answer_says_that_nothing_is_on_record() {
    for (set_up, command) in commands() {
        let (mut world, request) = asked(set_up, &command);
        world.input(Input::JournalFailed { reason: "input/output error".into() });
        match world.reply(request) {
            Some(Answer::Refused { why: text, .. }) => {
                assert!(text.contains("journal cannot be written"), "{command:?}: {text}")
            }
            other => panic!("{command:?}: {other:?}"),
        }
        // And so does the next one, at once.
        let request = world.ask(Command::Close { name: who() });
        assert!(matches!(world.reply(request), Some(Answer::Refused { .. })), "{:?}", world.reply(request));
    }
}

#[test]
fn a_refusal_and_a_recording_do_not_wait() {
    let (mut world, _) = asked(|_| {}, &Command::Close { name: who() });
    let refused = world.ask(Command::VoidAfterwards { round: RoundId(9), reason: why(), name: who() });
    assert!(matches!(world.reply(refused), Some(Answer::Refused { .. })), "{:?}", world.reply(refused));
    let record = world.ask(Command::Record);
    assert!(matches!(world.reply(record), Some(Answer::Done(_))), "{:?}", world.reply(record));
}

/// console.md, Bounds: a recording wears the disk, so nobody has them written without an end, and who is refused is told until when.
#[test]
fn recordings_without_an_end_are_refused() {
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    let mut ask = |ms: u64| {
        world.pass(ms);
        let request = world.ask(Command::Record);
        world.reply(request).cloned()
    };
    for _ in 0..8 {
        assert!(matches!(ask(0), Some(Answer::Done(_))));
    }
    let Some(Answer::Refused { code, why }) = ask(0) else { panic!("the ninth is written") };
    assert_eq!(code, "too-many-recordings");
    assert!(why.contains("one in 10 min") && why.ends_with("ask again in 600 s"), "{why}");
    assert!(matches!(ask(599_000), Some(Answer::Refused { .. })));
    assert!(matches!(ask(2_000), Some(Answer::Done(_))));
    assert!(matches!(ask(0), Some(Answer::Refused { .. })));
}
