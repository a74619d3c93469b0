//! How a pure bench is set up.

use super::TABLE;
use crate::settings;
use tumbler_core::settings::Settings;
use tumbler_twin::MS;

/// How a pure bench is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The table's settings.
    pub settings: Settings,
    /// Seed of the twin.
    pub seed: u64,
    /// How long a commit of the journal takes, in nanoseconds.
    pub commit_ns: u64,
    /// Whether the judges watch.
    pub judge: bool,
    /// Whether anything may break at any moment, several parts at once.
    pub free_play: bool,
    /// Whether the whole specification speaks, and not only what of it a bench serves that is late.
    pub exact: bool,
    /// Whether all observations are kept.
    pub trace: bool,
    /// Whether what leaves the table is kept, a line each.
    pub left: bool,
    /// Whether the table's raw inputs are recorded, in the daemon's format.
    pub record: bool,
}

impl Setup {
    /// A bench for this rule set and layout, with judges.
    #[must_use]
    pub fn of(rules: &str, layout: &str, seed: u64) -> Self {
        Self {
            settings: settings(TABLE, rules, layout, 20),
            seed,
            commit_ns: 5 * MS,
            judge: true,
            free_play: false,
            exact: true,
            trace: false,
            left: false,
            record: false,
        }
    }
}
