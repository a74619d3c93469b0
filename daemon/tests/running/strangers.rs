//! Strangers at the panel: nothing that they send ends the process that they reach, holds the technician up, or fills the log.

use super::bench::{LONG, Place};
use super::browser::{Browser, PASSWORD, with_panel};
use super::cgroup::{Cgroup, limit_of_the_unit};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::process::Command;
use std::thread;
use std::time::Instant;

/// Most memory that the network's process may ever have had, in MiB: its own, one password's 19, and some air.
const MOST: u64 = 48;

/// Wrong logins by the hundred, one after another and side by side, from many addresses and at many names. Each password
/// that is looked at takes 19 MiB, and gives them back.
#[test]
#[expect(clippy::print_stdout, reason = "says what was measured, or why nothing was")]
fn wrong_logins_do_not_end_the_process() {
    let limit = limit_of_the_unit();
    let Some(group) = Cgroup::new(limit) else {
        println!("this user may make no control group");
        return;
    };
    let place = Place::new();
    let port = with_panel(&place);
    place.commission();
    place.start_network(|command| group.holds(command));
    let _daemon = place.start();
    let _wire = place.wire();
    place.told("READY=");
    Browser::new(port, 2, 1).waits();
    let before = group.peak();
    let guess = |n: u8| Browser::new(port, 1, n).log_in(&format!("name{n}"), "a wrong password").map(|told| told.code);
    let mut told: Vec<_> = (0..100).map(guess).collect();
    thread::scope(|scope| {
        let side_by_side: Vec<_> = (100..200).map(|n| scope.spawn(move || guess(n))).collect();
        told.extend(side_by_side.into_iter().map(|one| one.join().unwrap()));
    });
    assert_eq!(group.kills(), 0, "the kernel killed it for want of memory: {told:?}");
    let looked_at = told.iter().filter(|code| **code == Some(401)).count();
    assert!(looked_at >= 20, "too few to tell: {told:?}");
    // Where more come at once than can be told that there is no place, the panel hangs up.
    let answered = |code: &Option<u16>| matches!(code, Some(401 | 429 | 503));
    assert!(told.iter().take(100).all(answered), "{told:?}");
    assert!(told.iter().skip(100).all(|code| code.is_none() || answered(code)), "{told:?}");
    let table = Browser::new(port, 2, 1).ask("GET", "/api/table", "").unwrap();
    assert!(table.code == 200 && table.body.contains("virtual"), "{table:?}");
    let peak = group.peak();
    println!("{looked_at} passwords looked at; memory {before} B before, {peak} B at most, {limit} B allowed");
    assert!(peak < MOST << 20, "{peak} B");
    place.end_network();
}

/// Guesses at jo's password from six addresses; gives the codes.
fn guesses(port: u16) -> Vec<u16> {
    let guess = |n| Browser::new(port, 3, n).log_in("jo", "a wrong password").unwrap().code;
    (1..=6).map(guess).collect()
}

/// Runs the network's process so that its log goes to a file.
fn logged(place: &Place) {
    place.start_network(|command| {
        let mut logged = Command::new("sh");
        logged.args(["-c", "log=$0; exec \"$@\" 2>>\"$log\""]).arg(place.path("log"));
        logged.arg(command.get_program()).args(command.get_args());
        logged
    })
}

/// Lines of the log with these words.
fn log(place: &Place, words: &str) -> Vec<String> {
    let log = std::fs::read_to_string(place.path("log")).unwrap();
    log.lines().filter(|line| line.contains(words)).map(str::to_owned).collect()
}

#[test]
fn neither_a_crash_nor_a_damaged_file_gives_fresh_guesses() {
    let place = Place::new();
    let port = with_panel(&place);
    place.commission();
    let mut daemon = place.start_alone();
    let wire = place.wire();
    place.told("READY=");
    let begin = || {
        logged(&place);
        Browser::new(port, 2, 1).waits();
    };
    begin();
    assert_eq!(guesses(port), [401, 401, 401, 401, 401, 429]);
    place.end_network();
    begin();
    assert_eq!(guesses(port), [429; 6], "a restart");
    // The network's process outlives the daemon; its panel goes and comes with it.
    daemon.signal(Signal::SIGKILL);
    daemon.ended();
    drop(wire);
    let until = Instant::now() + LONG;
    while Browser::new(port, 2, 1).connect().is_some() {
        assert!(Instant::now() < until, "the panel shows a table that is gone");
        thread::yield_now();
    }
    let _daemon = place.start_alone();
    let _wire = place.wire();
    place.told("READY=");
    Browser::new(port, 2, 1).waits();
    assert_eq!(guesses(port), [429; 6], "a restart of the daemon");
    assert!(log(&place, "net.run/logins").is_empty());
    place.end_network();
    std::fs::write(place.path("net.run/logins"), "{\"format\":1,").unwrap();
    begin();
    assert_eq!(guesses(port), [429; 6], "a damaged file");
    let told = log(&place, "net.run/logins");
    assert!(told.len() == 1 && told[0].contains("is not known"), "{told:?}");
}

