//! The table that a day is played at, drawn from the seed.

use crate::scenario::order;
use tumbler_spec::areas::{LAYOUTS, Layout};
use tumbler_spec::config::Rules;
use tumbler_twin::rng::Rng;

/// The table of a day.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    pub rules: &'static str,
    pub layout: &'static str,
    pub reader: bool,
}

impl Table {
    /// Drawn from the judges' own list of rule sets and layouts, which follows the rule texts, so that a table that lacks one fails.
    pub(super) fn drawn(rng: &mut Rng) -> Self {
        let rules = pick(rng, &Rules::ALL).map_or("", |rules| rules.id());
        let layouts: Vec<Layout> = LAYOUTS.into_iter().filter(|layout| layout.rules == rules).collect();
        let layout = pick(rng, &layouts).map_or("", |layout| layout.id);
        Self { rules, layout, reader: rng.chance(700) }
    }
}

/// Selects the tables to which an errand or a scene applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableFilter {
    Every,
    /// A dome covers the dice.
    Covered,
    CoveredWithReader,
    /// Open Cover: no dome covers the dice.
    Open,
    OpenWithReader,
    /// A reader is fitted.
    Reader,
    /// Only people see the dice.
    NoReader,
    /// The rule set spins before the calls.
    SpinFirst,
}

impl TableFilter {
    pub(super) fn matches(self, table: Table) -> bool {
        let (covered, reader) = (order::covered(table.rules), table.reader);
        match self {
            Self::Every => true,
            Self::Covered => covered,
            Self::CoveredWithReader => covered && reader,
            Self::Open => !covered,
            Self::OpenWithReader => !covered && reader,
            Self::Reader => reader,
            Self::NoReader => !reader,
            Self::SpinFirst => table.rules.starts_with("nz"),
        }
    }
}

/// Picks one of these at random.
pub(super) fn pick<'a, T>(rng: &mut Rng, of: &'a [T]) -> Option<&'a T> {
    of.get(usize::try_from(rng.range(0, of.len() as u64)).unwrap_or(0))
}
