//! The page is complete, says what was found, and escapes all text from cells.

use super::*;
use crate::report::merge::merge;
use crate::report::tests::{cell, results};
use crate::scenario::Verdict;

fn of(name: &str, verdict: Verdict) -> Cell {
    let mut cell = Cell::of(&cell(name, verdict, false));
    if let Some((fault, rest)) = name.split_once('@') {
        fault.clone_into(&mut cell.identity.fault);
        rest.split("::").next().unwrap_or_default().clone_into(&mut cell.identity.phase);
        cell.identity.scenario.clear();
    }
    cell
}

#[test]
fn the_page_has_every_cell_and_escapes_what_cells_say() {
    let page = html(&results(
        1_795_231_445,
        vec![
            of("healthy::nz-1998", Verdict::Pass),
            of("motor.stall@betting::nz-1998", Verdict::Fail(vec!["<script>alert(1)</script>".into()])),
            of("late::nz-1998", Verdict::Invalid("the rig & its clock".into())),
        ],
    ));
    assert!(!page.contains("<script>alert") && page.contains("&lt;script&gt;alert"), "escaped");
    assert!(page.contains("a &lt;bench&gt;") && page.contains("the rig &amp; its clock"));
    assert!(page.contains("id=\"c0-1\"") && page.contains("href=\"#c0-1\""), "the heat-map leads to the cell");
    assert!(page.contains("tumbler-hil matrix 'motor.stall@betting::nz-1998' --only --bench"));
    assert!(page.contains("2026-11-21"), "{}", utc(1_795_231_445));
    for outside in ["http://", "https://", "src=", "@import"] {
        assert!(!page.contains(outside), "needs something from outside: {outside}");
    }
}

#[test]
fn the_page_leads_with_the_verdict_and_the_matrix_which_has_the_worst_of_each_cell() {
    let fail = |at: &str| Verdict::Fail(vec![format!("it turned; at {at} s, phase betting")]);
    let page = html(&results(
        10,
        vec![
            of("motor.stall@betting::nz-1998", Verdict::Pass),
            of("motor.stall@betting::nz-div9", fail("1.000")),
            of("motor.dead@betting::nz-div9", fail("2.000")),
        ],
    ));
    let at = |words: &str| page.find(words).unwrap_or_else(|| panic!("{words} is not on the page"));
    assert!(at("id=\"failed\"") < at("it turned") && at("it turned") < at("id=\"runs\""));
    let order = [
        "FAIL</span> 2 of 3 cells",
        "0a1b2c3d4e5f-dirty",
        "1970-01-01",
        "id=\"matrix\"",
        "2 × </b>FAIL: it turned",
        "id=\"scenarios\"",
    ];
    assert!(
        order.windows(2).all(|pair| at(pair[0]) < at(pair[1])),
        "what was tested, the verdict, the matrix, the causes"
    );
    assert_eq!(page.matches("id=\"c0-1\"").count(), 1, "a cell has one place");
    let marks = &page[at("<details class=\"marks\">")..];
    let summary = &marks[..marks.find("</summary>").unwrap()];
    assert!(summary.contains("v fail") && summary.contains("title=\"FAIL\""), "{summary}");
}

#[test]
fn a_cell_that_failed_comes_before_those_of_an_earlier_run_of_which_nothing_is_known() {
    let late = results(10, vec![of("late::nz-1998", Verdict::Invalid("the clock stood".into()))]);
    let failed = results(20, vec![of("mine::nz-1998", Verdict::Fail(vec!["it turned".into()]))]);
    let page = html(&merge(vec![late, failed]));
    let failed = &page[page.find("id=\"failed\"").unwrap()..];
    assert!(failed.find("it turned").unwrap() < failed.find("the clock stood").unwrap());
}

#[test]
fn the_command_that_plays_a_cell_again_has_its_file() {
    let failed = of("mine[it's]::nz-1998", Verdict::Fail(vec!["wrong".into()]));
    let mut results = results(10, vec![failed]);
    results.runs[0].cells[0].identity.scenario = "mine".into();
    results.runs[0].scenarios = ["/a/mine.toml".into(), "/it's/b c.toml".into()].into();
    let cell = results.runs[0].cells[0].clone();
    let command = "tumbler-hil run /a/mine.toml --only 'mine[it'\\''s]::nz-1998' --bench fixtures/benches/pure.toml";
    assert_eq!(replay(&results.runs[0], &cell), command, "what did not fail is not played again");
    results.runs[0].salt = 7;
    assert_eq!(replay(&results.runs[0], &cell), format!("{command} --seed 7"));
}

#[test]
fn of_a_cell_run_twice_the_worse_counts_then_the_later_and_it_is_said() {
    let fail = || Verdict::Fail(vec!["wrong".into()]);
    let first = results(10, vec![of("a::nz-1998", fail()), of("b::nz-1998", Verdict::Pass)]);
    let second =
        results(20, vec![of("a::nz-1998", Verdict::Pass), of("b::nz-1998", Verdict::Pass), of("c::nz-1998", fail())]);
    let merged = merge(vec![second, first]);
    let of_run = |n: usize| merged.runs.get(n).unwrap().cells.iter().map(|c| c.name.as_str()).collect::<Vec<_>>();
    assert_eq!(of_run(0), ["a::nz-1998"], "the earlier failure");
    assert_eq!(of_run(1), ["b::nz-1998", "c::nz-1998"], "the later pass");
    assert_eq!(merged.twice.len(), 2);
    assert!(html(&merged).contains("a::nz-1998 on pure: FAIL and then PASS; the earlier, which is worse counts"));
}

#[test]
fn results_are_read_as_they_were_written_and_nothing_else_is() {
    let dir = tempfile::tempdir().unwrap();
    let written = results(10, vec![of("a::nz-1998", Verdict::Fail(vec!["wrong".into()]))]);
    written.write(dir.path()).unwrap();
    assert_eq!(Results::read(dir.path()).unwrap(), written);
    let file = dir.path().join("results.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let read = |text: String| {
        std::fs::write(&file, text).unwrap();
        Results::read(dir.path()).unwrap_err().to_string()
    };
    assert!(read(text.replace("\"version\":1", "\"version\":2")).contains("version 2 is not allowed; 1 is"));
    let odd = read(text.replace("\"salt\":0", "\"salt\":0,\"colour\":1"));
    assert!(odd.contains("runs[0]") && odd.contains("colour"), "{odd}");
}
