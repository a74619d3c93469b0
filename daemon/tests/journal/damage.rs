//! Damaged, missing, foreign and older journals: noticed, set aside, and gone on after.

use super::common::{BOOT, Table, identity, round};
use std::path::Path;
use tumbler_core::latch::Code;
use tumbler_core::record::Event;
use tumbler_core::table::Found;
use tumbler_core::units::{RoundId, Seq};
use tumblerd::journal::{Journal, JournalError, Reader, SKIPPED, verify};

/// Opens what should be found bad; afterwards everything must be usable again.
fn bad(table: &Table) -> (String, Seq) {
    let (mut session, found) = table.open();
    let Found::Bad { reason, last, .. } = found else { panic!("not noticed: {found:?}") };
    session.round();
    session.stop();
    table.assert_whole();
    let (session, found) = table.open();
    assert!(matches!(found, Found::Good { permit: false, .. }), "still bad at the second start: {found:?}");
    let Found::Good { standing, .. } = found else { unreachable!() };
    session.stop();
    let keyframe = Reader::open(&table.state()).unwrap().after(Seq(last.0 - 1), 1).unwrap().remove(0);
    let Event::Keyframe(kept) = keyframe.record.event else { panic!("first record is no keyframe") };
    assert!(kept.latched.iter().any(|latched| latched.code == Code::Journal), "latched even if nobody came to say so");
    assert!(!kept.open);
    assert_eq!((standing.site.as_str(), standing.table.as_str()), ("s", "t1"));
    (reason, last)
}

fn set_aside(table: &Table) -> Vec<String> {
    let names = std::fs::read_dir(table.state()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| name.contains(".damaged-") && !name.ends_with("-wal") && !name.ends_with("-shm")).collect();
    names.sort();
    names
}

#[test]
fn a_missing_journal_is_noticed_and_numbers_go_on() {
    let table = Table::new();
    let last = table.play(3);
    std::fs::remove_file(table.journal()).unwrap();
    let (reason, keyframe) = bad(&table);
    assert!(reason.contains("journal.sqlite is missing"), "{reason}");
    assert_eq!(keyframe, last.next(), "after a clean stop the last number is known");
}

/// SGV6 5.4, SGOC 5.4: a round in progress ends as after any other interruption, even if its records are lost.
#[test]
fn a_round_in_progress_is_not_lost_with_its_journal() {
    for established in [false, true] {
        let table = Table::new();
        table.play(2);
        let (mut session, _) = table.open();
        session.round += 1;
        let lost = RoundId(session.round);
        for events in round().into_iter().take(if established { 6 } else { 5 }) {
            session.append(events, None);
        }
        session.stop();
        std::fs::remove_file(table.journal()).unwrap();
        let (session, found) = table.open();
        let Found::Bad { standing, .. } = found else { panic!("not noticed: {found:?}") };
        assert_eq!(standing.last_round, lost);
        let kept = standing.round.expect("the round is still in progress");
        assert_eq!((kept.id, kept.established), (lost, established));
        session.stop();
        // What nobody concluded is in progress at the next loss as well.
        std::fs::remove_file(table.journal()).unwrap();
        let Found::Bad { standing, .. } = table.found() else { panic!("not noticed") };
        assert_eq!(standing.round.map(|round| (round.id, round.established)), Some((lost, established)));
    }
    let table = Table::new();
    table.play(2);
    std::fs::remove_file(table.journal()).unwrap();
    let Found::Bad { standing, .. } = table.found() else { panic!("not noticed") };
    assert_eq!(standing.round, None, "the slot knows that it ended");
}

#[test]
fn a_missing_slot_is_noticed_and_no_number_is_given_out_twice() {
    let mut table = Table::new();
    let last = table.play(3);
    table.reboot();
    std::fs::remove_file(table.state().join("slot")).unwrap();
    let (reason, keyframe) = bad(&table);
    assert!(reason.contains("slot is missing"), "{reason}");
    assert_eq!(keyframe, Seq(last.0 + SKIPPED + 1));
    assert_eq!(set_aside(&table), ["journal.sqlite.damaged-1"]);
}

