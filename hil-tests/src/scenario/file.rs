//! A scenario's file: what is done, under which rule sets, and how it must end.

use super::grounds;
use super::names;
use super::order;
use super::parse;
use super::reader::{Reader, in_braces};
use super::schema;
use super::step::{Step, TableFault};
use crate::citation;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tumbler_bench::source::{Place, Source};
use tumbler_bench::{AnyFault, BadFiles, EnvironmentFault, Wrong, bounded};
use tumbler_core::latch::Code;
use tumbler_core::record::Kind;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::rules::{self, Layout, RuleSet};
use tumbler_core::snapshot::Phase;
use tumbler_spec::areas::Family;
use tumbler_spec::config::Rules;

/// A scenario's file, as it is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// One sentence: what this shows.
    about: String,
    /// `first` (unless given): the first layout of each rule set; `all`; or a list of layouts.
    #[serde(default)]
    #[schemars(schema_with = "schema::layouts")]
    layouts: Layouts,
    /// Whether a dice reader is fitted.
    #[serde(default = "yes")]
    reader: bool,
    /// The twin's seed, where the scenario depends on what the dice happen to do; otherwise it follows from the name.
    #[serde(default)]
    seed: Option<i64>,
    /// Neither endings nor latches nor the phase at the end are asserted: only the steps, `never` and the judges decide.
    #[serde(default)]
    free: bool,
    /// What happens, one line a step, or several with `;` between them.
    #[schemars(schema_with = "schema::steps")]
    steps: Vec<String>,
    /// Values that replace `{key}` in steps, endings and `at_end`: the scenario plays once for each.
    #[serde(default)]
    variant: Vec<BTreeMap<String, String>>,
    /// How each round must end, by rule set or group of rule sets. What no key covers is not played.
    #[serde(default)]
    #[schemars(schema_with = "schema::endings")]
    endings: Option<BTreeMap<String, Vec<String>>>,
    /// What must be so after the last step.
    #[serde(default)]
    at_end: AtEnd,
}

