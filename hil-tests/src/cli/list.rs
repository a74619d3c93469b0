//! `tumbler-hil list`, and the selection of trials.

use super::{Choice, say};
use crate::report;
use crate::scenario::{Trial, read_all};
use anyhow::{Context, bail};
use tumbler_bench::file::BenchFile;

/// The bench, and the selected trials.
pub(super) fn chosen(choice: &Choice) -> anyhow::Result<(BenchFile, Vec<Trial>)> {
    let bench = BenchFile::read(&choice.bench)?;
    let (all, source, by_name) = match choice.scenarios.as_slice() {
        // A scenario file by its path.
        [path] if path.ends_with(".toml") => {
            let text = std::fs::read_to_string(path).with_context(|| format!("read {path}"))?;
            (crate::scenario::file::parse(std::path::Path::new(path), &text)?, path.clone(), false)
        }
        names => {
            let source = bench.scenarios.display().to_string();
            (read_all(&bench.scenarios).context("a scenario's file")?, source, !names.is_empty())
        }
    };
    for id in &choice.rules {
        known(id, all.iter().map(|trial| trial.rules.as_str()), "rule set")?;
    }
    for id in &choice.layout {
        known(id, all.iter().map(|trial| trial.layout.as_str()), "layout")?;
    }
    let among = |ids: &[String], id: &str| ids.is_empty() || ids.iter().any(|i| i == id);
    let mut trials: Vec<Trial> = all
        .iter()
        .filter(|trial| among(&choice.rules, &trial.rules) && among(&choice.layout, &trial.layout))
        .filter(|trial| !by_name || choice.scenarios.iter().any(|s| selects(s, trial, choice.only)))
        .cloned()
        .collect();
    if choice.each_once {
        trials = each_once(trials);
    }
    if trials.is_empty() {
        bail!("no scenario of {source} is meant by this; `tumbler-hil list` lists them");
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

fn known<'a>(id: &str, all: impl Iterator<Item = &'a str> + Clone, what: &str) -> anyhow::Result<()> {
    if all.clone().any(|known| known == id) {
        return Ok(());
    }
    let mut ids: Vec<&str> = all.collect();
    ids.sort_unstable();
    ids.dedup();
    bail!("`{id}` is no {what} of a scenario; they are {}", ids.join(", "))
}

/// Whether `words` selects the trial: by part of its name; with `whole`, only by its whole name, or its scenario with or without the
/// variant.
pub(super) fn selects(words: &str, trial: &Trial, whole: bool) -> bool {
    let scenario = trial.name.split("::").next().unwrap_or_default();
    let file = scenario.split('[').next().unwrap_or_default();
    if whole { [trial.name.as_str(), scenario, file].contains(&words) } else { trial.name.contains(words) }
}

pub(super) fn list(choice: &Choice) -> anyhow::Result<u8> {
    let (bench, trials) = chosen(choice)?;
    let mut about = "";
    for trial in &trials {
        if trial.about != about {
            about = &trial.about;
            say::line(&format!("\n{about}"));
        }
        match bench.cannot(&trial.name) {
            Some(reason) => say::line(&format!("  {}  (not on this bench: {reason})", trial.name)),
            None => say::line(&format!("  {}", trial.name)),
        }
    }
    say::line(&format!("\n{} trials for bench {}", trials.len(), bench.kind.name()));
    Ok(report::PASSED)
}
