//! What a judge is, and what it reports.

use crate::observation::Observation;
use crate::rule::Coverage;
use crate::scene::Scene;
use crate::truth::allowed::AllowedEndings;
use dyn_clone::DynClone;
use serde::Serialize;

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The judge that found it.
    pub judge: &'static str,
    /// When, in nanoseconds on the clock of the trace.
    pub at_ns: u64,
    /// The rule or clause that was broken.
    pub clause: &'static str,
    /// What was seen.
    pub what: String,
}

impl core::fmt::Display for Violation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (s, ms) = (self.at_ns / 1_000_000_000, self.at_ns / 1_000_000 % 1_000);
        write!(f, "{}: at {s}.{ms:03} s: {} [{}]", self.judge, self.what, self.clause)
    }
}

/// What the judges have found: the first [`Findings::KEPT`] violations, and a count of the rest.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    kept: Vec<Violation>,
    beyond: u64,
    unlisted: Vec<String>,
}

impl Findings {
    /// How many violations are kept: a campaign that goes wrong a million times must not fill memory.
    pub const KEPT: usize = 1000;

    /// Notes a violation.
    pub fn note(&mut self, judge: &'static str, at_ns: u64, clause: &'static str, what: impl Into<String>) {
        if self.kept.len() < Self::KEPT {
            self.kept.push(Violation { judge, at_ns, clause, what: what.into() });
        } else {
            self.beyond = self.beyond.saturating_add(1);
        }
    }
    /// Notes a situation that is not listed in the truth table. It says nothing about the table under test: the judges cannot tell
    /// right from wrong there, and the rig's verdict is INVALID.
    pub fn note_unlisted(&mut self, at_ns: u64, what: impl Into<String>) {
        if self.unlisted.len() < Self::KEPT {
            self.unlisted.push(format!(
                "at {}.{:03} s: {}",
                at_ns / 1_000_000_000,
                at_ns / 1_000_000 % 1_000,
                what.into()
            ));
        }
    }
    /// Situations that are not listed in the truth table.
    #[must_use]
    pub fn unlisted_situations(&self) -> &[String] {
        &self.unlisted
    }
    /// The violations that are kept, in the order in which they were found.
    #[must_use]
    pub fn kept(&self) -> &[Violation] {
        &self.kept
    }
    /// How many more were found than are kept.
    #[must_use]
    pub const fn beyond(&self) -> u64 {
        self.beyond
    }
    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

/// How often a row of the truth table decided something under a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RowUse {
    /// The row's id.
    pub row: &'static str,
    /// The rule set's id.
    pub rules: &'static str,
    /// How often.
    pub times: u64,
}

/// A rule, and how often it was exercised.
pub type Exercised = (&'static str, u64);

/// Watches one rule, or a few that belong together. A judge can be cloned with everything that it has seen so far, so that a rig
/// can judge several continuations of one run.
pub trait Judge: DynClone + Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// Looks at one more observation. `scene` does not include it yet.
    fn before(&mut self, _seen: &Observation, _scene: &Scene, _findings: &mut Findings) {}
    /// Takes one more observation. `scene` already includes it.
    fn observe(&mut self, seen: &Observation, scene: &Scene, findings: &mut Findings);
    /// The run is over: judges what should have happened by now.
    fn finish(&mut self, _at_ns: u64, _scene: &Scene, _findings: &mut Findings) {}
    /// How often each of its rules had something to judge. Zero means "passed, because nothing happened".
    fn exercised(&self) -> Vec<Exercised>;
    /// What explained how much.
    fn coverage(&self) -> Option<&Coverage> {
        None
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

dyn_clone::clone_trait_object!(Judge);
