//! A slice of the matrix on the pure bench: every fault at some places, a different rule set from place to place, so that
//! together they touch all of them. The whole is a lane of its own (`scripts/test matrix`).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use tumbler_bench::file::BenchFile;
use tumbler_hil::fault;
use tumbler_hil::matrix::{self, Cell};
use tumbler_hil::report::{reason, word};
use tumbler_hil::runner::{RunOptions, Runner};

/// Cells of each fault.
const EACH: usize = 2;

#[test]
fn every_fault_does_what_the_catalogue_says_at_some_places() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/benches/pure.toml");
    let mut bench = BenchFile::read(&file).unwrap();
    let catalogue = fault::read(&bench.faults).unwrap();
    matrix::list_what_cannot_run(&mut bench, &catalogue);
    let mut faults: BTreeMap<String, Vec<Cell>> = BTreeMap::new();
    for cell in matrix::cells(&catalogue).unwrap() {
        faults.entry(cell.fault.clone()).or_default().push(cell);
    }
    let pick = |(number, cells): (usize, &Vec<Cell>)| {
        // 23 shares no factor with the 58 cells of a fault, so that neighbours differ in place and in rule set.
        (0..EACH).map(|n| cells[(number * EACH + n) * 23 % cells.len()].trial.clone()).collect::<Vec<_>>()
    };
    let trials: Vec<_> = faults.values().enumerate().flat_map(pick).collect();
    let runner = Runner::of(&bench, "tumblerd".into());
    let wrongs = Mutex::new(Vec::new());
    let options = RunOptions { jobs: 2, salt: 0, keep_going: true, trace: false };
    runner.run(&bench, &trials, options, &|report| {
        if report.fails() {
            let told = format!("{} {}: {}", word(&report.verdict), report.name, reason(&report.verdict));
            wrongs.lock().unwrap().push(told);
        }
    });
    let wrongs = wrongs.into_inner().unwrap();
    assert!(wrongs.is_empty(), "{} of {}:\n{}", wrongs.len(), trials.len(), wrongs.join("\n"));
}
