//! The truth table as written in `table.toml`: what the texts of each rule set say about each situation. `table.md` says how it was
//! written and where the texts leave a doubt.

use super::situation::{Pattern, Situation};
use crate::config::Rules;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// How a round ends, or goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ending {
    /// Void.
    Void,
    /// The result stands, and the round is concluded.
    Stands,
    /// Play goes on.
    Continues,
    /// A person is asked.
    Asked,
}

/// What the text of one rule set says about the situations of a row.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Says {
    pub(crate) ending: Ending,
    /// Numbers of clauses, without the rule set's name.
    pub(crate) clauses: Vec<String>,
    /// Whether the ending depends on a person's answer or decision. For readers of the table.
    asked: bool,
    /// Who decides where the text has no clause. For readers, too: a record says so in its own words.
    silent: Option<String>,
}

/// A row: situations, and what each rule set says about them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) id: String,
    situation: Pattern,
    #[expect(dead_code, reason = "the words of the text, for whoever reads the table")]
    why: String,
    says: PerRules<Says>,
}

/// What is said for some rule sets: looked up with each observation, and so sorted by rule set when the table is read.
#[derive(Clone, Debug)]
struct PerRules<T>([Option<T>; Rules::ALL.len()]);

impl<T> PerRules<T> {
    fn get(&self, rules: Rules) -> Option<&T> {
        self.0.get(rules as usize).and_then(Option::as_ref)
    }
}

impl<'de, T: Clone + Deserialize<'de>> Deserialize<'de> for PerRules<T> {
    /// From a map whose keys are ids of rule sets, or the beginnings of ids with `*`. Each must mean a rule set, and none two of them.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut per_rules = Self([const { None }; Rules::ALL.len()]);
        for (names, value) in BTreeMap::<String, T>::deserialize(from)? {
            if !Rules::ALL.into_iter().any(|rules| named(&names, rules)) {
                return Err(D::Error::custom(format!("no rule set is named {names}")));
            }
            for (said, rules) in per_rules.0.iter_mut().zip(Rules::ALL).filter(|(_, rules)| named(&names, *rules)) {
                if said.replace(value.clone()).is_some() {
                    return Err(D::Error::custom(format!("{} is spoken of twice", rules.id())));
                }
            }
        }
        Ok(per_rules)
    }
}

/// A situation that is impossible, or listed under another event.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Impossible {
    rules: Option<Vec<String>>,
    situation: Pattern,
    #[expect(dead_code, reason = "for whoever reads the table")]
    why: String,
}

/// The whole table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    impossible: Vec<Impossible>,
    row: Vec<Row>,
}

/// What the table has for a situation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lookup {
    /// This row.
    Row(&'static Row, &'static Says),
    /// It is impossible, or listed under another event.
    Impossible,
    /// No row, or more than one: the table has a gap or a conflict.
    Unlisted,
}

/// Whether this name, a rule set's id or the beginning of ids with `*`, means this rule set.
fn named(names: &str, rules: Rules) -> bool {
    names.strip_suffix('*').map_or_else(|| rules.id() == names, |start| rules.id().starts_with(start))
}

impl Table {
    /// The built-in table.
    ///
    /// # Panics
    /// If `table.toml` cannot be read, which every test of this crate would show.
    pub(super) fn built_in() -> &'static Self {
        static TABLE: OnceLock<Table> = OnceLock::new();
        #[expect(clippy::expect_used, reason = "the file is part of the build, and read by every test of this crate")]
        TABLE.get_or_init(|| toml::from_str(include_str!("table.toml")).expect("table.toml is a truth table"))
    }

    /// Looks up a situation under a rule set.
    pub(super) fn look_up(&'static self, rules: Rules, situation: &Situation) -> Lookup {
        let cannot = |impossible: &Impossible| {
            impossible.rules.as_ref().is_none_or(|ids| ids.iter().any(|names| named(names, rules)))
                && impossible.situation.holds(situation)
        };
        if self.impossible.iter().any(cannot) {
            return Lookup::Impossible;
        }
        let mut found = self.rows(rules).filter(|(row, _)| row.situation.holds(situation));
        match (found.next(), found.next()) {
            (Some((row, says)), None) => Lookup::Row(row, says),
            _ => Lookup::Unlisted,
        }
    }

    /// The rows that say something under this rule set.
    pub(super) fn rows(&'static self, rules: Rules) -> impl Iterator<Item = (&'static Row, &'static Says)> {
        self.row.iter().filter_map(move |row| row.says.get(rules).map(|says| (row, says)))
    }
}

impl Says {
    /// Whether a record cites exactly these clauses, in this order.
    pub(crate) fn cites(&self, rules: Rules, clauses: &[String]) -> bool {
        let right = self.clauses.iter().map(|number| format!("{} {number}", rules.text()));
        clauses.iter().cloned().eq(right)
    }
}

/// Whether any row of this rule set voids a round with exactly these clauses.
pub(crate) fn may_void(rules: Rules, clauses: &[String]) -> bool {
    Table::built_in().rows(rules).any(|(_, says)| says.ending == Ending::Void && says.cites(rules, clauses))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every combination is impossible, or held by exactly one row; and every row holds one.
    #[test]
    fn each_possible_situation_is_held_by_exactly_one_row() {
        let table = Table::built_in();
        for rules in Rules::ALL {
            let mut used = BTreeSet::new();
            for situation in Situation::every() {
                match table.look_up(rules, &situation) {
                    Lookup::Row(row, _) => drop(used.insert(row.id.as_str())),
                    Lookup::Impossible => {}
                    Lookup::Unlisted => panic!("{}: {situation:?} is held by no row or by several", rules.id()),
                }
            }
            let silent: Vec<_> = table.rows(rules).filter(|(row, _)| !used.contains(row.id.as_str())).collect();
            assert!(silent.is_empty(), "{}: rows that hold nothing: {silent:?}", rules.id());
        }
    }

    #[test]
    fn rows_have_one_name_each() {
        let table = Table::built_in();
        let names: BTreeSet<&str> = table.row.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(names.len(), table.row.len());
    }

    #[test]
    fn what_is_said_of_no_rule_set_or_twice_of_one_is_no_table() {
        let read = |text: &str| toml::from_str::<PerRules<u8>>(text).map_err(|error| error.message().to_owned());
        assert_eq!(read("sg-v7 = 1").unwrap_err(), "no rule set is named sg-v7");
        assert_eq!(read("'sg-*' = 1\nsg-v6 = 2").unwrap_err(), "sg-v6 is spoken of twice");
        assert_eq!(read("'sg-*' = 1").unwrap().0, [None, None, Some(1), Some(1), Some(1)]);
    }
}
