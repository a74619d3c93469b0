//! The program as its doors call it.

use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;
use std::{env, fs, io, thread};

fn xtask(arguments: &[&str]) -> io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).output()
}

#[test]
fn an_unknown_lane_is_refused_before_anything_runs() {
    let said = xtask(&["test", "format", "powercut"]).unwrap();
    assert_eq!(said.status.code(), Some(1));
    assert!(said.stdout.is_empty(), "{said:?}");
    let why = String::from_utf8_lossy(&said.stderr);
    assert!(why.contains("no lane `powercut`: is it `power-cuts`?"), "{why}");
}

#[test]
fn help_lists_the_lanes() {
    let said = xtask(&["test", "--help"]).unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success());
    for word in ["scripts/test [--quick] [--yes] [LANE]...", "virtual-all", "msrv", "--yes"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn an_unknown_canary_is_refused_before_anything_is_planted() {
    let said = xtask(&["canary", "fence-pots"]).unwrap();
    assert_eq!(said.status.code(), Some(1));
    assert!(said.stdout.is_empty(), "{said:?}");
    let why = String::from_utf8_lossy(&said.stderr);
    assert!(why.contains("no canary `fence-pots`: is it `fence-post`?"), "{why}");
}

#[test]
fn what_cannot_be_asked_fails_as_everything_else_does() {
    assert_eq!(xtask(&["canary", "--shard", "5/4"]).unwrap().status.code(), Some(1));
    assert_eq!(xtask(&["canary", "--help"]).unwrap().status.code(), Some(0));
}

/// A run that a signal ends while it asks for Debian's packages, which takes a minute here.
fn interrupted(signal: Signal) -> io::Result<()> {
    let dir = tempfile::tempdir()?;
    let (slow, told) = (dir.path().join("dpkg-query"), dir.path().join("told"));
    fs::write(&slow, "#!/bin/sh\necho $TMPDIR $$ >\"$TOLD.part\"; mv \"$TOLD.part\" \"$TOLD\"; sleep 60\n")?;
    fs::set_permissions(&slow, fs::Permissions::from_mode(0o755))?;
    let path = env::var_os("PATH").unwrap_or_default();
    let path =
        env::join_paths([dir.path().into()].into_iter().chain(env::split_paths(&path))).map_err(io::Error::other)?;
    let mut ci = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let mut ci = ci.arg("ci").env("PATH", path).env("TOLD", &told).spawn()?;
    while !told.exists() {
        assert!(ci.try_wait()?.is_none());
        thread::sleep(Duration::from_millis(20));
    }
    let told = fs::read_to_string(told)?;
    let (temporary, process) = told.trim().split_once(' ').ok_or(io::ErrorKind::InvalidData)?;
    assert!(temporary.starts_with("/tmp/tumblerd-ci.") && Path::new(temporary).exists(), "{told}");
    kill_process(Pid::from_child(&ci), signal)?;
    assert_eq!(ci.wait()?.signal(), Some(signal.as_raw()));
    assert!(!Path::new(temporary).exists(), "{told}");
    // Of a process that has ended and nobody has asked for yet, only its name is left.
    assert!(fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default().is_empty(), "{told}");
    Ok(())
}

#[test]
fn ctrl_c_leaves_nothing_of_a_run_behind() {
    interrupted(Signal::INT).unwrap();
}

#[test]
fn a_run_that_is_ended_leaves_nothing_behind() {
    interrupted(Signal::TERM).unwrap();
}
