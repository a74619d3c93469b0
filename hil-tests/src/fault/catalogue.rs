//! Reads the catalogue of faults. An unknown key is refused with its path, and so is an unknown name.

use super::expectation::{Clauses, Deadline, Expect, ExpectedRound, SETTLED, ShowsWhen};
use super::place::Place;
use crate::scenario::parse;
use crate::scenario::{grounds, names};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tumbler_bench::AnyFault;
use tumbler_bench::file::Kind;
use tumbler_core::latch::Code;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::rules;

/// A catalogue that cannot be used: what, where, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {at}: {problem}", path.display())]
pub struct BadCatalogue {
    /// The file.
    pub path: PathBuf,
    /// The place in it.
    pub at: String,
    /// What is wrong, and what is allowed.
    pub problem: String,
}

/// Cells that a bench cannot run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// The bench.
    pub bench: Kind,
    /// At these places.
    #[serde(default)]
    pub phases: Vec<String>,
    /// Why not.
    pub reason: String,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Id: `part.what`.
    pub id: String,
    /// Kind of fault: stuck, silent, noise, wrong, slow, lost, a person's act ...
    #[serde(rename = "type")]
    pub kind: String,
    /// Description for people.
    pub about: String,
    /// Steps before the round begins, to prepare the table.
    #[serde(default)]
    pub setup: Vec<String>,
    /// The steps that inject the fault; by default the fault with the row's own id.
    #[serde(default)]
    inject: Option<Vec<String>>,
    /// The steps that heal it; by default those that follow from the rows of the faults that `inject` leaves broken.
    #[serde(default)]
    heal: Option<Vec<String>>,
    /// Whether it breaks the seal's loop, or what reads it: another malfunction than the seal's then blocks the table beforehand.
    #[serde(default)]
    pub breaks_seal: bool,
    /// When it shows.
    pub shows: ShowsWhen,
    /// The malfunctions that latch, if any.
    #[serde(default)]
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
    pub then: Vec<String>,
    /// How the people go on, if not by `go on` for each round that is expected to end.
    #[serde(default)]
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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
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

/// Reads the catalogue.
///
/// # Errors
/// [`BadCatalogue`] with the place and what is allowed there.
pub fn read(path: &Path) -> Result<Catalogue, BadCatalogue> {
    let text = std::fs::read_to_string(path).map_err(|e| BadCatalogue {
        path: path.into(),
        at: "file".into(),
        problem: e.to_string(),
    })?;
    parse(path, &text)
}

/// Reads the catalogue from its TOML.
///
/// # Errors
/// As [`read`].
pub fn parse(path: &Path, text: &str) -> Result<Catalogue, BadCatalogue> {
    let bad = |at: String, problem: String| BadCatalogue { path: path.into(), at, problem };
    let toml = toml::Deserializer::parse(text).map_err(|e| bad("TOML".into(), e.to_string()))?;
    let catalogue: Catalogue = serde_path_to_error::deserialize(toml)
        .map_err(|e| bad(e.path().to_string(), e.inner().message().to_owned()))?;
    catalogue.check().map_err(|(at, problem)| bad(at, problem))?;
    Ok(catalogue)
}

type Problem = (String, String);

impl Catalogue {
    /// Every name is known, and there is an expectation for every place under every rule set.
    fn check(&self) -> Result<(), Problem> {
        for (reason, by) in &self.clauses {
            let at = format!("clauses.{reason}");
            let known = VoidReason::ALL.map(VoidReason::name);
            if ![SETTLED, "tumbler", "tumbler-dice"].contains(&reason.as_str()) && !known.contains(&reason.as_str()) {
                return Err((at, format!("is no reason; allowed is settled, tumbler, {}", known.join(", "))));
            }
            if let Some(rules) = by.keys().find(|id| *id != "*" && rules::rule_set(id).is_none()) {
                return Err((at, format!("`{rules}` is no rule set")));
            }
            if let Some(words) = by.get("*") {
                for set in rules::all() {
                    grounds::expand(&set.id, words).map_err(|wrong| (at.clone(), wrong.to_string()))?;
                }
            }
        }
        for (name, expects) in &self.patterns {
            self.expects(&format!("patterns.{name}"), expects)?;
        }
        let mut ids = BTreeSet::new();
        for fault in &self.fault {
            let at = format!("fault {}", fault.id);
            if !ids.insert(&fault.id) {
                return Err((at, "is there twice".into()));
            }
            self.fault(&at, fault)?;
        }
        Ok(())
    }

