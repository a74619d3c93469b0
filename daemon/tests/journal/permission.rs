//! What persists is permission, bound to the boot (rule 8 of the design).

use super::common::{BOOT, Table, identity, noted};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use tumbler_core::table::Found;
use tumblerd::journal::Journal;

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

/// Without the privileges of root: what modes say holds for this thread as for any user.
fn without_privileges<T: Send>(what: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let none = rustix::thread::CapabilitySet::empty();
            let sets = rustix::thread::CapabilitySets { effective: none, permitted: none, inheritable: none };
            rustix::thread::set_capabilities(None, sets).unwrap();
            what()
        });
        thread.join().unwrap()
    })
}

/// What the daemon may not read is no missing permit and no missing journal: it is named before anything is changed.
#[test]
fn what_may_not_be_read_or_written_is_named_at_the_start() {
    let table = Table::new();
    table.play(1);
    std::fs::write(table.run().join("permit"), "").unwrap();
    let paths = [table.state(), table.run(), table.run().join("permit"), table.run().join("head"), table.journal()];
    for path in paths {
        let before = std::fs::metadata(&path).unwrap().permissions();
        std::fs::set_permissions(&path, Permissions::from_mode(0o400)).unwrap();
        let error = without_privileges(|| table.try_open().unwrap_err()).to_string();
        std::fs::set_permissions(&path, before).unwrap();
        assert!(error.starts_with(&format!("{} may not be read and written by user", path.display())), "{error}");
        assert!(error.contains("its mode is 400") && error.contains("sudo chown -R tumblerd:"), "{error}");
    }
    table.assert_whole();
    assert!(matches!(table.found(), Found::Good { .. }));
}

/// Who can write a directory can put another file in the place of any: a journal is neither begun nor opened there.
#[test]
fn a_directory_that_others_may_write_is_refused_also_for_a_new_table() {
    let table = Table::new();
    table.play(1);
    let new = tempfile::tempdir().unwrap();
    let (state, run) = (new.path().join("state"), new.path().join("run"));
    std::fs::create_dir(&state).unwrap();
    std::fs::create_dir(&run).unwrap();
    let commission = || Journal::commission(&state, &run, &identity("t1"), BOOT).map(|_| ());
    let open = || table.try_open().map(|_| ());
    let (old_state, old_run) = (table.state(), table.run());
    for (path, is_new) in [(&old_state, false), (&old_run, false), (&state, true), (&run, true)] {
        for mode in [0o777, 0o775, 0o1777] {
            std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
            let error = if is_new { commission() } else { open() }.unwrap_err().to_string();
            assert!(error.starts_with(&format!("{} has mode {mode:03o}: others than", path.display())), "{error}");
            assert!(error.contains("nothing was changed there; `sudo chmod go-w "), "{error}");
        }
        std::fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    if rustix::process::geteuid().is_root() {
        for path in [&state, &run] {
            std::os::unix::fs::chown(path, Some(65534), None).unwrap();
            let error = commission().unwrap_err().to_string();
            std::os::unix::fs::chown(path, Some(0), None).unwrap();
            assert!(error.contains("belongs to user 65534, who can replace what lies in it"), "{error}");
        }
    }
    assert_eq!(std::fs::read_dir(&state).unwrap().count(), 0, "nothing was begun");
    commission().unwrap();
    open().unwrap();
}

/// Who owns a directory can put another file in the place of any. Only root can give one away.
#[test]
fn a_directory_of_another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let table = Table::new();
    table.play(1);
    for path in [table.state(), table.run()] {
        std::os::unix::fs::chown(&path, Some(65534), None).unwrap();
        let error = table.try_open().unwrap_err().to_string();
        std::os::unix::fs::chown(&path, Some(0), None).unwrap();
        assert!(error.starts_with(&format!("{} belongs to user 65534, who can replace", path.display())), "{error}");
    }
    assert!(matches!(table.found(), Found::Good { .. }));
}
