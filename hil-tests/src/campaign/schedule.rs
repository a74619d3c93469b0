//! The days of a campaign: steps in words, drawn from the seed.

use super::dealer::Dealer;
use super::swarm::Swarm;
use super::table::Table;
use crate::scenario::{Trial, parse};
use clap::ValueEnum;
use tumbler_core::record::Kind;
use tumbler_twin::rng::Rng;

/// Least and most rounds of a day.
const ROUNDS: (u64, u64) = (20, 51);

/// What breaks in a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Faults {
    /// Each day a random subset of all faults; the judges decide.
    Swarm,
    /// Healthy, noisy tables, with dealers whose mistakes void no round: every round ends settled.
    None,
}

impl Faults {
    /// The word on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Swarm => "swarm",
            Self::None => "none",
        }
    }
}

/// The plan of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayPlan {
    /// Its number in the campaign, from 0.
    pub number: u64,
    /// Its own seed.
    pub seed: u64,
    /// Rounds to be dealt on it.
    pub rounds: u64,
    /// What breaks.
    pub faults: Faults,
}

/// The days of a campaign.
#[must_use]
pub fn plans(seed: u64, rounds: u64, faults: Faults) -> Vec<DayPlan> {
    let mut rng = Rng::new(seed);
    let mut left = rounds;
    let mut plans = Vec::new();
    while left > 0 {
        let rounds = rng.range(ROUNDS.0, ROUNDS.1).min(left);
        left -= rounds;
        plans.push(DayPlan { number: plans.len() as u64, seed: rng.bits(), rounds, faults });
    }
    plans
}

impl DayPlan {
    /// The day as a scenario.
    #[must_use]
    pub fn trial(&self) -> Trial {
        let mut rng = Rng::new(self.seed);
        let table = Table::drawn(&mut rng);
        let seed = rng.bits();
        let (about, words, never) = match self.faults {
            Faults::None => {
                let words = Dealer::drawn(&mut rng, table).healthy_day(self.rounds);
                ("A healthy, noisy day: every round is settled", words, vec![Kind::Voided, Kind::Latched])
            }
            Faults::Swarm => {
                let words = Swarm::drawn(&mut rng, table).day(self.rounds);
                ("A day on which much breaks", words, Vec::new())
            }
        };
        Trial {
            name: format!("day-{}::{}", self.number, table.layout),
            about: about.into(),
            rules: table.rules.into(),
            layout: table.layout.into(),
            reader: table.reader,
            steps: words.into_iter().map(|words| read(words, table.layout)).collect(),
            endings: Vec::new(),
            latched: Vec::new(),
            latches: Vec::new(),
            phase: None,
            never,
            must_show: true,
            in_order: true,
            // Numbers in TOML are signed.
            seed: Some(seed >> 1),
            free: true,
        }
    }
}

/// Parses the step's words. The test below shows that all of them can be parsed; a step that cannot would do nothing.
fn read(words: String, layout: &str) -> (String, Vec<crate::scenario::step::Step>) {
    let steps = parse::step(&words, layout).unwrap_or_default();
    (words, steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_can_be_read_and_follows_from_the_seed() {
        for faults in [Faults::None, Faults::Swarm] {
            let days = || plans(7, 3000, faults);
            assert_eq!(days(), days());
            assert_ne!(days(), plans(8, 3000, faults));
            assert_eq!(days().iter().map(|day| day.rounds).sum::<u64>(), 3000);
            for day in days() {
                let trial = day.trial();
                assert_eq!(trial, day.trial());
                assert!(trial.steps.len() > 3);
                for (words, steps) in &trial.steps {
                    assert!(!steps.is_empty(), "`{words}` cannot be read: {:?}", parse::step(words, &trial.layout));
                }
            }
        }
    }
}
