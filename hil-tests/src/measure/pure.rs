//! Table time per wall time of the pure bench, judges on, on the reference round of 49 s.

use super::Figure;
use super::reference;
use crate::measure::round_player::fault;
use std::time::Instant;
use tumbler_bench::process::rig_fault::RigFault;

/// Rounds a run: enough that the opening tests weigh little.
const ROUNDS: u32 = 500;
/// Runs of which the fastest counts: the others were disturbed.
const RUNS: u64 = 3;

/// Measures.
///
/// # Errors
/// [`RigFault`] when a round does not go as it should.
pub fn measure() -> Result<Vec<Figure>, RigFault> {
    let mut best = (0.0, String::new());
    for seed in 1..=RUNS {
        let begun = Instant::now();
        let done = reference::play(ROUNDS, seed).map_err(fault)?;
        let wall = begun.elapsed().as_secs_f64();
        let ratio = done.table_ns as f64 / 1e9 / wall;
        if ratio > best.0 {
            let rates = format!("{:.0} rounds/s, {:.0} events/s", f64::from(ROUNDS) / wall, done.events as f64 / wall);
            best = (ratio, rates);
        }
    }
    let (ratio, rates) = best;
    let build = if cfg!(debug_assertions) { "debug build: no measure" } else { "one core, judges on" };
    Ok(vec![Figure::new(
        &format!("pure: table time per wall time, {ROUNDS} reference rounds of 49 s"),
        format!("{ratio:.0} x; {rates}"),
        build.into(),
        "at least 10,000 x",
        ratio >= 10_000.0,
    )])
}
