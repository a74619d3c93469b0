//! The clauses that records cite.

use super::super::{CLAUSE_KEYS, all, rule_set};
use super::LAYOUTS;
use crate::prelude::*;
use crate::round::ending::Ground::{self, *};
use alloc::collections::BTreeSet;

/// Each ground under each rule set: NZ98, NZ9, SGV6, SGOC, SGOC-early. Empty: the text is silent.
const VOIDS: [(Ground, [&str; 5]); 11] = [
    (FewerThanThree, ["NZ98 7.1(b), NZ98 6.1", "NZ9 7.1(b), NZ9 6.1", "SGV6 5.5.1", "SGOC 5.5.1", "SGOC-early 5.1.2"]),
    (Uncounted, ["NZ98 7.1(b)", "NZ9 7.1(b)", "SGV6 3.7", "SGOC 3.7", ""]),
    (DiceNotTumbled, ["NZ98 7.1(b), NZ98 6.1", "NZ9 7.1(b), NZ9 6.1", "", "", "SGOC-early 5.1.2"]),
    (Misoperation, ["NZ98 7.1(b)", "NZ9 7.1(b)", "", "", ""]),
    (NotFlat, ["NZ98 7.1(a)", "NZ9 7.1(a)", "SGV6 5.5.2", "SGOC 5.5.2", "SGOC-early 5.1.3"]),
    (Exposed, ["NZ98 7.1(c)", "NZ9 7.1(c)", "SGV6 5.5.3", "", ""]),
    (ActivatedEarly, ["", "", "", "SGOC 5.5.3", "SGOC-early 5.1.4"]),
    (NeverActivated, ["NZ98 7.1(d)", "NZ9 7.1(d)", "", "", ""]),
    (DamagedDice, ["", "", "SGV6 5.6", "SGOC 5.6", "SGOC-early 5.1.1"]),
    (Interruption, ["", "", "SGV6 5.4.2", "SGOC 5.4.2", ""]),
    (Decision, ["", "", "SGV6 5.14", "SGOC 5.14", ""]),
];

const RULES: [&str; 5] = ["nz-1998", "nz-div9", "sg-v6", "sg-open", "sg-open-early"];

/// NZ 6.1, 7.1; SGV6 and SGOC 5.4-5.6, 5.14; SGOC-early 5.1.
#[test]
fn every_ground_cites_its_clauses() {
    let grounds: BTreeSet<Ground> = VOIDS.iter().map(|(ground, _)| *ground).collect();
    assert_eq!(grounds, Ground::ALL.into());
    for (ground, clauses) in VOIDS {
        for (id, clause) in RULES.iter().zip(clauses) {
            let rules = rule_set(id).unwrap();
            assert_eq!(rules.void_clauses(&[ground]).join(", "), clause, "{id} {ground:?}");
            assert_eq!(rules.voids(ground), !clause.is_empty());
        }
    }
}

/// Every clause that applies is cited once, in the text's order of weight: SG 5.5 and 5.6, then 5.4.2, then 5.14; NZ 7.1, then 6.1.
#[test]
fn several_grounds_cite_each_clause_once_and_in_order() {
    let all = |id: &str, grounds: &[Ground]| rule_set(id).unwrap().void_clauses(grounds).join(", ");
    let stalled = [Interruption, Misoperation, FewerThanThree];
    assert_eq!(all("nz-div9", &stalled), "NZ9 7.1(b), NZ9 6.1");
    assert_eq!(all("sg-v6", &stalled), "SGV6 5.5.1, SGV6 5.4.2");
    assert_eq!(all("sg-open-early", &stalled), "SGOC-early 5.1.2");
    assert_eq!(
        all("sg-open", &[Decision, Interruption, DamagedDice, NotFlat]),
        "SGOC 5.5.2, SGOC 5.6, SGOC 5.4.2",
        "5.14 is for what nothing else resolves"
    );
    assert_eq!(all("nz-1998", &[FewerThanThree, Exposed, NotFlat]), "NZ98 7.1(a), NZ98 7.1(b), NZ98 7.1(c), NZ98 6.1");
}

