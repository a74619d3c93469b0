//! The real daemon, a real broker and the real command line together.

use super::floor::Watched;
use crate::broker::{Broker, free_port};
use crate::consumer::Consumer;
use crate::old;
use crate::place::{Daemon, Place};
use crate::subscriber::Subscriber;
use crate::wait::until;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};
use tumbler_core::wire::topics::{EventMessage, Status};

fn place(broker: u16) -> Place {
    let place = configured(broker);
    place.commission();
    place
}

/// A table that is not commissioned yet.
fn configured(broker: u16) -> Place {
    let place = Place::new();
    let mut config = std::fs::OpenOptions::new().append(true).open(place.path("table.toml")).unwrap();
    write!(config, "[mqtt]\nenabled = true\nurl = \"mqtt://127.0.0.1:{broker}\"\nkeep_alive_s = 5\n").unwrap();
    place
}

/// Starts the daemon and its bench; the wire must stay in the caller's hands, or the daemon's lines are gone.
fn up(place: &Place) -> (Daemon, crate::place::Wire) {
    let daemon = place.start();
    let wire = place.wire();
    place.told("READY=");
    (daemon, wire)
}

fn ctl(place: &Place, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tumblerctl"));
    command.arg("--socket").arg(place.path("console")).args(arguments).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

fn events(consumer: &Subscriber) -> Vec<EventMessage> {
    let seen = consumer.seen();
    let events = seen.iter().filter(|s| s.topic == "taisai/s/t/event");
    events.map(|s| serde_json::from_str(&s.payload).unwrap()).collect()
}

fn kind(message: &EventMessage) -> String {
    serde_json::to_value(&message.record).unwrap()["kind"].as_str().unwrap().to_owned()
}

fn status(payload: &str) -> String {
    serde_json::from_str::<Status>(payload).unwrap().status
}

/// The broker hears the whole journal, in order, over kills and restarts; the command line and the broker say the same.
#[tokio::test]
async fn broker_command_line_and_journal_agree_over_a_kill() {
    let broker = Broker::start().await;
    let consumer = Subscriber::start(broker.port).await;
    let place = place(broker.port);

    let (mut daemon, wire) = up(&place);
    consumer.sees("taisai/s/t/status", |payload| status(payload) == "online").await;
    // Nobody answers on the bus, so units are lost and latch: on the console and at the broker alike.
    until("the bus is named", || ctl(&place, &["faults"]).stdout.starts_with(b"field bus: ")).await;
    let refused = ctl(&place, &["open", "--name", "Mei", "--json"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert_eq!(json(&refused)["refused"]["code"], "no-key", "{refused:?}");
    until("the refusal is told", || events(&consumer).iter().any(|e| kind(e) == "refused")).await;
    until("all is acknowledged", || {
        let status = json(&ctl(&place, &["status", "--json"]));
        status["relay"]["connected"] == true && status["relay"]["waiting"] == 0
    })
    .await;
    let faults = json(&ctl(&place, &["faults", "--json"]));
    for fault in faults["latched"].as_array().unwrap() {
        let topic = format!("taisai/s/t/fault/{}", fault["code"].as_str().unwrap());
        consumer.sees(&topic, |payload| payload.contains("cause")).await;
    }

    daemon.signal(Signal::SIGKILL);
    daemon.ended();
    drop(wire);
    consumer.sees("taisai/s/t/status", |payload| status(payload) == "offline").await;
    let (mut daemon, _wire) = up(&place);
    until("both starts are told", || events(&consumer).iter().filter(|e| kind(e) == "started").count() >= 2).await;
    daemon.signal(Signal::SIGTERM);
    assert!(daemon.ended().success());
    consumer.sees("taisai/s/t/status", |payload| status(payload) == "offline").await;

    // Sent again after the kill are at most the records since the cursor was last kept; none is missing, none changed.
    let told = events(&consumer);
    let mut expected = 1;
    for event in &told {
        assert!(event.record.seq.0 <= expected, "a gap before {}", event.record.seq.0);
        expected = expected.max(event.record.seq.0 + 1);
    }
    let reader = tumblerd::journal::Reader::open(&place.path("state")).unwrap();
    let stored = reader.after(tumbler_core::units::Seq(0), 10_000).unwrap();
    for event in &told {
        let kept = stored.iter().find(|s| s.record.seq == event.record.seq).unwrap();
        assert_eq!((&kept.record, kept.hash_hex()), (&event.record, event.head.clone()));
        assert_eq!((&kept.chain, &kept.body), (&event.chain, &event.body));
        assert_eq!(event.stream, reader.stream());
    }
    // And from what the broker was told alone, the whole chain is reckoned.
    let mut stranger = Consumer::default();
    for seen in consumer.seen().iter().filter(|seen| seen.topic == "taisai/s/t/event") {
        stranger.take(&seen.payload).unwrap();
    }
    assert_eq!(stranger.proved as u64, expected - 1);
    let verified = ctl(&place, &["journal", "verify", place.path("state").to_str().unwrap(), "--json"]);
    assert_eq!((verified.status.code(), &json(&verified)["whole"]), (Some(0), &Value::Bool(true)));
}

/// A journal of tumblerd 0.1 is told on: its own records first, in their format, then the first of this version's.
#[tokio::test]
async fn a_journal_of_0_1_is_continued_and_told() {
    let broker = Broker::start().await;
    let consumer = Subscriber::start(broker.port).await;
    let place = configured(broker.port);
    old::lay(&place.path("state"));
    // As an offline reader finds it, before the daemon has touched it.
    let verify =
        |place: &Place| json(&ctl(place, &["journal", "verify", place.path("state").to_str().unwrap(), "--json"]));
    let before = verify(&place);
    assert_eq!((&before["head"], &before["formats"]["1"]), (&Value::from(old::HEAD), &Value::from(old::LAST)));

    let (mut daemon, _wire) = up(&place);
    let rounds = json(&ctl(&place, &["rounds", "--json"]));
    assert!(rounds.to_string().contains("nz-div9"), "{rounds}");
    until("the start is told", || events(&consumer).iter().any(|e| e.record.seq.0 > old::LAST)).await;
    daemon.signal(Signal::SIGTERM);
    assert!(daemon.ended().success());
    consumer.sees("taisai/s/t/status", |payload| status(payload) == "offline").await;

    let told = events(&consumer);
    let formats: std::collections::BTreeSet<u32> = told.iter().map(|event| event.chain.format).collect();
    assert_eq!(formats, [1, 2].into());
    let first = told.iter().find(|event| event.record.seq.0 == old::LAST + 1).unwrap();
    assert_eq!(first.chain.previous, old::HEAD);
    let mut stranger = Consumer::default();
    for seen in consumer.seen().iter().filter(|seen| seen.topic == "taisai/s/t/event") {
        stranger.take(&seen.payload).unwrap();
    }
    let after = verify(&place);
    assert_eq!((&after["whole"], &after["formats"]["1"]), (&Value::Bool(true), &Value::from(old::LAST)), "{after}");
    let text =
        String::from_utf8(ctl(&place, &["journal", "verify", place.path("state").to_str().unwrap()]).stdout).unwrap();
    assert!(text.contains("54 of them are as tumblerd 0.1 wrote them (format 1)"), "{text}");
}

fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

/// Who can write the disk rolls the whole state directory back, and reboots: what lies there is whole, and what the table told
/// before shows what was done.
#[tokio::test]
async fn a_table_that_was_rolled_back_is_found_by_what_it_told() {
    let broker = Broker::start().await;
    let floor = Watched::start(broker.port);
    let place = place(broker.port);
    let (state, run, earlier) = (place.path("state"), place.path("run"), place.path("earlier"));
    let (url, heads) = (format!("mqtt://127.0.0.1:{}", broker.port), place.path("heads.jsonl"));
    let audit = ["--broker", &url, "--session", "audit", "--heads", heads.to_str().unwrap()];
    let verify = |more: &[&str]| verified(&place, more);
    let (code, said) = verify(&audit);
    assert!(code == Some(1) && said.contains("kept nothing under the session `audit`"), "{said}");
    assert!(said.contains("NOT COMPARED: no head in the file is of this journal"), "{said}");

    let play = || relayed(&place);
    play().await;
    copy(&state, &earlier);
    play().await;
    let (code, said) = verify(&audit);
    assert!(code == Some(0) && said.contains("nothing is wrong"), "{said}");
    assert_eq!(floor.picture()["tables"][0]["rewritten"], Value::Null);

    copy(&earlier, &state);
    std::fs::remove_dir_all(&run).unwrap();
    std::fs::create_dir(&run).unwrap();
    play().await;
    let (code, said) = verify(&[]);
    assert!(code == Some(0) && said.contains("nothing is wrong"), "what lies on the disk is whole in itself: {said}");
    let (code, said) = verify(&audit);
    assert!(code == Some(1) && said.contains("was told, and the journal has another record there"), "{said}");
    assert!(said.contains("the journal is not the one that the table told of"), "{said}");
    let row = || floor.picture()["tables"][0].clone();
    until("the floor's alarm", || row()["condition"] == "rewritten").await;
    assert!(row()["rewritten"].as_str().unwrap().contains("came again and is another"), "{}", row());

    // A file that is none is named with its place, and nothing is said of the journal.
    for (line, wrong) in [
        (b"{\"stream\":\"a\",\"seq\":1,\"head\":\"ab\"}\n".as_slice(), "`ab` is no head"),
        (b"SQLite format 3\0\x02\0", "expected value"),
        (b"\xff\xfe\0\n", "invalid utf-8"),
    ] {
        std::fs::write(&heads, line).unwrap();
        let (code, said) = verify(&["--heads", heads.to_str().unwrap()]);
        assert!(code != Some(0) && said.contains(&format!("heads.jsonl: line 1: {wrong}")), "{said}");
        assert!(said.contains("a message of `event`") && said.contains("--heads FILE --broker URL"), "{said}");
    }
    std::fs::remove_file(&heads).unwrap();
    nix::unistd::mkfifo(&heads, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let (code, said) = verify(&["--heads", heads.to_str().unwrap()]);
    assert!(code == Some(2) && said.contains("it is no regular file"), "{said}");
}

/// Runs the daemon until the broker has acknowledged all of its records, and stops it.
async fn relayed(place: &Place) {
    let (mut daemon, wire) = up(place);
    until("all is acknowledged", || {
        let status = json(&ctl(place, &["status", "--json"]));
        status["relay"]["connected"] == true && status["relay"]["waiting"] == 0
    })
    .await;
    daemon.signal(Signal::SIGTERM);
    assert!(daemon.ended().success());
    drop(wire);
}

/// The code of `tumblerctl journal verify` on the state directory, and all that it says.
fn verified(place: &Place, more: &[&str]) -> (Option<i32>, String) {
    let state = place.path("state");
    let output = ctl(place, &[&["journal", "verify", state.to_str().unwrap()], more].concat());
    (output.status.code(), String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap())
}

/// A journal that is lost is begun anew, which is said even without heads; and what it told is missed.
#[tokio::test]
async fn a_table_that_lost_its_journal_says_so_and_what_it_told_is_missed() {
    let broker = Broker::start().await;
    let place = place(broker.port);
    let state = place.path("state");
    let (url, heads) = (format!("mqtt://127.0.0.1:{}", broker.port), place.path("heads.jsonl"));
    let audit = ["--broker", &url, "--session", "audit", "--heads", heads.to_str().unwrap()];
    let verify = |more: &[&str]| verified(&place, more);
    verify(&audit);
    let play = || relayed(&place);
    play().await;
    let (code, said) = verify(&audit);
    assert!(code == Some(0) && said.contains("nothing is wrong"), "{said}");
    // What SQLite has not yet merged into the file lies in the log beside it.
    let move_all = |from: &Path, to: &Path| {
        for beside in ["", "-wal", "-shm"] {
            let with = |path: &Path| format!("{}{beside}", path.display());
            let _ = std::fs::rename(with(from), with(to));
        }
    };
    move_all(&state.join("journal.sqlite"), &place.path("kept.sqlite"));
    play().await;
    let (code, said) = verify(&[]);
    assert!(code == Some(0) && said.contains("it was begun anew with record"), "{said}");
    assert!(said.contains("no journal that was set aside lies beside it"), "{said}");
    assert!(said.contains("those before were not verified"), "{said}");
    let (code, said) = verify(&audit);
    assert!(code == Some(1) && said.contains("WRONG: not in it: "), "{said}");
    assert!(said.contains("records that the table told of are lost"), "{said}");
    // Where the file was put back as the daemon would have set it aside, all is there.
    move_all(&place.path("kept.sqlite"), &state.join("journal.sqlite.damaged-1"));
    let (code, said) = verify(&audit);
    assert!(code == Some(0) && said.contains("nothing is wrong") && said.contains("0 are lost"), "{said}");
    let (_, said) = verify(&[]);
    assert!(said.contains("set aside as damaged earlier: journal.sqlite.damaged-1 (not verified)"), "{said}");
}

/// Without the process that speaks to the network the table runs all the same, and `status` says since when and why.
#[tokio::test]
async fn a_daemon_without_its_network_says_so_and_runs() {
    let place = place(free_port());
    let (mut daemon, _wire) = up(&place);
    let says = |what: &str| String::from_utf8(ctl(&place, &["status"]).stdout).unwrap().contains(what);
    until("it has called", || !says("NETWORK")).await;
    place.end_network();
    until("it is missed", || says("NETWORK")).await;
    let text = String::from_utf8(ctl(&place, &["status"]).stdout).unwrap();
    assert!(text.contains("down since") && text.contains("it hung up"), "{text}");
    daemon.signal(Signal::SIGTERM);
    assert!(daemon.ended().success());
}

/// Without a broker the table runs all the same, and `status` says what is missing.
#[tokio::test]
async fn a_daemon_without_its_broker_says_so_and_runs() {
    let place = place(free_port());
    let (mut daemon, _wire) = up(&place);
    until("it is named", || {
        let status = json(&ctl(&place, &["status", "--json"]));
        status["relay"]["trouble"].as_str().is_some_and(|t| t.contains("127.0.0.1"))
    })
    .await;
    let text = String::from_utf8(ctl(&place, &["status"]).stdout).unwrap();
    assert!(text.contains("NOT CONNECTED"), "{text}");
    daemon.signal(Signal::SIGTERM);
    assert!(daemon.ended().success());
}
