//! What clients can do wrong, and what the console does about it.

use super::stub::{Ran, Stub, done};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;
use tumbler_core::record::Event;
use tumbler_core::text::is_unseen;
use tumbler_core::wire::ask::{MAX_LINE, Reply, Said, Told};
use tumbler_core::wire::console::{Answer, Command};
use tumblerd::console::OF_UID;

/// Only so that a test that would hang fails: nothing is asserted on it.
const PATIENCE: Duration = Duration::from_secs(30);

fn connect(stub: &Stub) -> BufReader<UnixStream> {
    let stream = UnixStream::connect(&stub.socket).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    BufReader::new(stream)
}

fn say(client: &mut BufReader<UnixStream>, line: &[u8]) {
    client.get_mut().write_all(line).unwrap();
}

fn reply(client: &mut BufReader<UnixStream>) -> Reply {
    let mut line = String::new();
    assert_ne!(client.read_line(&mut line).unwrap(), 0, "the console hung up");
    serde_json::from_str(&line).unwrap()
}

fn error(client: &mut BufReader<UnixStream>) -> (Option<u64>, String) {
    match reply(client) {
        Reply { id, said: Said::Error(error) } => (id, error),
        other => panic!("{other:?}"),
    }
}

fn assert_closed(client: &mut BufReader<UnixStream>) {
    let mut rest = Vec::new();
    // A reset instead of an end is as good: what was still unread is gone.
    let _ = client.read_to_end(&mut rest);
    assert_eq!(rest, b"");
}

fn works(stub: &Stub) {
    let mut client = connect(stub);
    say(&mut client, b"{\"id\":1,\"ask\":\"status\"}\n");
    assert!(matches!(reply(&mut client).said, Said::Answer(Told::Status(_))));
}

/// A program that listens in place of the daemon: nothing that it says moves a cursor or turns a line round, and what was not asked is
/// no answer.
#[test]
fn a_hostile_socket_is_heard_and_not_obeyed() {
    let words = "the table\u{1b}[2J\u{202e} is open\u{9b}8m\r";
    let quoted = serde_json::to_string(words).unwrap();
    for (line, code, says) in [
        (format!("{{\"id\":1,\"answer\":{{\"done\":{quoted}}}}}"), 0, "the table\u{fffd}[2J\u{fffd} is open"),
        (format!("{{\"id\":1,\"answer\":{{\"refused\":{{\"code\":\"closed\",\"why\":{quoted}}}}}}}"), 1, "refused"),
        (format!("{{\"id\":1,\"error\":{quoted}}}"), 2, "the table\u{fffd}[2J"),
        (format!("{{\"id\":1,\"answer\":{{{quoted}:1}}}}"), 2, "does not understand"),
        ("{\"id\":1,\"answer\":{\"done\":\"closed\"},\"error\":\"not\"}".into(), 2, "does not understand"),
        ("{\"id\":1,\"answer\":{\"done\":\"closed\"},\"answer\":{\"done\":\"open\"}}".into(), 2, "does not understand"),
        ("{\"id\":2,\"answer\":{\"done\":\"closed\"}}".into(), 2, "answers what was not asked"),
        ("{\"id\":null,\"answer\":{\"done\":\"closed\"}}".into(), 2, "answers what was not asked"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let socket = dir.path().join("socket");
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tumblerctl"));
        command.arg("--socket").arg(&socket).args(["close", "--name", "Mei"]);
        let ctl = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        BufReader::new(stream.try_clone().unwrap()).read_line(&mut String::new()).unwrap();
        writeln!(stream, "{line}").unwrap();
        let ran = Ran::of(&ctl.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(code), "{line}: {ran:?}");
        let said = ran.out + &ran.err;
        assert!(said.contains(says), "{line}: {said:?}");
        assert!(!said.chars().any(|c| c != '\n' && is_unseen(c)), "{line}: {said:?}");
    }
}

#[test]
fn garbage_gets_an_error_and_the_door() {
    let stub = Stub::start(done);
    let garbage: [(&[u8], Option<u64>, &str); 7] = [
        (b"\n", None, "EOF"),
        (b"hello\n", None, "expected"),
        (b"\xff\xfe\x00\n", None, "this is no request"),
        (b"{\"id\":7,\"ask\":\"weather\"}\n", Some(7), "weather"),
        (b"{\"id\":8,\"ask\":{\"command\":\"launch\"}}\n", Some(8), "launch"),
        (b"{\"id\":-1,\"ask\":\"status\"}\n", None, "invalid value"),
        (b"{\"id\":9,\"ask\":{\"command\":\"close\",\"with\":{}}}\n", Some(9), "name"),
    ];
    for (line, id, part) in garbage {
        let mut client = connect(&stub);
        say(&mut client, line);
        let (found, text) = error(&mut client);
        assert_eq!(found, id);
        assert!(text.contains(part), "{text}");
        assert_closed(&mut client);
    }
    assert!(stub.asked.lock().unwrap().is_empty());
    works(&stub);
}

#[test]
fn a_line_that_is_too_long_gets_an_error_and_the_door() {
    let stub = Stub::start(done);
    let mut client = connect(&stub);
    say(&mut client, &vec![b'x'; MAX_LINE]);
    assert!(error(&mut client).1.contains("longer than 65536 bytes"));
    assert_closed(&mut client);
    works(&stub);
}

#[test]
fn half_a_request_times_out_and_holds_nobody_up() {
    let stub = Stub::start(done);
    let mut half = connect(&stub);
    say(&mut half, b"{\"id\":1,\"ask\":");
    works(&stub);
    assert!(error(&mut half).1.contains("not ended within"));
    assert_closed(&mut half);
}

#[test]
fn one_connection_too_many_of_an_account_is_turned_away_and_a_place_comes_free_again() {
    let stub = Stub::start(done);
    let mut clients: Vec<_> = (0..OF_UID).map(|_| connect(&stub)).collect();
    for client in &mut clients {
        say(client, b"{\"id\":1,\"ask\":\"faults\"}\n");
        reply(client);
    }
    let mut extra = connect(&stub);
    let uid = nix::unistd::getuid();
    let (_, why) = error(&mut extra);
    assert!(why.starts_with(&format!("user id {uid} has 16 connections")) && why.contains("end one of them"), "{why}");
    assert_closed(&mut extra);
    for _ in 0..20 {
        // However the two come across each other: the console hangs up as `tumblerctl` asks.
        let ran = stub.ctl(&["status"]);
        assert!(ran.code == Some(2) && ran.err.contains(&why), "{ran:?}");
    }
    drop(clients);
    // The places come free as the console notices; ask until one has.
    let begun = std::time::Instant::now();
    loop {
        let mut client = connect(&stub);
        // The console may hang up before it reads this.
        let _ = client.get_mut().write_all(b"{\"id\":1,\"ask\":\"status\"}\n");
        if matches!(reply(&mut client).said, Said::Answer(_)) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE);
    }
}