/// The clauses of other rules, where they differ between the texts.
#[test]
fn other_rules_cite_their_clauses() {
    let expected: [(&str, [&str; 5]); 19] = [
        ("at-least-three", ["NZ98 6.1", "NZ9 6.1", "SGV6 3.7", "SGOC 3.7", "SGOC-early 3.4 with 5.1.2"]),
        ("amend", ["NZ98 7.2", "NZ9 7.2", "", "", ""]),
        ("lamps-fail", ["NZ98 7.3", "NZ9 7.3", "SGV6 5.10", "SGOC 5.10", ""]),
        ("malfunction", ["NZ98 7.4", "NZ9 7.4", "", "", ""]),
        ("malfunction-procedures", ["NZ98 7.4", "NZ9 7.4", "", "", ""]),
        ("all-paid", ["NZ98 4.4", "NZ9 4.4", "SGV6 1.7", "SGOC 1.7", ""]),
        ("opening-power", ["NZ98 5(a)", "NZ9 5(a)", "", "", ""]),
        ("opening-lamps", ["NZ98 5(b)", "NZ9 5(b)", "", "", ""]),
        ("opening-tumbler", ["NZ98 5(c)", "NZ9 5(c)", "", "", ""]),
        ("opening-seal", ["NZ98 5(d)", "NZ9 5(d)", "", "", ""]),
        ("call", ["NZ98 6.3", "NZ9 6.3", "", "", ""]),
        ("bell", ["NZ98 6.2", "NZ9 6.2", "", "", ""]),
        ("entry", ["NZ98 6.4", "NZ9 6.4", "", "", ""]),
        // Only the later New Zealand text knows a display of results.
        ("display", ["", "NZ9 3.4(g)", "SGV6 5.11", "SGOC 5.11", ""]),
        ("display-not-binding", ["", "NZ9 7.5", "SGV6 5.11", "SGOC 5.11", ""]),
        ("place-bets", ["NZ98 6.1", "NZ9 6.1", "SGV6 3.2", "SGOC 3.2", "SGOC-early 3.1"]),
        ("no-more-bets", ["NZ98 6.2", "NZ9 6.2", "SGV6 3.6", "SGOC 3.6", "SGOC-early 3.2"]),
        ("interruption-established", ["", "", "SGV6 5.4.1", "SGOC 5.4.1", ""]),
        ("voided-afterwards", ["", "", "SGV6 5.6", "SGOC 5.6", ""]),
    ];
    for (key, clauses) in expected {
        for (id, clause) in RULES.iter().zip(clauses) {
            assert_eq!(rule_set(id).unwrap().clause(key).to_string(), clause, "{id} {key}");
        }
    }
}

/// A key that no rule set uses would be a misspelt one.
#[test]
fn every_key_is_used_and_an_unknown_one_is_silent() {
    for (key, _) in CLAUSE_KEYS {
        assert!(all().iter().any(|r| !r.clause(key).to_string().is_empty()), "{key}");
    }
    assert_eq!(rule_set("nz-div9").unwrap().clause("no-such-key").to_string(), "");
}

/// NZ9 4.1(a)-(l) with 4.10; the pay tables of Singapore. Where SGOC-early lists no combinations, SGOC's list is named.
#[test]
fn every_area_cites_the_clause_that_names_it() {
    let letters = [
        ("small", 'a'),
        ("big", 'b'),
        ("triple", 'c'),
        ("double", 'd'),
        ("any", 'e'),
        ("total", 'f'),
        ("pair", 'g'),
        ("single", 'h'),
        ("combo", 'i'),
        ("four", 'j'),
        ("odd", 'k'),
        ("even", 'l'),
    ];
    for (id, rules, _) in LAYOUTS {
        let short = &rule_set(rules).unwrap().short;
        let table = id.chars().last().unwrap();
        for area in &super::of(id).areas {
            let kind = area.id.split('-').next().unwrap();
            let letter = letters.iter().find(|(k, _)| *k == kind).unwrap().1;
            let listed = ["triple", "double", "pair", "combo", "four"].contains(&kind);
            let expected = match (rules, listed) {
                ("nz-1998" | "nz-div9", _) => format!("{short} 4.1({letter}), 4.10"),
                ("sg-open-early", true) => format!("{short} 4.1.{table} with SGOC 4.1.{table}"),
                _ => format!("{short} 4.1.{table}"),
            };
            assert_eq!(area.clause, expected, "{id} {}", area.id);
        }
    }
}
