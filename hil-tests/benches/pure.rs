//! Table time per wall time of the pure bench, judges on, one core, on the reference round of 49 s.
//! Target: at least 10,000. Printed, never asserted: a machine's speed is no test.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::time::Instant;
use tumbler_hil::measure::reference;

/// Rounds a run: enough that the opening tests weigh little.
const ROUNDS: u32 = 200;

fn main() {
    let mut best = 0.0_f64;
    for seed in 1..=5 {
        let begun = Instant::now();
        match reference::play(ROUNDS, seed) {
            Ok(done) => {
                let wall = begun.elapsed().as_secs_f64();
                let ratio = done.table_ns as f64 / 1e9 / wall;
                best = best.max(ratio);
                println!(
                    "seed {seed}: {:.0} s of table time in {:.3} s: {ratio:.0} x, {:.0} rounds/s, {:.0} events/s, {:.1} records/round",
                    done.table_ns as f64 / 1e9,
                    wall,
                    f64::from(done.rounds) / wall,
                    done.events as f64 / wall,
                    done.records as f64 / f64::from(done.rounds),
                );
            }
            Err(trouble) => println!("seed {seed}: {trouble}"),
        }
    }
    println!("best {best:.0} x (target 10000 x)");
}
