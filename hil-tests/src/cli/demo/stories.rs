//! Draws the demo's stories from the scenarios of the tests, most often the healthy one, and plays them.

use super::narrator::Narrator;
use crate::cli::say;
use crate::scenario::{Trial, Verdict, file, run};
use anyhow::{Context, bail, ensure};
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use tumbler_bench::file::Kind;
use tumbler_bench::process::clock;
use tumbler_twin::rng::Rng;

/// After so many stories in a row that could not be judged it is not the machine's load.
const GIVEN_UP: u32 = 5;

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

    /// Plays so many stories, or until Ctrl-C. With a name it is one of several tables: each story is told of in a line, and the last one
    /// was the last once all are to end.
    pub(super) fn play(
        &mut self,
        mut narrator: Narrator,
        rounds: Option<u32>,
        other: Option<(&str, &AtomicBool)>,
    ) -> anyhow::Result<Played> {
        let mut played = Played::default();
        let mut in_a_row = 0;
        let ended = || clock::interrupted() || other.is_some_and(|(_, ended)| ended.load(Ordering::Relaxed));
        while rounds.is_none_or(|rounds| played.stories < rounds) && !ended() {
            let story = self.next_story();
            played.stories += 1;
            if other.is_none() {
                say::hanging(&format!("\n── {}. {} ──", played.stories, story.about), 3);
            }
            let verdict = run(&mut narrator, &story).verdict;
            if !matches!(verdict, Verdict::Invalid(_)) {
                in_a_row = 0;
            }
            let ended = match verdict {
                Verdict::Pass => "as the rules have it".to_owned(),
                Verdict::Fail(why) => {
                    played.wrong += 1;
                    format!("NOT as the rules have it: {}", why.join("; "))
                }
                Verdict::NotExecuted(why) => format!("not played: {why}"),
                Verdict::Invalid(_) if clock::interrupted() => break,
                Verdict::Invalid(why) => {
                    played.unjudged += 1;
                    in_a_row += 1;
                    ensure!(in_a_row < GIVEN_UP, "the rig is at fault: {why}\n{}", narrator.log_tail(12));
                    format!("warning: not judged, as this machine was too busy or the rig at fault: {why}")
                }
            };
            match other {
                None => say::hanging(&format!("   {ended}"), 6),
                Some((name, _)) => say::hanging(&format!("── {name}: {}: {ended}", story.about), 6),
            }
            narrator.tidy_up().map_err(|trouble| anyhow::anyhow!("{trouble}"))?;
        }
        played.violations = narrator.close();
        Ok(played)
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

/// What came of stories.
#[derive(Debug, Default)]
pub(super) struct Played {
    stories: u32,
    pub(super) wrong: u32,
    unjudged: u32,
    /// What judges found.
    pub(super) violations: Vec<String>,
}

impl Played {
    /// Adds those of another table.
    pub(super) fn add(&mut self, other: Self) {
        self.stories += other.stories;
        self.wrong += other.wrong;
        self.unjudged += other.unjudged;
        self.violations.extend(other.violations);
    }
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stories = if self.stories == 1 { "story" } else { "stories" };
        write!(f, "{} {stories} played on bench {}, {} wrong", self.stories, Kind::Virtual.name(), self.wrong)?;
        if self.unjudged > 0 {
            write!(f, ", {} not judged", self.unjudged)?;
        }
        f.write_str(if self.violations.is_empty() {
            "; the judges found nothing"
        } else {
            "; the judges found the above"
        })
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
                let one = names(1);
                assert_eq!(one, names(1));
                assert_ne!(one, names(2));
                assert!(one[0].starts_with("healthy"));
                assert!(one.iter().any(|name| !name.starts_with("healthy")));
            }
        }
    }
}
