//! The network's process, as the daemon sees it: one that is broken into says whatever it likes, and does no harm.

use super::bench::{Daemon, LONG, Place, Wire};
use super::browser::with_panel;
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// A fake process of the network's, which has said nothing yet.
struct Fake {
    from: BufReader<UnixStream>,
    to: UnixStream,
}

impl Fake {
    /// Calls, and reads the daemon's first word.
    fn calls(place: &Place) -> (Self, Value) {
        let until = Instant::now() + LONG;
        loop {
            // Another one may still be connected.
            let to = UnixStream::connect(place.path("net")).unwrap();
            to.set_read_timeout(Some(LONG)).unwrap();
            to.set_write_timeout(Some(LONG)).unwrap();
            let mut fake = Self { from: BufReader::new(to.try_clone().unwrap()), to };
            let first = fake.hears();
            if let Some(hello) = first.get("hello") {
                fake.says(&json!("alive"));
                return (fake, hello.clone());
            }
            assert!(Instant::now() < until, "{first}");
            thread::yield_now();
        }
    }

    fn says(&mut self, line: &Value) {
        // Who is hung up on cannot say all of it.
        let _ = writeln!(self.to, "{line}");
    }

    fn hears(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.from.read_line(&mut line).unwrap(), 0, "the daemon hung up without a word");
        serde_json::from_str(&line).unwrap()
    }

    /// What comes under this name, whatever else is told before.
    fn until(&mut self, name: &str) -> Value {
        loop {
            let told = self.hears();
            if let Some(wanted) = told.get(name) {
                return wanted.clone();
            }
        }
    }

    /// Why it is hung up on.
    fn refused(mut self) -> String {
        let why = self.until("refused").as_str().unwrap().to_owned();
        let mut rest = Vec::new();
        let _ = self.from.read_to_end(&mut rest);
        why
    }
}

/// A table with a panel at which `jo` may log in, and no process of the network's.
fn up() -> (Place, Daemon, Wire) {
    up_with(with_panel)
}

/// A table that is configured like this, and no process of the network's.
fn up_with<T>(configure: impl FnOnce(&Place) -> T) -> (Place, Daemon, Wire) {
    let place = Place::new();
    configure(&place);
    place.commission();
    let daemon = place.start_alone();
    let wire = place.wire();
    place.told("READY=");
    (place, daemon, wire)
}

fn network(place: &Place) -> Value {
    place.ask(&json!("status"))["answer"]["status"]["network"].clone()
}

/// Waits until the status says so of the network's process.
fn network_is(place: &Place, is_so: impl Fn(&Value) -> bool) {
    let until = Instant::now() + LONG;
    while !is_so(&network(place)) {
        assert!(Instant::now() < until, "{}", network(place));
        thread::yield_now();
    }
}

/// Records the daemon's answer to what it does for a person, and that it takes it in its stride.
fn answers(place: &Place) {
    let begun = Instant::now();
    assert!(place.ask(&json!("status"))["answer"]["status"].is_object());
    let record = place.ask(&json!({ "command": "record" }));
    assert!(record["answer"]["done"].is_string(), "{record}");
    assert!(begun.elapsed() < LONG);
}

#[test]
fn it_is_told_who_it_is_for_and_whether_it_is_there_is_said() {
    let (place, _daemon, _wire) = up();
    let before = network(&place);
    assert_eq!((&before["up"], &before["trouble"]), (&json!(false), &json!("it has not called yet")));
    assert!(before["since"].as_i64().unwrap() > 0);
    let (fake, hello) = Fake::calls(&place);
    assert_eq!((&hello["site"], &hello["table"], &hello["backend"]), (&json!("s"), &json!("t"), &json!("virtual")));
    network_is(&place, |network| network["up"] == true);
    drop(fake);
    network_is(&place, |network| network["up"] == false && network["trouble"] == "it hung up");
    answers(&place);
}

/// Everything that it may not say costs it the connection, changes nothing, and is said.
#[test]
fn whatever_it_may_not_say_costs_it_the_connection() {
    let (place, _daemon, _wire) = up();
    let not_understood = "it said what is not understood";
    let of = |command: Value| json!({ "command": { "id": 1, "by": "jo", "command": command } });
    let acknowledged = json!({ "acknowledged": 1 });
    for (line, why) in [
        (of(json!({ "open": { "name": "Mei" } })), not_understood),
        (of(json!({ "reset": { "code": "gpio", "exit": "rectified", "name": "Mei" } })), not_understood),
        (of(json!({ "command": "close", "with": { "name": "Mei" } })), not_understood),
        (of(json!({ "maintenance": { "on": true, "name": "Mei" } })), not_understood),
        (
            json!({ "command": { "id": 1, "by": "jo", "supervisor": true, "command": { "maintenance": { "on": true } } } }),
            not_understood,
        ),
        (json!({ "input": { "durable": { "seq": 1 } } }), not_understood),
        (json!({ "alive": true }), not_understood),
        (json!("\u{7}\u{1b}[2J"), not_understood),
        (acknowledged, "it acknowledged a record, and no broker is configured"),
    ] {
        let (mut fake, _) = Fake::calls(&place);
        fake.says(&line);
        let said = fake.refused();
        assert!(said.starts_with(why), "{line}: {said}");
        network_is(&place, |network| network["up"] == false && network["trouble"].as_str().unwrap().starts_with(why));
    }
    assert_eq!(place.records("refused").len(), 0, "none of it reached the table");
    answers(&place);
}

