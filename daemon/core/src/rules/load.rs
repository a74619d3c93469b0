//! Loads the rule sets from the data files that are compiled in, and checks them.

use super::area::{Area, Wager};
use super::duties::Duties;
use super::layout::Layout;
use super::order::Order;
use super::{CLAUSE_KEYS, RuleSet};
use crate::prelude::*;
use crate::round::ending::Ground;
use alloc::collections::{BTreeMap, BTreeSet};
use serde::Deserialize;

/// The data files, by name, in the order in which the rule sets are listed.
pub(super) const FILES: [(&str, &str); 5] = [
    ("nz-1998.toml", include_str!("../../rules/nz-1998.toml")),
    ("nz-div9.toml", include_str!("../../rules/nz-div9.toml")),
    ("sg-v6.toml", include_str!("../../rules/sg-v6.toml")),
    ("sg-open.toml", include_str!("../../rules/sg-open.toml")),
    ("sg-open-early.toml", include_str!("../../rules/sg-open-early.toml")),
];

/// A data file of the rules that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rules/{file}: {problem}")]
pub struct BadRules {
    /// The file.
    pub file: String,
    /// What is wrong with it, and where.
    pub problem: String,
}

/// A data file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    id: String,
    short: String,
    title: String,
    order: Order,
    duties: Duties,
    cited: Vec<String>,
    silent: String,
    voids: BTreeMap<Ground, Vec<String>>,
    clauses: BTreeMap<String, String>,
    layouts: Vec<LayoutEntry>,
}

/// A layout as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LayoutEntry {
    id: String,
    count: usize,
    source: String,
    areas: Vec<AreaEntry>,
}

/// An area as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AreaEntry {
    id: String,
    odds: Vec<u32>,
    clause: String,
}

/// Loads all rule sets.
///
/// # Errors
/// [`BadRules`] for the first file that does not parse or breaks a check.
pub(super) fn load() -> Result<Vec<RuleSet>, BadRules> {
    FILES.iter().map(|(name, text)| parse(text).map_err(|problem| BadRules { file: (*name).into(), problem })).collect()
}

/// One rule set from a data file's text.
pub(super) fn parse(text: &str) -> Result<RuleSet, String> {
    let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
    for (key, clause) in &file.clauses {
        if !CLAUSE_KEYS.iter().any(|(known, _)| known == key) {
            return Err(format!("clauses.{key}: no such key"));
        }
        cites(&file.short, clause).map_err(|e| format!("clauses.{key}: {e}"))?;
    }
    for (ground, clauses) in &file.voids {
        for clause in clauses {
            cites(&file.short, clause).map_err(|e| format!("voids.{ground:?}: {e}"))?;
            if !file.cited.contains(clause) {
                return Err(format!("voids.{ground:?}: `{clause}` has no place in `cited`"));
            }
        }
    }
    let layouts = file
        .layouts
        .into_iter()
        .map(|entry| layout(entry, &file.id, &file.short))
        .collect::<Result<Vec<Layout>, String>>()?;
    Ok(RuleSet {
        id: file.id,
        short: file.short,
        title: file.title,
        order: file.order,
        duties: file.duties,
        cited: file.cited,
        silent: file.silent,
        voids: file.voids.into_iter().collect(),
        clauses: file.clauses.into_iter().collect(),
        layouts,
    })
}

fn layout(entry: LayoutEntry, rules: &str, short: &str) -> Result<Layout, String> {
    let LayoutEntry { id, count, source, areas: entries } = entry;
    let here = |problem: String| format!("layout `{id}`: {problem}");
    if entries.len() != count || count > Layout::MOST_AREAS {
        return Err(here(format!(
            "{} areas are listed, `count` says {count}, at most {} can be",
            entries.len(),
            Layout::MOST_AREAS
        )));
    }
    cites(short, &source).map_err(here)?;
    let mut seen = BTreeSet::new();
    let mut areas = Vec::with_capacity(count);
    for AreaEntry { id: area, odds, clause } in entries {
        let wager = Wager::from_id(&area).map_err(here)?;
        if !seen.insert(area.clone()) {
            return Err(here(format!("`{area}` is listed twice")));
        }
        if odds.len() != wager.odds_stated() || odds.contains(&0) {
            return Err(here(format!("`{area}`: {} odds above 0 are needed, not {odds:?}", wager.odds_stated())));
        }
        cites(short, &clause).map_err(|e| here(format!("`{area}`: {e}")))?;
        areas.push(Area { id: area, wager, odds, clause });
    }
    Ok(Layout::new(id, rules.into(), source, areas))
}

/// Checks that a clause begins with its document's short name.
fn cites(short: &str, clause: &str) -> Result<(), String> {
    match clause.strip_prefix(short).and_then(|rest| rest.strip_prefix(' ')) {
        Some(rest) if !rest.trim().is_empty() => Ok(()),
        _ => Err(format!("`{clause}` does not begin with `{short} ` and a clause")),
    }
}
