//! What a search inspects between two steps, and how it keeps its copies of the bench small.

use super::Pure;
use serde_json::{Value, json};
use tumbler_core::table::Table;
use tumbler_spec::{Exercise, Violation};
use tumbler_twin::Twin;

impl Pure {
    /// The table, while the daemon runs.
    pub const fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// The twin.
    pub const fn twin(&self) -> &Twin {
        &self.twin
    }

    /// What a start would find now, and whether a commit is in progress.
    pub fn kept(&self) -> Value {
        json!({ "found": self.journal.start_state(&self.boot_id), "idle": self.journal.idle(), "slow": self.is_slow() })
    }

    /// Whether everything that was recorded is durable.
    pub fn is_committed(&self) -> bool {
        self.journal.idle()
    }

    /// Whether commits are withheld.
    pub const fn is_slow(&self) -> bool {
        self.journal.latency() > self.commit_ns
    }

    /// What the judges found so far.
    pub fn violations(&self) -> &[Violation] {
        self.observer.violations()
    }

    /// How often each rule of each judge was exercised.
    pub fn exercised(&self) -> Vec<Exercise> {
        self.observer.exercised()
    }

    /// Drops what only scenarios need, because thousands of copies are kept at once.
    pub fn forget(&mut self) {
        self.log.records = Vec::new();
        self.log.power = Vec::new();
        self.answers.clear();
    }
}
