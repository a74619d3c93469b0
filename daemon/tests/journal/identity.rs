//! Whose journal it is: another table's, other wires', another user's, and one whose names were changed.

use super::child::refusal;
use super::common::{BOOT, Table, identity};
use std::os::unix::fs::PermissionsExt;
use tumbler_core::table::Found;
use tumblerd::journal::{Identity, Journal, JournalError};

#[test]
fn real_and_virtual_wires_never_share_a_journal() {
    let mut table = Table::new();
    table.id.backend = "cdev".into();
    let error = table.try_open().unwrap_err().to_string();
    assert!(error.contains("was commissioned on backend `virtual` and is configured for `cdev`"), "{error}");
    table.id.backend = "virtual".into();
    // Not even when the slot, which says so first, is gone.
    std::fs::remove_file(table.state().join("slot")).unwrap();
    table.id.backend = "rppal".into();
    assert!(matches!(table.try_open().unwrap_err(), JournalError::OtherWires { .. }));

    let real = Identity { backend: "cdev".into(), ..identity("t2") };
    let state = table.dir.path().join("real");
    Journal::commission(&state, &table.run(), &real, BOOT).unwrap();
    let error = Journal::open(&state, &table.run(), &identity("t2"), BOOT).unwrap_err();
    assert!(matches!(error, JournalError::OtherWires { .. }), "{error}");
}

/// Nothing of a table that is whole is set aside because its name in the configuration changed, whoever changed it.
#[test]
fn a_table_of_another_name_is_refused_and_nothing_is_touched() {
    let mut table = Table::new();
    let last = table.play(2);
    let files = || {
        let mut names: Vec<_> =
            std::fs::read_dir(table.state()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = files();
    for (site, name) in [("s", "t9"), ("other", "t1")] {
        let id = Identity { site: site.into(), table: name.into(), ..table.id.clone() };
        let error = Journal::open(&table.state(), &table.run(), &id, BOOT).unwrap_err().to_string();
        let wanted = format!("was commissioned as table s/t1 and is configured for {site}/{name}: nothing was changed");
        assert!(error.contains(&wanted), "{error}");
    }
    assert_eq!(files(), before);
    // Not even when the slot, which says so first, is gone.
    let slot = std::fs::read(table.state().join("slot")).unwrap();
    std::fs::remove_file(table.state().join("slot")).unwrap();
    let id = Identity { table: "t9".into(), ..table.id.clone() };
    let error = Journal::open(&table.state(), &table.run(), &id, BOOT).unwrap_err();
    assert!(matches!(error, JournalError::OtherTable { .. }), "{error}");
    std::fs::write(table.state().join("slot"), slot).unwrap();
    table.assert_whole();
    let (session, found) = table.open();
    assert!(matches!(&found, Found::Good { last: found, .. } if *found == last), "{found:?}");
    session.stop();

    // Real wires driven in another way are the same wires.
    table.id = Identity { backend: "cdev".into(), ..identity("t2") };
    let real = Table { dir: tempfile::tempdir().unwrap(), ..table };
    Journal::commission(&real.state(), &real.run(), &real.id, BOOT).unwrap();
    let other = Identity { backend: "rppal".into(), ..real.id.clone() };
    let (_, found) = Journal::open(&real.state(), &real.run(), &other, BOOT).unwrap();
    assert!(matches!(found, Found::Good { .. }), "{found:?}");
}

/// A journal that somebody copied as another user is no damaged one.
#[test]
fn a_journal_that_may_not_be_written_is_named_and_left_alone() {
    let table = Table::new();
    table.play(1);
    let mode = |file: &str, mode| {
        std::fs::set_permissions(table.state().join(file), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    for file in ["journal.sqlite", "slot", "lock"] {
        mode(file, 0o444);
        // A superuser may write whatever its mode is, so it gives that up.
        let bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"];
        let wrapper: &[&str] = if nix::unistd::Uid::effective().is_root() { &bound } else { &[] };
        let said = refusal(&table, wrapper);
        assert!(said.contains(file) && said.contains("its mode is 444; nothing was changed"), "{file}: {said}");
        mode(file, 0o600);
    }
    table.assert_whole();
    assert!(
        std::fs::read_dir(table.state()).unwrap().all(|e| !e
            .unwrap()
            .file_name()
            .to_string_lossy()
            .contains("damaged"))
    );
}

#[test]
fn what_is_missing_is_not_said_to_be_commissioned_again() {
    let table = Table::new();
    table.play(1);
    std::fs::rename(table.journal(), table.dir.path().join("elsewhere")).unwrap();
    for error in [
        tumblerd::journal::verify(&table.state()).unwrap_err(),
        tumblerd::journal::Reader::open(&table.state()).map(|_| ()).unwrap_err(),
    ] {
        let error = error.to_string();
        assert!(error.contains("journal.sqlite is missing") && !error.contains("--commission"), "{error}");
    }
}

/// Who can write the file can change what it says of itself.
#[test]
fn a_changed_name_is_found_by_verifying() {
    let table = Table::new();
    table.play(1);
    let file = rusqlite::Connection::open(table.journal()).unwrap();
    let change =
        |key: &str, value: &str| file.execute("UPDATE meta SET value = ?2 WHERE key = ?1", [key, value]).unwrap();
    for (key, right) in [("site", "s"), ("table", "t1"), ("backend", "virtual")] {
        assert_eq!(change(key, "cdev"), 1);
        let report = tumblerd::journal::verify(&table.state()).unwrap();
        let faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
        assert!(
            faults.iter().any(|fault| fault.contains("the slot is of table s/t1 on backend virtual")),
            "{key}: {faults:?}"
        );
        assert_eq!(
            faults.iter().any(|fault| fault.contains("record 1: it is of table s/t1")),
            key != "backend",
            "{faults:?}"
        );
        change(key, right);
    }
    table.assert_whole();
}
