//! The catalogue of faults.

use super::expectation::{Clauses, Deadline, Expect, ShowsWhen};
use super::place::Place;
use super::schema::places;
use crate::scenario::schema;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use tumbler_bench::AnyFault;
use tumbler_bench::file::Kind;

/// Cells that a bench cannot run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// The bench.
    pub bench: Kind,
    /// At these places.
    #[serde(default)]
    #[schemars(schema_with = "places")]
    pub phases: Vec<String>,
    /// Why not.
    pub reason: String,
}

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// It stays as it is.
    Stuck,
    /// It says nothing.
    Silent,
    /// It says more than there is.
    Noise,
    /// It says what is not so.
    Wrong,
    /// It comes late.
    Slow,
    /// It is gone.
    Lost,
    /// A person does it.
    Act,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Id: `part.what`.
    pub id: String,
    /// Kind of fault.
    #[serde(rename = "type")]
    pub kind: FaultKind,
    /// Description for people.
    pub about: String,
    /// Steps before the round begins, to prepare the table.
    #[serde(default)]
    #[schemars(schema_with = "schema::steps")]
    pub setup: Vec<String>,
    /// The steps that inject the fault; by default the fault with the row's own id.
    #[serde(default)]
    #[schemars(schema_with = "schema::steps")]
    pub(super) inject: Option<Vec<String>>,
    /// The steps that heal it; by default those that follow from the rows of the faults that `inject` leaves broken.
    #[serde(default)]
    #[schemars(schema_with = "schema::steps")]
    pub(super) heal: Option<Vec<String>>,
    /// Whether it breaks the seal's loop, or what reads it: another malfunction than the seal's then blocks the table beforehand.
    #[serde(default)]
    pub breaks_seal: bool,
    /// When it shows.
    pub shows: ShowsWhen,
    /// The malfunctions that latch, if any.
    #[serde(default)]
    #[schemars(schema_with = "schema::codes")]
    pub latch: Vec<String>,
    /// Whether the test of the device fails while the fault lasts. If it does not, the row says why in `about`.
    #[serde(default = "yes")]
    pub lasts: bool,
    /// Whether the supervisor's key works while the fault lasts.
    #[serde(default = "yes")]
    pub key: bool,
    /// Whether earlier latches are forgotten: the journal that held them is lost, and with it every permission to
    /// play, so that the opening tests of every device come before the next game (design.md rule 8).
    #[serde(default)]
    pub forgets: bool,
    /// Deadlines of the table's reactions.
    #[serde(default)]
    pub deadlines: Vec<Deadline>,
    /// Steps after the injection, before the people go on.
    #[serde(default)]
    #[schemars(schema_with = "schema::steps")]
    pub then: Vec<String>,
    /// How the people go on, if not by `go on` for each round that is expected to end.
    #[serde(default)]
    #[schemars(schema_with = "schema::steps")]
    pub on: Vec<String>,
    /// Name of a shared pattern of expectations, which hold where the row has none of its own.
    #[serde(default)]
    pub pattern: Option<String>,
    /// What must happen at which places: the first one that applies counts.
    #[serde(default)]
    pub expect: Vec<Expect>,
    /// The clauses that say so; `silent: WHY` if the rules say nothing.
    pub clause: String,
    /// Chance decides what latches and how rounds end: only the judges decide whether it was right.
    #[serde(default)]
    pub free: bool,
    /// Whether a dice reader is fitted.
    #[serde(default = "yes")]
    pub reader: bool,
    /// Faces of the dice.
    #[serde(default = "dice")]
    pub dice: [u8; 3],
    /// Benches and places where it cannot be run.
    #[serde(default)]
    pub not_on: Vec<Exclusion>,
}

const fn yes() -> bool {
    true
}

const fn dice() -> [u8; 3] {
    [1, 3, 6]
}

impl Fault {
    /// The steps that inject the fault.
    #[must_use]
    pub fn inject(&self) -> Vec<String> {
        self.inject.clone().unwrap_or_else(|| vec![format!("fault {}", self.id)])
    }

    /// The steps that heal it; none if it heals by itself.
    #[must_use]
    pub fn heal(&self) -> Vec<String> {
        let left_broken = |line: &String| -> Vec<String> {
            let steps: Vec<&str> = line.split(';').map(str::trim).collect();
            let broken = steps.iter().filter_map(|step| step.strip_prefix("fault "));
            let left = broken.filter(|name| !steps.contains(&format!("heal {name}").as_str()));
            left.filter_map(AnyFault::heal_steps).collect()
        };
        self.heal.clone().unwrap_or_else(|| self.inject().iter().flat_map(left_broken).collect())
    }
}

/// The catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// The rules' clauses for voids.
    pub clauses: Clauses,
    /// Expectations that many faults share.
    #[serde(default)]
    pub patterns: BTreeMap<String, Vec<Expect>>,
    /// The faults.
    pub fault: Vec<Fault>,
}

impl Catalogue {
    /// What must happen when this fault shows at this place under this rule set.
    #[must_use]
    pub fn expected<'a>(&'a self, fault: &'a Fault, place: Place, rules: &str) -> Option<&'a Expect> {
        let shared = fault.pattern.as_ref().and_then(|name| self.patterns.get(name));
        fault.expect.iter().chain(shared.into_iter().flatten()).find(|expect| expect.applies(place, rules))
    }
}

impl Deadline {
    /// The step that asserts it.
    #[must_use]
    pub fn step(&self, clause: &str) -> String {
        format!("expect {} at most {} ms after {} because {clause}", self.what, self.ms, self.after)
    }
}
