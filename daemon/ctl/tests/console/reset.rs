//! `tumblerctl reset`: guided as the hardware test that it runs, and ended by the table's answer.

use super::stub::{Stub, refused};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use tumbler_core::hardware_test::{HardwareTest, Measurement, Plots, Quantity, Report, Verdict};
use tumbler_core::prompt::{Prompt, PromptId};
use tumbler_core::record::Event;
use tumbler_core::settings::Parameters;
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::console::{Answer, Command, Witness};

fn report(dark: i64, found: &str) -> Event {
    let m = Measurement::new(Quantity::LampsDark, dark, &Parameters::default());
    let verdict = if found.is_empty() { m.verdict } else { Verdict::Fail };
    let (by, seen) = ("Mei".into(), vec![]);
    let plots = Plots { dark: vec!["small".into(); usize::try_from(dark).unwrap()], ..Plots::default() };
    let test = HardwareTest::Lamps;
    Event::HardwareTested(Box::new(Report {
        test,
        by,
        verdict,
        found: found.into(),
        seen,
        measurements: vec![m],
        plots,
    }))
}

/// A table that answers what a person saw, and a reset only in the end.
fn waits(command: &Command) -> Option<Answer> {
    match command {
        Command::Reset { .. } => None,
        Command::Witness { right: true, .. } => Some(Answer::Done("areas: right".into())),
        _ => Some(Answer::refused("no-round", "not asked")),
    }
}

fn waits_for_the_witness(table: &mut Snapshot) {
    let text = "reset lamps: waits for a witness: areas".to_owned();
    table.test = Some(text.clone());
    table.prompt = Some(Prompt { id: PromptId::Witness, of: vec!["areas".into()], text });
}

fn asked(stub: &Stub, found: impl Fn(&Command) -> bool) -> bool {
    stub.asked.lock().unwrap().iter().any(|(_, command)| found(command))
}

/// Waits until this was asked, by what runs.
fn until_asked<T>(stub: &Stub, ran: &std::thread::ScopedJoinHandle<'_, T>, found: impl Fn(&Command) -> bool) {
    while !asked(stub, &found) {
        assert!(!ran.is_finished(), "it ended before it asked");
        std::thread::yield_now();
    }
}

#[test]
fn a_reset_shows_its_test_asks_what_a_person_sees_and_ends_with_the_answer() {
    let stub = Stub::start(waits);
    let arguments = ["reset", "lamps", "--rectified", "--name", "Mei", "--witness", "areas=yes"];
    let ran = std::thread::scope(|scope| {
        let ran = scope.spawn(|| stub.ctl(&arguments));
        let until = |found: &dyn Fn(&Command) -> bool| until_asked(&stub, &ran, found);
        until(&|command| matches!(command, Command::Reset { .. }));
        stub.change(waits_for_the_witness);
        until(
            &|command| matches!(command, Command::Witness { item: Witness::Areas, right: true, name } if name == "Mei"),
        );
        stub.change(|table| table.test = None);
        stub.record(None, report(0, ""));
        stub.answer(Answer::Done("lamps is rectified".into()));
        ran.join().unwrap()
    });
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for said in ["-- reset lamps: waits for a witness: areas\n", "lamps: pass\n", "dark areas"] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    assert!(ran.out.ends_with("lamps is rectified\n"), "{}", ran.out);
}

/// An opening waits for its own witness while the reset is being refused: nobody is asked for that here.
#[test]
fn a_reset_asks_for_no_witness_of_another_test() {
    let stub = Stub::start(waits);
    let mut reset = stub.command(&["reset", "lamps", "--rectified", "--witness", "areas=yes"]);
    let mut ctl = reset.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(ctl.stdout.take().unwrap()).lines().map_while(Result::ok);
    while !asked(&stub, |command| matches!(command, Command::Reset { .. })) {
        assert_eq!(ctl.try_wait().unwrap(), None, "it ended before it asked");
        std::thread::yield_now();
    }
    stub.change(|table| {
        let text = "opening: waits for a witness: areas, seal".to_owned();
        table.test = Some(text.clone());
        table.prompt = Some(Prompt { id: PromptId::Witness, of: vec!["areas".into(), "seal".into()], text });
    });
    assert!(lines.any(|line| line.starts_with("-- opening")), "it sees the other test");
    stub.answer(Answer::refused("testing", "a test is in progress"));
    assert_eq!(lines.last().as_deref(), Some("refused: a test is in progress"));
    assert_eq!(ctl.wait().unwrap().code(), Some(1));
    assert!(!asked(&stub, |command| matches!(command, Command::Witness { .. })));
}

#[test]
fn a_reset_that_is_refused_says_what_was_measured_and_why() {
    let stub = Stub::start(waits);
    let ran = std::thread::scope(|scope| {
        let ran = scope.spawn(|| stub.ctl(&["reset", "lamps", "--rectified"]));
        until_asked(&stub, &ran, |command| matches!(command, Command::Reset { .. }));
        stub.change(|table| table.test = Some("reset lamps: each result in turn: look at the areas".into()));
        stub.record(None, report(1, "dark areas, 1 areas (small), is out of limits."));
        stub.answer(Answer::refused("stays-latched", "lamps stays latched: dark areas"));
        ran.join().unwrap()
    });
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.out.contains("dark: small\n") && ran.out.ends_with("refused: lamps stays latched: dark areas\n"),
        "{ran:?}"
    );
}

/// An answer after the end of the test is refused with that reason, and the result is shown all the same.
#[test]
fn an_answer_that_comes_too_late_does_not_hide_the_report() {
    let stub = Stub::start(waits);
    let ran = std::thread::scope(|scope| {
        let ran = scope.spawn(|| stub.ctl(&["reset", "lamps", "--rectified", "--witness", "areas=no"]));
        let until = |found: &dyn Fn(&Command) -> bool| until_asked(&stub, &ran, found);
        until(&|command| matches!(command, Command::Reset { .. }));
        stub.change(waits_for_the_witness);
        until(&|command| matches!(command, Command::Witness { right: false, .. }));
        stub.change(|table| table.test = None);
        stub.record(None, report(0, "witness: nobody said what only a person can see"));
        stub.answer(Answer::refused("stays-latched", "lamps stays latched: nobody said what only a person can see"));
        ran.join().unwrap()
    });
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("not asked; if the test has ended, run it again"), "{ran:?}");
    // What did not do its part comes before all that was measured.
    assert!(ran.out.contains("lamps: fail\nfound: witness: nobody said"), "{ran:?}");
}

#[test]
fn a_reset_that_never_begins_ends_with_its_refusal() {
    let stub = Stub::start(refused);
    for code in ["lamps", "buttons"] {
        let ran = stub.ctl(&["reset", code, "--rectified"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), "refused: turn the supervisor's key first\n"), "{code}");
    }
    let unfit = stub.ctl(&["reset", "lamps", "--procedure", "by hand", "--witness", "areas=yes"]);
    assert!(unfit.code == Some(2) && unfit.err.contains("--procedure"), "{unfit:?}");
}
