//! Merges results: shards of several benches, or a run and its repetition.

use super::results::{Cell, Results, VERSION};
use std::collections::BTreeMap;

/// Merges results. If a cell was run more than once on the same kind of bench, the worse verdict counts, and of two equal
/// verdicts the later one; `twice` lists these cells.
#[must_use]
pub fn merge(all: Vec<Results>) -> Results {
    let mut runs: Vec<_> = all.into_iter().flat_map(|results| results.runs).collect();
    runs.sort_by_key(|run| run.begun);
    let mut best: BTreeMap<(String, String), (usize, Cell)> = BTreeMap::new();
    let mut twice = Vec::new();
    for (number, run) in runs.iter_mut().enumerate() {
        for cell in core::mem::take(&mut run.cells) {
            let key = (run.bench.clone(), cell.name.clone());
            let Some((_, old)) = best.get(&key) else {
                best.insert(key, (number, cell));
                continue;
            };
            let taken = if cell.verdict >= old.verdict { "the later" } else { "the earlier, which is worse" };
            twice.push(format!(
                "{} on {}: {} and then {}; {taken} counts",
                cell.name,
                run.bench,
                old.verdict.word(),
                cell.verdict.word()
            ));
            if cell.verdict >= old.verdict {
                best.insert(key, (number, cell));
            }
        }
    }
    for (number, cell) in best.into_values() {
        if let Some(run) = runs.get_mut(number) {
            run.cells.push(cell);
        }
    }
    Results { version: VERSION, runs, twice }
}