/// What was set aside may hold records that the journal lacks: whoever verifies it is told of it, by directory and by file.
#[test]
fn what_lies_set_aside_beside_a_journal_is_told() {
    let table = Table::new();
    table.play(1);
    let aside = ["journal.sqlite-wal.damaged", "journal.sqlite-wal.damaged-1", "journal.sqlite.damaged-1"];
    for name in aside.iter().chain(&["slot.damaged-1"]) {
        std::fs::write(table.state().join(name), "").unwrap();
    }
    let told = |path: &Path| verify(path).unwrap().set_aside;
    assert_eq!(told(&table.state()), [aside.as_slice(), &["slot.damaged-1"]].concat());
    assert_eq!(told(&table.journal()), aside);
    // A journal that was set aside is none of its own sisters.
    let damaged = table.state().join("journal.sqlite.damaged-1");
    std::fs::copy(table.journal(), &damaged).unwrap();
    std::fs::write(table.state().join("journal.sqlite.damaged-1-wal"), "").unwrap();
    assert_eq!(told(&damaged), Vec::<String>::new());
}

#[test]
fn a_damaged_slot_is_noticed() {
    let table = Table::new();
    table.play(1);
    std::fs::write(table.state().join("slot"), [7; 8192]).unwrap();
    let (reason, _) = bad(&table);
    assert!(reason.contains("no whole copy"), "{reason}");
    assert_eq!(set_aside(&table), ["journal.sqlite.damaged-1", "slot.damaged-1"]);
}

#[test]
fn another_tables_journal_is_noticed_and_nothing_of_it_is_taken_over() {
    let table = Table::new();
    let last = table.play(2);
    let stream = stream(&table);
    let state = table.dir.path().join("other");
    Journal::commission(&state, &table.dir.path().join("other-run"), &identity("t2"), BOOT).unwrap();
    std::fs::copy(state.join("journal.sqlite"), table.journal()).unwrap();
    let (reason, keyframe) = bad(&table);
    assert!(reason.contains("foreign") && reason.contains("s/t2"), "{reason}");
    assert_eq!(keyframe, last.next());
    assert_eq!(self::stream(&table), stream);
}

#[test]
fn another_stream_of_the_same_table_is_noticed() {
    let table = Table::new();
    table.play(2);
    let state = table.dir.path().join("other");
    Journal::commission(&state, &table.dir.path().join("other-run"), &table.id, BOOT).unwrap();
    std::fs::copy(state.join("journal.sqlite"), table.journal()).unwrap();
    let (reason, _) = bad(&table);
    assert!(reason.contains("foreign"), "{reason}");
}

fn stream(table: &Table) -> String {
    Reader::open(&table.state()).unwrap().stream().to_owned()
}

#[test]
fn an_older_copy_is_noticed_by_the_slot() {
    let mut table = Table::new();
    table.play(2);
    let older = std::fs::read(table.journal()).unwrap();
    let last = table.play(2);
    table.reboot();
    std::fs::write(table.journal(), older).unwrap();
    let (reason, keyframe) = bad(&table);
    assert!(reason.contains("older than it was: it ends with record 21, the slot knows record 41"), "{reason}");
    assert_eq!(keyframe, last.next());
}

#[test]
fn within_a_boot_one_record_less_is_noticed() {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.round();
    session.append(super::common::noted("one more"), None);
    // Killed: neither slot nor log were brought to an end. What lies there is copied as a power cut would leave it.
    let cut = Table { dir: tempfile::tempdir().unwrap(), id: identity("t1"), boot: BOOT.into() };
    copy(&table.run(), &cut.run());
    copy(&table.state(), &cut.state());
    session.append(super::common::noted("and the last"), None);
    std::fs::copy(table.run().join("head"), cut.run().join("head")).unwrap();
    let last = session.last;
    session.stop();
    let (reason, keyframe) = bad(&cut);
    assert!(reason.contains("the run directory knows record"), "{reason}");
    assert_eq!(keyframe, last.next());
}

/// design.md, Journal, and rule 8: a disk whose sync lies loses what it had said to be kept. Whatever it keeps of journal and slot, no game is
/// permitted: the slot and, within a boot, the run directory know better. What a power cut takes of all three only the heads that others
/// keep can tell, and the table is closed.
#[test]
fn whatever_a_lying_disk_loses_permits_no_game() {
    for (journal_lost, slot_lost, cut, noticed) in [
        (true, false, false, true),
        (true, false, true, true),
        (true, true, false, true),
        (true, true, true, false),
        (false, true, false, false),
        (false, true, true, false),
    ] {
        let mut table = Table::new();
        let append = |table: &Table, permit| {
            let (mut session, _) = table.open();
            session.append(super::common::noted("it goes on"), Some(permit));
            session.stop();
        };
        append(&table, true);
        let before = clone(&table);
        append(&table, false);
        append(&table, true);
        assert!(matches!(table.found(), Found::Good { permit: true, .. }));
        for (name, lost) in [("journal.sqlite", journal_lost), ("slot", slot_lost)] {
            if lost {
                std::fs::copy(before.state().join(name), table.state().join(name)).unwrap();
            }
        }
        for log in ["journal.sqlite-wal", "journal.sqlite-shm"].map(|name| table.state().join(name)) {
            assert!(!journal_lost || !log.exists() || std::fs::remove_file(log).is_ok());
        }
        if cut {
            table.reboot();
        }
        let case = (journal_lost, slot_lost, cut);
        match table.found() {
            Found::Bad { reason, .. } => assert!(noticed, "{case:?}: {reason}"),
            Found::Good { permit, .. } => assert!(!noticed && !permit, "{case:?}"),
        }
    }
}

