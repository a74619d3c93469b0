//! The matrix: every fault of the catalogue at every place under every rule set, as trials for the runner.

mod cell;
#[cfg(test)]
mod tests;

pub use cell::{BadCell, Cell, cells};

use crate::fault::{Catalogue, Place};
use tumbler_bench::file::{BenchFile, Exclusion};

/// Adds the cells to the bench's list that the bench cannot run according to the catalogue.
pub fn list_what_cannot_run(bench: &mut BenchFile, catalogue: &Catalogue) {
    for fault in &catalogue.fault {
        for not_on in fault.not_on.iter().filter(|not_on| not_on.bench == bench.kind) {
            let reason = not_on.reason.clone();
            if not_on.phases.is_empty() {
                bench.cannot.push(Exclusion { scenarios: format!("{}@*", fault.id), reason });
                continue;
            }
            for (name, place) in Place::ALL {
                // A group's places depend on the rule set, but no reason for leaving cells out has depended on it so far.
                if not_on.phases.iter().any(|group| place.is_in(group, "nz-div9")) {
                    bench
                        .cannot
                        .push(Exclusion { scenarios: format!("{}@{name}::*", fault.id), reason: reason.clone() });
                }
            }
        }
    }
}
