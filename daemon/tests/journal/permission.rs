//! What persists is permission, bound to the boot (rule 8 of the design).

use crate::common::{Table, noted};
use tumbler_core::table::Found;

fn permit(found: &Found) -> bool {
    matches!(found, Found::Good { permit: true, .. })
}

fn granted() -> Table {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.append(noted("opened"), Some(true));
    session.stop();
    table
}

#[test]
fn a_grant_outlives_a_restart_within_the_boot() {
    let table = granted();
    let (session, found) = table.open();
    assert!(permit(&found), "{found:?}");
    session.stop();
    assert!(permit(&table.found()));
}

#[test]
fn a_grant_does_not_outlive_the_boot() {
    let mut table = granted();
    table.boot = "another boot".into();
    let (session, found) = table.open();
    assert!(matches!(found, Found::Good { permit: false, .. }), "{found:?}");
    session.stop();
}

#[test]
fn a_grant_needs_the_permit_file() {
    let table = granted();
    std::fs::remove_file(table.run().join("permit")).unwrap();
    assert!(!permit(&table.found()));
}

#[test]
fn an_older_permit_does_not_count() {
    let table = granted();
    let old = std::fs::read(table.run().join("permit")).unwrap();
    let (mut session, _) = table.open();
    session.append(noted("closed"), Some(false));
    session.append(noted("opened"), Some(true));
    session.append(noted("closed"), Some(false));
    session.append(noted("opened"), Some(true));
    session.stop();
    assert_ne!(std::fs::read(table.run().join("permit")).unwrap(), old);
    std::fs::write(table.run().join("permit"), old).unwrap();
    assert!(!permit(&table.found()));
}

#[test]
fn a_revocation_takes_permit_and_slot_away() {
    let table = granted();
    let permit_before = std::fs::read(table.run().join("permit")).unwrap();
    let (mut session, _) = table.open();
    session.append(noted("latched"), Some(false));
    assert!(!table.run().join("permit").exists());
    session.stop();
    // Even a permit that comes back finds a slot that grants nothing.
    std::fs::write(table.run().join("permit"), permit_before).unwrap();
    assert!(!permit(&table.found()));
}

#[test]
fn a_revocation_and_a_grant_in_one_commit_end_as_the_last_of_them() {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.queue(noted("opened"), Some(true));
    session.queue(noted("latched"), Some(false));
    session.settle();
    session.stop();
    assert!(!permit(&table.found()));
    let (mut session, _) = table.open();
    session.queue(noted("closed"), Some(false));
    session.queue(noted("opened"), Some(true));
    session.settle();
    session.stop();
    assert!(permit(&table.found()));
}

#[test]
fn damage_takes_the_permit_away() {
    let table = granted();
    std::fs::remove_file(table.journal()).unwrap();
    let (session, found) = table.open();
    assert!(matches!(found, Found::Bad { .. }));
    session.stop();
    assert!(!permit(&table.found()));
}
