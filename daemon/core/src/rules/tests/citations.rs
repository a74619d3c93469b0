//! Citations are for people: whoever corrects one changes no play.

use super::super::load::{FILES, parse};
use super::super::{Duties, RuleSet, rule_set};
use crate::prelude::*;
use crate::round::ending::Ground;
use crate::units::Dice;
use toml::Value;

/// Everything that play asks of a rule set. A [`super::super::Clause`] can only be shown.
fn played(rules: &RuleSet) -> impl PartialEq + core::fmt::Debug {
    let voids: Vec<Ground> = Ground::ALL.into_iter().filter(|ground| rules.voids(*ground)).collect();
    let lit: Vec<Vec<u128>> =
        rules.layouts.iter().map(|l| Dice::all().map(|dice| l.lit_bits(dice)).collect()).collect();
    (rules.id.clone(), rules.order, rules.duties, voids, lit)
}

/// Has every citation of this document say something else.
fn recite(value: &mut Value, short: &str) {
    match value {
        Value::String(text) if text.starts_with(&format!("{short} ")) => *text = format!("{short} 0.0"),
        Value::Array(values) => values.iter_mut().for_each(|value| recite(value, short)),
        Value::Table(table) => table.iter_mut().for_each(|(_, value)| recite(value, short)),
        _ => {}
    }
}

#[test]
fn other_citations_or_none_leave_play_as_it_is() {
    for (name, text) in FILES {
        let cited = parse(text).unwrap();
        let mut file: Value = toml::from_str(text).unwrap();
        recite(&mut file, &cited.short);
        file["clauses"].as_table_mut().unwrap().clear();
        let mut uncited = parse(&toml::to_string(&file).unwrap()).unwrap();
        assert!(uncited.void_clauses(&[Ground::NotFlat]).iter().all(|clause| clause.ends_with(" 0.0")), "{name}");
        assert_eq!(played(&uncited), played(&cited), "{name}");
        uncited.cited.clear();
        uncited.voids.iter_mut().for_each(|(_, clauses)| clauses.clear());
        assert_eq!(played(&uncited), played(&cited), "{name}");
    }
}

/// NZ 7.1: the dealer "shall announce"; 7.2: "under the supervision of the game supervisor". 6.4: the
/// result is entered "on the entry terminal". Singapore's texts have none of these.
#[test]
fn duties_are_those_of_the_text_and_each_has_its_clause() {
    for (id, duty) in
        [("nz-1998", true), ("nz-div9", true), ("sg-v6", false), ("sg-open", false), ("sg-open-early", false)]
    {
        let rules = rule_set(id).unwrap();
        let (dealer_announces_no_spin, supervisor_sees_amendments, terminal_enters) = (duty, duty, duty);
        assert_eq!(
            rules.duties,
            Duties { dealer_announces_no_spin, supervisor_sees_amendments, terminal_enters },
            "{id}"
        );
        for key in ["no-spin", "amend"] {
            assert_eq!(!rules.clause(key).to_string().is_empty(), duty, "{id} {key}");
        }
    }
}
