//! Presses of the dealer's buttons about the moment in which a round ends.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

mod world;

use tumbler_core::line::InLine;
use tumbler_core::record::Event;
use tumbler_core::round::ending::VoidReason;
use world::play::opened;

/// NZ 6.1, 7.1; design.md, Buttons and key: a press acts once it is debounced, and presses act in the order of their edges. A dealer
/// who announces "No spin" and presses the tumbler's button 10 ms later ends one round and begins the next.
#[test]
fn a_press_debounced_just_after_the_rounds_end_begins_the_next() {
    let mut world = opened("nz-div9", "nz-div9-1");
    world.spin();
    world.line(InLine::NoSpin, true);
    world.pass(10);
    world.line(InLine::Tumble, true);
    world.pass(15);
    assert_eq!(world.first_void().map(|void| void.reason), Some(VoidReason::Declared));
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
