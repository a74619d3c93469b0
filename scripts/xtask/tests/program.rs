//! The program as its doors call it.

use std::io;
use std::process::{Command, Output};

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
