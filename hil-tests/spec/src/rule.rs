//! A rule of the specification, and how often it explained something.

use serde::Serialize;
use std::collections::BTreeMap;

/// A sentence of the rules or of a page that somebody with probes can hold the table to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Rule {
    /// Its name: the part, a dot, and what it is about.
    pub name: &'static str,
    /// The clause, or the page and its section, and what it says.
    pub says: &'static str,
}

impl Rule {
    /// A rule with this name, from this clause or page.
    #[must_use]
    pub const fn new(name: &'static str, says: &'static str) -> Self {
        Self { name, says }
    }
}

/// How firmly a rule explained an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Firmness {
    /// It had to come, with these contents.
    Must,
    /// It may come or not: physics, or what nobody outside can see, leaves a doubt.
    May,
}

/// How often a rule explained something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Uses {
    /// What had to come.
    pub must: u64,
    /// What was only allowed.
    pub may: u64,
}

/// Uses of all rules, and of all kinds of observations.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    rules: BTreeMap<Rule, Uses>,
    kinds: BTreeMap<String, Uses>,
}

impl Coverage {
    pub(crate) fn count(&mut self, rule: Rule, kind: &str, firmness: Firmness) {
        let add = |uses: &mut Uses| match firmness {
            Firmness::Must => uses.must += 1,
            Firmness::May => uses.may += 1,
        };
        add(self.rules.entry(rule).or_default());
        match self.kinds.get_mut(kind) {
            Some(uses) => add(uses),
            None => add(self.kinds.entry(kind.to_owned()).or_default()),
        }
    }

    /// There is this rule, whether or not it ever explains anything.
    pub(crate) fn know(&mut self, rule: Rule) {
        self.rules.entry(rule).or_default();
    }

    /// A rule found something right that another one explains.
    pub(crate) fn hold(&mut self, rule: Rule) {
        self.rules.entry(rule).or_default().must += 1;
    }

    /// Each rule, and how often it explained something.
    pub fn rules(&self) -> impl Iterator<Item = (Rule, Uses)> + '_ {
        self.rules.iter().map(|(rule, uses)| (*rule, *uses))
    }

    /// Each kind of observation that was explained.
    pub fn kinds(&self) -> impl Iterator<Item = (&str, Uses)> {
        self.kinds.iter().map(|(kind, uses)| (kind.as_str(), *uses))
    }
}
