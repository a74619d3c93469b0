//! What stands still: the daemon.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

mod world;

use tumbler_core::effect::Effect;
use tumbler_core::input::Input;
use tumbler_core::record::Standing;
use tumbler_core::table::{Found, Start, Table};
use tumbler_core::units::{Mono, Seq};
use world::settings;

/// DESIGN, field bus: one transaction at a time, also for a daemon that stood still while it waited for an answer.
#[test]
fn after_a_standstill_no_second_transaction_begins_before_the_first_ones_answer() {
    for late_ms in [20, 80, 500, 3_500] {
        let start = Start {
            boot: "boot-1".into(),
            build: "test".into(),
            config: "00".into(),
            journal: Found::Good {
                standing: Box::new(Standing::default()),
                last: Seq(0),
                relayed: Seq(0),
                permit: false,
            },
        };
        let mut effects = Vec::new();
        let mut table = Table::start(settings("nz-div9", "nz-div9-1"), start, Mono(0), &mut effects).unwrap();
        let asked = |effects: &mut Vec<Effect>| effects.drain(..).filter(|e| matches!(e, Effect::Bus(_))).count();
        table.handle(Mono(0), Mono(0), &Input::Tick, &mut effects);
        assert_eq!(asked(&mut effects), 1);
        // Nothing answers, until only the guard of the transaction is left to wait for.
        while let Some(due) = table.next_deadline().filter(|due| *due < Mono::from_millis(3_000)) {
            table.handle(due, due, &Input::Tick, &mut effects);
        }
        assert_eq!((asked(&mut effects), table.next_deadline()), (0, Some(Mono::from_millis(3_000))));
        let now = Mono::from_millis(3_000 + late_ms);
        table.handle(now, now, &Input::Tick, &mut effects);
        assert_eq!(asked(&mut effects), 0, "{late_ms} ms late");
        // What is never answered is given up all the same.
        let due = Mono::from_millis(6_000 + late_ms);
        table.handle(due, due, &Input::Tick, &mut effects);
        assert_eq!(asked(&mut effects), 1, "{late_ms} ms late");
    }
}