#[test]
fn a_rewritten_past_is_noticed_by_the_slot() {
    let table = Table::new();
    table.play(1);
    // Another boot's name makes the records differ for certain: their times may be the same to the millisecond.
    let fork = Table { dir: tempfile::tempdir().unwrap(), id: identity("t1"), boot: "another boot".into() };
    copy(&table.state(), &fork.state());
    fork.play(2);
    table.play(1);
    std::fs::copy(fork.journal(), table.journal()).unwrap();
    std::fs::remove_file(table.run().join("head")).unwrap();
    let (reason, _) = bad(&table);
    assert!(reason.contains("is not the one that the slot knows"), "{reason}");
}

#[test]
fn a_newer_version_is_refused_and_left_alone() {
    let table = Table::new();
    let connection = rusqlite::Connection::open(table.journal()).unwrap();
    connection.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(connection);
    let error = table.try_open().unwrap_err();
    assert!(matches!(&error, JournalError::Newer { found: 99, .. }), "{error}");
    assert_eq!(set_aside(&table), Vec::<String>::new());
}

#[test]
fn a_journal_cut_at_any_page_is_noticed() {
    let table = Table::new();
    table.play(6);
    let whole = std::fs::read(table.journal()).unwrap();
    let page = page_size(&whole);
    assert!(whole.len() / page > 5, "{} pages", whole.len() / page);
    for pages in 0..whole.len() / page {
        let cut = clone(&table);
        std::fs::write(cut.journal(), &whole[..pages * page]).unwrap();
        bad(&cut);
        assert!(std::fs::read(cut.state().join("journal.sqlite.damaged-1")).unwrap() == whole[..pages * page]);
    }
}

/// A flipped bit is noticed at the start, or by the background check, or changes nothing that anybody could read.
#[test]
fn a_bit_flipped_in_any_page_is_noticed_or_changes_nothing() {
    let table = Table::new();
    table.play(6);
    let bodies = table.bodies();
    let whole = std::fs::read(table.journal()).unwrap();
    let page = page_size(&whole);
    let (mut at_start, mut later, mut nothing, mut refused) = (0, 0, 0, 0);
    for place in (0..whole.len())
        .step_by(page)
        .flat_map(|start| [3, 8, page / 3, page / 2, page - 40, page - 3].map(|offset| start + offset))
    {
        let flipped = clone(&table);
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        std::fs::write(flipped.journal(), &bytes).unwrap();
        match flipped.try_open() {
            Ok((_, Found::Bad { .. })) => at_start += 1,
            Ok((journal, Found::Good { .. })) => {
                drop(journal);
                if verify(&flipped.state()).unwrap().whole() {
                    assert_eq!(flipped.bodies(), bodies, "bit flipped at {place}");
                    nothing += 1;
                } else {
                    later += 1;
                }
            }
            Err(JournalError::Newer { .. }) => refused += 1,
            Err(error) => panic!("bit flipped at {place}: {error}"),
        }
    }
    assert!(
        at_start > 10 * (later + refused),
        "{at_start} at start, {later} later, {nothing} nothing, {refused} refused"
    );
    assert!(at_start > nothing, "{at_start} at start, {later} later, {nothing} nothing, {refused} refused");
}

#[test]
fn any_column_of_any_row_is_covered() {
    let table = Table::new();
    table.play(1);
    let changes = [
        "at = at + 1",
        "wall = wall + 1",
        "wall_quality = 'good'",
        "boot = 'x'",
        "round = 7",
        "round = NULL",
        "relayed = relayed + 1",
        "kind = 'voided'",
        "body = replace(body, 'e', 'o')",
        "hash = zeroblob(32)",
    ];
    for change in changes {
        for seq in [1, 5, 11] {
            let changed = clone(&table);
            tamper(&changed.journal(), &format!("UPDATE record SET {change} WHERE seq = {seq} "));
            let report = verify(&changed.state()).unwrap();
            // A changed round that was NULL before stays NULL in the first row.
            if seq == 1 && change == "round = NULL" {
                assert!(report.whole());
                continue;
            }
            assert!(report.faults[0].seq == Some(seq), "{change} in {seq}: {report}");
            bad(&changed);
        }
    }
    for change in ["DELETE FROM record WHERE seq = 5", "DELETE FROM record WHERE seq = 11", "DELETE FROM record"] {
        let changed = clone(&table);
        tamper(&changed.journal(), change);
        assert!(!verify(&changed.state()).unwrap().whole(), "{change}");
        bad(&changed);
    }
}

