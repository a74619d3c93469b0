//! Draws the demo's stories from the scenarios of the tests, most often the healthy one.

use crate::scenario::{Trial, file};
use anyhow::{Context, bail};
use std::path::Path;
use tumbler_twin::rng::Rng;

/// Stories with their weights in the draw.
const STORIES: &[(u64, &str, &str)] = &[
    (12, "healthy", include_str!("../../../../fixtures/scenarios/healthy.toml")),
    (3, "not-flat", include_str!("../../../../fixtures/scenarios/not-flat.toml")),
    (2, "exposed", include_str!("../../../../fixtures/scenarios/exposed.toml")),
    (2, "lamp-open", include_str!("../../../../fixtures/scenarios/lamp-open.toml")),
    (2, "short-entry", include_str!("../../../../fixtures/scenarios/short-entry.toml")),
    (2, "wrong-numbers", include_str!("../../../../fixtures/scenarios/wrong-numbers.toml")),
    (2, "few-tumbles-no-spin", include_str!("../../../../fixtures/scenarios/few-tumbles-no-spin.toml")),
    (1, "never-activated", include_str!("../../../../fixtures/scenarios/never-activated.toml")),
    (1, "early-tumble-refused", include_str!("../../../../fixtures/scenarios/early-tumble-refused.toml")),
    (1, "stall", include_str!("../../../../fixtures/scenarios/stall.toml")),
    (1, "kill-mid-spin", include_str!("../../../../fixtures/scenarios/kill-mid-spin.toml")),
    (1, "broker-down", include_str!("../../../../fixtures/scenarios/broker-down.toml")),
];

/// An endless supply of stories, the same for the same seed.
pub(super) struct Stories {
    rng: Rng,
    healthy: Trial,
    /// Trials with their share of the weights, in thousandths.
    trials: Vec<(u64, Trial)>,
    played: u32,
}

impl Stories {
    pub(super) fn new(rules: &str, layout: &str, seed: u64) -> anyhow::Result<Self> {
        let mut trials = Vec::new();
        for (weight, name, text) in STORIES {
            let parsed = file::parse(Path::new(name), text).with_context(|| format!("the story {name}"))?;
            // One trial per variant. Here scenarios run under every layout, also those that the tests run only under the first one.
            let mut mine: Vec<Trial> = parsed.into_iter().filter(|trial| trial.rules == rules).collect();
            mine.dedup_by(|a, b| a.name.split("::").next() == b.name.split("::").next());
            let share = weight.saturating_mul(1000) / (mine.len().max(1) as u64);
            trials.extend(mine.into_iter().map(|trial| (share, Trial { layout: layout.to_owned(), ..trial })));
        }
        let Some((_, healthy)) = trials.first() else { bail!("no story is known under {rules}") };
        Ok(Self { rng: Rng::new(seed), healthy: healthy.clone(), trials, played: 0 })
    }

    /// The next story. The first one is healthy, to show how it should be.
    pub(super) fn next_story(&mut self) -> Trial {
        self.played += 1;
        if self.played == 1 {
            return self.healthy.clone();
        }
        let total: u64 = self.trials.iter().map(|(share, _)| share).sum();
        let mut drawn = self.rng.range(0, total.max(1));
        for (share, trial) in &self.trials {
            if drawn < *share {
                return trial.clone();
            }
            drawn -= share;
        }
        self.healthy.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_tells_the_same_stories_under_every_rule_set() {
        for set in tumbler_core::rules::all() {
            for layout in &set.layouts {
                let names = |seed| {
                    let mut stories = Stories::new(&set.id, &layout.id, seed).unwrap();
                    (0..50).map(|_| stories.next_story().name).collect::<Vec<_>>()
                };
                assert_eq!(names(1), names(1));
                assert_ne!(names(1), names(2));
                assert!(names(1)[0].starts_with("healthy"));
                assert!(names(1).iter().any(|name| !name.starts_with("healthy")));
            }
        }
    }
}
