//! What must happen when a fault shows: how the rounds end, what latches, how soon.

use super::place::Place;
use super::schema::{places, rounds};
use crate::scenario::file::groups;
use crate::scenario::schema;
use crate::scenario::{Ending, grounds, names};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use tumbler_core::round::ending::VoidReason;

/// Ending of the round that is in progress when something breaks, or of the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedRound {
    /// Settled by the dice that the fault's row names.
    Settled,
    /// Settled by any dice, because somebody touched them.
    SettledAnyhow,
    /// Void for this reason; the clause is in the catalogue's table.
    Void(String),
}

impl ExpectedRound {
    /// Parses `settled`, `settled any` or `void REASON`; `None` for other words.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match *text.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["settled"] => Some(Self::Settled),
            ["settled", "any"] => Some(Self::SettledAnyhow),
            ["void", reason] => Some(Self::Void(reason.to_owned())),
            _ => None,
        }
    }
}

/// When a fault shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShowsWhen {
    /// By itself, at once or after some time.
    AtOnce,
    /// When the tumbler should turn.
    Spin,
    /// When the dice are judged.
    Dice,
    /// When the dome is moved.
    Dome,
    /// When a result is entered and lights.
    Entry,
    /// When somebody presses something.
    Press,
    /// When the daemon starts.
    Start,
    /// Only a person sees it, in the opening test.
    Person,
    /// Never at the table: the test is that the table does not react.
    Never,
}

/// Deadline of a reaction.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deadline {
    /// `motor off`, `voided`, `latched CODE`.
    #[schemars(schema_with = "schema::reaction")]
    pub what: String,
    /// Time limit in milliseconds, in virtual time.
    pub ms: u64,
    /// Counted from the latest of these events: `fault`, `cam`, `second-edge`, `rest`, `entry`, `spin`.
    #[schemars(schema_with = "schema::cause")]
    pub after: String,
}

/// What must happen at some places under some rule sets.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Places and groups of places.
    #[serde(default = "all")]
    #[schemars(schema_with = "places")]
    pub phases: Vec<String>,
    /// Rule sets and groups of rule sets.
    #[serde(default = "all")]
    #[schemars(schema_with = "schema::groups")]
    pub rules: Vec<String>,
    /// Endings: of the round in progress or, if there is none, of the next one; then of the one after it, if the fault shows only
    /// there. Empty: no round ends.
    #[schemars(schema_with = "rounds")]
    pub rounds: Vec<String>,
    /// What latches; overrides the fault's row.
    #[serde(default)]
    #[schemars(schema_with = "schema::codes")]
    pub latch: Option<Vec<String>>,
    /// Deadlines; overrides the row.
    #[serde(default)]
    pub deadlines: Option<Vec<Deadline>>,
    /// Steps after the injection, before the people go on; overrides the row.
    #[serde(default)]
    #[schemars(schema_with = "schema::steps")]
    pub then: Option<Vec<String>>,
    /// How the people go on; overrides the row.
    #[serde(default)]
    #[schemars(schema_with = "schema::steps")]
    pub on: Option<Vec<String>>,
    /// When it shows; overrides the row. `never`: it cannot show here, and `why` says why not.
    #[serde(default)]
    pub shows: Option<ShowsWhen>,
    /// Chance decides here: only the judges decide whether it was right.
    #[serde(default)]
    pub free: bool,
    /// Reason, if the row's clause does not give it.
    #[serde(default)]
    pub why: String,
}

fn all() -> Vec<String> {
    vec!["*".to_owned()]
}

impl Expect {
    /// Whether the expectation applies to the place under the rule set.
    #[must_use]
    pub fn applies(&self, place: Place, rules: &str) -> bool {
        let of = |group: &String| group == rules || groups(rules).contains(&group.as_str());
        self.phases.iter().any(|group| place.is_in(group, rules)) && self.rules.iter().any(of)
    }
}

/// Clauses by reason and rule set. Where there is none, the rules are silent.
pub type Clauses = BTreeMap<String, BTreeMap<String, String>>;

/// The key of a settled round among the reasons.
pub(super) const SETTLED: &str = "settled";

impl ExpectedRound {
    /// Its ending under a rule set. `tumbler` is a word of the catalogue: the tumbler's misoperation is the one defect of
    /// equipment that has a clause (NZ 7.1(b)).
    #[must_use]
    pub fn ending(&self, rules: &str, dice: [u8; 3], clauses: &Clauses) -> Ending {
        let clause = |reason: &str| clauses.get(reason).and_then(|by| by.get(rules)).cloned().unwrap_or_default();
        match self {
            Self::Settled => Ending::Settled { dice: Some(dice), clause: clause(SETTLED) },
            Self::SettledAnyhow => Ending::Settled { dice: None, clause: clause(SETTLED) },
            Self::Void(reason) => {
                // The catalogue was checked when it was read.
                let reason_of = |word: &str| names::reason(word).unwrap_or(VoidReason::Equipment);
                let named = if reason.starts_with("tumbler") { VoidReason::Equipment } else { reason_of(reason) };
                let words = clauses.get(reason).and_then(|by| by.get("*")).cloned().unwrap_or_default();
                let clause = grounds::expand(rules, &words).unwrap_or_default();
                Ending::Void { reason: named, clause }
            }
        }
    }
}
