//! The guard of the benches against scenarios: nothing is broken on a table that is in service.

use std::path::Path;
use tumbler_bench::pure::{Pure, Setup};
use tumbler_core::settings::Settings;
use tumbler_hil::scenario::file::parse;
use tumbler_hil::scenario::{Verdict, run};

/// What comes of a fault on the pure bench's own table, with what it is called and wired as changed.
fn broken(change: impl FnOnce(&mut Settings), steps: &str) -> Verdict {
    let text = format!("about = \"a case\"\nsteps = [{steps}]\n[endings]\nnz-div9 = []");
    let trial = parse(Path::new("case.toml"), &text).unwrap().remove(0);
    let mut setup = Setup::of(&trial.rules, &trial.layout, 1);
    change(&mut setup.settings);
    run(&mut Pure::new(setup).unwrap(), &trial).verdict
}

const OPEN: &str = "\"open table\", \"fault cam.phantom\", \"pass 2000 ms\"";
const CLOSED: &str = "\"pass 1500 ms\", \"fault cam.phantom\", \"pass 2000 ms\"";

#[test]
fn nothing_is_broken_on_an_open_table_that_is_not_the_benchs() {
    assert_eq!(broken(|_| {}, OPEN), Verdict::Pass, "the bench's own");
    for (what, verdict, words) in [
        ("real wires", broken(|s| s.backend = "cdev".into(), OPEN), "its wires are real"),
        ("another site", broken(|s| s.site = "grand".into(), OPEN), "it is not this bench's"),
        ("another table", broken(|s| s.table = "7".into(), OPEN), "it is not this bench's"),
    ] {
        let Verdict::Invalid(why) = verdict else { panic!("{what}: {verdict:?}") };
        assert!(why.contains(words) && why.contains("open for gaming") && why.contains("tumblerctl close"), "{why}");
    }
}

#[test]
fn a_closed_table_may_be_broken_whatever_it_is() {
    assert_eq!(broken(|s| s.backend = "cdev".into(), CLOSED), Verdict::Pass);
    assert_eq!(broken(|s| s.site = "grand".into(), CLOSED), Verdict::Pass);
}
