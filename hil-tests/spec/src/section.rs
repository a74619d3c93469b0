//! A section of the specification: what it explains, and what it takes notice of.

use crate::judge::RowUse;
use crate::ledger::Ledger;
use crate::observation::Observation;
use crate::rule::{Firmness, Rule};
use crate::scene::Scene;
use crate::truth::AllowedEndings;
use dyn_clone::DynClone;

/// A record is durable this long after its decision even on the slowest disk that is not broken.
pub(crate) const COMMIT_NS: u64 = 4_000_000_000;

/// What a section says of an observation.
pub(crate) enum Answer {
    /// Another section answers for it, or none yet.
    NotMine,
    /// This section explains it, or finds it wrong, when it takes notice of it: it needs the picture after it.
    Later,
    /// Explained by this rule.
    Explained(Rule, Firmness),
    /// Not explained: the rule, and what it would have accepted.
    Unexplained(Rule, String),
}

/// Explained as what had to come.
pub(crate) const fn must(rule: Rule) -> Answer {
    Answer::Explained(rule, Firmness::Must)
}

/// Explained as what may come.
pub(crate) const fn may(rule: Rule) -> Answer {
    Answer::Explained(rule, Firmness::May)
}

/// A section of the specification.
pub(crate) trait Section: DynClone + Send + Sync {
    /// All its rules.
    fn rules(&self) -> Vec<Rule>;
    /// Explains what left the table, if it is of a kind that this section answers for and nothing in the ledger explains it. `scene` is
    /// the picture before it.
    fn explain(&mut self, _seen: &Observation, _scene: &Scene, _ledger: &mut Ledger) -> Answer {
        Answer::NotMine
    }
    /// Takes notice of an observation of any kind. `scene` is the picture after it.
    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger);
    /// The run is over: says what should have happened by now.
    fn finish(&mut self, _at_ns: u64, _scene: &Scene, _ledger: &mut Ledger) {}
    /// What it says of the state that it is in.
    fn state(&self) -> String {
        String::new()
    }
    /// Rows of the truth table that decided something.
    fn rows_used(&self) -> Vec<RowUse> {
        Vec::new()
    }
    /// What the truth table allows for each round that ended, in order.
    fn allowed_endings(&self) -> Vec<AllowedEndings> {
        Vec::new()
    }
}

dyn_clone::clone_trait_object!(Section);
