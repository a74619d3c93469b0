//! Other settings for the table, which count from the daemon's next start.

use super::run::{Halt, Runner};
use super::step::Change;
use tumbler_bench::Trouble;
use tumbler_core::rules;
use tumbler_core::settings::Settings;

impl Runner<'_> {
    /// Changes the settings. The table itself, its dome and its lamps, stays as it was built.
    pub(super) fn set(&mut self, change: &Change) -> Result<(), Halt> {
        let now = self.bench.settings().clone();
        let other = match change {
            Change::Own => match self.own.take() {
                Some(own) => own,
                None => return Ok(()),
            },
            Change::Layout(id) => {
                let of = rules::all().iter().find(|set| set.layouts.iter().any(|layout| layout.id == *id));
                let Some(set) = of else { return Err(Trouble::Rig(format!("`{id}` is no layout")).into()) };
                Settings { rules: set.id.clone(), layout: id.clone(), ..now.clone() }
            }
            Change::Parameter(name, value) => {
                let rig = |problem: serde_json::Error| Trouble::Rig(format!("parameter {name}: {problem}"));
                let mut parameters = serde_json::to_value(now.parameters).map_err(rig)?;
                if let Some(parameter) = parameters.get_mut(name) {
                    *parameter = (*value).into();
                }
                Settings { parameters: serde_json::from_value(parameters).map_err(rig)?, ..now.clone() }
            }
        };
        if *change != Change::Own {
            self.own.get_or_insert(now);
        }
        Ok(self.bench.reconfigure(other)?)
    }
}
