//! Tests of the matrix itself: a catalogue with a wrong expectation fails, and a cell can be printed and read back.

use super::*;
use crate::fault::read;
use crate::scenario::{Verdict, file, run};
use std::path::Path;
use tumbler_bench::pure::{Pure, Setup};

const ROW: &str = r#"
[clauses]
settled = { nz-1998 = "NZ98 6.3" }
tumbler = { "*" = "by misoperation and fewer-than-three" }
[[fault]]
id = "motor.stall"
type = "stuck"
about = "The shaft jams"
inject = ["fault motor.stall"]
heal = ["heal motor.stall"]
shows = "spin"
latch = ["tumbler"]
deadlines = [{ what = "motor off", ms = 705, after = "cam" }]
clause = "NZ 7.1(b)"
expect = [{ rounds = ["void tumbler"] }]
"#;

fn cell(text: &str, name: &str) -> Cell {
    let catalogue = read::parse(Path::new("case.toml"), text).unwrap();
    cells(&catalogue).unwrap().into_iter().find(|cell| cell.trial.name == name).unwrap()
}

fn verdict(text: &str) -> Verdict {
    let cell = cell(text, "motor.stall@ready::nz-1998");
    run(&mut Pure::new(Setup::of("nz-1998", "nz-1998", 5)).unwrap(), &cell.trial).verdict
}

#[test]
fn a_cell_as_it_must_be_passes() {
    assert_eq!(verdict(ROW), Verdict::Pass);
}

/// Canary: a wrong expectation of any kind in a row is found.
#[test]
fn what_is_not_as_the_catalogue_says_fails() {
    for (what, was, is) in [
        ("another ending", "[\"void tumbler\"]", "[\"settled\"]"),
        ("another clause", "by misoperation and fewer-than-three", "by not-flat"),
        ("a round too many", "[\"void tumbler\"]", "[\"settled\", \"void tumbler\"]"),
        ("no round", "[\"void tumbler\"]", "[]"),
        ("another latch", "latch = [\"tumbler\"]", "latch = [\"dome\"]"),
        ("a latch too many", "latch = [\"tumbler\"]", "latch = [\"tumbler\", \"lamps\"]"),
        ("no latch", "latch = [\"tumbler\"]", "latch = []"),
        ("a shorter deadline", "ms = 705", "ms = 690"),
        ("a heal that is none", "heal = [\"heal motor.stall\"]", "heal = []"),
    ] {
        let text = ROW.replace(was, is);
        assert_ne!(text, ROW, "{what}");
        assert!(matches!(verdict(&text), Verdict::Fail(_)), "{what}: {:?}", verdict(&text));
    }
}

/// Both were written independently from the rule texts, so an error in one shows as a difference, whatever the table does.
#[test]
fn a_catalogue_that_misreads_the_texts_differs_from_the_truth_table() {
    for (was, is) in [("[\"void tumbler\"]", "[\"settled\"]"), ("by misoperation and fewer-than-three", "by not-flat")]
    {
        let Verdict::Fail(why) = verdict(&ROW.replace(was, is)) else { panic!("{is} passed") };
        assert!(why.iter().any(|why| why.starts_with("expectation and truth table differ: round 1: ")), "{why:?}");
    }
}

#[test]
fn a_fault_that_never_took_hold_is_invalid() {
    // Nothing big wins with 1, 3, 6, so its lamp is never told to light.
    let text = ROW
        .replace("fault motor.stall", "fault lamp.open:big")
        .replace("heal motor.stall", "heal lamp.open:big")
        .replace("latch = [\"tumbler\"]", "latch = []")
        .replace("deadlines", "#")
        .replace("void tumbler", "settled");
    assert!(matches!(verdict(&text), Verdict::Invalid(why) if why.contains("lamp.open:big")));
}

#[test]
fn a_printed_cell_reads_as_the_same_trial() {
    let cell = cell(ROW, "motor.stall@spun::nz-1998");
    let text = crate::scenario::write::text(&cell.trial, &cell.trial.about, None).unwrap();
    let mut read = file::parse(Path::new("motor.stall@spun.toml"), &text).unwrap().remove(0);
    // Settings that a scenario file has no key for.
    read.in_order = false;
    assert_eq!(read, cell.trial);
}

#[test]
fn what_a_bench_cannot_run_comes_from_the_catalogue() {
    let text = format!("{ROW}not_on = [{{ bench = \"pure\", phases = [\"unopened\"], reason = \"no stall\" }}]");
    let catalogue = read::parse(Path::new("case.toml"), &text).unwrap();
    let benches = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/benches/pure.toml");
    let mut bench = tumbler_bench::file::BenchFile::read(&benches).unwrap();
    list_what_cannot_run(&mut bench, &catalogue);
    assert_eq!(bench.cannot("motor.stall@closed::sg-open-1"), Some("no stall"));
    assert_eq!(bench.cannot("motor.stall@ready::sg-open-1"), None);
}

/// How often a cell's steps contain this one.
fn times(text: &str, name: &str, words: &str) -> usize {
    cell(text, name).trial.steps.iter().filter(|(line, _)| line.contains(words)).count()
}

#[test]
fn what_is_healed_in_the_round_is_healed_once() {
    let name = "motor.stall@betting::nz-1998";
    assert_eq!(times(ROW, name, "heal motor.stall"), 1);
    let text = ROW.replace("expect = [{ ", "expect = [{ on = [\"pass 100 ms; heal motor.stall; go on\"], ");
    assert_eq!(times(&text, name, "heal motor.stall"), 1);
    // Nothing is broken any more, so the test of the device must pass.
    assert_eq!((times(ROW, name, "answer refused"), times(&text, name, "answer refused")), (1, 0));
}

#[test]
fn a_fault_that_forgets_what_was_latched_leaves_nothing_of_it_to_reset() {
    let name = "motor.stall@blocked::nz-1998";
    assert_eq!(times(ROW, name, "do reset seal rectified"), 1);
    assert_eq!(times(&ROW.replace("shows =", "forgets = true\nshows ="), name, "do reset seal rectified"), 0);
}
