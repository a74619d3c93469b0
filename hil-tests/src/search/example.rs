//! A counter-example as a scenario: the path in words, with the endings of its rounds, so that `tumbler-hil run` plays it with the
//! same random numbers and the judges find the same.

use crate::runner::seed;
use crate::scenario::{Trial, parse, play_steps};
use serde::Serialize;
use std::collections::BTreeMap;
use tumbler_bench::BenchError;
use tumbler_bench::pure::Pure;
use tumbler_bench::{Bench, pure::Setup};
use tumbler_core::record::Event;

/// Name of the scenario that is searched. The seed is derived from it.
pub(super) const NAME: &str = "counter-example";

/// A shortest path to a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// What is wrong, with the clause that says so.
    pub wrong: String,
    /// Letters from the root on.
    pub letters: usize,
    /// The steps, from a table that was never opened.
    pub steps: Vec<String>,
}

#[derive(Serialize)]
struct File<'a> {
    about: String,
    /// Numbers in TOML are signed: half of the seeds are negative ones.
    seed: i64,
    steps: &'a [String],
    endings: BTreeMap<&'a str, Vec<String>>,
    at_end: AtEnd,
}

#[derive(Serialize)]
struct AtEnd {
    latched: Vec<String>,
    latches: Vec<String>,
}

/// A bench for these trials, with the seed that the scenario's file has.
///
/// # Errors
/// [`BenchError::Rig`] if it cannot be built.
pub(super) fn bench(trial: &Trial) -> Result<Pure, BenchError> {
    // Orders of play that no scenario has still lead the specification into errors of its own.
    Pure::new(Setup { exact: false, ..Setup::of(&trial.rules, &trial.layout, seed(&trial.name, 0)) })
}

impl Example {
    /// Whether another one shows the same, apart from numbers.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let words = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        words(&self.wrong) == words(&other.wrong)
    }

    /// The scenario's file. Its endings and latches are what this build did; the violation is described in `about`, and the judges
    /// or a person find it again.
    ///
    /// # Errors
    /// [`BenchError::Rig`] if the path cannot be played again, because the rig is not deterministic.
    pub fn scenario(&self, trial: &Trial) -> Result<String, BenchError> {
        let mut bench = bench(trial)?;
        for words in &self.steps {
            let steps = parse::step(words, &trial.layout).map_err(|bad| BenchError::Rig(bad.to_string()))?;
            // The violation may be in the last one.
            let _ = play_steps(&mut bench, trial, &steps);
        }
        let _ = bench.finish()?;
        let latched = bench.snapshot()?.map(|table| table.malfunctions).unwrap_or_default();
        let mut endings = Vec::new();
        let mut latches = Vec::new();
        let mut begun = 0;
        for durable in &bench.log().records {
            match &durable.record.event {
                Event::RoundBegan { .. } => begun += 1,
                Event::Settled { dice, .. } => {
                    let [a, b, c] = dice.pips();
                    endings.push(format!("settled {a} {b} {c}: silent: as this build did"));
                }
                Event::Voided(void) => {
                    endings.push(format!("void {}: {}", void.reason.name(), void.clauses.join(", ")))
                }
                Event::Latched { code, .. } => latches.push(code.name().to_owned()),
                _ => {}
            }
        }
        let ended = endings.len();
        endings.extend((ended..begun).map(|_| "unfinished: silent: as this build did".to_owned()));
        let file = File {
            about: format!("Found by the search: {}", self.wrong),
            seed: i64::from_ne_bytes(seed(&trial.name, 0).to_ne_bytes()),
            steps: &self.steps,
            endings: BTreeMap::from([(trial.rules.as_str(), endings)]),
            at_end: AtEnd { latched: latched.iter().map(|m| m.code.name().to_owned()).collect(), latches },
        };
        toml::to_string_pretty(&file).map_err(|bad| BenchError::Rig(bad.to_string()))
    }
}
