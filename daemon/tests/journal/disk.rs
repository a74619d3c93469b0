//! Disks that are full, that fail, and that come back.

use super::child::{Apart, Holder, refusal};
use super::common::{PATIENCE, Table, noted};
use super::crash::trace_paths;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};
use tumbler_core::input::Input;
use tumbler_core::record::{Event, Record};
use tumbler_core::table::Found;
use tumbler_core::units::{Mono, Seq};
use tumblerd::journal::{Job, Journal, JournalError};

fn durable(said: &str) -> Option<u64> {
    said.strip_prefix("durable ").and_then(|seq| seq.parse().ok())
}

/// With every n-th write failing in this way, whatever is answered as durable is there, each failure is told, and nothing is lost.
fn failing(call: &str, error: &str, when: &str) {
    let table = Table::new();
    let inject = format!("inject={call}:error={error}:when={when}");
    let trace = format!("trace={call}");
    let dir = table.dir.path().to_str().unwrap().to_owned();
    let paths = trace_paths(&dir);
    let mut wrapper = vec!["strace", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    wrapper.extend(paths.iter().take(4).map(String::as_str));
    let mut child = Apart::start(&table, &wrapper);
    let (mut failures, mut acknowledged, mut appended) = (0, 1, 1);
    for _ in 0..12 {
        child.tell("append 1");
        appended += 1;
        // A failure is told once; the commit is tried again by itself, and then answered.
        while acknowledged < appended {
            let said = child.ask("wait");
            match durable(&said) {
                Some(seq) => acknowledged = seq,
                None => {
                    assert!(said.starts_with("failed ") && said.contains("journal.sqlite"), "{said}");
                    failures += 1;
                }
            }
        }
    }
    child.die();
    assert!(failures > 1, "{call} {error}: the fault must have taken effect: {failures} failures");
    assert!(matches!(table.found(), Found::Good { last, .. } if last.0 == appended), "{call} {error}");
    table.assert_whole();
    assert_eq!(table.bodies().len() as u64, appended);
}

#[test]
fn a_failed_fdatasync_is_told_and_the_records_follow() {
    failing("fsync,fdatasync", "EIO", "3+4");
}

#[test]
fn a_failed_write_is_told_and_the_records_follow() {
    failing("pwrite64", "EIO", "9+25");
}

#[test]
fn a_full_disk_is_told_and_the_records_follow() {
    failing("pwrite64", "ENOSPC", "9+25");
}

/// The wrapper under which this call fails with EIO for this file, so often.
fn eio(call: &str, file: &Path, when: &str) -> Vec<String> {
    let inject = format!("inject={call}:error=EIO:when={when}");
    let file = file.to_str().unwrap();
    let words = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject, "-P", file];
    words.map(str::to_owned).to_vec()
}

fn words(wrapper: &[String]) -> Vec<&str> {
    wrapper.iter().map(String::as_str).collect()
}

/// The slot's write fails on a full disk; the permit goes all the same, and the failure is told.
#[test]
fn a_revocation_does_without_the_slot() {
    let table = Table::new();
    let mut child = Apart::start(&table, &words(&eio("pwrite64", &table.state().join("slot"), "2+")));
    child.tell("grant 1");
    assert_eq!(child.ask("wait"), "durable 2");
    assert!(table.run().join("permit").exists());
    child.tell("revoke 1");
    let said = child.ask("wait");
    assert!(said.contains("cannot write the slot"), "{said}");
    assert!(!table.run().join("permit").exists());
    assert_eq!(child.ask("wait"), "durable 3");
    child.die();
    assert!(matches!(table.found(), Found::Good { permit: false, .. }));
}

/// The run directory refuses; the slot is revoked all the same.
#[test]
fn a_revocation_does_without_the_permit() {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.append(noted("opened"), Some(true));
    let permit = table.run().join("permit");
    let text = std::fs::read(&permit).unwrap();
    // A directory in the permit's place can be neither removed as a file nor emptied.
    std::fs::remove_file(&permit).unwrap();
    std::fs::create_dir(&permit).unwrap();
    session.queue(noted("latched"), Some(false));
    let Input::JournalFailed { reason } = session.answer() else { panic!("not told") };
    assert!(reason.contains("cannot remove the permit"), "{reason}");
    session.settle();
    session.stop();
    std::fs::remove_dir(&permit).unwrap();
    std::fs::write(&permit, text).unwrap();
    assert!(matches!(table.found(), Found::Good { permit: false, .. }));
}

