//! A scenario's file: what is done, under which rule sets, and how it must end.

use super::grounds;
use super::order;
use super::parse;
use super::step::{Step, TableFault};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tumbler_bench::{AnyFault, EnvironmentFault};
use tumbler_core::rules;
use tumbler_judges::areas::Family;
use tumbler_judges::config::Rules;

/// A scenario file that cannot be used: what, where, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {at}: {problem}", path.display())]
pub struct BadFile {
    /// The file.
    pub path: PathBuf,
    /// The place in it.
    pub at: String,
    /// What is wrong, and what is allowed.
    pub problem: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    about: String,
    #[serde(default)]
    layouts: Layouts,
    #[serde(default = "yes")]
    reader: bool,
    #[serde(default)]
    seed: Option<u64>,
    #[serde(default)]
    free: bool,
    steps: Vec<String>,
    #[serde(default)]
    variant: Vec<BTreeMap<String, String>>,
    endings: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    at_end: AtEnd,
}

const fn yes() -> bool {
    true
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Layouts {
    /// The same group of layouts for each rule set.
    Of(Group),
    /// These.
    Named(Vec<String>),
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Group {
    /// The first layout of each rule set.
    #[default]
    First,
    /// Every layout.
    All,
}

impl Default for Layouts {
    fn default() -> Self {
        Self::Of(Group::First)
    }
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AtEnd {
    latched: Vec<String>,
    latches: Option<Vec<String>>,
    phase: Option<String>,
    never: Vec<String>,
    /// Latches with one cause, which may come in any order.
    in_any_order: bool,
}

/// How a round must end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Settled with these dice; the clause is for people.
    Settled {
        /// The dice, lowest first; `None`: any.
        dice: Option<[u8; 3]>,
        /// The clause that says so.
        clause: String,
    },
    /// Void, for this reason and by exactly this clause.
    Void {
        /// The reason.
        reason: String,
        /// The clause; empty where the rules are silent.
        clause: String,
    },
    /// Not ended.
    Unfinished {
        /// The clause that says so.
        clause: String,
    },
}

/// One scenario under one layout, in one variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// `scenario[variant]::layout`.
    pub name: String,
    /// What it shows.
    pub about: String,
    /// Rule set.
    pub rules: String,
    /// Layout.
    pub layout: String,
    /// Whether a dice reader is fitted.
    pub reader: bool,
    /// The steps with their words.
    pub steps: Vec<(String, Vec<Step>)>,
    /// Endings of the rounds, in order.
    pub endings: Vec<Ending>,
    /// What is latched at the end.
    pub latched: Vec<String>,
    /// What was ever latched, in order.
    pub latches: Vec<String>,
    /// Whether the order of the latches counts. It does not for units on one cable, which are missed in the order of their polls.
    pub in_order: bool,
    /// Whether the faults must have taken effect. Only a catalogue may waive this, with a reason.
    pub must_show: bool,
    /// Phase at the end.
    pub phase: Option<String>,
    /// Kinds of records that must not occur.
    pub never: Vec<String>,
    /// Seed of the twin, if the scenario depends on chance; otherwise it is derived from the name.
    pub seed: Option<u64>,
    /// Free play: the scenario does not say how the rounds end and what latches. The steps' own waits, `never`, the judges and the
    /// rule that no round is void without a reason decide, and the first finding ends the run.
    pub free: bool,
}

impl Trial {
    /// Whether one of its steps injects this fault.
    #[must_use]
    pub fn breaks(&self, fault: EnvironmentFault) -> bool {
        let breaks = |step: &Step| matches!(step, Step::Fault(TableFault { fault: AnyFault::Environment(broken), .. }) if *broken == fault);
        self.steps.iter().flat_map(|(_, steps)| steps).any(breaks)
    }
}

/// Groups of rule sets that a file may name, narrowest first.
pub(crate) fn groups(rules: &str) -> [&'static str; 3] {
    let country = match Rules::named(rules).map(Rules::family) {
        Some(Family::NewZealand) => "nz",
        Some(Family::Singapore) => "sg",
        None => "*",
    };
    let cover = if order::covered(rules) { "covered" } else { "open-cover" };
    [cover, country, "*"]
}

pub(crate) const GROUPS: &str = "a rule set's id, or covered, open-cover, nz, sg, *";

impl Ending {
    /// Parses `void not-flat: NZ9 7.1(a)`, `settled 1 3 6: NZ9 6.3` or `unfinished: SGV6 1.7`.
    ///
    /// # Errors
    /// What is allowed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let allowed = "`settled D D D: CLAUSE`, `settled: CLAUSE`, `void REASON: CLAUSES`, `void REASON: by GROUND and GROUND`, `void REASON:` where the rules are silent, `unfinished: CLAUSE`";
        let wrong = || format!("`{text}` is no ending; allowed is {allowed}");
        let (what, clause) = text.split_once(':').ok_or_else(wrong)?;
        let clause = clause.trim().to_owned();
        let words: Vec<&str> = what.split_whitespace().collect();
        match *words.as_slice() {
            ["void", reason] => Ok(Self::Void { reason: reason.into(), clause }),
            _ if clause.is_empty() => Err(wrong()),
            ["settled"] => Ok(Self::Settled { dice: None, clause }),
            ["settled", a, b, c] => {
                let face = |word: &str| word.parse().ok().filter(|f| (1..=6).contains(f)).ok_or_else(wrong);
                let mut dice = [face(a)?, face(b)?, face(c)?];
                dice.sort_unstable();
                Ok(Self::Settled { dice: Some(dice), clause })
            }
            ["unfinished"] => Ok(Self::Unfinished { clause }),
            _ => Err(wrong()),
        }
    }
}

