//! A real `tumblerd` process against a small bench: its start, its stop, and what it does when it is treated badly.

mod bench;
mod browser;
mod cgroup;
mod network;
mod places;
mod strangers;
mod takeover;
mod wires;

use bench::Place;
use nix::sys::signal::Signal;
use serde_json::json;

#[test]
fn a_table_comes_up_says_so_and_stops_in_safe_state() {
    let place = Place::new();
    place.commission();
    let mut daemon = place.start();
    let wire = place.wire();
    assert_eq!(place.told("READY="), "READY=1");
    // First of all the motor goes off, and the dead-man line has no edge before.
    let first = wire.until("motor_enable", false);
    assert_eq!(first.len(), 1, "{first:?}");
    let status = place.ask(&json!("status"));
    let snapshot = &status["answer"]["status"]["snapshot"];
    assert_eq!(snapshot["backend"], "virtual", "{status}");
    assert_eq!(place.told("WATCHDOG="), "WATCHDOG=1");
    daemon.signal(Signal::SIGTERM);
    assert_eq!(place.told("STOPPING="), "STOPPING=1");
    assert!(daemon.ended().success());
    let driven = wire.rest();
    assert!(!driven.contains(&("motor_enable".into(), true)), "{driven:?}");
    assert!(driven.contains(&("out_of_service".into(), true)), "{driven:?}");
    assert!(!driven.contains(&("out_of_service".into(), false)), "{driven:?}");
    assert!(!driven.iter().any(|(line, _)| line == "motor_alive"), "{driven:?}");
    assert_eq!(place.records("started").len(), 1);
    assert_eq!(place.records("stopped").len(), 1);
}

/// The files that the dynamic linker maps before the program begins: the program itself, and all that it is linked with.
fn linked(program: &str) -> Vec<String> {
    let told = std::process::Command::new("ldd").arg(program).output().unwrap();
    assert!(told.status.success(), "ldd {program}: {told:?}");
    let told = String::from_utf8(told.stdout).unwrap();
    let real = |path: &str| std::fs::canonicalize(path).unwrap().display().to_string();
    let libraries = told.split_whitespace().filter(|word| word.starts_with('/'));
    libraries.chain([program]).map(real).collect()
}

/// design.md, Motor guard: the way from an edge to the pin waits for no disk, the first time neither. It leads through the
/// program and what that is linked with. What the C library loads later, to look up the name of a caller on the
/// console's own thread, is not on that way: which files those are is up to the machine's `nsswitch.conf`.
#[test]
#[expect(clippy::print_stdout, reason = "says why nothing was looked at")]
fn the_whole_program_is_in_memory_once_it_is_up() {
    let place = Place::new();
    place.commission();
    let daemon = place.start();
    let _wire = place.wire();
    place.told("READY=");
    let limits = daemon.of_kernel("limits");
    let locked = limits.lines().find(|line| line.starts_with("Max locked memory")).unwrap();
    if !nix::unistd::Uid::effective().is_root() && !locked.contains("unlimited") {
        println!("{locked}: this user may not lock the program, and the daemon has warned of it");
        return;
    }
    let maps = daemon.of_kernel("smaps");
    let kilobytes = |line: &str| line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap();
    let of_the_program = linked(env!("CARGO_BIN_EXE_tumblerd"));
    let (mut code, mut looked_at, mut looked_into) = (None, 0, std::collections::BTreeSet::new());
    for line in maps.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        match words[0] {
            range if range.contains('-') => {
                let path = words.last().unwrap();
                code = (words[1] == "r-xp" && of_the_program.iter().any(|of| of == path)).then_some(*path);
                looked_into.extend(code);
            }
            "Size:" if code.is_some() => looked_at = kilobytes(line),
            "Rss:" if code.is_some() => assert_eq!(kilobytes(line), looked_at, "{code:?}: {line}"),
            "VmFlags:" if code.is_some() => assert!(words.contains(&"lo"), "{code:?} is not locked: {line}"),
            _ => {}
        }
    }
    assert!(looked_at > 0, "no code was found in {maps}");
    assert_eq!(looked_into.len(), of_the_program.len(), "{looked_into:?} of {of_the_program:?}");
}

#[test]
fn a_systemd_that_does_not_read_does_not_keep_the_daemon_from_stopping() {
    let place = Place::new();
    place.commission();
    let mut daemon = place.start();
    let _wire = place.wire();
    place.told("READY=");
    place.fill_the_notify_socket();
    place.ask(&json!("status"));
    daemon.signal(Signal::SIGTERM);
    assert!(daemon.ended().success());
}

#[test]
fn the_status_names_the_phase_and_that_the_wires_are_virtual() {
    let place = Place::new();
    place.commission();
    let _daemon = place.start();
    let _wire = place.wire();
    let status = place.told("STATUS=");
    assert!(status.contains("virtual"), "{status}");
}

#[test]
fn nonsense_on_the_wire_latches_and_the_bench_is_taken_back_with_the_motor_off() {
    let place = Place::new();
    place.commission();
    let mut daemon = place.start();
    let mut wire = place.wire();
    place.told("READY=");
    wire.send(b"\xff\xfe{{{nonsense\n");
    let again = place.wire();
    let first = again.until("motor_enable", false);
    assert_eq!(first.len(), 1, "{first:?}");
    let status = place.told("STATUS=blocked");
    assert!(status.contains("gpio"), "{status}");
    daemon.signal(Signal::SIGINT);
    assert!(daemon.ended().success());
    assert!(!again.rest().contains(&("motor_enable".into(), true)));
    let latched = place.records("latched");
    let gpio = latched.iter().find(|record| record["data"]["code"] == "gpio");
    let cause = gpio.and_then(|record| record["data"]["cause"].as_str()).unwrap_or_default();
    assert!(cause.contains("nonsense"), "{latched:?}");
}