/// A failed commit takes the permission away by itself, and what was to be granted with it is not.
#[test]
fn a_failed_commit_grants_nothing_and_revokes() {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.append(noted("opened"), Some(true));
    session.stop();
    let log = table.state().join("journal.sqlite-wal");
    let mut child = Apart::start(&table, &words(&eio("fsync,fdatasync", &log, "1")));
    child.tell("grant 1");
    let said = child.ask("wait");
    assert!(said.starts_with("failed "), "{said}");
    assert_eq!(child.ask("wait"), "durable 3", "tried again by itself");
    assert!(!table.run().join("permit").exists());
    child.die();
    assert!(matches!(table.found(), Found::Good { permit: false, .. }));
}

/// No file may grow: the preallocated log goes on taking commits, and slot and permit need no room at all.
#[test]
fn a_disk_without_room_is_told_and_a_revocation_needs_none() {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.append(noted("opened"), Some(true));
    session.stop();
    // The log alone is that long already.
    let mut child = Apart::start(&table, &["sh", "-c", "trap '' XFSZ; exec prlimit --fsize=530000 -- \"$@\"", "sh"]);
    let mut failed = None;
    for _ in 0..3000 {
        child.tell("append 50");
        let said = child.ask("wait");
        if said.starts_with("failed ") {
            failed = Some(said);
            break;
        }
    }
    let failed = failed.unwrap_or_else(|| panic!("the limit was never met"));
    assert!(failed.contains("journal.sqlite"), "{failed}");
    child.tell("revoke 1");
    let begun = std::time::Instant::now();
    while table.run().join("permit").exists() && begun.elapsed() < PATIENCE {
        child.written();
    }
    assert!(!table.run().join("permit").exists());
    child.die();
    assert!(matches!(table.found(), Found::Good { permit: false, .. }));
    table.assert_whole();
}

#[test]
fn a_journal_that_another_program_locks_is_told_and_the_records_follow() {
    let table = Table::new();
    let (mut session, _) = table.open();
    let holder = Holder::of(&table.journal());
    let queued = Instant::now();
    session.queue(noted("waits"), None);
    let told = session.answers.recv_timeout(PATIENCE).unwrap();
    assert!(queued.elapsed() >= Duration::from_secs(10), "a lock that is gone sooner stops nothing");
    let by = holder.id().to_string();
    let locked = |told: &Input| {
        let Input::JournalFailed { reason } = told else { return false };
        reason.contains("locked") && reason.contains("a lock on it") && reason.contains(&by)
    };
    assert!(locked(&told), "{told:?}");
    // NZ 7.4: who asks for a test of the journal hears of it again, and at once.
    session.queue(vec![Event::TestBegan { test: "journal".into(), by: "Mei".into() }], None);
    let told = session.answers.recv_timeout(PATIENCE).unwrap();
    assert!(locked(&told), "{told:?}");
    drop(holder);
    session.settle();
    session.stop();
    table.assert_whole();
}

