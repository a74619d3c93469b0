//! What is left of a demo that is ended from outside: nothing.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

/// `timeout` and some service managers signal a child, and then its whole group: the child gets two, and ends cleanly all the same.
#[test]
fn a_demo_that_is_told_twice_to_end_leaves_nothing() {
    let above = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_tumbler-hil"));
    program.args(["demo", "--by-hand"]).env("TMPDIR", above.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut demo = program.spawn().unwrap();
    let mut said = BufReader::new(demo.stdout.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("TUMBLERCTL_SOCKET")), "it begins");
    assert!(above.path().read_dir().unwrap().next().is_some(), "its files are where this test looks");
    let pid = Pid::from_raw(i32::try_from(demo.id()).unwrap());
    kill(pid, Signal::SIGTERM).unwrap();
    kill(pid, Signal::SIGTERM).unwrap();
    // Read to its end, so that no pipe holds it up.
    let last = said.map_while(Result::ok).last();
    assert!(demo.wait().unwrap().success(), "{last:?}");
    let left: Vec<_> = above.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}
