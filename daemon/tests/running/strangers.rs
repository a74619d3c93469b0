//! Strangers at the panel: nothing that they send ends the daemon, holds the technician up, or fills the log.

use crate::bench::Place;
use crate::browser::{Browser, with_panel};
use crate::cgroup::{Cgroup, limit_of_the_unit};
use std::thread;

/// Most memory that the daemon may ever have had, in MiB: its own 16, one password's 19, and some air. The unit allows 128.
const MOST: u64 = 48;

/// Wrong logins by the hundred, one after another and side by side, from many addresses and at many names. Each password
/// that is looked at takes 19 MiB, and gives them back.
#[test]
#[expect(clippy::print_stdout, reason = "says what was measured, or why nothing was")]
fn wrong_logins_do_not_end_the_daemon() {
    let limit = limit_of_the_unit();
    let Some(group) = Cgroup::new(limit) else {
        println!("this user may make no control group");
        return;
    };
    let place = Place::new();
    let port = with_panel(&place);
    place.commission();
    let daemon = place.start_in(|command| group.holds(command));
    let _wire = place.wire();
    place.told("READY=");
    Browser::new(port, 2, 1).waits();
    let before = group.peak();
    let guess = |n: u8| Browser::new(port, 1, n).log_in(&format!("name{n}"), "a wrong password").map(|told| told.code);
    let mut told: Vec<_> = (0..100).map(guess).collect();
    thread::scope(|scope| {
        let side_by_side: Vec<_> = (100..200).map(|n| scope.spawn(move || guess(n))).collect();
        told.extend(side_by_side.into_iter().map(|one| one.join().unwrap()));
    });
    assert_eq!(group.kills(), 0, "the kernel killed it for want of memory: {told:?}");
    let looked_at = told.iter().filter(|code| **code == Some(401)).count();
    assert!(looked_at >= 20, "too few to tell: {told:?}");
    assert!(told.iter().all(|code| matches!(code, Some(401 | 429 | 503))), "{told:?}");
    let table = Browser::new(port, 2, 1).ask("GET", "/api/table", "").unwrap();
    assert!(table.code == 200 && table.body.contains("virtual"), "{table:?}");
    let peak = group.peak();
    println!("{looked_at} passwords looked at; memory {before} B before, {peak} B at most, {limit} B allowed");
    assert!(peak < MOST << 20, "{peak} B");
    drop(daemon);
}
