//! `tumbler-hil list`, and the selection of trials.

use super::{Choice, say};
use crate::report;
use crate::runner::cannot;
use crate::scenario::file::read_each;
use crate::scenario::{Trial, read_all};
use anyhow::bail;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tumbler_bench::Wrong;
use tumbler_bench::file::BenchFile;

/// The scenario files among what was given, and the names of scenarios.
pub(super) fn files_and_names(given: &[String]) -> (Vec<PathBuf>, Vec<&str>) {
    let (files, names): (Vec<&str>, Vec<&str>) = given.iter().map(String::as_str).partition(|it| it.ends_with(".toml"));
    (files.into_iter().map(PathBuf::from).collect(), names)
}

/// The bench, and the selected trials: of the files that are given, or of the bench's own scenarios.
pub(super) fn chosen(choice: &Choice) -> anyhow::Result<(BenchFile, Vec<Trial>)> {
    let bench = BenchFile::read(&choice.bench)?;
    let own = read_all(&bench.scenarios)?;
    bench.check_cannot(&own.iter().map(|trial| trial.name.as_str()).collect::<Vec<_>>())?;
    let (files, names) = files_and_names(&choice.scenarios);
    let all = if files.is_empty() { own } else { read_each(&files)? };
    let twice = |(place, trial): (usize, &Trial)| all.iter().take(place).any(|before| before.name == trial.name);
    if let Some((_, trial)) = (!files.is_empty()).then(|| all.iter().enumerate().find(|it| twice(*it))).flatten() {
        bail!(
            "there are two scenarios `{}`: files need names of their own, so that their results can be told apart",
            trial.name
        );
    }
    for id in &choice.rules {
        known("rule set of these scenarios", id, all.iter().map(|trial| trial.rules.as_str()))?;
    }
    for id in &choice.layout {
        known("layout of these scenarios", id, all.iter().map(|trial| trial.layout.as_str()))?;
    }
    for name in &names {
        if !all.iter().any(|trial| selects(name, trial, choice.only)) {
            if Path::new(name).is_dir() {
                bail!("`{name}` is a directory: name files in it, such as `{}/*.toml`", name.trim_end_matches('/'));
            }
            let file = format!("{name}.toml");
            if Path::new(&file).is_file() {
                bail!("unknown scenario `{name}`: did you mean the file `{file}`?");
            }
            let scenario = |trial: &'_ Trial| trial.name.split(['[', ':']).next().unwrap_or_default().to_owned();
            let scenarios: BTreeSet<String> = all.iter().map(scenario).collect();
            return Err(Wrong::unknown("scenario", name, scenarios.iter().map(String::as_str)).into());
        }
    }
    let among = |ids: &[String], id: &str| ids.is_empty() || ids.iter().any(|i| i == id);
    let mut trials: Vec<Trial> = all
        .iter()
        .filter(|trial| among(&choice.rules, &trial.rules) && among(&choice.layout, &trial.layout))
        .filter(|trial| names.is_empty() || names.iter().any(|name| selects(name, trial, choice.only)))
        .cloned()
        .collect();
    if choice.each_once {
        trials = each_once(trials);
    }
    if trials.is_empty() {
        bail!("no scenario is meant by all of this together; `tumbler-hil list` lists them");
    }
    Ok((bench, trials))
}

/// Keeps one layout of each variant or cell: the n-th variant's n-th, so that together they cover all of them.
pub(super) fn each_once(trials: Vec<Trial>) -> Vec<Trial> {
    let mut variants: Vec<Vec<Trial>> = Vec::new();
    for trial in trials {
        let variant = |trial: &Trial| trial.name.split("::").next().map(str::to_owned);
        match variants.last_mut() {
            Some(same) if same.first().and_then(variant) == variant(&trial) => same.push(trial),
            _ => variants.push(vec![trial]),
        }
    }
    let one = |(place, layouts): (usize, Vec<Trial>)| {
        let count = layouts.len();
        layouts.into_iter().nth(place % count)
    };
    variants.into_iter().enumerate().filter_map(one).collect()
}

fn known<'a>(what: &str, id: &str, all: impl Iterator<Item = &'a str>) -> Result<(), Wrong> {
    let known: BTreeSet<&str> = all.collect();
    if known.contains(id) { Ok(()) } else { Err(Wrong::unknown(what, id, known.iter().copied())) }
}

/// Whether `words` selects the trial: by part of its name; with `whole`, only by its whole name, or its scenario with or without the
/// variant.
pub(super) fn selects(words: &str, trial: &Trial, whole: bool) -> bool {
    let scenario = trial.name.split("::").next().unwrap_or_default();
    let file = scenario.split('[').next().unwrap_or_default();
    if whole { [trial.name.as_str(), scenario, file].contains(&words) } else { trial.name.contains(words) }
}

/// Refuses words that select none of these cells, each with the nearest name.
pub(super) fn all_mean_some<'a>(
    words: &[String],
    cells: impl Iterator<Item = &'a Trial> + Clone,
    whole: bool,
) -> Result<(), Wrong> {
    let Some(unknown) = words.iter().find(|words| !cells.clone().any(|cell| selects(words, cell, whole))) else {
        return Ok(());
    };
    let known: BTreeSet<&str> =
        cells.flat_map(|cell| [Some(cell.name.as_str()), cell.name.split(['@', ':']).next()]).flatten().collect();
    Err(Wrong::unknown("cell", unknown, known))
}

pub(super) fn list(choice: &Choice) -> anyhow::Result<u8> {
    let (bench, trials) = chosen(choice)?;
    let mut about = "";
    for trial in &trials {
        if trial.about != about {
            about = &trial.about;
            say::line(&format!("\n{about}"));
        }
        match cannot(&bench, trial) {
            Some(reason) => say::line(&format!("  {}  (not on this bench: {reason})", trial.name)),
            None => say::line(&format!("  {}", trial.name)),
        }
    }
    say::line(&format!("\n{} trials for bench {}", trials.len(), bench.kind.name()));
    Ok(report::PASSED)
}
