//! The data files and what the loader refuses in them.

use super::super::load::parse;
use super::super::{Wager, layouts, loaded};
use super::LAYOUTS;
use crate::prelude::*;
use crate::units::Dice;

const NZ98: &str = include_str!("../../../rules/nz-1998.toml");

/// This test stands between a bad data file and a table without rules: nothing at run time may panic for it.
#[test]
fn all_data_files_load() {
    let shorts: Vec<&str> = match loaded() {
        Ok(all) => all.iter().map(|r| r.short.as_str()).collect(),
        Err(bad) => panic!("{bad}"),
    };
    assert_eq!(shorts, ["NZ98", "NZ9", "SGV6", "SGOC", "SGOC-early"]);
    let found: Vec<(&str, &str, usize)> = layouts().map(|l| (l.id.as_str(), l.rules.as_str(), l.areas.len())).collect();
    assert_eq!(found, LAYOUTS);
}

/// The lamps are wired in the layout's order: the appendix, row by row.
#[test]
fn nz98_appendix_areas_stand_as_on_the_layout() {
    let ids: Vec<&str> = super::of("nz-1998").areas.iter().map(|a| a.id.as_str()).collect();
    let top = ["small", "double-1", "double-2", "double-3", "triple-1", "triple-2", "triple-3", "any-triple"];
    assert_eq!(ids[..8], top);
    assert_eq!(ids[8..16], ["triple-4", "triple-5", "triple-6", "double-4", "double-5", "double-6", "big", "total-4"]);
    assert_eq!(ids[28..31], ["total-17", "pair-1-2", "pair-1-3"]);
    assert_eq!(ids[43..], ["pair-5-6", "single-1", "single-2", "single-3", "single-4", "single-5", "single-6"]);
}

/// Each change breaks the file; the problem says where.
#[test]
fn a_bad_data_file_is_refused_with_the_place() {
    assert!(parse(NZ98).is_ok());
    let cases = [
        ("count = 50", "count = 51", "50 areas are listed, `count` says 51"),
        ("\"total-4\"", "\"total-3\"", "a total is 4 to 17"),
        ("\"double-2\"", "\"double-1\"", "`double-1` is listed twice"),
        ("odds = [180]", "odds = [0]", "`triple-1`: 1 odds above 0"),
        ("odds = [1, 2, 12]", "odds = [1, 2]", "`single-1`: 3 odds above 0"),
        ("\"NZ98 7.2\"", "\"NZ9 7.2\"", "clauses.amend: `NZ9 7.2` does not begin with `NZ98 `"),
        ("\"NZ98 7.2\"", "\"NZ98  \"", "clauses.amend: `NZ98  ` does not begin with `NZ98 ` and a clause"),
        ("not-flat = [\"NZ98 7.1(a)\"]", "not-flat = [\"\"]", "voids.NotFlat"),
        ("not-flat = [\"NZ98 7.1(a)\"]", "not-flat = [\"NZ98 7.1(e)\"]", "has no place in `cited`"),
        ("not-flat =", "not-level =", "not-level"),
        ("amend =", "ammend =", "clauses.ammend: no such key"),
        ("covered = true", "covered = 1", "covered"),
        ("covered = true", "covered = true\ncoverd = true", "coverd"),
        ("NZ98 4.1(a), 4.10", "4.1(a)", "`small`: `4.1(a)` does not begin"),
    ];
    for (from, to, problem) in cases {
        assert!(NZ98.contains(from), "{from}");
        let found = parse(&NZ98.replacen(from, to, 1)).unwrap_err();
        assert!(found.contains(problem), "{from} -> {to}: {found}");
    }
}

#[test]
fn an_id_names_its_wager() {
    let good = [
        ("small", Wager::Small),
        ("any-triple", Wager::AnyTriple),
        ("single-6", Wager::Single(6)),
        ("total-17", Wager::Total(17)),
        ("pair-1-6", Wager::Pair(1, 6)),
        ("combo-1-6-6", Wager::Combo([1, 6, 6])),
        ("four-3-4-5-6", Wager::Four([3, 4, 5, 6])),
    ];
    for (id, wager) in good {
        assert_eq!(Wager::from_id(id), Ok(wager));
    }
}

#[test]
fn an_id_that_names_no_wager_is_refused() {
    for id in [
        "",
        "-",
        "tiny",
        "small-1",
        "single",
        "single-0",
        "single-7",
        "single-+1",
        "single-01",
        "total-3",
        "total-18",
        "pair-2-1",
        "pair-1-1",
        "combo-6-6-1",
        "combo-2-2-2",
        "four-1-2-3",
        "four-1-1-2-3",
        "any-triple-1",
        "single-1-2",
        "pair-1-7",
        "single-256",
    ] {
        assert!(Wager::from_id(id).is_err(), "{id}");
    }
}

/// The order in which dice lie does not matter.
#[test]
fn the_order_of_the_dice_does_not_matter() {
    for layout in layouts() {
        for roll in super::rolls() {
            let [a, b, c] = roll;
            let lit = |pips| layout.lit_bits(Dice::from_pips(pips).unwrap());
            assert_eq!(lit([a, b, c]), lit([c, a, b]), "{} {roll:?}", layout.id);
        }
    }
}
