//! The catalogue against the page of the faults, and tests of its reader.

use super::read::parse;
use super::*;
use std::collections::BTreeSet;
use std::path::Path;
use tumbler_bench::AnyFault;

fn path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/faults.toml")
}

#[test]
fn the_catalogue_can_be_read() {
    let catalogue = read(&path()).unwrap_or_else(|bad| panic!("{bad}"));
    assert!(!catalogue.fault.is_empty());
}

/// The faults that daemon/docs/faults.md describes: the ids in the first column of its tables.
fn described() -> BTreeSet<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../daemon/docs/faults.md");
    let page = std::fs::read_to_string(page).unwrap();
    let cells = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let quoted = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    quoted.filter(|id| id.contains('.')).map(str::to_owned).collect()
}

#[test]
fn the_catalogue_has_the_faults_of_the_page_and_no_others() {
    let catalogue = read(&path()).unwrap();
    let rows: BTreeSet<String> = catalogue.fault.into_iter().map(|fault| fault.id).collect();
    assert!(rows.len() > 140, "{rows:?}");
    let described = described();
    let differ: Vec<&String> = described.symmetric_difference(&rows).collect();
    assert!(differ.is_empty(), "in one of the two only: {differ:?}");
}

#[test]
fn whatever_a_bench_can_break_is_broken_by_some_row() {
    let catalogue = read(&path()).unwrap();
    let steps: Vec<String> = catalogue.fault.iter().flat_map(Fault::inject).collect();
    let words: Vec<&str> = steps.iter().flat_map(|line| line.split([' ', ';'])).collect();
    let used = |id: &str| words.iter().any(|word| *word == id || word.split(':').next() == Some(id));
    let unused: Vec<&str> = AnyFault::entries().map(|entry| entry.id).filter(|id| !used(id)).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

const CLAUSES: &str = "[clauses]\nsettled = {}\ntumbler = {}\n";

fn row(extra: &str, expect: &str) -> String {
    format!(
        "{CLAUSES}[[fault]]\nid = \"motor.stall\"\ntype = \"stuck\"\nabout = \"it jams\"\nshows = \"spin\"\nexpect = [{expect}]\n{extra}"
    )
}

const GOOD: &str = "inject = [\"fault motor.stall\"]\nclause = \"faults.md motor.stall\"";
const SETTLED: &str = "{ rounds = [\"settled\"] }";

#[test]
fn a_row_as_it_must_be_is_read() {
    let catalogue = parse(Path::new("case.toml"), &row(GOOD, SETTLED)).unwrap();
    let fault = &catalogue.fault[0];
    assert_eq!(fault.dice, [1, 3, 6]);
    assert_eq!(catalogue.expected(fault, Place::Spun, "sg-open").unwrap().rounds, ["settled"]);
}

#[test]
fn a_wrong_catalogue_says_what_where_and_what_is_allowed() {
    let good = |rest: &str| format!("{GOOD}\n{rest}");
    let mut wrong = Vec::new();
    for (text, words) in [
        (row(&good("haste = 3"), SETTLED), vec!["case.toml:12:1: unknown key `haste`"]),
        (row(&good("latch = [\"seall\"]"), SETTLED), vec![":12:11: unknown malfunction `seall`: did you mean `seal`?"]),
        (row(&good("heal = [\"heel motor\"]"), SETTLED), vec![":12:10: unknown step `heel`: did you mean `heal`?"]),
        (row(&good("pattern = \"spin\""), SETTLED), vec!["unknown pattern `spin`"]),
        (
            row(&good("deadlines = [{ what = \"motor off\", ms = 1, after = \"luck\" }]"), SETTLED),
            vec!["case.toml:12:", "unknown cause `luck`", "entry"],
        ),
        (row("inject = []\nclause = \" \"", SETTLED), vec!["cites neither", "silent: WHY"]),
        (row(GOOD, ""), vec!["motor.stall", "says nothing of closed under nz-1998"]),
        (row(GOOD, "{ rounds = [\"lost\"] }"), vec![":9:24: `lost` is no ending of a round", "void REASON"]),
        (row(GOOD, "{ rounds = [\"void exposed\"] }"), vec!["unknown reason under [clauses] `exposed`"]),
        (row(GOOD, "{ phases = [\"idel\"], rounds = [] }"), vec!["unknown phase `idel`: did you mean `idle`?"]),
        (row(GOOD, "{ rules = [\"nz-9\"], rounds = [] }"), vec!["unknown rule set `nz-9`", "nz"]),
        (format!("{}\n{}", row(GOOD, SETTLED), row(GOOD, SETTLED).replace(CLAUSES, "")), vec!["is there twice"]),
    ] {
        let error = parse(Path::new("case.toml"), &text).unwrap_err().to_string();
        if !words.iter().all(|word| error.contains(word)) {
            wrong.push(format!("{words:?} not all in: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
