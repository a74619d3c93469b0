//! `tumblerctl test`: what is measured is shown, kept in a page, and decides the exit code.

use super::stub::{Ran, Stub, refused};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::{Child, Stdio};
use tumbler_core::hardware_test::{HardwareTest, Measurement, Plots, Quantity, Report, Verdict};
use tumbler_core::record::Event;
use tumbler_core::settings::Parameters;
use tumbler_core::wire::console::{Answer, Command};

/// What a test of the motor found whose tumbles take so many microseconds.
pub(crate) fn motor(period: i64) -> Event {
    let m = Measurement::new(Quantity::PeriodMean, period, &Parameters::default());
    Event::HardwareTested(Box::new(Report {
        test: HardwareTest::Motor,
        by: "Jo".into(),
        verdict: m.verdict,
        found: String::new(),
        seen: vec![],
        measurements: vec![m],
        plots: Plots { periods: vec![period], ..Plots::default() },
    }))
}

/// The answer of a table whose test has ended.
pub(crate) fn tests(command: &Command) -> Option<Answer> {
    Some(match command {
        Command::HardwareTest { test, .. } => Answer::Done(format!("{test}: ended")),
        _ => Answer::refused("no-round", "not asked"),
    })
}

/// Runs the command; once it has reached the table, this is recorded.
fn run(stub: &Stub, arguments: &[&str], event: Event) -> Ran {
    std::thread::scope(|scope| {
        let ran = scope.spawn(|| stub.ctl(arguments));
        while stub.asked.lock().unwrap().is_empty() {
            assert!(!ran.is_finished(), "it ended before it asked");
            std::thread::yield_now();
        }
        stub.asked.lock().unwrap().clear();
        stub.record(None, event);
        ran.join().unwrap()
    })
}

#[test]
fn the_verdict_is_the_exit_code_and_what_is_near_a_limit_says_what_to_do() {
    let stub = Stub::start(tests);
    let arguments = ["test", "motor", "--name", "Jo"];
    for (period, code, verdict) in [(600_000, 0, "pass"), (1_000_000, 3, "marginal"), (1_600_000, 1, "fail")] {
        let ran = run(&stub, &arguments, motor(period));
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.out.contains(&format!("motor: {verdict}")) && ran.out.contains("or above 1500 ms"), "{}", ran.out);
        assert_eq!(ran.out.contains("oil the bearings"), code != 0, "{}", ran.out);
    }
}

#[test]
fn the_report_is_a_page_and_the_journals_results_are_trends() {
    let stub = Stub::start(tests);
    let page = stub.socket.with_file_name("report.html");
    let arguments = ["test", "motor", "--json", "--report", page.to_str().unwrap()];
    for (period, reported) in [(600_000, 3), (700_000, 3), (800_000, 3), (900_000, 5)] {
        let ran = run(&stub, &arguments[..reported], motor(period));
        assert_eq!(ran.json()["measurements"][0]["value"], period);
    }
    let report = std::fs::read_to_string(&page).unwrap();
    for said in ["900.0 ms", "<td>t1</td>", "<td>pit</td>", "tumblerd 0.1.0", "by Jo, 2026-11-21 03:24:05Z"] {
        assert!(report.contains(said), "{said}: {report}");
    }
    for (unused, value) in [("--report", page.to_str().unwrap()), ("--witness", "bell=yes")] {
        let refused = stub.ctl(&["test", "trends", unused, value]);
        assert!(
            refused.code == Some(2) && refused.err.contains("--report and --witness are for a new one"),
            "{refused:?}"
        );
    }
    let trends = stub.ctl(&["test", "trends"]);
    assert!(trends.out.contains("▁▃▅█"), "{}", trends.out);
    assert!(trends.out.contains("in about 6 tests"), "{}", trends.out);
    assert_eq!(stub.ctl(&["test", "trends", "--json"]).json()[0]["left"], 6);
    let events = stub.ctl(&["events", "--limit", "1"]).out;
    assert!(events.contains("Jo tested motor: pass; period, mean 900.0 ms pass"), "{events}");
}

/// A table on which nothing but the bell can be tested.
fn bell_only(command: &Command) -> Option<Answer> {
    match command {
        Command::HardwareTest { test: HardwareTest::Bell, .. } => Some(Answer::Done("bell: ended".into())),
        _ => Some(Answer::refused("not-fitted", "it is not fitted")),
    }
}

