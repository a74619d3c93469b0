//! What people write in a command has a length, and every character of it is seen: the table refuses everything else, whoever asks.

use crate::world;

use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::latch::Code;
use tumbler_core::record::Event;
use tumbler_core::round::Finding;
use tumbler_core::units::{Dice, RoundId};
use tumbler_core::wire::console::{Answer, Command, Exit, Witness};
use world::{SUPERVISOR, World, settings};

/// Every command that names somebody, with this name.
fn named(name: &str) -> Vec<Command> {
    let (name, reason) = (|| name.to_owned(), || "seen".to_owned());
    let dice = Dice::from_pips([1, 3, 6]).unwrap();
    vec![
        Command::Open { name: name() },
        Command::Witness { item: Witness::Bell, right: true, name: name() },
        Command::Close { name: name() },
        Command::Maintenance { on: true, name: name() },
        Command::HardwareTest { test: HardwareTest::Motor, name: name() },
        Command::Reset { code: Code::Lamps, exit: Exit::Rectified, name: name() },
        Command::Amend { dice, uphold: false, name: name() },
        Command::Void { reason: reason(), damaged_dice: false, not_flat: false, name: name() },
        Command::VoidAfterwards { round: RoundId(1), reason: reason(), name: name() },
        Command::Finding { finding: Finding::CannotTell, reason: reason(), name: name() },
        Command::Supervise { name: name() },
        Command::Correct { round: RoundId(1), reason: reason(), name: name() },
        Command::ConfirmDome { reason: reason(), name: name() },
        Command::Settle { dice: Some(dice), reason: reason(), name: name() },
        Command::EnrolDice { reason: reason(), name: name() },
    ]
}

/// Every command that says why, with this reason.
fn reasoned(reason: &str) -> Vec<Command> {
    let (name, reason) = (|| SUPERVISOR.to_owned(), || reason.to_owned());
    vec![
        Command::Reset { code: Code::Lamps, exit: Exit::Procedure(reason()), name: name() },
        Command::Void { reason: reason(), damaged_dice: false, not_flat: false, name: name() },
        Command::Void { reason: reason(), damaged_dice: true, not_flat: false, name: name() },
        Command::VoidAfterwards { round: RoundId(1), reason: reason(), name: name() },
        Command::Finding { finding: Finding::CannotTell, reason: reason(), name: name() },
        Command::Correct { round: RoundId(1), reason: reason(), name: name() },
        Command::ConfirmDome { reason: reason(), name: name() },
        Command::Settle { dice: None, reason: reason(), name: name() },
        Command::EnrolDice { reason: reason(), name: name() },
    ]
}

/// A closed table, its key just turned.
fn table() -> World {
    let mut world = World::new(settings("nz-div9", "nz-div9-1"));
    world.pass(2000);
    world.turn_key();
    world
}

/// What the table says to a command that it refuses; nothing where it does not.
fn refused(command: &Command) -> Option<String> {
    let mut world = table();
    let request = world.ask(command.clone());
    world.pass(300);
    match world.reply(request) {
        Some(Answer::Refused { why, .. }) => {
            let recorded = world.has(|e| matches!(e, Event::Refused { why: said, .. } if said.ends_with(why)));
            assert!(recorded, "{command:?}: {:?}", world.records);
            Some(why.clone())
        }
        _ => None,
    }
}

fn is_for_its_text(why: &str) -> bool {
    why.starts_with("a name has ") || why.starts_with("a reason has ")
}

/// Issue: names 64, reasons 500 characters, counted in Unicode scalar values.
#[test]
fn names_and_reasons_have_a_length() {
    for letter in ["n", "é", "陳", "🎲"] {
        for (most, commands, what) in
            [(64, named as fn(&str) -> Vec<Command>, "name"), (500, reasoned as fn(&str) -> Vec<Command>, "reason")]
        {
            for command in commands(&letter.repeat(most)) {
                assert!(!refused(&command).is_some_and(|why| is_for_its_text(&why)), "{command:?}");
            }
            for command in commands(&letter.repeat(most + 1)) {
                let said = format!("a {what} has {most} characters at most, and this one has {}: ", most + 1);
                assert!(refused(&command).is_some_and(|why| why.starts_with(&said)), "{command:?}");
            }
        }
    }
}

/// Control characters, those that turn the direction of writing, and those that show nothing.
#[test]
fn every_character_is_seen() {
    let directions = (0x202a..=0x202e).chain(0x2066..=0x2069).chain([0x200e, 0x200f, 0x61c]);
    let controls = (0..=0x1f).chain(0x7f..=0x9f).chain([0x2028, 0x2029]);
    let nothing = [0xad, 0x200b, 0x200c, 0x200d, 0x2060, 0x2063, 0x3164, 0xfeff, 0xfe0f, 0xe0041];
    for code in directions.chain(controls).chain(nothing) {
        let text = format!("Me{}i", char::from_u32(code).unwrap());
        let said = format!("has no characters that are not seen, and this one has U+{code:04X}: ");
        for command in [named(&text).remove(2), reasoned(&text).remove(1)] {
            assert!(refused(&command).is_some_and(|why| why.contains(&said)), "{command:?}: {:?}", refused(&command));
        }
    }
}

/// What is refused is neither in the journal nor on show.
#[test]
fn a_text_that_is_refused_is_told_nowhere() {
    for command in named(&"longname".repeat(9)).into_iter().chain(reasoned(&"longreason".repeat(51))) {
        let mut world = table();
        world.ask(command.clone());
        world.pass(300);
        let told = format!("{:?} {:?}", world.records, world.table.snapshot());
        assert!(!told.contains("longnamelong") && !told.contains("longreasonlong"), "{command:?}");
    }
}
