//! What tests of the rule texts share: the rule sets, tables without a reader, and what people ask and are told.

use super::{SUPERVISOR, World, settings};
use tumbler_core::line::InLine;
use tumbler_core::record::Event;
use tumbler_core::round::Finding;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::wire::console::{Answer, Caller, Command};

pub const RULES: [(&str, &str); 5] = [
    ("nz-1998", "nz-1998"),
    ("nz-div9", "nz-div9-1"),
    ("sg-v6", "sg-v6-1"),
    ("sg-open", "sg-open-1"),
    ("sg-open-early", "sg-open-early-1"),
];

/// An open table without a reader: only people see the dice.
pub fn by_eye(rules: &str, layout: &str) -> World {
    let mut settings = settings(rules, layout);
    settings.reader = false;
    let mut world = World::new(settings);
    world.pass(2000);
    world.open();
    world
}

pub fn told(world: &mut World, command: Command) -> Answer {
    world.turn_key();
    let request = world.ask(command);
    world.pass(100);
    world.reply(request).unwrap().clone()
}

pub fn done(world: &mut World, command: Command) {
    let answer = told(world, command.clone());
    assert!(matches!(answer, Answer::Done(_)), "{command:?}: {answer:?}");
}

pub fn refused(world: &mut World, command: Command, why: &str) {
    let answer = told(world, command.clone());
    assert!(matches!(&answer, Answer::Refused { why: said, .. } if said.contains(why)), "{command:?}: {answer:?}");
}

/// Asks as a supervisor who is no shift manager.
pub fn refused_to_supervisor(world: &mut World, command: Command, why: &str) {
    world.turn_key();
    let caller = Caller { account: "sue".into(), technician: false, supervisor: true, manager: false };
    let request = world.ask_as(caller, command.clone());
    world.pass(100);
    let answer = world.reply(request).unwrap();
    assert!(matches!(answer, Answer::Refused { why: said, .. } if said.contains(why)), "{command:?}: {answer:?}");
}

pub fn finding(finding: Finding) -> Command {
    Command::Finding { finding, reason: "seen".into(), name: SUPERVISOR.into() }
}

pub fn void(damaged_dice: bool) -> Command {
    Command::Void { reason: "chipped".into(), damaged_dice, not_flat: false, name: SUPERVISOR.into() }
}

pub fn cited(world: &World) -> Option<(VoidReason, String)> {
    world.last_void().map(|void| (void.reason, void.cited()))
}

pub fn settled(world: &World) -> bool {
    world.has(|event| matches!(event, Event::Settled { .. }))
}

pub fn spin_only(world: &mut World) {
    if !world.settings.rules.starts_with("nz") {
        world.press(InLine::PlaceBets);
        if world.settings.rules != "sg-v6" {
            world.press(InLine::NoMoreBets);
        }
    }
    world.press(InLine::Tumble);
}
