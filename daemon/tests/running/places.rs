//! Callers who hold all places of the console that they can get, under user ids of their own: supervisors get through.

use super::bench::{Daemon, LONG, Place, Wire};
use nix::unistd::Uid;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;

/// User ids that no account has, and no table gives a role, but the technicians'.
const STRANGER: u32 = 4_000_001;
const STRANGERS: std::ops::Range<u32> = 4_000_002..4_000_034;
const TECHNICIANS: [u32; 2] = [4_000_101, 4_000_102];
/// As many connections as the console has.
const ALL: usize = 32;

/// A table whose console everybody may open, in a directory that everybody may enter; `None` where this user cannot take the
/// ids of others.
#[expect(clippy::print_stdout, reason = "says why nothing was tested")]
fn table() -> Option<Place> {
    if !Uid::effective().is_root() {
        println!("only root can call under the user ids of others");
        return None;
    }
    let place = Place::new();
    let config = std::fs::read_to_string(place.path("table.toml")).unwrap();
    let technicians = format!("technician_uids = {TECHNICIANS:?}");
    let config = config.replace("technician_uids = [0]", &technicians);
    assert!(config.contains(&technicians), "{config}");
    std::fs::write(place.path("table.toml"), config).unwrap();
    std::fs::set_permissions(place.dir.path(), std::fs::Permissions::from_mode(0o711)).unwrap();
    place.commission();
    Some(place)
}

/// Runs the daemon, and opens its console to everybody.
fn running(place: &Place) -> (Wire, Daemon) {
    let daemon = place.start();
    let wire = place.wire();
    place.told("READY=");
    std::fs::set_permissions(place.path("console"), std::fs::Permissions::from_mode(0o666)).unwrap();
    (wire, daemon)
}

/// Does this on a thread that is this user, for the kernel.
fn under<T: Send>(uid: u32, act: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let acting = scope.spawn(|| {
            let uid = rustix::thread::Uid::from_raw(uid);
            // Of this thread only, which ends with it.
            rustix::thread::set_thread_res_uid(uid, uid, uid).unwrap();
            act()
        });
        acting.join().unwrap()
    })
}

/// What a connection was answered to its request.
type Held = (BufReader<UnixStream>, Value);

/// Connections that have each asked once, and are held; also those that were refused.
fn hold(console: &Path, uid: u32, connections: usize) -> Vec<Held> {
    under(uid, || (0..connections).map(|_| ask(UnixStream::connect(console).unwrap())).collect())
}

fn ask(mut client: UnixStream) -> Held {
    client.set_read_timeout(Some(LONG)).unwrap();
    // The console may have hung up already.
    let _ = writeln!(client, "{}", json!({ "id": 1, "ask": "faults" }));
    let (mut client, mut answer) = (BufReader::new(client), String::new());
    client.read_line(&mut answer).unwrap();
    (client, serde_json::from_str(&answer).unwrap())
}

fn answered(held: &[Held]) -> usize {
    held.iter().filter(|(_, answer)| answer["answer"].is_object()).count()
}

/// The words for those who were refused, each once.
fn refusals(held: &[Held]) -> Vec<&str> {
    let mut words: Vec<_> = held.iter().filter_map(|(_, answer)| answer["error"].as_str()).collect();
    words.dedup();
    words
}

fn supervisor_gets_through(place: &Place) {
    let status = place.ask(&json!("status"));
    assert!(status["answer"]["status"].is_object(), "{status}");
}

#[test]
fn strangers_who_hold_all_that_they_can_hold_up_no_supervisor() {
    let Some(place) = table() else { return };
    let _running = running(&place);
    let one = hold(&place.path("console"), STRANGER, ALL);
    supervisor_gets_through(&place);
    assert_eq!(answered(&one), 8, "{one:?}");
    let why = refusals(&one);
    assert!(why.iter().any(|why| why.contains("callers without a role have 8 connections")), "{why:?}");
    let many: Vec<Held> = STRANGERS.flat_map(|uid| hold(&place.path("console"), uid, 2)).collect();
    supervisor_gets_through(&place);
    assert_eq!(answered(&many), 0, "{many:?}");
    assert_eq!(answered(&hold(&place.path("console"), TECHNICIANS[0], 1)), 1, "nor a technician");
    drop((one, many));
}

#[test]
fn a_technician_who_holds_all_that_they_can_holds_up_no_supervisor() {
    let Some(place) = table() else { return };
    let _running = running(&place);
    let one = hold(&place.path("console"), TECHNICIANS[0], ALL);
    supervisor_gets_through(&place);
    assert_eq!(answered(&one), 16);
    let why = refusals(&one);
    assert!(why.len() == 1 && why[0].starts_with("user id 4000101 has 16 connections"), "{why:?}");
    let other = hold(&place.path("console"), TECHNICIANS[1], ALL);
    supervisor_gets_through(&place);
    assert_eq!(answered(&other), 8, "the last places are kept");
    let why = refusals(&other);
    assert!(why.iter().any(|why| why.contains("the last 8 places are for supervisors")), "{why:?}");
}
