//! The rule sets and their layouts, as data. `daemon/core/rules/*.toml` holds what the texts say, each entry with its clause.

use crate::round::ending::VoidReason;
use crate::units::Dice;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// The order of play: what opens a round, when the tumbler may run, and when the dice may be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Order {
    /// Whether the dome covers the dice until "No more bets".
    pub covered: bool,
    /// Whether the request for a spin begins the round (NZ 6.1); otherwise "Place your bets" does (SGV6 1.7).
    pub spin_begins_round: bool,
    /// Whether the tumbler may run before "No more bets".
    pub spin_before_no_more_bets: bool,
    /// Whether the tumbler may run after "No more bets".
    pub spin_after_no_more_bets: bool,
}

/// One lampable area of a layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// Its id, such as `small`, `double-3`, `pair-1-2`, `combo-1-1-3`, `four-3-4-5-6`.
    pub id: String,
    /// What it is a wager on; parsed from the id when the data is loaded.
    pub wager: Wager,
    /// Odds, x to 1. Three values for a single: on one, two and three dice.
    pub odds: Vec<u32>,
    /// The clause or pay table that names it.
    pub clause: String,
}

/// What an area is a wager on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wager {
    /// Totals 4 to 10, no triple.
    Small,
    /// Totals 11 to 17, no triple.
    Big,
    /// Odd totals, no triple.
    Odd,
    /// Even totals, no triple.
    Even,
    /// One number, on one or more dice.
    Single(u8),
    /// A number on two or more dice.
    Double(u8),
    /// A number on all three dice.
    Triple(u8),
    /// Any number on all three dice.
    AnyTriple,
    /// A total, 4 to 17.
    Total(u8),
    /// Two different numbers, each on a die.
    Pair(u8, u8),
    /// Exactly these three faces.
    Combo([u8; 3]),
    /// Three different faces out of these four.
    Four([u8; 4]),
}

/// A layout: its areas in the order in which lamps are wired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Id, such as `sg-v6-3`.
    pub id: String,
    /// Id of the rule set it belongs to.
    pub rules: String,
    /// Where the texts describe it.
    pub source: String,
    /// The lampable areas.
    pub areas: Vec<Area>,
}

/// An area that wins, with what it pays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Winning {
    /// The area's id.
    pub id: String,
    /// What it pays, x to 1, on this result.
    pub odds: u32,
}

/// A rule set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSet {
    /// Id, such as `sg-v6`.
    pub id: String,
    /// Short name of the document, as in clauses: `NZ98`, `NZ9`, `SGV6`, `SGOC`, `SGOC-early`.
    pub short: String,
    /// Title of the document.
    pub title: String,
    /// Order of play.
    pub order: Order,
    /// Clause of each void reason; a reason that is absent has none.
    voids: Vec<(VoidReason, String)>,
    /// Clause of other rules by a fixed key, such as `amend`, `lamps-fail`, `malfunction`, `all-paid`.
    clauses: Vec<(String, String)>,
    /// Its layouts.
    pub layouts: Vec<Layout>,
}

static ALL: LazyLock<Vec<RuleSet>> = LazyLock::new(Vec::new);

/// All five rule sets.
#[must_use]
pub fn all() -> &'static [RuleSet] {
    &ALL
}

/// The rule set with this id.
#[must_use]
pub fn rule_set(id: &str) -> Option<&'static RuleSet> {
    all().iter().find(|r| r.id == id)
}

/// All ten layouts, in the order of their rule sets.
pub fn layouts() -> impl Iterator<Item = &'static Layout> {
    all().iter().flat_map(|r| &r.layouts)
}

/// The layout with this id.
#[must_use]
pub fn layout(id: &str) -> Option<&'static Layout> {
    layouts().find(|l| l.id == id)
}

impl RuleSet {
    /// The layout of this rule set with this id.
    #[must_use]
    pub fn layout(&self, id: &str) -> Option<&Layout> {
        self.layouts.iter().find(|l| l.id == id)
    }
    /// The clause by which this reason voids a round, with the document's short name (`NZ9 7.1(a)`); empty where the rules are silent.
    #[must_use]
    pub fn void_clause(&self, reason: VoidReason) -> &str {
        self.voids.iter().find(|(r, _)| *r == reason).map_or("", |(_, c)| c)
    }
    /// The clause of another rule, by its key; empty where the rules are silent.
    #[must_use]
    pub fn clause(&self, key: &str) -> &str {
        self.clauses.iter().find(|(k, _)| k == key).map_or("", |(_, c)| c)
    }
}

impl Layout {
    /// The areas that win on this result, in the layout's order, with what they pay.
    #[must_use]
    pub fn winning(&self, _dice: Dice) -> Vec<Winning> {
        Vec::new()
    }
    /// Indices of the areas that win on this result: the lamps to light.
    pub fn lit(&self, _dice: Dice) -> impl Iterator<Item = usize> {
        core::iter::empty()
    }
    /// Results that together light every area, as few as a greedy choice finds: the test runs of the opening (NZ 5(b)).
    #[must_use]
    pub fn covering(&self) -> Vec<Dice> {
        Vec::new()
    }
}
