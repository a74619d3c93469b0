//! The table that a day is played at, drawn from the seed.

use tumbler_judges::areas::{LAYOUTS, Layout};
use tumbler_judges::config::Rules;
use tumbler_twin::rng::Rng;

/// The table of a day.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    pub rules: &'static str,
    pub layout: &'static str,
    pub reader: bool,
}

impl Table {
    /// By the judges' own list of rule sets and layouts, which is the texts': a table that does not know one of them is found wanting.
    pub(super) fn drawn(rng: &mut Rng) -> Self {
        let rules = pick(rng, &Rules::ALL).map_or("", |rules| rules.id());
        let layouts: Vec<Layout> = LAYOUTS.into_iter().filter(|layout| layout.rules == rules).collect();
        let layout = pick(rng, &layouts).map_or("", |layout| layout.id);
        Self { rules, layout, reader: rng.chance(700) }
    }
}

/// One of these.
pub(super) fn pick<'a, T>(rng: &mut Rng, of: &'a [T]) -> Option<&'a T> {
    of.get(usize::try_from(rng.range(0, of.len() as u64)).unwrap_or(0))
}
