//! The reference round: 49 s of table time, played over and over, to measure how fast the pure bench is.

use crate::scenario::{Trial, Verdict, file, run};
use std::path::Path;
use tumbler_bench::pure::{Pure, Setup};
use tumbler_bench::{Bench, BenchError};

/// What a measurement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Rounds that were settled.
    pub rounds: u32,
    /// Table time of all of them and of the opening, in nanoseconds.
    pub table_ns: u64,
    /// Inputs that the table took.
    pub events: u64,
    /// Records that became durable.
    pub records: u64,
}

/// A round of 49 s as a dealer plays it under New Zealand's rules: the spin, 25 s of betting, the dome, the keys, the winners.
const ROUND: &str = r#"
about = "The reference round"
steps = ["open table", ROUNDS]
endings.nz-div9 = []
"#;

/// One round, in steps.
const STEPS: &str = r#""play to spun", "press place_bets", "at betting", "pass 25 s", "play to revealed", "pass 2 s", "play to entered", "pass 10500 ms", "play to settled", "lower dome", "pass 2300 ms""#;

/// The trial of this many reference rounds.
///
/// # Errors
/// [`BenchError::Rig`] where it cannot be read.
pub fn trial(rounds: u32) -> Result<Trial, BenchError> {
    let steps = vec![STEPS; rounds as usize].join(", ");
    let text = ROUND.replace("ROUNDS", &steps);
    let trials = file::parse(Path::new("reference"), &text).map_err(|bad| BenchError::Rig(bad.to_string()))?;
    let mut trial = trials.into_iter().next().ok_or_else(|| BenchError::Rig("no reference trial".into()))?;
    trial.endings = (0..rounds).map(|_| file::Ending::Settled { dice: None, clause: "NZ9 6.3".into() }).collect();
    Ok(trial)
}

/// Plays a number of reference rounds on one table, with judges.
///
/// # Errors
/// [`BenchError::Rig`] where a round was not settled, or a judge found something.
pub fn play(rounds: u32, seed: u64) -> Result<Figures, BenchError> {
    let trial = trial(rounds)?;
    let mut bench = Pure::new(Setup::of(&trial.rules, &trial.layout, seed))?;
    let outcome = run(&mut bench, &trial);
    if outcome.verdict != Verdict::Pass {
        return Err(BenchError::Rig(format!(
            "the reference round: {} {}",
            crate::report::word(&outcome.verdict),
            crate::report::reason(&outcome.verdict)
        )));
    }
    let records = bench.log().records.len() as u64;
    Ok(Figures { rounds, table_ns: outcome.table_ns, events: bench.events(), records })
}
