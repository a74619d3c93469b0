//! The catalogue against the list of faults that it has to hold, and its reader's manners.

use super::catalogue::parse;
use super::*;
use std::path::Path;

fn path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/faults.toml")
}

#[test]
fn the_catalogue_can_be_read() {
    let catalogue = read(&path()).unwrap_or_else(|bad| panic!("{bad}"));
    assert!(!catalogue.fault.is_empty());
}

const CLAUSES: &str = "[clauses]\nsettled = {}\ntumbler = {}\n";

fn row(extra: &str, expect: &str) -> String {
    format!(
        "{CLAUSES}[[fault]]\nid = \"motor.stall\"\nunit = \"motor\"\ntype = \"stuck\"\nabout = \"it jams\"\nshows = \"spin\"\nexpect = [{expect}]\n{extra}"
    )
}

const GOOD: &str = "inject = [\"fault motor.stall\"]\nclause = \"FAULTS\"";
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
    for (text, words) in [
        (row(&good("speed = 3"), SETTLED), vec!["case.toml", "fault[0]", "unknown field `speed`", "deadlines"]),
        (row(&good("latch = [\"motor\"]"), SETTLED), vec!["motor.stall.latch", "tumbler"]),
        (row(&good("heal = [\"heel motor\"]"), SETTLED), vec!["motor.stall.heal", "heel motor", "heal ID"]),
        (row(&good("pattern = \"spin\""), SETTLED), vec!["motor.stall.pattern", "`spin`"]),
        (
            row(&good("deadlines = [{ what = \"motor off\", ms = 1, after = \"luck\" }]"), SETTLED),
            vec!["deadlines", "entry"],
        ),
        (row("inject = []\nclause = \" \"", SETTLED), vec!["clause", "silent: WHY"]),
        (row(GOOD, ""), vec!["motor.stall.expect", "says nothing of closed under nz-1998"]),
        (row(GOOD, "{ rounds = [\"lost\"] }"), vec!["rounds", "`lost`", "void REASON"]),
        (row(GOOD, "{ rounds = [\"void exposed\"] }"), vec!["rounds", "`exposed` is not in clauses"]),
        (row(GOOD, "{ phases = [\"shut\"], rounds = [] }"), vec!["phases", "`shut`", "bets-closed", "unopened"]),
        (row(GOOD, "{ rules = [\"nz-9\"], rounds = [] }"), vec!["rules", "`nz-9`", "open-cover"]),
        (format!("{}\n{}", row(GOOD, SETTLED), row(GOOD, SETTLED).replace(CLAUSES, "")), vec!["is there twice"]),
    ] {
        let error = parse(Path::new("case.toml"), &text).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{words:?} not all in: {error}");
    }
}
