//! What is left of a demo that is ended from outside: nothing.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr as UnixAddr, UnixListener};
use std::process::{Command, Stdio};
use std::time::Duration;
use tumbler_bench::process::clock::wait_for;
use tumbler_bench::process::observer::Observer;

/// All tables tell one broker what they do. `timeout` and some service managers signal a child, and then its whole group: the child gets
/// two, and ends cleanly all the same.
#[test]
fn a_demo_of_two_tables_that_is_told_twice_to_end_leaves_nothing() {
    let above = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_tumbler-hil"));
    program.args(["demo", "--tables", "2"]).env("TMPDIR", above.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut demo = program.spawn().unwrap();
    let mut said = BufReader::new(demo.stdout.take().unwrap()).lines();
    let floor = said.find_map(|line| Some(line.unwrap().split_once("floor --broker mqtt://")?.1.to_owned()));
    let site = Observer::start(floor.expect("it begins").parse().unwrap(), "site").unwrap();
    for table in ["virtual", "table-2"] {
        let topic = format!("taisai/rig/{table}/");
        wait_for(&topic, Duration::from_secs(60), String::new, || {
            Ok(site.messages().iter().any(|message| message.topic.starts_with(&topic)))
        })
        .unwrap();
    }
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

/// What cannot work is said before anything is started, with what to do: another's panel is never shown as this table's.
#[test]
fn a_demo_says_what_is_wrong_with_its_panel_and_its_accounts() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    // Another demo, whose table does not listen yet.
    let claimed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let name = UnixAddr::from_abstract_name(format!("tumbler-hil demo {}", claimed.port())).unwrap();
    let _claim = UnixListener::bind_addr(&name).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str, mode| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let none = dir.path().join("none").to_str().unwrap().to_owned();
    let (open, empty) = (file("open", "jo:hash\n", 0o644), file("empty", "# nobody yet\n", 0o600));
    for (option, value, said) in [
        ("--panel", claimed.to_string(), "is taken: another demo begins there"),
        ("--panel", taken, "is taken: another program listens there; --panel takes another"),
        ("--panel", "192.0.2.1:8080".to_owned(), "cannot be the panel's address; --panel takes another"),
        ("--accounts", none, "cannot be read, so nobody could log in"),
        ("--accounts", open, "which other users can read: chmod 0640"),
        ("--accounts", empty, "`tumblerctl panel-password NAME --file"),
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_tumbler-hil"));
        let output = program.args(["demo", "--rounds", "0", option, &value]).stdin(Stdio::null()).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && err.contains(said) && err.contains(&value), "{said}: {err}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "nothing is started");
    }
}

/// Each line knows how far the lines before it have come, and what is no step has its answer too.
#[test]
fn a_hand_plays_on_where_it_left_off() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tumbler-hil"));
    program.args(["demo", "--by-hand"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut demo = program.spawn().unwrap();
    let lines = "help\nsteps dome.flicker\nplay to spun\nplay to entered\nplay to entered\ngo on\nhlep\nquit\n";
    demo.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let mut said = String::new();
    demo.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(demo.wait().unwrap().success(), "{said}");
    for (what, times) in [
        ("somebody presses tumble", 1),
        ("somebody presses place_bets", 1),
        ("steps, steps WORD", 1),
        ("  dome.flicker\n", 1),
        ("done: play to entered\n", 1),
        ("play to entered: nothing was to be done: the phase is ", 1),
        ("SETTLED", 1),
        ("`help` and `steps` say what can be typed", 1),
    ] {
        assert_eq!(said.matches(what).count(), times, "{what}: {said}");
    }
}