#[test]
fn all_tests_end_with_a_summary_and_the_place_of_the_report() {
    let stub = Stub::start(bell_only);
    let page = stub.socket.with_file_name("report.html");
    let ran = std::thread::scope(|scope| {
        let ran = scope.spawn(|| stub.ctl(&["test", "all", "--name", "Jo", "--report", page.to_str().unwrap()]));
        let is_bell = |command: &Command| matches!(command, Command::HardwareTest { test: HardwareTest::Bell, .. });
        while !stub.asked.lock().unwrap().iter().any(|(_, command)| is_bell(command)) {
            assert!(!ran.is_finished(), "it ended before it asked");
            std::thread::yield_now();
        }
        let (measurements, plots) = (Vec::new(), Plots::default());
        let (by, found, verdict) = ("Jo".into(), String::new(), Verdict::Pass);
        let test = HardwareTest::Bell;
        let report = Report { test, by, verdict, found, seen: vec!["bell".into()], measurements, plots };
        stub.record(None, Event::HardwareTested(Box::new(report)));
        ran.join().unwrap()
    });
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let last = format!(
        "1 of 11 tests passed\nnot tested: motor, cam, dome, buttons, terminal, lamps, reader, seal, temperature, bus\n\
         the report is {}\n",
        page.display()
    );
    assert!(ran.out.ends_with(&last), "{}", ran.out);
    assert!(std::fs::read_to_string(&page).unwrap().contains("found right by a person: bell"));
}

/// A table whose test goes on until it is called off.
fn goes_on(command: &Command) -> Option<Answer> {
    match command {
        Command::HardwareTest { .. } => None,
        _ => Some(Answer::Done("the table is closed".into())),
    }
}

#[test]
fn what_ends_the_command_ends_the_test_at_the_table_and_no_other_follows() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let stub = Stub::start(goes_on);
        let mut command = stub.command(&["test", "all", "--name", "Jo"]);
        let mut ctl = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let asked = |n: usize| stub.asked.lock().unwrap().get(n).map(|(_, command)| command.clone());
        let until = |ctl: &mut Child, n: usize| loop {
            if let Some(command) = asked(n) {
                return command;
            }
            assert_eq!(ctl.try_wait().unwrap(), None, "it ended before it asked");
            std::thread::yield_now();
        };
        assert_eq!(until(&mut ctl, 0), Command::HardwareTest { test: HardwareTest::Motor, name: "Jo".into() });
        kill(Pid::from_raw(i32::try_from(ctl.id()).unwrap()), signal).unwrap();
        assert_eq!(until(&mut ctl, 1), Command::Close { name: "Jo".into() });
        let Event::HardwareTested(mut report) = motor(1_600_000) else { panic!() };
        report.found = "called off".into();
        stub.record(None, Event::HardwareTested(report));
        let ran = Ran::of(&ctl.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.out.contains("found: called off\n"), "{}", ran.out);
        let rest = "0 of 11 tests passed\nfailed: motor\nnot tested: cam, dome, buttons, bell";
        assert!(ran.out.contains(rest), "{}", ran.out);
        assert_eq!(asked(2), None);
    }
}

/// A slot, a journal, whatever has the name: it stays as it is, and nothing moves before that is known.
#[test]
fn a_report_replaces_no_file_and_nothing_is_tested_for_it() {
    let stub = Stub::start(tests);
    let slot = stub.socket.with_file_name("slot");
    let link = stub.socket.with_file_name("link.html");
    std::fs::write(&slot, "a table's slot").unwrap();
    std::os::unix::fs::symlink(&slot, &link).unwrap();
    for path in [&slot, &link, &stub.socket.with_file_name("none/report.html")] {
        let ran = stub.ctl(&["test", "motor", "--name", "Jo", "--report", path.to_str().unwrap()]);
        assert!(ran.code == Some(2) && ran.err.contains("cannot be made; what exists is not overwritten"), "{ran:?}");
        let ran = stub.ctl(&["rounds", "7", "--report", path.to_str().unwrap()]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
    }
    assert!(stub.asked.lock().unwrap().is_empty());
    assert_eq!(std::fs::read_to_string(&slot).unwrap(), "a table's slot");
}

#[test]
fn a_test_that_is_refused_says_why() {
    let stub = Stub::start(refused);
    let ran = stub.ctl(&["test", "motor"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "refused: turn the supervisor's key first\n"));
    let unknown = stub.ctl(&["test", "lights"]);
    assert!(unknown.code == Some(2) && unknown.err.contains("there are motor, cam"), "{unknown:?}");
}