#[test]
fn strangers_hold_up_neither_a_technician_who_was_there_before_nor_the_console_nor_the_log() {
    let place = Place::new();
    let port = with_panel(&place);
    place.commission();
    logged(&place);
    let _daemon = place.start();
    let _wire = place.wire();
    place.told("READY=");
    let mut technician = Browser::new(port, 2, 1).waits();
    assert_eq!(technician.log_in("jo", PASSWORD).unwrap().code, 200);
    let from = |n: u8| Browser::new(port, 4, n).log_in(["jo", "mei"][usize::from(n % 2)], "a wrong password");
    let told: Vec<u16> = (0..=255).map(|n| from(n).unwrap().code).collect();
    assert!(told.ends_with(&[429; 100]), "{told:?}");
    assert_eq!(Browser::new(port, 5, 1).log_in("jo", PASSWORD).unwrap().code, 429, "not even the right one");
    assert_eq!(technician.log_in("jo", PASSWORD).unwrap().code, 200, "whose browser is known");
    assert!(place.ask(&json!("status"))["answer"]["status"].is_object());
    let lines = log(&place, "failed login");
    assert!(lines.len() <= 4, "{lines:?}");
}

/// technician.md, Hardware tests from the browser: tables that are reached through `ssh -L` are one host, and a browser shows the cookies of
/// a host to all its ports.
#[test]
fn tables_on_one_host_keep_their_logins_apart() {
    let up = |name: &str| {
        let place = Place::new();
        let port = with_panel(&place);
        let config = fs::read_to_string(place.path("table.toml")).unwrap();
        fs::write(place.path("table.toml"), config.replace("table = \"t\"", &format!("table = \"{name}\""))).unwrap();
        place.commission();
        let daemon = place.start();
        let wire = place.wire();
        place.told("READY=");
        (Browser::new(port, 2, 1).waits(), (place, daemon, wire))
    };
    let ((mut one, _one), (mut other, _other)) = (up("one"), up("other"));
    let who = |panel: &Browser| {
        let told: Value = serde_json::from_str(&panel.ask("GET", "/api/session", "").unwrap().body).unwrap();
        told["account"].clone()
    };
    assert_eq!(one.log_in("jo", PASSWORD).unwrap().code, 200);
    other.cookies.clone_from(&one.cookies);
    assert_eq!(who(&other), Value::Null, "a login is one table's");
    assert_eq!(other.log_in("jo", PASSWORD).unwrap().code, 200);
    one.cookies.clone_from(&other.cookies);
    assert_eq!([who(&one), who(&other)], ["jo", "jo"], "and takes none away from another");
}

/// Follows the table from 127.0.`net`.`host`, for as long as the connection is held.
fn follow(port: u16, net: u8, host: u8) -> TcpStream {
    let mut stream = Browser::new(port, net, host).connect().unwrap();
    stream.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    stream
}

#[test]
fn held_connections_of_strangers_leave_the_panel_to_others_and_the_last_places_to_this_machine() {
    let place = Place::new();
    let port = with_panel(&place);
    place.commission();
    let _daemon = place.start();
    let _wire = place.wire();
    place.told("READY=");
    let here = Browser::new(port, 0, 1).waits();
    let ask = |browser: &Browser| browser.ask("GET", "/api/table", "").map(|answer| answer.code);
    let one: Vec<TcpStream> = (0..60).map(|_| follow(port, 6, 1)).collect();
    assert_eq!(ask(&Browser::new(port, 6, 2)), Some(200), "60 of one address");
    assert_eq!(ask(&here), Some(200));
    let many: Vec<TcpStream> = (0..60).map(|n| follow(port, 7, n)).collect();
    assert_eq!(ask(&here), Some(200), "60 more of as many addresses");
    drop((one, many));
}
