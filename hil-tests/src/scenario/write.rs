//! A trial as a scenario file, which reads back as the same trial.

use super::{Ending, Trial};
use serde::Serialize;
use std::collections::BTreeMap;
use tumbler_core::snapshot::Phase;

#[derive(Serialize)]
struct File<'a> {
    about: &'a str,
    layouts: [&'a str; 1],
    reader: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    free: bool,
    steps: Vec<&'a str>,
    at_end: AtEnd<'a>,
    endings: BTreeMap<&'a str, Vec<String>>,
}

#[derive(Serialize)]
struct AtEnd<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    latched: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latches: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'a str>,
    never: Vec<&'a str>,
}

/// An ending as files have it.
pub(super) fn words(ending: &Ending) -> String {
    match ending {
        Ending::Settled { dice: Some([a, b, c]), clause } => format!("settled {a} {b} {c}: {clause}"),
        Ending::Settled { dice: None, clause } => format!("settled: {clause}"),
        Ending::Void { reason, clause } => format!("void {}: {clause}", reason.name()),
        Ending::Unfinished { clause } => format!("unfinished: {clause}"),
    }
}

/// The file's text; `seed` is that of the twin.
///
/// # Errors
/// A value that TOML cannot represent.
pub fn text(trial: &Trial, about: &str, seed: Option<u64>) -> Result<String, toml::ser::Error> {
    // In free play nothing of this is asserted.
    let asserted = !trial.free;
    let endings = trial.endings.iter().filter(|_| asserted).map(words).collect();
    toml::to_string_pretty(&File {
        about,
        layouts: [&trial.layout],
        reader: trial.reader,
        seed: trial.seed.or(seed).map(|seed| i64::from_ne_bytes(seed.to_ne_bytes())),
        free: trial.free,
        steps: trial.steps.iter().map(|(words, _)| words.as_str()).collect(),
        at_end: AtEnd {
            latched: asserted.then(|| trial.latched.iter().map(|code| code.name()).collect()),
            latches: asserted.then(|| trial.latches.iter().map(|code| code.name()).collect()),
            phase: trial.phase.filter(|_| asserted).map(Phase::name),
            never: trial.never.iter().map(|kind| kind.name()).collect(),
        },
        endings: BTreeMap::from([(trial.rules.as_str(), endings)]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::schedule::{Faults, plans};
    use crate::scenario::file;
    use std::path::Path;

    #[test]
    fn a_day_reads_back_as_it_was() {
        for plan in plans(3, 200, Faults::Swarm).iter().chain(&plans(3, 100, Faults::None)) {
            let trial = Trial { seed: Some(u64::MAX - plan.number), ..plan.trial() };
            let text = text(&trial, &trial.about, None).unwrap();
            let read = file::parse(Path::new("day.toml"), &text).unwrap();
            assert_eq!(read, [Trial { name: read[0].name.clone(), ..trial }]);
        }
    }
}
