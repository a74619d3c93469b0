//! Killed at any moment, what was acknowledged is there, and the chain is whole.

use super::child::Apart;
use super::common::Table;
use tumbler_core::table::Found;

fn last(found: &Found) -> u64 {
    match found {
        Found::Good { last, .. } => last.0,
        Found::Bad { reason, .. } => panic!("{reason}"),
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill_at_any_moment() {
    let table = Table::new();
    let mut acknowledged = 1;
    for kill_after in 0..25 {
        let mut child = Apart::start(&table, &[]);
        for n in 0..kill_after % 5 {
            child.tell(if n == 3 { "grant 3" } else { "append 1" });
            let said = child.ask("wait");
            acknowledged = said.strip_prefix("durable ").unwrap().parse().unwrap();
        }
        // More is queued than is waited for: the kill falls into a commit, between two, or into what follows one.
        for n in 0..kill_after {
            child.tell(if n % 3 == 1 { "revoke 2" } else { "append 5" });
        }
        child.kill();
        let found = table.found();
        assert!(last(&found) >= acknowledged, "killed after {kill_after}: {acknowledged} acknowledged, {found:?}");
        table.assert_whole();
        acknowledged = last(&found);
    }
    assert!(acknowledged > 40, "the test must have appended: {acknowledged}");
}

/// Killed at the n-th system call that writes, for every n of a start, some commits with grant and revocation, and a stop.
#[test]
fn killed_at_any_write_a_table_opens_again_and_loses_nothing() {
    let mut reached_the_end = false;
    for n in 1..400 {
        let table = Table::new();
        table.play(1);
        let acknowledged = killed_at(&table, n);
        let found = table.found();
        match acknowledged {
            Ok(acknowledged) => {
                assert!(last(&found) >= acknowledged, "killed at write {n}: {acknowledged} acknowledged, {found:?}");
            }
            Err(()) => reached_the_end = true,
        }
        table.assert_whole();
        if reached_the_end {
            assert!(n > 20, "there are more writes than {n}");
            return;
        }
    }
    panic!("the end was never reached");
}

/// What was acknowledged when the child was killed at its n-th write; an error if it lived to its end.
fn killed_at(table: &Table, n: u32) -> Result<u64, ()> {
    let inject = format!("inject=pwrite64,write,fdatasync,fsync,rename,unlink,ftruncate:signal=KILL:when={n}");
    let state = table.dir.path().to_str().unwrap().to_owned();
    let paths = trace_paths(&state);
    let mut wrapper = vec![
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "trace=pwrite64,write,fdatasync,fsync,rename,unlink,ftruncate",
        "-e",
        &inject,
    ];
    wrapper.extend(paths.iter().map(String::as_str));
    let Some(mut child) = Apart::try_start(table, &wrapper) else { return Ok(0) };
    let mut acknowledged = 0;
    for line in ["append 1", "grant 1", "append 2", "revoke 1", "append 1"] {
        child.tell(line);
        child.tell("wait");
        let Some(said) = child.line() else { return Ok(acknowledged) };
        acknowledged = said.strip_prefix("durable ").unwrap().parse().unwrap();
    }
    child.tell("stop");
    if child.line().is_some() { Err(()) } else { Ok(acknowledged) }
}

/// `-P` for each file that the journal writes.
pub(crate) fn trace_paths(dir: &str) -> Vec<String> {
    let files =
        ["state/journal.sqlite", "state/journal.sqlite-wal", "state/slot", "run/permit", "run/permit.new", "run/head"];
    files.iter().flat_map(|file| ["-P".to_owned(), format!("{dir}/{file}")]).collect()
}