/// Whatever a person, a limit or a terminal sends: only SIGTERM and SIGINT ask for a stop.
#[test]
fn no_other_signal_ends_or_stops_it() {
    let place = Place::new();
    place.commission();
    let mut daemon = place.start();
    assert_eq!(place.told("READY="), "READY=1");
    let harmless =
        [Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGUSR1, Signal::SIGALRM, Signal::SIGXFSZ, Signal::SIGXCPU];
    let stopping = [Signal::SIGTSTP, Signal::SIGTTIN, Signal::SIGTTOU, Signal::SIGIO, Signal::SIGPROF];
    harmless.into_iter().chain(stopping).for_each(|signal| daemon.signal(signal));
    assert!(place.ask(&json!("status"))["answer"].is_object());
    daemon.signal(Signal::SIGTERM);
    assert!(daemon.ended().success());
    assert_eq!(place.records("stopped").len(), 1);
}

#[test]
fn a_killed_daemon_leaves_nothing_behind_that_stops_the_next() {
    let place = Place::new();
    place.commission();
    for _ in 0..3 {
        let mut daemon = place.start();
        let wire = place.wire();
        place.told("READY=");
        daemon.signal(Signal::SIGKILL);
        assert!(!daemon.ended().success());
        drop(wire);
    }
    let mut daemon = place.start();
    let _wire = place.wire();
    place.told("READY=");
    assert!(place.ask(&json!("status"))["answer"]["status"].is_object());
    daemon.signal(Signal::SIGTERM);
    assert!(daemon.ended().success());
    assert!(!place.records("started").is_empty());
    assert_eq!(place.records("stopped").len(), 1);
}

#[test]
fn a_daemon_without_its_bench_runs_in_safe_state() {
    let place = Place::new();
    place.commission();
    std::fs::remove_file(place.path("lines")).unwrap();
    let mut daemon = place.start();
    let status = place.told("STATUS=blocked");
    assert!(status.contains("gpio"), "{status}");
    daemon.signal(Signal::SIGTERM);
    assert!(daemon.ended().success());
    assert_eq!(place.records("stopped").len(), 1);
}

#[test]
fn a_recording_of_a_real_run_replays_bit_for_bit() {
    let place = Place::new();
    place.commission();
    let mut daemon = place.start();
    let mut wire = place.wire();
    place.told("READY=");
    for seq in 1..=40 {
        let active = seq % 2 == 1;
        wire.send(format!("{}\n", json!({ "line": "cam_a", "active": active, "at_ns": 1, "seq": seq })).as_bytes());
    }
    let answer = place.ask(&json!({ "command": "record" }));
    let path = place.file("state/incidents", "-record.jsonl.zst");
    assert_eq!(answer["answer"]["done"], format!("the recording is {}", path.display()), "{answer}");
    let report = tumblerd::recording::replay::replay(&path).unwrap();
    assert_eq!(report.difference, None, "{report}");
    assert!(report.inputs >= 40, "{report}");
    daemon.signal(Signal::SIGTERM);
    assert!(daemon.ended().success());
}

/// design.md, Journal: a disk that is full at the start is told before the table is said to be up.
#[test]
#[expect(clippy::print_stdout, reason = "says why nothing was looked at")]
fn a_table_whose_disk_is_almost_full_comes_up_blocked() {
    if !nix::unistd::Uid::effective().is_root() {
        println!("this user may mount nothing");
        return;
    }
    let place = Place::new();
    let _daemon = place.start_within(|plain| {
        let mounted = "mount -t tmpfs -o size=1m,mode=700 tmpfs \"$1\"; shift; \"$@\" --commission; exec \"$@\"";
        let mut command = std::process::Command::new("unshare");
        command.args(["-m", "sh", "-ec", mounted, "sh"]).arg(place.path("state"));
        command.arg(plain.get_program()).args(plain.get_args());
        command
    });
    let _wire = place.wire();
    let first = place.told("STATUS=");
    assert!(first.starts_with("STATUS=blocked") && first.contains("malfunction journal"), "{first}");
    let status = place.ask(&json!("faults")).to_string();
    assert!(status.contains("disk is almost full") && status.contains("make room"), "{status}");
}

#[test]
fn a_table_that_was_never_commissioned_is_refused_and_nothing_is_driven() {
    let place = Place::new();
    let output = place.once("");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("--commission"), "{said}");
    place.commission();
    let twice = place.once("--commission");
    assert_eq!(twice.status.code(), Some(1), "{}", String::from_utf8_lossy(&twice.stderr));
}

#[test]
fn a_wrong_configuration_is_named_and_ends_with_its_own_code() {
    let place = Place::new();
    std::fs::write(place.path("table.toml"), "[table]\nrulez = 1\n").unwrap();
    for argument in ["", "--check-config", "--commission"] {
        let output = place.once(argument);
        assert_eq!(output.status.code(), Some(2), "{argument}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("rulez"), "{argument}: {said}");
    }
}