/// What it may say goes under a technician's role, in a name that shows where it comes from, and no oftener than people could.
#[test]
fn its_commands_are_a_technicians_and_few() {
    let (place, _daemon, _wire) = up();
    let (mut fake, _) = Fake::calls(&place);
    let command = |id: u64, by: &str| json!({ "command": { "id": id, "by": by, "command": { "hardware-test": { "test": "bell" } } } });
    for by in ["", "M\u{202e}ei", "Mei Tan, shift manager"] {
        fake.says(&command(0, by));
        assert_eq!(fake.until("answer")["answer"]["Err"], "no account has such a name");
    }
    for id in 1..=200 {
        fake.says(&command(id, "jo"));
    }
    let told: Vec<Value> = (1..=200).map(|_| fake.until("answer")["answer"].clone()).collect();
    let reached = told.iter().filter(|answer| answer["Ok"].is_object()).count();
    assert!((1..=40).contains(&reached), "{reached} reached the table: {told:?}");
    // The table refuses each, for nobody turned the key, and writes down who asked: after its answer, as nothing depends on it (`linger`).
    let until = Instant::now() + LONG;
    let mut refused = place.records("refused");
    while refused.is_empty() {
        assert!(Instant::now() < until, "no refusal is written down");
        thread::yield_now();
        refused = place.records("refused");
    }
    assert!(refused.len() <= reached, "{refused:?}");
    assert!(
        refused.iter().all(|record| record.to_string().contains("jo (panel)")),
        "no name of the console's: {refused:?}"
    );
    answers(&place);
}

/// Whoever hangs up and calls again begins no new allowance.
#[test]
fn calling_again_gives_no_more_commands() {
    let (place, _daemon, _wire) = up();
    let (begun, mut reached) = (Instant::now(), 0);
    for _ in 0..5 {
        let (mut fake, _) = Fake::calls(&place);
        for id in 1..=30 {
            let bell = json!({ "hardware-test": { "test": "bell" } });
            fake.says(&json!({ "command": { "id": id, "by": "jo", "command": bell } }));
        }
        reached += (1..=30).filter(|_| fake.until("answer")["answer"]["Ok"].is_object()).count();
        drop(fake);
        network_is(&place, |network| network["up"] == false);
    }
    // Ten at once, and then two a second.
    let most = 10 + 2 * usize::try_from(begun.elapsed().as_secs() + 1).unwrap();
    assert!((10..=most).contains(&reached), "{reached} reached the table, {most} may");
    answers(&place);
}

/// What is not configured is not served either: no broker acknowledges beyond the journal, and nobody commands where none may log in.
#[test]
fn what_is_not_configured_is_not_served() {
    let (place, _daemon, _wire) = up_with(|place| {
        let mut config = std::fs::read_to_string(place.path("table.toml")).unwrap();
        config += "[mqtt]\nenabled = true\nurl = \"mqtt://127.0.0.1:1\"\n";
        std::fs::write(place.path("table.toml"), config).unwrap();
    });
    let (mut fake, _) = Fake::calls(&place);
    fake.says(&json!({ "command": { "id": 1, "by": "jo", "command": { "hardware-test": { "test": "bell" } } } }));
    assert_eq!(fake.until("answer")["answer"]["Err"], "no account may log in here");
    fake.says(&json!({ "acknowledged": u64::MAX }));
    let said = fake.refused();
    assert!(said.starts_with("it acknowledged record 18446744073709551615, and the last one is"), "{said}");
    assert_eq!(place.records("refused").len(), 0, "none of it reached the table");
}

#[test]
fn a_line_without_an_end_and_one_that_is_cut_are_no_lines() {
    let (place, _daemon, _wire) = up();
    let (mut fake, _) = Fake::calls(&place);
    // 10 MB, of which the daemon reads no more than it may.
    let _ = fake.to.write_all(&vec![b'x'; 10_000_000]);
    assert_eq!(fake.refused(), "a line is longer than 16384 bytes");
    let (mut fake, _) = Fake::calls(&place);
    fake.to.write_all(b"{\"acknowledged\":1").unwrap();
    fake.to.shutdown(Shutdown::Write).unwrap();
    assert_eq!(fake.refused(), "it hung up");
    answers(&place);
}

