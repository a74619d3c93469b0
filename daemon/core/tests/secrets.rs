//! What nobody may learn before the reveal: which keys were pressed.

use crate::world;

use tumbler_core::effect::{BusOp, Effect, KeyTold};
use tumbler_core::input::{BusReply, Input};
use tumbler_core::line::InLine;
use tumbler_core::record::Event;
use tumbler_core::wire::registers::terminal;
use world::World;
use world::play::{opened, play_to_reveal, reveal};

/// The codes of keys in what would be kept of this history: a terminal's block holds its events from the fourth word on.
fn kept(world: &World) -> Vec<u16> {
    let mut asked = std::collections::BTreeSet::new();
    let mut codes = Vec::new();
    for (stamped, effects) in &world.history {
        match &stamped.input {
            Input::Bus { id, reply: Ok(BusReply::Words(words)) } if asked.contains(id) => codes.extend(&words[3..11]),
            _ => {}
        }
        asked.extend(effects.iter().filter_map(|effect| match effect {
            Effect::Bus(request) if request.op == POLL && request.unit == 1 => Some(request.id),
            _ => None,
        }));
    }
    codes.retain(|code| *code != 0);
    codes
}

const POLL: BusOp = BusOp::ReadInput { address: terminal::POLL, count: terminal::POLL_COUNT };

/// design.md, Keys of the terminal: before the reveal it is told and kept that a key was pressed, not which; from the reveal on it is.
#[test]
fn which_key_was_pressed_is_told_and_kept_from_the_reveal_on() {
    let mut world = opened("nz-div9", "nz-div9-1");
    // What an opening asks for is told as little.
    assert!(world.told.iter().all(|key| *key == KeyTold::SomeKey));
    world.told.clear();
    world.history.clear();
    world.keys(&[6]);
    play_to_reveal(&mut world);
    world.keys(&[4, 5, terminal::ENTRY]);
    assert_eq!(world.told, [KeyTold::SomeKey; 4]);
    assert!(!kept(&world).is_empty() && kept(&world).iter().all(|code| *code == 1), "{:?}", kept(&world));
    assert_eq!(world.table.snapshot().display, "   ", "and nothing is shown of them");
    reveal(&mut world);
    world.told.clear();
    world.keys(&[3]);
    assert_eq!(world.told, [KeyTold::Digit(3)]);
    assert!(kept(&world).contains(&3));
}

/// The same: a key that was pressed before the reveal and is heard of after it stays what it was.
#[test]
fn a_key_from_before_the_reveal_that_comes_after_it_stays_hidden() {
    // The terminal is asked every 20 ms, and the dome counts as open 50 ms after its contacts: at every moment of a question,
    // also while its answer is under way.
    for (before, shift) in (1..=25).flat_map(|before| (0..25).map(move |shift| (before, shift))) {
        let mut world = opened("nz-div9", "nz-div9-1");
        play_to_reveal(&mut world);
        world.line(InLine::DomeClosed, false);
        world.pass(100 + shift);
        world.line(InLine::DomeOpen, true);
        let mut until = world.clone();
        until.pass(500);
        let reveal = until.records.iter().find(|record| matches!(record.event, Event::Revealed { .. }));
        let takes = (reveal.expect("it opens").at.0 - world.now.0) / 1_000_000;
        world.pass(takes - before.min(takes));
        world.told.clear();
        world.history.clear();
        world.keys.push(5);
        world.pass(before.min(takes));
        world.pass(100);
        assert_eq!(world.told, [KeyTold::SomeKey], "pressed {before} ms before the reveal, {shift}");
        assert!(!kept(&world).contains(&5), "pressed {before} ms before the reveal, {shift}");
    }
}