    fn fault(&self, at: &str, fault: &Fault) -> Result<(), Problem> {
        steps(&format!("{at}.inject"), &fault.inject())?;
        steps(&format!("{at}.heal"), &fault.heal())?;
        steps(&format!("{at}.then"), &fault.then)?;
        steps(&format!("{at}.on"), &fault.on)?;
        steps(&format!("{at}.setup"), &fault.setup)?;
        codes(&format!("{at}.latch"), &fault.latch)?;
        self.expects(at, &fault.expect)?;
        for deadline in &fault.deadlines {
            deadline.check(&format!("{at}.deadlines"))?;
        }
        for not_on in &fault.not_on {
            places(&format!("{at}.not_on"), &not_on.phases)?;
        }
        if fault.clause.trim().is_empty() {
            return Err((
                format!("{at}.clause"),
                "names no clause; where the rules say nothing write `silent: WHY`".into(),
            ));
        }
        if let Some(name) = fault.pattern.as_ref().filter(|name| !self.patterns.contains_key(*name)) {
            let known: Vec<&str> = self.patterns.keys().map(String::as_str).collect();
            return Err((format!("{at}.pattern"), format!("`{name}` is no pattern; there are {}", known.join(", "))));
        }
        for set in rules::all() {
            for (name, place) in Place::ALL {
                if place.exists(&set.id) && self.expected(fault, place, &set.id).is_none() {
                    return Err((format!("{at}.expect"), format!("says nothing of {name} under {}", set.id)));
                }
            }
        }
        Ok(())
    }

    fn expects(&self, at: &str, expects: &[Expect]) -> Result<(), Problem> {
        for (number, expect) in expects.iter().enumerate() {
            let at = format!("{at}.expect[{number}]");
            places(&format!("{at}.phases"), &expect.phases)?;
            for name in &expect.rules {
                names::group(name).map_err(|wrong| (format!("{at}.rules"), wrong.to_string()))?;
            }
            for round in &expect.rounds {
                match ExpectedRound::parse(round) {
                    None => {
                        return Err((
                            format!("{at}.rounds"),
                            format!("`{round}`: allowed is settled, settled any, void REASON"),
                        ));
                    }
                    Some(ExpectedRound::Void(reason)) if !self.clauses.contains_key(&reason) => {
                        let known: Vec<&str> = self.clauses.keys().map(String::as_str).collect();
                        return Err((
                            format!("{at}.rounds"),
                            format!("`{reason}` is not in clauses: {}", known.join(", ")),
                        ));
                    }
                    Some(_) => {}
                }
            }
            codes(&format!("{at}.latch"), expect.latch.as_deref().unwrap_or_default())?;
            steps(&format!("{at}.then"), expect.then.as_deref().unwrap_or_default())?;
            steps(&format!("{at}.on"), expect.on.as_deref().unwrap_or_default())?;
            if expect.shows == Some(ShowsWhen::Never) && expect.why.trim().is_empty() {
                return Err((format!("{at}.why"), "says not why the fault cannot show here".into()));
            }
            for deadline in expect.deadlines.iter().flatten() {
                deadline.check(&format!("{at}.deadlines"))?;
            }
        }
        Ok(())
    }
}

impl Deadline {
    /// The step that asserts it.
    #[must_use]
    pub fn step(&self, clause: &str) -> String {
        format!("expect {} at most {} ms after {} because {clause}", self.what, self.ms, self.after)
    }

    fn check(&self, at: &str) -> Result<(), Problem> {
        steps(at, &[self.step("faults.md")])
    }
}

fn steps(at: &str, lines: &[String]) -> Result<(), Problem> {
    for line in lines {
        for layout in rules::all().iter().filter_map(|set| set.layouts.first()) {
            parse::line_of_steps(line, &layout.id).map_err(|bad| (at.to_owned(), bad.to_string()))?;
        }
    }
    Ok(())
}

fn codes(at: &str, names: &[String]) -> Result<(), Problem> {
    for name in names {
        name.parse::<Code>().map_err(|problem| (at.to_owned(), problem))?;
    }
    Ok(())
}

fn places(at: &str, names: &[String]) -> Result<(), Problem> {
    let known =
        |name: &&String| Place::ALL.iter().any(|(place, _)| place == name) || Place::GROUPS.contains(&name.as_str());
    match names.iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => {
            let all: Vec<&str> = Place::ALL.iter().map(|(name, _)| *name).chain(Place::GROUPS).collect();
            Err((at.to_owned(), format!("`{name}` is no phase; allowed is {}", all.join(", "))))
        }
    }
}