/// Who asks without an end, and takes no answer, waits in its own socket; people are answered all the same.
#[test]
fn a_flood_waits_in_its_own_socket() {
    let (place, daemon, _wire) = up();
    let (fake, _) = Fake::calls(&place);
    let mut floods = fake.to.try_clone().unwrap();
    let flood = thread::spawn(move || {
        let line = format!("{}\n", json!({ "records": { "id": 1, "after": 0, "limit": 100_000 } }));
        let mut written = 0_u64;
        while floods.write_all(line.as_bytes()).is_ok() {
            written += 1;
        }
        written
    });
    for _ in 0..5 {
        answers(&place);
    }
    network_is(&place, |network| {
        network["trouble"].as_str().is_some_and(|why| why.contains("did not take a line")) && network["up"] == false
    });
    let asked = flood.join().unwrap();
    assert!(asked < 100_000, "{asked} questions were taken");
    drop(fake);
    let memory = daemon.of_kernel("status");
    let resident = memory.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = resident.split_whitespace().next().unwrap().parse().unwrap();
    assert!(kilobytes < 64 * 1024, "{kilobytes} KiB");
    answers(&place);
}

/// One that hangs is given up, and the next one is served.
#[test]
fn one_that_hangs_is_given_up_and_the_next_is_served() {
    let (place, _daemon, _wire) = up();
    let (hangs, _) = Fake::calls(&place);
    network_is(&place, |network| network["up"] == true);
    let mut second = UnixStream::connect(place.path("net")).unwrap();
    second.set_read_timeout(Some(LONG)).unwrap();
    let mut said = String::new();
    second.read_to_string(&mut said).unwrap();
    assert!(said.contains("a network's process is connected already"), "{said}");
    network_is(&place, |network| network["trouble"].as_str().is_some_and(|why| why.contains("it hangs")));
    drop(hangs);
    let (_fake, _) = Fake::calls(&place);
    network_is(&place, |network| network["up"] == true);
}

/// Calls by the thousand whose caller is gone again, with and without a word, keep nobody waiting, and are never said to be there.
#[test]
fn calls_of_one_that_is_gone_keep_its_successor_waiting_no_longer() {
    let (place, _daemon, _wire) = up();
    for _ in 0..20 {
        drop(Fake::calls(&place));
    }
    network_is(&place, |network| network["up"] == false);
    let before = network(&place)["since"].clone();
    for n in 0..3000 {
        let mut call = UnixStream::connect(place.path("net")).unwrap();
        if n % 2 == 0 {
            // Nothing that is understood.
            let _ = call.write_all(b"\"hello\"\n");
        }
        // One of those before may still have its turn, and is gone then.
        if n % 500 == 0 {
            network_is(&place, |network| network["up"] == false);
        }
    }
    let begun = Instant::now();
    let (_fake, _) = Fake::calls(&place);
    network_is(&place, |network| network["up"] == true);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert!(network(&place)["since"].as_i64() > before.as_i64());
    answers(&place);
}

/// Another account is refused by the kernel's word, whatever it says, and also where the socket's mode lets it in.
#[test]
#[expect(clippy::print_stdout, reason = "says why nothing was looked at")]
fn another_account_is_refused() {
    if !nix::unistd::Uid::effective().is_root() {
        println!("this user cannot become another one");
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let (place, _daemon, _wire) = up();
    let socket = place.path("net");
    assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o660);
    std::fs::set_permissions(&socket, std::fs::Permissions::from_mode(0o666)).unwrap();
    std::fs::set_permissions(place.dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new("perl");
    let script = "use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die $!; print scalar <$s>";
    let said = command.args(["-e", script]).arg(&socket).uid(65_534).gid(65_534).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(said.contains("user id 65534 is not that of network.user"), "{said}");
    assert!(!said.contains("hello"), "{said}");
    let (_fake, _) = Fake::calls(&place);
}

/// SECURITY.md: `systemctl stop tumblerd-net` ends it, whatever it says of itself. With a watchdog systemd would listen all the same.
#[test]
fn systemd_does_not_listen_to_it() {
    let unit = concat!(env!("CARGO_MANIFEST_DIR"), "/../systemd/tumblerd-net.service");
    let unit = std::fs::read_to_string(unit).unwrap();
    assert!(unit.lines().any(|line| line == "NotifyAccess=none") && !unit.contains("\nWatchdogSec="), "{unit}");
    assert!(unit.lines().any(|line| line.starts_with("InaccessiblePaths=") && line.contains(" -/run/systemd/notify ")));
}

/// The real process dies, and hangs: the table goes on, it is said, and its successor takes over.
#[test]
fn the_real_process_may_die_or_hang() {
    let (place, mut daemon, wire) = up();
    place.start_network(|command| command);
    network_is(&place, |network| network["up"] == true);
    place.signal_network(Signal::SIGKILL);
    network_is(&place, |network| network["up"] == false && network["trouble"] == "it hung up");
    answers(&place);
    place.start_network(|command| command);
    network_is(&place, |network| network["up"] == true);
    place.signal_network(Signal::SIGSTOP);
    network_is(&place, |network| network["trouble"].as_str().is_some_and(|why| why.contains("it hangs")));
    answers(&place);
    daemon.signal(Signal::SIGTERM);
    let begun = Instant::now();
    assert!(daemon.ended().success());
    assert!(begun.elapsed() < Duration::from_secs(8), "it waits for nobody");
    assert!(wire.rest().contains(&("out_of_service".into(), true)));
}