#[test]
fn damage_far_back_is_found_by_the_whole_verification() {
    let table = Table::new();
    let (mut session, _) = table.open();
    let keyframe = Event::Keyframe(Box::default());
    for _ in 0..15 {
        session.queue(vec![keyframe.clone()], None);
        session.append((0..100).flat_map(|_| super::common::noted("x")).collect(), None);
    }
    session.stop();
    tamper(&table.journal(), "UPDATE record SET body = replace(body, 'x', 'y') WHERE seq = 7");
    let (session, found) = table.open();
    assert!(matches!(found, Found::Good { .. }), "the tail is whole: {found:?}");
    let report = tumblerd::journal::verify_all(&table.state()).unwrap();
    assert_eq!(report.faults.len(), 1, "{report}");
    assert_eq!(report.faults[0].to_string(), "record 7: record 7 is not what was written: the chain is broken there");
    assert_eq!(report.last, 6);
    session.stop();
}

/// NZ 5, design.md rule 8: what a damaged journal still tells opens no table, neither now nor at the next start.
#[test]
fn a_table_whose_journal_is_damaged_is_not_open() {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.append(vec![Event::Opened { by: "Mei".into() }], Some(true));
    session.append(vec![Event::Latched { code: Code::Lamps, cause: "dark".into(), in_spin: false }], Some(false));
    session.append(vec![Event::Noted { kind: None, what: "the last".into() }], None);
    session.stop();
    tamper(&table.journal(), "UPDATE record SET body = replace(body, 'last', 'lost') WHERE kind = 'noted'");
    let (session, found) = table.open();
    let Found::Bad { standing, .. } = found else { panic!("not noticed: {found:?}") };
    assert!(!standing.open);
    assert!(standing.latched.iter().any(|latched| latched.code == Code::Lamps), "what could be kept is kept");
    session.stop();
}

#[test]
fn a_start_killed_while_setting_aside_is_taken_up_again() {
    let table = Table::new();
    let last = table.play(2);
    let slot = std::fs::read(table.state().join("slot")).unwrap();
    let head = std::fs::read(table.run().join("head")).unwrap();
    tamper(&table.journal(), "UPDATE record SET boot = 'x' WHERE seq = 20");
    let (journal, found) = table.try_open().unwrap();
    assert!(matches!(found, Found::Bad { .. }));
    drop(journal);
    // Killed after the new journal was in place, before the slot knew of it.
    std::fs::write(table.state().join("slot"), &slot).unwrap();
    std::fs::write(table.run().join("head"), &head).unwrap();
    let (session, found) = table.open();
    let Found::Bad { reason, last: keyframe, .. } = found else { panic!("{found:?}") };
    assert!(reason.contains("record 20"), "{reason}");
    assert_eq!(keyframe, last.next());
    session.stop();
    assert_eq!(set_aside(&table).len(), 1, "the new journal stays");

    // Killed after the damaged one was renamed, before the new one was in its place.
    std::fs::rename(table.journal(), table.state().join("journal.sqlite.new")).unwrap();
    std::fs::write(table.state().join("slot"), &slot).unwrap();
    std::fs::write(table.run().join("head"), &head).unwrap();
    let (reason, _) = bad(&table);
    assert!(reason.contains("missing"), "{reason}");
}

/// Changes rows as somebody with the file and SQLite in hand could.
pub(crate) fn tamper(journal: &Path, change: &str) {
    let connection = rusqlite::Connection::open(journal).unwrap();
    let triggers: Vec<String> = connection
        .prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    connection.execute_batch("DROP TRIGGER record_is_not_changed; DROP TRIGGER record_is_not_deleted;").unwrap();
    connection.execute_batch(change).unwrap();
    for trigger in triggers {
        connection.execute_batch(&trigger).unwrap();
    }
}

fn page_size(file: &[u8]) -> usize {
    usize::from(file[16]) * 256 + usize::from(file[17])
}

pub(crate) fn clone(table: &Table) -> Table {
    let copied = Table { dir: tempfile::tempdir().unwrap(), id: table.id.clone(), boot: table.boot.clone() };
    copy(&table.state(), &copied.state());
    copy(&table.run(), &copied.run());
    copied
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
