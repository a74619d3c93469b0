//! Rounds of a healthy table, as far as a test wants them played.

use super::{World, settings};
use tumbler_core::line::InLine;
use tumbler_core::rules;
use tumbler_core::snapshot::Phase;
use tumbler_core::wire::console::Command;

/// A table that a supervisor has opened.
pub fn opened(rules: &str, layout: &str) -> World {
    let mut world = World::new(settings(rules, layout));
    world.pass(2000);
    world.open();
    assert_eq!(world.table.phase(), Phase::Ready, "{:?}", world.records);
    world
}

/// A table in maintenance, under the key.
pub fn maintained(rules: &str, layout: &str) -> World {
    let mut world = World::new(settings(rules, layout));
    world.pass(2000);
    world.turn_key();
    world.ask(Command::Maintenance { on: true, name: "teo".into() });
    assert_eq!(world.table.phase(), Phase::Maintenance);
    world
}

/// Plays to just before the reveal by the rule set's own order of play.
pub fn play_to_reveal(world: &mut World) {
    let order = rules::rule_set(&world.settings.rules).unwrap().order;
    if order.spin_begins_round {
        world.spin();
        world.press(InLine::PlaceBets);
        world.press(InLine::NoMoreBets);
    } else {
        world.press(InLine::PlaceBets);
        world.press(InLine::NoMoreBets);
        world.spin();
    }
}

/// Plays a whole round by the rule set's own order of play, in which the dice show 1, 3, 6, and covers them for the next.
pub fn settle_round(world: &mut World) {
    play_to_reveal(world);
    reveal(world);
    world.entry([1, 3, 6]);
    world.pass(500);
    world.all_paid();
    world.cover();
}

/// The dice are uncovered, where they are covered, and the reader finds them at rest.
pub fn reveal(world: &mut World) {
    if world.table.snapshot().dome == "closed" && rules::rule_set(&world.settings.rules).unwrap().order.covered {
        world.lift();
    }
    world.pass(800);
}
