//! The rule sets and their layouts, as data. `daemon/core/rules/*.toml` holds what the texts say, each entry with its clause.

mod area;
mod clause;
mod duties;
mod layout;
mod load;
mod order;
#[cfg(test)]
mod tests;

pub use area::{Area, Wager};
pub use clause::Clause;
pub use duties::Duties;
pub use layout::{Layout, Winning};
pub use load::BadRules;
pub use order::Order;

use crate::prelude::*;
use crate::round::ending::Ground;
use crate::units::RoundId;
use once_cell::race::OnceBox;

/// The keys of [`RuleSet::clause`], each with what its clause says. A rule set has those of which its text speaks.
pub const CLAUSE_KEYS: [(&str, &str); 41] = [
    ("activate", "who activates the tumbler"),
    ("all-paid", "no wager, and no further round, until the winners are paid"),
    ("amend", "wrong numbers are amended under the supervisor before settlement"),
    ("at-least-three", "the dice tumble at least three times"),
    ("bell", "the bell is rung with \"No more bets\""),
    ("bets-closed", "no bet is placed, changed or withdrawn after \"No more bets\""),
    ("call", "the result is called from the lowest number to the highest, with the total"),
    ("collect-and-pay", "losing wagers are collected and winning wagers paid"),
    ("cover", "the cover hides the dice while they tumble"),
    ("dice", "the three dice"),
    ("display", "the display of the latest results"),
    ("display-not-binding", "the display of results binds nobody"),
    ("earlier-rounds-stand", "a void round changes none before it"),
    ("entry", "the result is keyed and entered on the terminal"),
    ("flat", "the dice must lie flat"),
    ("interference", "nobody else interferes with the equipment"),
    ("interruption-established", "an interrupted round whose outcome is established is concluded"),
    ("lamps", "entering the result lights every winning area"),
    ("lamps-fail", "where lamps fail, bets are settled by the dice"),
    ("late-error", "an error noticed late changes no later round"),
    ("malfunction", "no further game until a malfunction is rectified"),
    ("malfunction-procedures", "or until procedures that keep the game's integrity are introduced"),
    ("no-more-bets", "the call \"No more bets\""),
    ("no-spin", "the call \"No spin\""),
    ("opening-lamps", "opening: test runs prove that every area lights"),
    ("opening-power", "opening: the equipment is powered and on"),
    ("opening-seal", "opening: the dice are under an untouched seal"),
    ("opening-tumbler", "opening: the tumbler is activated and works"),
    ("place-bets", "the call \"Place your bets\""),
    ("result-stands", "wagers are settled by the result once it is established"),
    ("round", "where a round begins and ends"),
    ("seal", "the dice are kept under seal"),
    ("supervisor", "what the rules leave open is decided by the shift manager or above"),
    ("terminal", "the entry terminal"),
    ("terminal-display", "the terminal shows the last three numbers"),
    ("total", "the total of the three uppermost faces"),
    ("triple", "what wins on a triple"),
    ("uncover", "the dice are uncovered after \"No more bets\""),
    ("uppermost", "the uppermost faces decide"),
    ("void-returned", "the bets of a void round are returned"),
    ("voided-afterwards", "damaged dice void every affected round"),
];

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
    /// What people have to do in play.
    pub duties: Duties,
    /// The clauses by which a round is void, in the order in which a void cites them.
    cited: Vec<String>,
    /// What a record says where no clause applies.
    silent: String,
    /// Clauses of each ground; a ground that is absent voids nothing by this text.
    voids: Vec<(Ground, Vec<String>)>,
    /// Clause of other rules by a fixed key, such as `amend`, `lamps-fail`, `malfunction`, `all-paid`.
    clauses: Vec<(String, String)>,
    /// Its layouts.
    pub layouts: Vec<Layout>,
}

static ALL: OnceBox<Result<Vec<RuleSet>, BadRules>> = OnceBox::new();

/// All five rule sets.
///
/// # Errors
/// [`BadRules`] if a data file that is compiled in cannot be used. A test proves that all of them can.
pub fn loaded() -> Result<&'static [RuleSet], &'static BadRules> {
    ALL.get_or_init(|| Box::new(load::load())).as_deref()
}

/// All five rule sets.
///
/// None at all if the compiled-in data were bad ([`loaded`] says why): then no rule set is found, no setting names one, and
/// the table does not start. That is safe, where a panic would not be.
#[must_use]
pub fn all() -> &'static [RuleSet] {
    loaded().unwrap_or_default()
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

/// From which round on which rule set was in force.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RulesSince {
    /// The first round.
    pub round: RoundId,
    /// The rule set.
    pub rules: String,
}

/// How many changes of the rule set are remembered.
const CHANGES_KEPT: usize = 64;

/// Notes that a round began under a rule set.
pub fn note_rules(since: &mut Vec<RulesSince>, round: RoundId, rules: &str) {
    if since.last().is_some_and(|last| last.rules == rules) {
        return;
    }
    if since.len() >= CHANGES_KEPT {
        since.remove(0);
    }
    since.push(RulesSince { round, rules: rules.to_owned() });
}

/// The rule set of a round, if it is still remembered.
#[must_use]
pub fn rules_of(since: &[RulesSince], round: RoundId) -> Option<&str> {
    since.iter().rev().find(|since| since.round <= round).map(|since| since.rules.as_str())
}

impl RuleSet {
    /// The layout of this rule set with this id.
    #[must_use]
    pub fn layout(&self, id: &str) -> Option<&Layout> {
        self.layouts.iter().find(|l| l.id == id)
    }
    /// Whether this ground voids a round by this text.
    #[must_use]
    pub fn voids(&self, ground: Ground) -> bool {
        self.voids.iter().any(|(g, _)| *g == ground)
    }
    /// Every clause by which one of these grounds voids a round, with the document's short name (`NZ9 7.1(a)`), in the order in
    /// which the text is cited; none where it is silent.
    #[must_use]
    pub fn void_clauses(&self, grounds: &[Ground]) -> Vec<String> {
        let of = |wanted: &dyn Fn(Ground) -> bool| -> Vec<String> {
            let says = |clause: &String| {
                let mut by = self.voids.iter().filter(|(ground, _)| wanted(*ground) && grounds.contains(ground));
                by.any(|(_, clauses)| clauses.contains(clause))
            };
            self.cited.iter().filter(|clause| says(clause)).cloned().collect()
        };
        // SGV6 5.14: a decision is for what no other provision resolves.
        let provided = of(&|ground| ground != Ground::Decision);
        if provided.is_empty() { of(&|ground| ground == Ground::Decision) } else { provided }
    }
    /// What a record says where no clause of this text applies.
    #[must_use]
    pub fn silent(&self) -> &str {
        &self.silent
    }
    /// The clause of another rule, by its key, one of [`CLAUSE_KEYS`].
    #[must_use]
    pub fn clause(&self, key: &str) -> Clause<'_> {
        Clause::new(self.clauses.iter().find(|(k, _)| k == key).map_or("", |(_, c)| c))
    }
}
