//! A cell as a scenario's file, for whoever wants to play it alone or change it.

use crate::scenario::{Ending, Trial};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct File<'a> {
    about: &'a str,
    reader: bool,
    steps: Vec<&'a str>,
    at_end: AtEnd<'a>,
    endings: BTreeMap<&'a str, Vec<String>>,
}

#[derive(Serialize)]
struct AtEnd<'a> {
    latched: &'a [String],
    latches: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'a str>,
    never: &'a [String],
}

/// The file's text.
///
/// # Errors
/// What TOML cannot hold.
pub fn scenario(trial: &Trial) -> Result<String, toml::ser::Error> {
    let ending = |ending: &Ending| match ending {
        Ending::Settled { dice: None, clause } => format!("settled: {clause}"),
        Ending::Settled { dice: Some([a, b, c]), clause } => format!("settled {a} {b} {c}: {clause}"),
        Ending::Void { reason, clause } => format!("void {reason}: {clause}"),
        Ending::Unfinished { clause } => format!("unfinished: {clause}"),
    };
    toml::to_string_pretty(&File {
        about: &trial.about,
        reader: trial.reader,
        steps: trial.steps.iter().map(|(text, _)| text.as_str()).collect(),
        at_end: AtEnd {
            latched: &trial.latched,
            latches: &trial.latches,
            phase: trial.phase.as_deref(),
            never: &trial.never,
        },
        endings: BTreeMap::from([(trial.rules.as_str(), trial.endings.iter().map(ending).collect())]),
    })
}
