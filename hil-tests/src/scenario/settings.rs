//! Changes to the table's settings, in effect from the daemon's next start.

use super::step::Change;
use tumbler_bench::{Bench, BenchError};
use tumbler_core::rules;
use tumbler_core::settings::Settings;

/// The table's own settings, while others are set.
#[derive(Debug, Default)]
pub(super) struct OwnSettings(Option<Settings>);

impl OwnSettings {
    /// Whether others are set.
    pub(super) fn is_changed(&self) -> bool {
        self.0.is_some()
    }

    /// Changes the settings. The table itself, its dome and its lamps, stays as it was built.
    pub(super) fn change(&mut self, bench: &mut dyn Bench, change: &Change) -> Result<(), BenchError> {
        let now = bench.settings().clone();
        let other = match change {
            Change::Own => match self.0.take() {
                Some(own) => own,
                None => return Ok(()),
            },
            Change::Layout(id) => {
                let of = rules::all().iter().find(|set| set.layouts.iter().any(|layout| layout.id == *id));
                let Some(set) = of else { return Err(BenchError::Rig(format!("`{id}` is no layout"))) };
                Settings { rules: set.id.clone(), layout: id.clone(), ..now.clone() }
            }
            Change::Parameter(name, value) => {
                let rig = |problem: serde_json::Error| BenchError::Rig(format!("parameter {name}: {problem}"));
                let mut parameters = serde_json::to_value(now.parameters).map_err(rig)?;
                if let Some(parameter) = parameters.get_mut(name) {
                    *parameter = (*value).into();
                }
                Settings { parameters: serde_json::from_value(parameters).map_err(rig)?, ..now.clone() }
            }
        };
        if *change != Change::Own {
            self.0.get_or_insert(now);
        }
        bench.reconfigure(other)
    }
}
