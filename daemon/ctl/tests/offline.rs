//! `tumblerctl` without a daemon: layouts, odds, usage errors.

use serde_json::{Value, json};
use std::process::{Command, Output};
use tumbler_core::rules;
use tumbler_core::wire::registers::lamps;

fn ctl(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tumblerctl"))
        .args(arguments)
        .env("TUMBLERCTL_SOCKET", "/nonexistent/console.sock")
        .output()
        .unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn layouts_json_is_one_compact_line_of_all_ten() {
    let output = ctl(&["layouts", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with(r#"[{"id":"nz-1998","rules":"nz-1998","areas":50},"#), "{text}");
    assert_eq!(text.lines().count(), 1);
    let layouts: Vec<Value> = serde_json::from_str(&text).unwrap();
    let sizes: Vec<(&str, u64)> =
        layouts.iter().map(|l| (l["id"].as_str().unwrap(), l["areas"].as_u64().unwrap())).collect();
    let expected = [
        ("nz-1998", 50),
        ("nz-div9-1", 50),
        ("nz-div9-2", 106),
        ("sg-v6-1", 50),
        ("sg-v6-2", 104),
        ("sg-v6-3", 107),
        ("sg-open-1", 50),
        ("sg-open-2", 104),
        ("sg-open-early-1", 50),
        ("sg-open-early-2", 104),
    ];
    assert_eq!(sizes, expected);
}

/// Whoever builds a lamp board knows from this which lamp hangs where: in the layout's order, 64 on a board, as the page of the
/// registers has it.
#[test]
fn every_area_has_its_lamp_board_and_output() {
    let output = ctl(&["layouts", "--areas", "--json"]);
    let places: Vec<Value> = serde_json::from_str(&out(&output)).unwrap();
    let mut expected = Vec::new();
    for layout in rules::layouts() {
        for (at, area) in layout.areas.iter().enumerate() {
            let (unit, output) = (usize::from(lamps::FIRST_UNIT) + at / lamps::PER_BOARD, at % lamps::PER_BOARD);
            expected.push(json!({"layout": layout.id, "area": area.id, "unit": unit, "output": output}));
        }
    }
    assert_eq!(places, expected);
    let one = out(&ctl(&["layouts", "sg-v6-3", "--areas"]));
    assert_eq!(one.lines().count(), 108, "a head and 107 areas: {one}");
    let last: Vec<&str> = one.lines().last().unwrap().split_whitespace().collect();
    assert_eq!((last[0], &last[2..]), ("sg-v6-3", ["3", "42"].as_slice()), "{one}");
    let unknown = ctl(&["layouts", "sg-v7", "--areas"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(err(&unknown).contains("`sg-v7` is no layout; there are nz-1998, "), "{}", err(&unknown));
}

/// SGV6 pay table 3 has no doubles; a double with a single pays 50 (daemon/core/rules/sg-v6.toml).
#[test]
fn odds_json_is_the_contracts_one_line() {
    let output = ctl(&["odds", "--layout", "sg-v6-3", "--dice", "3,1,1", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with(r#"{"layout":"sg-v6-3","dice":[1,1,3],"total":5,"areas":[{"id":""#), "{text}");
    assert_eq!(text.lines().count(), 1);
    let mut odds: Value = serde_json::from_str(&text).unwrap();
    let areas = odds["areas"].as_array_mut().unwrap();
    areas.sort_by_key(|a| a["id"].as_str().unwrap().to_owned());
    let expected = json!([
        {"id": "combo-1-1-3", "odds": 50},
        {"id": "pair-1-3", "odds": 6},
        {"id": "single-1", "odds": 2},
        {"id": "single-3", "odds": 1},
        {"id": "small", "odds": 1},
        {"id": "total-5", "odds": 31},
    ]);
    assert_eq!(odds["areas"], expected);
}

#[test]
fn odds_for_people_begin_with_the_call() {
    let output = ctl(&["odds", "--layout", "nz-1998", "--dice", "5,5,5"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).starts_with("triple 5, total 15\n"), "{}", out(&output));
    assert!(out(&output).contains("180 to 1"), "{}", out(&output));
}

#[test]
fn an_unknown_layout_says_which_are_known() {
    let output = ctl(&["odds", "--layout", "sg-v7", "--dice", "1,1,3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("`sg-v7` is no layout") && err(&output).contains("sg-v6-3"), "{}", err(&output));
    assert_eq!(out(&output), "");
}

#[test]
fn dice_that_cannot_be_say_what_is_allowed() {
    for dice in ["1,1", "1,1,7", "1,1,0", "1,1,3,4", "a,b,c", "", "-1,2,3", "1;2;3"] {
        let output = ctl(&["odds", "--layout", "sg-v6-3", &format!("--dice={dice}")]);
        assert_eq!(output.status.code(), Some(2), "{dice}");
        assert!(err(&output).contains("three numbers from 1 to 6"), "{dice}: {}", err(&output));
    }
}

/// A closed pipe, as after `head`, causes no error message and no panic.
#[test]
fn a_reader_that_hangs_up_is_no_error() {
    for arguments in [["layouts", "--json"].as_slice(), &["layouts", "--areas"], &["completions", "bash"], &["--help"]]
    {
        let (reader, writer) = std::os::unix::net::UnixStream::pair().unwrap();
        drop(reader);
        let output = Command::new(env!("CARGO_BIN_EXE_tumblerctl"))
            .args(arguments)
            .stdout(std::os::fd::OwnedFd::from(writer))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", err(&output));
        assert_eq!(err(&output), "", "{arguments:?}");
    }
}

/// What the system said is in a complaint once, however many hands it came through.
#[test]
fn an_error_of_the_system_is_said_once() {
    let none = "/nonexistent/file";
    for arguments in [
        ["status"].as_slice(),
        &["journal", "verify", none],
        &["journal", "export", none],
        &["replay", none],
        &["rounds", "7", "--report", none],
        &["man", "/proc/nonexistent"],
    ] {
        let said = err(&ctl(arguments));
        assert_eq!(said.matches("No such file or directory").count(), 1, "{arguments:?}: {said}");
    }
}

/// The shells' scripts have the values of arguments, and so complete them.
#[test]
fn completions_have_latches_tests_layouts_and_answers() {
    let values = [
        ("bash", "tumbler deadman temperature dome buttons"),
        ("bash", "motor cam dome buttons bell terminal lamps reader seal temperature bus all trends"),
        ("bash", "areas=yes areas=no seal=yes"),
        ("fish", "areas=yes"),
        ("bash", "nz-1998 nz-div9-1 nz-div9-2"),
        ("zsh", "(nz-1998 nz-div9-1 nz-div9-2"),
        ("fish", "nz-1998"),
    ];
    for (shell, said) in values {
        let script = out(&ctl(&["completions", shell])).replace("\\t''\\n", " ");
        assert!(script.contains(said), "{shell}: {said}");
    }
}

/// Help that nobody could be shown is no success. Whoever closes a pipe has read enough.
#[test]
fn help_that_cannot_be_written_fails() {
    for (into, code) in [("/dev/full", 2), ("/dev/null", 0)] {
        let into = std::fs::OpenOptions::new().write(true).open(into).unwrap();
        let mut help = Command::new(env!("CARGO_BIN_EXE_tumblerctl"));
        assert_eq!(help.arg("--help").stdout(into).status().unwrap().code(), Some(code));
    }
}

#[test]
fn what_is_no_recording_and_no_journal_exits_with_two() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("notes.txt");
    std::fs::write(&file, "hello\n").unwrap();
    let output = ctl(&["replay", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("notes.txt:1:"), "{}", err(&output));
    let (pipe, state) = (dir.path().join("pipe"), dir.path().join("state"));
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::fs::create_dir(&state).unwrap();
    std::os::unix::fs::symlink(&file, state.join("journal.sqlite")).unwrap();
    for what in ["verify", "export"] {
        for (path, says) in [
            ("/dev/zero", "it is no regular file"),
            (pipe.to_str().unwrap(), "it is no regular file"),
            (file.to_str().unwrap(), "notes.txt is no journal"),
            (state.to_str().unwrap(), "it is a link, which the daemon does not follow"),
        ] {
            let output = ctl(&["journal", what, path]);
            assert!(output.status.code() == Some(2) && err(&output).contains(says), "{path}: {}", err(&output));
        }
    }
    let output = ctl(&["replay", "/nonexistent/file"]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
}

/// What never ends is not read to its end: neither a device, nor a pipe that nobody writes to, nor a file that is one line.
#[test]
fn a_replay_has_bounds() {
    let dir = tempfile::tempdir().unwrap();
    let (pipe, sparse) = (dir.path().join("pipe"), dir.path().join("sparse"));
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::fs::File::create(&sparse).unwrap().set_len(1 << 40).unwrap();
    for (path, said) in [
        ("/dev/zero", "it is no regular file"),
        (pipe.to_str().unwrap(), "it is no regular file"),
        (sparse.to_str().unwrap(), "sparse:1: the line is longer than"),
    ] {
        let output = ctl(&["replay", path]);
        assert!(output.status.code() == Some(2) && err(&output).contains(said), "{path}: {}", err(&output));
        assert_eq!(err(&output).matches(said).count(), 1, "once is enough: {}", err(&output));
    }
}

/// Runs `panel-password` with this on its standard input.
fn panel_password(arguments: &[&str], password: &str) -> Output {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_tumblerctl"))
        .arg("panel-password")
        .args(arguments)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // If the name is refused, the password is not read.
    let _ = child.stdin.take().unwrap().write_all(password.as_bytes());
    child.wait_with_output().unwrap()
}

/// A password goes from standard input into the file, in place of the one before, and the panel's own reader takes it.
#[test]
fn a_technicians_password_is_set_and_set_anew() {
    use std::os::unix::fs::PermissionsExt;
    use tumblerd::panel::accounts::{Accounts, verify};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("accounts");
    let file = ["--file", path.to_str().unwrap()];
    let set = |name: &str, password: &str| panel_password(&[[name].as_slice(), &file].concat(), password);
    assert_eq!(set("jo", "first password\n").status.code(), Some(0));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(set("mei", "other password\n").status.code(), Some(0));
    assert_eq!(set("jo", "second password").status.code(), Some(0));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    let accounts = Accounts::read(&path).unwrap();
    let fits = |name: &str, password: &str| verify(accounts.hash(name), password);
    assert!(fits("jo", "second password") && fits("mei", "other password") && !fits("jo", "first password"));
    let before = std::fs::read_to_string(&path).unwrap();
    for (name, password, said) in [("jo", "short", "10 characters"), ("Jo", "long enough", "is no name")] {
        let refused = set(name, password);
        assert_eq!(refused.status.code(), Some(2));
        assert!(err(&refused).contains(said), "{refused:?}");
    }
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(err(&set("jo", "third password")).contains("chmod 0640"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left behind");
}