impl Ending {
    /// The ending under this rule set: `by GROUND and GROUND` becomes the clauses about these grounds.
    ///
    /// # Errors
    /// What is allowed.
    fn under(self, rules: &str) -> Result<Self, String> {
        Ok(match self {
            Self::Void { reason, clause } => Self::Void { reason, clause: grounds::expand(rules, &clause)? },
            other => other,
        })
    }
}

fn fill(text: &str, variant: &BTreeMap<String, String>) -> String {
    variant.iter().fold(text.to_owned(), |text, (key, value)| text.replace(&format!("{{{key}}}"), value))
}

/// Reads a scenario from its TOML.
///
/// # Errors
/// [`BadFile`] with the place and what is allowed there.
pub fn parse(path: &Path, text: &str) -> Result<Vec<Trial>, BadFile> {
    let bad = |at: &str, problem: String| BadFile { path: path.into(), at: at.into(), problem };
    let toml = toml::Deserializer::parse(text).map_err(|e| bad("TOML", e.to_string()))?;
    let file: File = serde_path_to_error::deserialize(toml)
        .map_err(|e| bad(&e.path().to_string(), e.inner().message().to_owned()))?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    for name in file.endings.keys() {
        if rules::rule_set(name).is_none() && !["covered", "open-cover", "nz", "sg", "*"].contains(&name.as_str()) {
            return Err(bad("endings", format!("`{name}` is no rule set; allowed is {GROUPS}")));
        }
    }
    if let Layouts::Named(ids) = &file.layouts {
        if let Some(id) = ids.iter().find(|id| rules::layout(id).is_none()) {
            let all: Vec<&str> = rules::all().iter().flat_map(|set| &set.layouts).map(|l| l.id.as_str()).collect();
            return Err(bad(
                "layouts",
                format!("`{id}` is no layout; allowed is first, all, or some of {}", all.join(", ")),
            ));
        }
    }
    let variants = if file.variant.is_empty() { vec![BTreeMap::new()] } else { file.variant.clone() };
    let mut trials = Vec::new();
    for variant in &variants {
        let label =
            variant.get("name").cloned().unwrap_or_else(|| variant.values().cloned().collect::<Vec<_>>().join(","));
        let name = if label.is_empty() { stem.clone() } else { format!("{stem}[{label}]") };
        for set in rules::all() {
            let found = std::iter::once(set.id.as_str())
                .chain(groups(&set.id))
                .find_map(|key| file.endings.get(key).map(|endings| (key, endings)));
            let Some((key, endings)) = found else { continue };
            let endings = endings
                .iter()
                .map(|text| Ending::parse(&fill(text, variant)).and_then(|ending| ending.under(&set.id)))
                .collect::<Result<Vec<_>, _>>()
                .map_err(|problem| bad(&format!("endings.{key}"), problem))?;
            let filled = |list: &[String]| {
                let all = list.iter().map(|text| fill(text, variant));
                all.filter(|text| !text.is_empty()).collect::<Vec<_>>()
            };
            let latched = filled(&file.at_end.latched);
            let chosen = |place: usize, id: &str| match &file.layouts {
                Layouts::Of(Group::First) => place == 0,
                Layouts::Of(Group::All) => true,
                Layouts::Named(ids) => ids.iter().any(|named| named == id),
            };
            for (_, layout) in set.layouts.iter().enumerate().filter(|(place, layout)| chosen(*place, &layout.id)) {
                let mut steps = Vec::new();
                for (number, text) in file.steps.iter().enumerate() {
                    let read = parse::line_of_steps(&fill(text, variant), &layout.id);
                    steps.extend(read.map_err(|e| bad(&format!("steps[{number}]"), e.to_string()))?);
                }
                trials.push(Trial {
                    name: format!("{name}::{}", layout.id),
                    about: file.about.clone(),
                    rules: set.id.clone(),
                    layout: layout.id.clone(),
                    reader: file.reader,
                    steps,
                    endings: endings.clone(),
                    latches: file.at_end.latches.as_deref().map_or_else(|| latched.clone(), filled),
                    in_order: !file.at_end.in_any_order,
                    must_show: true,
                    latched: latched.clone(),
                    phase: file.at_end.phase.as_ref().map(|phase| fill(phase, variant)),
                    never: filled(&file.at_end.never),
                    seed: file.seed,
                    free: file.free,
                });
            }
        }
    }
    if trials.is_empty() {
        return Err(bad("endings", format!("no rule set is named, so nothing would run; allowed is {GROUPS}")));
    }
    Ok(trials)
}

/// Reads every scenario in a directory, in the order of their names.
///
/// # Errors
/// The first file that cannot be read or used.
pub fn read_all(directory: &Path) -> Result<Vec<Trial>, BadFile> {
    let bad = |path: &Path, problem: std::io::Error| BadFile {
        path: path.into(),
        at: "file".into(),
        problem: problem.to_string(),
    };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory)
        .map_err(|e| bad(directory, e))?
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    let mut trials = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|e| bad(&path, e))?;
        trials.extend(parse(&path, &text)?);
    }
    Ok(trials)
}
