//! Appending, group commits, reopening.

use super::common::{BOOT, Table, noted};
use proptest::prelude::*;
use tumbler_core::input::Input;
use tumbler_core::table::Found;
use tumbler_core::units::Seq;
use tumblerd::journal::{Identity, Journal, JournalError};

#[test]
fn a_commissioned_table_opens_with_its_first_record_and_no_permit() {
    let table = Table::new();
    let (session, found) = table.open();
    assert!(matches!(&found, Found::Good { last: Seq(1), relayed: Seq(0), permit: false, .. }), "{found:?}");
    session.stop();
    assert!(table.bodies()[0].contains(r#""kind":"commissioned""#), "{:?}", table.bodies());
    table.assert_whole();
}

#[test]
fn a_table_is_commissioned_once() {
    let table = Table::new();
    let again = Journal::commission(&table.state(), &table.run(), &table.id, BOOT).unwrap_err().to_string();
    assert!(again.contains("a table is commissioned once"), "{again}");
}

#[test]
fn an_empty_directory_says_how_to_commission() {
    let table = Table::new();
    let elsewhere = table.dir.path().join("elsewhere");
    let error = Journal::open(&elsewhere, &table.run(), &table.id, BOOT).unwrap_err();
    assert!(matches!(error, JournalError::NotCommissioned(_)));
    assert!(error.to_string().contains("tumblerd --commission"), "{error}");
}

#[test]
fn names_that_do_not_fit_the_slot_are_refused() {
    let table = Table::new();
    let id = Identity { site: "s".repeat(60), table: "t".repeat(5), backend: "virtual".into() };
    let error = Journal::commission(&table.dir.path().join("x"), &table.run(), &id, BOOT).unwrap_err().to_string();
    assert_eq!(
        error,
        "site and table have 65 bytes together; the slot beside the journal has room for 64: choose shorter names"
    );
}

/// As after `systemctl stop`, which takes the run directory away: nothing is left half done.
#[test]
fn without_a_run_directory_nothing_is_commissioned() {
    let table = Table::new();
    let (state, file) = (table.dir.path().join("new"), table.dir.path().join("file"));
    std::fs::write(&file, "no directory").unwrap();
    let error = Journal::commission(&state, &file.join("run"), &table.id, BOOT).unwrap_err().to_string();
    assert!(error.contains("systemd-tmpfiles --create tumblerd.conf"), "{error}");
    Journal::commission(&state, &table.run(), &table.id, BOOT).unwrap();
}

#[test]
fn a_second_daemon_is_kept_out() {
    let table = Table::new();
    let (session, _) = table.open();
    let error = table.try_open().unwrap_err();
    assert!(matches!(error, JournalError::InUse(_)), "{error}");
    session.stop();
    table.open().0.stop();
}

#[test]
fn what_waits_is_committed_together_and_answered_in_order() {
    let table = Table::new();
    let (mut session, _) = table.open();
    for n in 0..200 {
        session.queue(noted(&format!("{n}")), None);
    }
    let mut last = Seq(0);
    while last < session.last {
        match session.answer() {
            Input::Durable { seq } => {
                assert!(seq > last);
                last = seq;
            }
            other => panic!("{other:?}"),
        }
    }
    session.stop();
    assert_eq!(table.bodies().len(), 201);
    table.assert_whole();
}

#[test]
fn the_relays_cursor_rides_the_commits() {
    let table = Table::new();
    let (mut session, _) = table.open();
    let mut job = session.job(noted("a"), None);
    job.relayed = Seq(1);
    session.appender.append(job).unwrap();
    session.settle();
    session.stop();
    assert!(matches!(table.found(), Found::Good { relayed: Seq(1), .. }));
}

#[test]
fn an_append_without_records_is_answered_with_the_head() {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.queue(Vec::new(), None);
    assert_eq!(session.answer(), Input::Durable { seq: Seq(1) });
    session.stop();
}

#[test]
fn records_that_leave_numbers_out_are_refused() {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.last = Seq(5);
    session.queue(noted("gap"), None);
    assert_eq!(session.answer(), Input::JournalFailed { reason: "record 6 cannot follow record 1".into() });
    assert!(session.writer.stop().is_err());
    assert_eq!(table.bodies().len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whatever is appended, in whatever groups, with whatever restarts, lies there in order, and the chain is whole.
    #[test]
    fn appends_and_restarts_keep_every_record(
        runs in prop::collection::vec((prop::collection::vec((0..5usize, "\\PC{0,40}"), 0..6), any::<bool>()), 1..5)
    ) {
        let mut table = Table::new();
        let mut written = Vec::new();
        for (jobs, reboot) in runs {
            if reboot {
                table.reboot();
            }
            let (mut session, found) = table.open();
            let good = matches!(&found, Found::Good { last, .. } if last.0 == written.len() as u64 + 1);
            prop_assert!(good, "{:?}", found);
            let mut queued = false;
            for (records, text) in jobs {
                let events: Vec<_> = (0..records).flat_map(|n| noted(&format!("{text}{n}"))).collect();
                let job = session.job(events, None);
                written.extend(job.records.iter().map(|record| serde_json::to_string(record).unwrap()));
                session.appender.append(job).unwrap();
                queued = true;
            }
            if queued {
                session.settle();
            }
            session.stop();
        }
        prop_assert_eq!(&table.bodies()[1..], written.as_slice());
        table.assert_whole();
    }
}
