//! Whatever a bench can break: a fault of the twin, or one of the daemon's environment. Both are declared in tables of the same rows.

use crate::{Bench, BenchError, EnvironmentFault};
use tumbler_core::rules::Layout;
use tumbler_twin::fault_row::Entry;
use tumbler_twin::{Declared, Fault, Wrong};

/// A fault of the twin or of the daemon's environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyFault {
    /// Of the table.
    Part(Fault),
    /// Around the daemon.
    Environment(EnvironmentFault),
}

impl AnyFault {
    /// The fault with this name, its id with its argument. Areas are those of this layout.
    ///
    /// # Errors
    /// The id or the argument that is wrong, with the nearest one.
    pub fn named(name: &str, layout: Option<&Layout>) -> Result<Self, Wrong> {
        let id = name.split(':').next().unwrap_or_default();
        if EnvironmentFault::entry(name).is_some() {
            EnvironmentFault::named(name, layout).map(Self::Environment)
        } else if Fault::entry(name).is_some() {
            Fault::named(name, layout).map(Self::Part)
        } else {
            Err(Wrong::unknown("fault", id, Self::entries().map(|entry| entry.id)))
        }
    }

    /// What is declared of every fault: first of the twin's, then of the environment's.
    pub fn entries() -> impl Iterator<Item = &'static Entry> + Clone {
        let twin = Fault::TABLE.iter().map(|row| &row.entry);
        twin.chain(EnvironmentFault::TABLE.iter().map(|row| &row.entry))
    }

    /// The steps that heal the fault with this name; `None` if no step does, or there is no such fault.
    #[must_use]
    pub fn heal_steps(name: &str) -> Option<String> {
        Fault::entry(name).or_else(|| EnvironmentFault::entry(name))?.heal(name)
    }

    /// Breaks it on this bench.
    ///
    /// # Errors
    /// [`BenchError`].
    pub fn inject(self, bench: &mut dyn Bench) -> Result<(), BenchError> {
        match self {
            Self::Part(fault) => bench.fault(fault),
            Self::Environment(fault) => bench.disturb(fault),
        }
    }

    /// Heals it.
    ///
    /// # Errors
    /// [`BenchError`].
    pub fn heal(self, bench: &mut dyn Bench) -> Result<(), BenchError> {
        match self {
            Self::Part(fault) => bench.heal(fault),
            Self::Environment(fault) => bench.restore(fault),
        }
    }

    /// Whether it has taken effect since the bench began.
    pub fn took_effect(self, bench: &mut dyn Bench) -> bool {
        match self {
            Self::Part(fault) => bench.fault_took_effect(fault),
            Self::Environment(fault) => bench.environment_fault_took_effect(fault),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::fmt::Debug;
    use std::collections::BTreeSet;
    use tumbler_core::rules;

    fn found_by_their_names<F: Declared + Debug>() {
        let layout = rules::layout("sg-v6-1");
        for row in F::TABLE {
            let name = row.example().name(layout);
            assert_eq!(name.split(':').next(), Some(row.entry.id), "{name} is the name of this row's faults");
            assert_eq!(F::named(&name, layout).ok(), Some(row.example()), "{name}");
        }
    }

    #[test]
    fn every_row_has_an_id_of_its_own_by_which_its_faults_are_named_and_found() {
        found_by_their_names::<Fault>();
        found_by_their_names::<EnvironmentFault>();
        let ids: BTreeSet<&str> = AnyFault::entries().map(|entry| entry.id).collect();
        assert_eq!(ids.len(), AnyFault::entries().count());
    }

    #[test]
    fn a_wrong_name_is_told_the_nearest_id_or_argument() {
        let named = |name| AnyFault::named(name, rules::layout("sg-v6-1"));
        assert_eq!(named("proc.hang"), Ok(AnyFault::Environment(EnvironmentFault::Hang)));
        assert_eq!(named("motor.stall"), Ok(AnyFault::Part(Fault::MotorStall)));
        for (name, told) in [
            ("motor.stal", "unknown fault `motor.stal`: did you mean `motor.stall`?"),
            ("prok.hang", "unknown fault `prok.hang`: did you mean `proc.hang`?"),
            ("lamp.open:smal", "unknown area `smal`: did you mean `small`?"),
            ("button.stuck:tumbel", "unknown button `tumbel`: did you mean `tumble`?"),
        ] {
            assert_eq!(named(name).unwrap_err().to_string(), told);
        }
        assert_eq!(named("proc.kill_at_sync:0").unwrap_err().allowed, "a number from 1");
        assert_eq!(named("terminal.key_stuck:8").unwrap_err().allowed, "a key, 1 to 7; 7 is entry");
    }

    #[test]
    fn what_heals_a_fault_follows_from_its_row() {
        let steps = |name| AnyFault::heal_steps(name).unwrap_or_default();
        assert_eq!(steps("lamp.open:small"), "heal lamp.open:small");
        assert_eq!(steps("motor.hot"), "heal motor.hot; pass 12000 ms");
        assert_eq!(steps("mqtt.slow"), "wait held mqtt.slow within 20000 ms; heal mqtt.slow");
        assert_eq!(steps("journal.missing"), "", "the daemon's next start deals with it");
    }
}