const fn yes() -> bool {
    true
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Layouts {
    /// The same group of layouts for each rule set: `first` or `all`.
    Of(String),
    /// These.
    Named(Vec<String>),
}

impl Default for Layouts {
    fn default() -> Self {
        Self::Of(FIRST.into())
    }
}

/// The first layout of each rule set.
const FIRST: &str = "first";

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct AtEnd {
    /// What is latched then; nothing unless given.
    #[schemars(schema_with = "schema::codes")]
    latched: Option<Vec<String>>,
    /// All that ever latched, in order; what is latched at the end unless given.
    #[schemars(schema_with = "schema::codes")]
    latches: Option<Vec<String>>,
    /// The phase that the table says; any unless given.
    #[schemars(schema_with = "schema::phase")]
    phase: Option<String>,
    /// Kinds of records that must not occur.
    #[schemars(schema_with = "schema::kinds")]
    never: Vec<String>,
    /// Latches with one cause, which may come in any order.
    in_any_order: Option<bool>,
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
        reason: VoidReason,
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
    pub latched: Vec<Code>,
    /// What was ever latched, in order.
    pub latches: Vec<Code>,
    /// Whether the order of the latches counts. It does not for units on one cable, which are missed in the order of their polls.
    pub in_order: bool,
    /// Whether the faults must have taken effect. Only a catalogue may waive this, with a reason.
    pub must_show: bool,
    /// Phase at the end.
    pub phase: Option<Phase>,
    /// Kinds of records that must not occur.
    pub never: Vec<Kind>,
    /// Seed of the twin, if the scenario depends on chance; otherwise it is derived from the name.
    pub seed: Option<u64>,
    /// Free play: the scenario does not say how the rounds end and what latches. The steps' own waits, `never`, the judges and the
    /// rule that no round is void without a reason decide, and the first finding ends the run.
    pub free: bool,
}

impl Trial {
    /// The faults around the daemon that its steps inject.
    #[must_use]
    pub fn faults(&self) -> Vec<EnvironmentFault> {
        let fault = |step: &Step| match step {
            Step::Fault(TableFault { fault: AnyFault::Environment(fault), .. }) => Some(*fault),
            _ => None,
        };
        self.steps.iter().flat_map(|(_, steps)| steps).filter_map(fault).collect()
    }

    /// Whether one of its steps injects this fault.
    #[must_use]
    pub fn breaks(&self, fault: EnvironmentFault) -> bool {
        self.faults().contains(&fault)
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

impl Ending {
    /// Parses `void not-flat: by not-flat`, `settled 1 3 6: NZ9 6.3` or `unfinished: SGV6 1.7` under a rule set.
    ///
    /// # Errors
    /// The word that is wrong, and what is allowed.
    pub fn parse(text: &str, rules: &str) -> Result<Self, Wrong> {
        let allowed = "`settled D D D: CLAUSE`, `settled: CLAUSE`, `void REASON: CLAUSES`, `void REASON: by GROUND and GROUND`, `void REASON:` where the rules are silent, `unfinished: CLAUSE`";
        let (what, clause) = text.split_once(':').unwrap_or((text, ""));
        let clause = clause.trim().to_owned();
        let words: Vec<&str> = what.split_whitespace().collect();
        let first = words.first().copied().unwrap_or_default();
        let wrong = || Wrong::new(first, format!("`{text}` is no ending"), allowed);
        match *words.as_slice() {
            _ if !text.contains(':') => Err(wrong()),
            ["void", reason] => {
                let reason = names::reason(reason)?;
                Ok(Self::Void { reason, clause: grounds::expand(rules, &clause)? })
            }
            ["settled" | "unfinished", ..] if clause.is_empty() => Err(wrong()),
            ["settled"] => Ok(Self::Settled { dice: None, clause: cited(clause)? }),
            ["settled", a, b, c] => {
                let mut dice = parse::dice(a, b, c)?;
                dice.sort_unstable();
                Ok(Self::Settled { dice: Some(dice), clause: cited(clause)? })
            }
            ["unfinished"] => Ok(Self::Unfinished { clause: cited(clause)? }),
            ["void" | "settled" | "unfinished", ..] => Err(wrong()),
            _ => Err(Wrong {
                allowed: allowed.into(),
                ..Wrong::unknown("ending", first, ["settled", "void", "unfinished"])
            }),
        }
    }
}

/// A citation, if it is right.
fn cited(clause: String) -> Result<String, Wrong> {
    citation::read(&clause).map(|_| clause)
}

impl File {
    /// The layouts of a rule set that are played.
    fn chosen<'r>(&self, set: &'r RuleSet) -> impl Iterator<Item = &'r Layout> {
        let is_chosen = |place: usize, id: &str| match &self.layouts {
            Layouts::Of(group) => group != FIRST || place == 0,
            Layouts::Named(ids) => ids.iter().any(|named| named == id),
        };
        set.layouts
            .iter()
            .enumerate()
            .filter(move |(place, layout)| is_chosen(*place, &layout.id))
            .map(|(_, layout)| layout)
    }

    /// Keys of variants that no text has.
    fn unused(&self, reader: &mut Reader<'_>) {
        let AtEnd { latched, latches, phase, never, .. } = &self.at_end;
        let endings = self.endings.iter().flat_map(BTreeMap::values).flatten();
        let texts = self.steps.iter().chain(endings).chain(latched.iter().chain(latches).flatten());
        let texts = texts.chain(phase).chain(never);
        let texts: Vec<&str> = texts.map(String::as_str).collect();
        let used = |key: &&String| *key == "name" || texts.iter().any(|text| text.contains(&in_braces(key)));
        for (number, variant) in self.variant.iter().enumerate() {
            for key in variant.keys().filter(|key| !used(key)) {
                let problem = format!("no step, ending or end has `{{{key}}}`");
                let place = Place::default().of("variant").of(number).of(key);
                reader.source.wrong(&[place], Wrong::new(key, problem, ""));
            }
        }
    }

    /// The rule sets that are played, each with the key of its endings.
    fn played(&self) -> Vec<(&'static RuleSet, &str)> {
        let key = |set: &RuleSet| match &self.endings {
            // Who asserts no ending may leave them out altogether.
            None => self.free.then_some("*"),
            Some(endings) => {
                // A misspelt key stands for the nearest one, so that what else is wrong in the file is told with it.
                let known = |key: &str| names::group(key).err().map_or(Some(key.to_owned()), |wrong| wrong.near);
                let is = |name: &str, key: &str| known(name).is_some_and(|name| name == key);
                let mut keys = std::iter::once(set.id.as_str()).chain(groups(&set.id));
                keys.find_map(|key| endings.keys().find(|name| is(name, key))).map(String::as_str)
            }
        };
        let sets = rules::all().iter().filter(|set| self.chosen(set).next().is_some());
        sets.filter_map(|set| key(set).map(|key| (set, key))).collect()
    }

    /// What is asserted although `free` leaves it to chance.
    fn not_free(&self, reader: &mut Reader<'_>) {
        let AtEnd { latched, latches, phase, in_any_order, .. } = &self.at_end;
        let keys = [
            ("latched", latched.is_some()),
            ("latches", latches.is_some()),
            ("phase", phase.is_some()),
            ("in_any_order", in_any_order.is_some()),
        ];
        let top = Place::default();
        for (key, _) in keys.into_iter().filter(|(_, is_there)| self.free && *is_there) {
            let problem = format!("`{key}` is not asserted in free play: leave out this or `free`");
            reader.source.wrong(&[top.of("at_end").of(key)], Wrong::new(key, problem, "never"));
        }
        for (key, _) in self.endings.iter().flatten().filter(|(_, all)| self.free && !all.is_empty()) {
            let problem = "endings are not asserted in free play: leave out these or `free`";
            reader.source.wrong(&[top.of("endings").of(key)], Wrong::new(key, problem, format!("{key} = []")));
        }
    }

    /// What is there without any content.
    fn empty(&self, reader: &mut Reader<'_>) {
        let top = Place::default();
        if self.about.trim().is_empty() {
            let problem = "`about` says nothing: reports show it where this fails";
            reader.source.wrong(&[top.of("about")], Wrong::new("about", problem, "one sentence: what this shows"));
        }
        if self.steps.is_empty() {
            reader.source.wrong(&[top.of("steps")], Wrong::new("", "there is no step, so nothing would be tried", ""));
        }
        for (number, variant) in self.variant.iter().enumerate() {
            let at = top.of("variant").of(number);
            if variant.is_empty() {
                reader
                    .source
                    .wrong(std::slice::from_ref(&at), Wrong::new("", "this variant has no value", "KEY = \"VALUE\""));
            }
            if self.variant.iter().take(number).any(|before| label(before) == label(variant)) {
                let problem = format!("two variants are called `{}`", label(variant));
                reader.source.wrong(&[at], Wrong::new("", problem, "a `name` of its own for each"));
            }
        }
    }

    /// Keys of endings by which nothing is played.
    fn unplayed(&self, reader: &mut Reader<'_>) {
        let played = self.played();
        let top = Place::default();
        for name in self.endings.iter().flat_map(BTreeMap::keys) {
            let place = [top.of("endings").of(name)];
            if let Err(wrong) = names::group(name) {
                reader.source.wrong(&place, wrong);
            } else if !played.is_empty() && !played.iter().any(|(_, key)| key == name) {
                let problem = format!("nothing is played by `{name}`");
                let why = "a rule set with a layout under `layouts`, and without a more specific key";
                reader.source.wrong(&place, Wrong::new(name, problem, why));
            }
        }
        if self.endings.is_none() && !self.free {
            let problem = "[endings] is missing: it says under which rule sets this is played, and how each round ends";
            reader.source.wrong(&[top], Wrong::new("", problem, "[endings] or `free = true`"));
        }
    }

    fn check(&self, reader: &mut Reader<'_>) {
        let top = Place::default();
        self.not_free(reader);
        self.empty(reader);
        self.unplayed(reader);
        let layouts = top.of("layouts");
        match &self.layouts {
            Layouts::Of(group) if [FIRST, "all"].contains(&group.as_str()) => {}
            Layouts::Of(group) => {
                reader.source.wrong(&[layouts], Wrong::unknown("group of layouts", group, [FIRST, "all"]));
            }
            Layouts::Named(ids) => {
                for (number, wrong) in ids.iter().map(|id| names::layout(id)).enumerate() {
                    wrong.err().into_iter().for_each(|wrong| reader.source.wrong(&[layouts.of(number)], wrong));
                }
            }
        }
        self.unused(reader);
    }

    /// The trial of a variant under a layout; `endings` are those of this key.
    fn trial(&self, reader: &mut Reader<'_>, variant: usize, set: &RuleSet, layout: &Layout, key: &str) -> Trial {
        let top = Place::default();
        let steps = reader.steps(&self.steps, &top.of("steps"), variant, layout, &set.id);
        let all = self.endings.as_ref().and_then(|endings| endings.get(key)).map(Vec::as_slice).unwrap_or_default();
        let of_key: Vec<&str> =
            self.played().into_iter().filter(|(_, of)| *of == key).map(|(set, _)| text_of(set)).collect();
        let endings = reader.list(all, &top.of("endings").of(key), variant, |text| {
            let ending = Ending::parse(text, &set.id)?;
            cites_only(text, &of_key)?;
            Ok(ending)
        });
        let at_end = top.of("at_end");
        let latched = self.at_end.latched.as_deref().unwrap_or_default();
        let latched = reader.list(latched, &at_end.of("latched"), variant, names::code);
        let latches = self.at_end.latches.as_deref();
        let latches = latches.map(|all| reader.list(all, &at_end.of("latches"), variant, names::code));
        let phase = self.at_end.phase.as_ref().map(|text| reader.text(text, at_end.of("phase"), variant));
        Trial {
            name: layout.id.clone(),
            about: self.about.clone(),
            rules: set.id.clone(),
            layout: layout.id.clone(),
            reader: self.reader,
            steps,
            endings,
            latches: latches.unwrap_or_else(|| latched.clone()),
            in_order: !self.at_end.in_any_order.unwrap_or_default(),
            must_show: true,
            latched,
            phase: phase.and_then(|text| reader.read(&text, names::phase)),
            never: reader.list(&self.at_end.never, &at_end.of("never"), variant, names::kind),
            // Numbers of TOML are signed: half of the seeds are written as negative ones.
            seed: self.seed.map(|seed| u64::from_ne_bytes(seed.to_ne_bytes())),
            free: self.free,
        }
    }
}

/// What a variant is called.
fn label(variant: &BTreeMap<String, String>) -> String {
    variant.get("name").cloned().unwrap_or_else(|| variant.values().cloned().collect::<Vec<_>>().join(","))
}

/// How the text of a rule set is cited.
fn text_of(set: &RuleSet) -> &'static str {
    Rules::named(&set.id).map_or("", Rules::text)
}

