//! What must happen when a fault shows: how the rounds end, what latches, how soon.

use super::place::Place;
use crate::scenario::file::groups;
use crate::scenario::{Ending, grounds};
use serde::Deserialize;
use std::collections::BTreeMap;

/// How a round that is in progress when something breaks, or the one after it, ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedRound {
    /// Settled by the dice that the fault's row names.
    Settled,
    /// Settled by whatever the dice showed: somebody touched them.
    SettledAnyhow,
    /// Void for this reason; the clause is in the catalogue's table.
    Void(String),
}

impl ExpectedRound {
    /// `settled`, `settled any`, `void REASON`; `None` for other words.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShowsWhen {
    /// By itself, at once or after its time.
    AtOnce,
    /// When the tumbler is to turn.
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
    /// To a person only: in the opening test.
    Person,
    /// Not at the table: what it must not do is what is tested.
    Never,
}

/// How soon a reaction must come.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deadline {
    /// `motor off`, `voided`, `latched CODE`.
    pub what: String,
    /// At most so many milliseconds, on virtual time.
    pub ms: u64,
    /// After the latest of these events: `fault`, `cam`, `second-edge`, `rest`, `entry`, `spin`.
    pub after: String,
}

/// What must happen at some places under some rule sets.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Places and groups of places.
    #[serde(default = "all")]
    pub phases: Vec<String>,
    /// Rule sets and groups of rule sets.
    #[serde(default = "all")]
    pub rules: Vec<String>,
    /// How the round in progress ends, or else the next one; then the one after it, where the fault shows only there.
    /// Empty: no round ends.
    pub rounds: Vec<String>,
    /// What latches, where it is not what the fault's row says.
    #[serde(default)]
    pub latch: Option<Vec<String>>,
    /// Where not the row's.
    #[serde(default)]
    pub deadlines: Option<Vec<Deadline>>,
    /// Steps after the breaking, before the people go on; where not the row's.
    #[serde(default)]
    pub then: Option<Vec<String>>,
    /// How the people go on; where not the row's.
    #[serde(default)]
    pub on: Option<Vec<String>>,
    /// When it shows here; where not the row's. `never`: it cannot, and `why` says why not.
    #[serde(default)]
    pub shows: Option<ShowsWhen>,
    /// Chance decides here: the judges alone say whether it was right.
    #[serde(default)]
    pub free: bool,
    /// Why this is so, where the row's clause does not say it.
    #[serde(default)]
    pub why: String,
}

fn all() -> Vec<String> {
    vec!["*".to_owned()]
}

impl Expect {
    /// Whether this is said of the place under the rule set.
    #[must_use]
    pub fn applies(&self, place: Place, rules: &str) -> bool {
        let of = |group: &String| group == rules || groups(rules).contains(&group.as_str());
        self.phases.iter().any(|group| place.is_in(group, rules)) && self.rules.iter().any(of)
    }
}

/// The rules' clauses: reason, then rule set, then clause; where there is none the rules are silent.
pub type Clauses = BTreeMap<String, BTreeMap<String, String>>;

/// The word for a settled round among the clauses' reasons.
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
                let named = if reason.starts_with("tumbler") { "equipment" } else { reason };
                let words = clauses.get(reason).and_then(|by| by.get("*")).cloned().unwrap_or_default();
                // The catalogue's words are checked as it is read.
                let clause = grounds::expand(rules, &words).unwrap_or_default();
                Ending::Void { reason: named.to_owned(), clause }
            }
        }
    }
}