/// Only what was read and found wrong is damaged. What cannot be read is left alone: the table comes up blocked and says why, and the
/// next start goes on where it was, with its permission.
#[test]
fn a_journal_that_cannot_be_read_is_left_alone() {
    let table = Table::new();
    let last = table.play(2);
    let (mut session, _) = table.open();
    session.append(noted("open"), Some(true));
    session.stop();
    let files = || {
        let mut names: Vec<_> =
            std::fs::read_dir(table.state()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.retain(|name| !name.to_string_lossy().contains("sqlite-"));
        names.sort();
        names
    };
    let before = files();
    let other = rusqlite::Connection::open(table.journal()).unwrap();
    other.execute_batch("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE").unwrap();
    let error = table.try_open().map(|_| ()).unwrap_err();
    let (standby, found) = Journal::stand_by(error, &table.state(), &table.id).unwrap();
    assert!(matches!(&found, Found::Bad { reason, .. } if reason.contains("locked")), "{found:?}");
    assert!(standby.reader().unwrap().after(Seq(0), 10).unwrap().is_empty());
    let (send, answers) = std::sync::mpsc::channel();
    let (appender, writer) = standby.spawn(move |input| send.send(input).unwrap()).unwrap();
    let record = Record::plain(Seq(1), Mono(0), None, Event::Stopped);
    appender.append(Job { records: vec![record], relayed: Seq(0), permit: Some(false) }).unwrap();
    let told = answers.recv_timeout(PATIENCE).unwrap();
    assert!(matches!(&told, Input::JournalFailed { reason } if reason.contains("locked")), "{told:?}");
    writer.stop().unwrap();
    drop(other);
    assert_eq!(files(), before, "nothing was set aside");
    assert!(matches!(table.found(), Found::Good { last: now, permit: true, .. } if now == last.next()));
    table.assert_whole();
    // What says something of the table stops the start, as before.
    let error = Journal::stand_by(JournalError::InUse(table.state()), &table.state(), &table.id).unwrap_err();
    assert!(error.to_string().contains("in use"), "{error}");
}

/// A foreign program that closes the journal as the last one deletes the log: the daemon's lock says that it is not the last. The kernel
/// takes a process's locks away when it closes any descriptor of the file.
#[test]
fn the_journal_stays_locked_while_all_of_it_is_verified() {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.append(noted("before"), None);
    let inode = format!(":{} ", std::fs::metadata(table.journal()).unwrap().ino());
    let own = format!(" {} ", std::process::id());
    let is_locked = || {
        let locks = std::fs::read_to_string("/proc/locks").unwrap();
        locks.lines().any(|lock| lock.contains("POSIX") && lock.contains(&own) && lock.contains(&inode))
    };
    assert!(is_locked());
    assert!(tumblerd::journal::verify_all(&table.state()).unwrap().whole());
    assert!(is_locked());
    session.stop();
}

/// SQLite says "malformed" of a read that failed. One that passes damages nothing, and one that lasts is told as what it is.
#[test]
fn a_log_that_cannot_be_read_is_not_damaged() {
    let table = Table::new();
    let log = table.state().join("journal.sqlite-wal");
    // SQLite reads with the first of these calls, and the look at the whole file with the other.
    for (call, when) in [("pread64", "1"), ("pread64", "2"), ("pread64", "4"), ("pread64,read", "1+")] {
        let mut child = Apart::start(&table, &[]);
        child.tell("grant 1");
        assert!(child.ask("wait").starts_with("durable "));
        child.die();
        let wrapper = eio(call, &log, when);
        if when.ends_with('+') {
            let why = refusal(&table, &words(&wrapper));
            assert!(why.contains("journal.sqlite-wal: cannot read"), "{why}");
        } else {
            Apart::start(&table, &words(&wrapper)).die();
        }
    }
    assert!(matches!(table.found(), Found::Good { permit: true, last: Seq(5), .. }));
}

/// What lies beside the journal and was not read is not missing either.
#[test]
fn a_permit_and_a_mark_that_cannot_be_read_take_nothing_away() {
    let table = Table::new();
    let (mut session, _) = table.open();
    session.append(noted("open"), Some(true));
    session.stop();
    let files = [(table.run().join("permit"), "permit"), (table.state().join("taken-over"), "mark of another board")];
    for (file, name) in files {
        let why = refusal(&table, &words(&eio("openat", &file, "1+")));
        assert!(why.contains(&format!("cannot read the {name}")), "{why}");
    }
    assert!(matches!(table.found(), Found::Good { permit: true, .. }));
}

/// SQLite would wait for ever for who writes to a pipe.
#[test]
fn a_pipe_beside_the_journal_is_told_at_once() {
    let table = Table::new();
    for suffix in ["-journal", "-wal", "-shm"] {
        let pipe = table.state().join(format!("journal.sqlite{suffix}"));
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let told = [table.try_open().map(|_| ()).unwrap_err(), tumblerd::journal::verify(&table.state()).unwrap_err()];
        for error in told {
            assert!(
                error.to_string().contains(&format!("{}: cannot open: it is no regular", pipe.display())),
                "{error}"
            );
        }
        std::fs::remove_file(&pipe).unwrap();
    }
    table.assert_whole();
}