/// Refuses an ending that cites another rule text than these.
fn cites_only(ending: &str, texts: &[&str]) -> Result<(), Wrong> {
    let clause = ending.split_once(':').map_or("", |(_, clause)| clause.trim());
    if clause.is_empty() || clause.starts_with("by ") {
        return Ok(());
    }
    // Only a void has alternatives.
    let between = if ending.starts_with("void") { " | " } else { "\n" };
    let cited = clause.split(between).map(|part| citation::texts(part, texts)).collect::<Result<Vec<_>, _>>()?.concat();
    match cited.into_iter().find(|text| !texts.contains(text)) {
        Some(other) => {
            let problem = format!("`{other}` is not the text of a rule set that is played by this key");
            Err(Wrong::new(other, problem, texts.join(", ")))
        }
        None => Ok(()),
    }
}

/// Reads a scenario from its TOML.
///
/// # Errors
/// All that is wrong in it, each with its line and column and what is allowed there.
pub fn parse(path: &Path, text: &str) -> Result<Vec<Trial>, BadFiles> {
    let (source, file) = Source::read::<File>(path, text)?;
    let played = file.played();
    let texts = played.iter().map(|(set, _)| text_of(set)).collect();
    let mut reader = Reader { source, variants: file.variant.clone(), texts };
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    file.check(&mut reader);
    let mut trials = Vec::new();
    for number in 0..file.variant.len().max(1) {
        let label = file.variant.get(number).map(label).filter(|label| !label.is_empty());
        let name = label.map_or_else(|| stem.clone(), |label| format!("{stem}[{label}]"));
        for (set, key) in &played {
            for layout in file.chosen(set) {
                let trial = file.trial(&mut reader, number, set, layout, key);
                trials.push(Trial { name: format!("{name}::{}", trial.name), ..trial });
            }
        }
    }
    if trials.is_empty() && reader.source.is_right() {
        let problem = "no rule set is named that plays on these layouts, so nothing would run";
        let known = rules::all().iter().map(|set| set.id.as_str()).chain(names::GROUPS).collect::<Vec<_>>();
        reader.source.wrong(&[Place::default().of("endings")], Wrong::new("", problem, known.join(", ")));
    }
    reader.source.end(trials)
}

/// Reads a scenario's file.
///
/// # Errors
/// As [`parse`].
pub fn read(path: &Path) -> Result<Vec<Trial>, BadFiles> {
    let text = bounded::read_text(path).map_err(|why| BadFiles::unread(path, &why))?;
    parse(path, &text)
}

/// Reads every scenario in a directory, in the order of their names.
///
/// # Errors
/// What is wrong in any of the files.
pub fn read_all(directory: &Path) -> Result<Vec<Trial>, BadFiles> {
    let entries = std::fs::read_dir(directory).map_err(|why| BadFiles::unread(directory, &why))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    read_each(&paths)
}

/// Reads these scenarios' files.
///
/// # Errors
/// What is wrong in any of them.
pub fn read_each(paths: &[PathBuf]) -> Result<Vec<Trial>, BadFiles> {
    let (mut trials, mut bad) = (Vec::new(), BadFiles::default());
    for path in paths {
        match read(path) {
            Ok(read) => trials.extend(read),
            Err(BadFiles(problems)) => bad.0.extend(problems),
        }
    }
    if bad.0.is_empty() { Ok(trials) } else { Err(bad) }
}