/// A watcher that does not read costs no memory and is dropped; the others do not notice.
#[test]
fn a_slow_reader_is_dropped() {
    let stub = Stub::start(done);
    let mut slow = connect(&stub);
    say(&mut slow, b"{\"id\":1,\"ask\":\"watch\"}\n");
    reply(&mut slow);
    for _ in 0..5000 {
        stub.record(None, Event::Noted { kind: None, what: "x".repeat(1000) });
    }
    works(&stub);
    // Not reading until the console gives up: its end of the socket closes, which poll reports unasked.
    let fd = std::os::fd::AsFd::as_fd(slow.get_ref());
    let mut watched = [nix::poll::PollFd::new(fd, nix::poll::PollFlags::empty())];
    assert_eq!(nix::poll::poll(&mut watched, 30_000_u16).unwrap(), 1, "the slow reader is still connected");
    works(&stub);
}

#[test]
fn a_watch_takes_no_further_requests() {
    let stub = Stub::start(done);
    let mut client = connect(&stub);
    say(&mut client, b"{\"id\":1,\"ask\":\"watch\"}\n{\"id\":2,\"ask\":\"status\"}\n");
    let last = loop {
        match reply(&mut client).said {
            Said::Answer(_) => {}
            Said::Error(error) => break error,
        }
    };
    assert!(last.contains("open another connection"), "{last}");
    assert_closed(&mut client);
}

fn silent(command: &Command) -> Option<Answer> {
    (!matches!(command, Command::Close { .. })).then(|| Answer::Done("done".into()))
}

/// A table that takes long to answer one keeps nobody else waiting, and an answer is never given to another's question.
#[test]
fn a_command_that_waits_holds_nobody_up() {
    let mut stub = Stub::start(silent);
    let mut waits = connect(&stub);
    say(&mut waits, b"{\"id\":1,\"ask\":{\"command\":\"close\",\"with\":{\"name\":\"Mei\"}}}\n");
    let mut other = connect(&stub);
    for id in 2..6 {
        say(&mut other, format!("{{\"id\":{id},\"ask\":{{\"command\":\"record\"}}}}\n").as_bytes());
        let answer = reply(&mut other);
        assert_eq!(answer, Reply { id: Some(id), said: Said::Answer(Told::Done("done".into())) });
    }
    stub.stop();
    assert_closed(&mut waits);
    assert!(!stub.socket.exists(), "the socket goes with the daemon");
}
