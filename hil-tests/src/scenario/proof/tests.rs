//! Tests of the proof itself: it finds a table that lets a game start, and a proof that tries nothing fails.

use super::super::file::{Trial, parse};
use super::super::halt::Halt;
use super::super::opening::open;
use super::super::run::run;
use super::super::session::Session;
use super::super::{Outcome, Verdict};
use super::attempts::{try_commands, try_each_button};
use super::baseline::{count, still_latched};
use super::prove;
use std::path::Path;
use tumbler_bench::Bench;
use tumbler_bench::pure::{Pure, Setup};
use tumbler_core::latch::Code;
use tumbler_spec::config::Rules;
use tumbler_twin::Fault;

fn trial(rules: &str, steps: &str) -> Trial {
    let text =
        format!("about = \"a case\"\nsteps = [{steps}]\n[endings]\n{rules} = []\n[at_end]\nlatched = [\"seal\"]");
    parse(Path::new("case.toml"), &text).unwrap().remove(0)
}

fn bench(trial: &Trial) -> Pure {
    Pure::new(Setup::of(&trial.rules, &trial.layout, 5)).unwrap()
}

fn outcome(rules: &str, steps: &str) -> Outcome {
    let trial = trial(rules, steps);
    run(&mut bench(&trial), &trial)
}

/// The message of an attempt on an open, healthy table, where it must succeed in starting a game.
fn found(rules: &str, opened: bool, tried: impl FnOnce(&mut Session<'_>) -> Result<(), Halt>) -> String {
    let trial = trial(rules, "\"mark\"");
    let mut bench = bench(&trial);
    let mut session = Session::new(&mut bench, &trial);
    let prepared = if opened {
        open(&mut session)
    } else {
        session.pass(1500).and_then(|()| session.turn_key()).map_err(Halt::from)
    };
    let prepared = prepared.and_then(|()| Ok(session.pass(500)?));
    assert!(prepared.is_ok(), "the table is healthy");
    match tried(&mut session) {
        Err(Halt::Wrong(what)) => what,
        Err(Halt::BenchError(trouble)) => panic!("{trouble}"),
        Ok(()) => panic!("nothing was found"),
    }
}

#[test]
fn buttons_that_start_a_game_are_found_under_every_order_of_play() {
    for rules in Rules::ALL.map(Rules::id) {
        let what = found(rules, true, |session| {
            let before = count(session, Code::Seal, vec![Code::Seal]);
            try_each_button(session, &before, "now")?;
            still_latched(session, &before, "now")
        });
        assert!(what.contains("began while seal is latched"), "{rules}: {what}");
    }
}

#[test]
fn a_command_that_opens_the_table_is_found() {
    let what = found("nz-div9", false, |session| {
        let before = count(session, Code::Seal, vec![Code::Seal]);
        try_commands(session, &before)
    });
    assert!(what.contains("supervisor asked {\"command\":\"open\"") && what.contains("a test began"), "{what}");
}

#[test]
fn power_that_comes_although_nothing_commands_it_is_found() {
    // The session does not know of the fault, so that it looks like a real shorted driver.
    let trial = trial("nz-div9", "\"open table\", \"lift dome\", \"break seal\", \"wait latched seal\", \"mend seal\"");
    let mut bench = bench(&trial);
    assert_eq!(run(&mut bench, &trial).verdict, Verdict::Pass);
    bench.fault(Fault::Runaway).unwrap();
    let mut session = Session::new(&mut bench, &trial);
    match prove(&mut session, Code::Seal, false) {
        Err(Halt::Wrong(what)) => assert!(what.contains("the motor got power"), "{what}"),
        _ => panic!("the order of play lowers the dome, and the motor runs"),
    }
}

#[test]
fn a_table_that_is_not_latched_or_in_a_round_is_not_proved() {
    let fails = outcome("nz-div9", "\"open table\", \"prove latched seal\"").verdict;
    assert!(matches!(&fails, Verdict::Fail(why) if why.iter().any(|w| w.contains("prove latched seal"))), "{fails:?}");
    let steps = "\"open table\", \"play to revealed\", \"break seal\", \"wait latched seal\", \"prove latched seal\"";
    let invalid = outcome("nz-div9", steps).verdict;
    assert!(matches!(&invalid, Verdict::Invalid(why) if why.contains("without a round")), "{invalid:?}");
}

#[test]
fn a_latched_table_holds_and_what_was_not_tried_is_said() {
    for rules in Rules::ALL.map(Rules::id) {
        let Outcome { verdict, notes, .. } = outcome(
            rules,
            "\"open table\", \"break seal\", \"prove latched seal\", \"mend seal\", \"prove latched seal\"",
        );
        assert_eq!(verdict, Verdict::Pass, "{rules}");
        // The key edge of the opening is older than the latch, and its privilege lasts for five minutes.
        assert!(notes.iter().any(|note| note.contains("without the key")), "{notes:?}");
    }
    let steps = "\"open table\", \"pass 301 s\", \"break seal\", \"prove latched seal\"";
    let lapsed = outcome("nz-div9", steps);
    assert_eq!(lapsed.verdict, Verdict::Pass);
    assert!(lapsed.notes.iter().any(|note| note.contains("older turn of the key")), "{:?}", lapsed.notes);
}

#[test]
fn nothing_around_the_daemon_opens_a_latch_and_only_the_lawful_exit_does() {
    let steps = "\"open table\", \"break seal\", \"prove latched seal thoroughly\", \"prove shut seal\", \"mend seal\", \
        \"prove latched seal\"";
    for rules in Rules::ALL.map(Rules::id) {
        let Outcome { verdict, notes, .. } = outcome(rules, steps);
        assert_eq!(verdict, Verdict::Pass, "{rules}");
        assert!(notes.iter().any(|note| note.contains("mqtt.hostile")), "the pure bench has no broker: {notes:?}");
    }
    let opened = outcome(
        "nz-div9",
        "\"open table\", \"break seal\", \"wait latched seal\", \"mend seal\", \"pass 500 ms\", \"prove opens seal rectified\"",
    );
    assert!(
        matches!(&opened.verdict, Verdict::Fail(why) if why.len() == 1 && why[0].contains("at the end")),
        "{:?}",
        opened.verdict
    );
}

#[test]
fn an_exit_that_opens_although_it_must_not_is_found() {
    let shut = outcome(
        "nz-div9",
        "\"open table\", \"break seal\", \"wait latched seal\", \"mend seal\", \"pass 500 ms\", \"prove shut seal\"",
    );
    assert!(matches!(&shut.verdict, Verdict::Fail(why) if why[0].contains("rectified")), "{:?}", shut.verdict);
    let opens = outcome("nz-div9", "\"open table\", \"break seal\", \"prove opens seal rectified\"");
    assert!(matches!(&opens.verdict, Verdict::Fail(why) if why[0].contains("does not open")), "{:?}", opens.verdict);
}
