//! Refuses to inject faults into a table that is open for gaming.
//!
//! Before its first fault a bench reads the table's status and the commissioning record of its journal. While a table on real
//! wires, or one that is not the bench's own, is open, nothing is injected: somebody may be playing. The check is made once;
//! if the bench opens the table later, it may break what it opened.

use super::{Bench, BenchError};
use tumbler_core::record::Event;
use tumbler_core::snapshot::Snapshot;

/// Backend of tables on which no real game is played.
const VIRTUAL: &str = "virtual";
/// Backend of a table on a chip that the kernel simulates for this bench: no real game is played there either.
const SIMULATED: &str = "cdev";

/// The bench's own table, and what is known about the one that the bench is connected to.
#[derive(Clone, Debug)]
pub struct InjectionCheck {
    /// Site and name of the bench's own table.
    own: (String, String),
    /// Its backend.
    backend: &'static str,
    /// Site, name and backend by the commissioning record, once it was read.
    found: Option<(String, String, String)>,
    /// The check has passed.
    passed: bool,
}

/// Refusal: no fault may be injected into this table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "table {table} on backend `{backend}` is open for gaming, and {why}: nothing is broken on it. Close it first \
     (`tumblerctl close`), or point the rig at table {own} of the bench"
)]
pub struct InService {
    /// Site and name of the table.
    pub table: String,
    /// Its backend.
    pub backend: String,
    /// Why no fault may be injected.
    pub why: &'static str,
    /// Site and name of the bench's own table.
    pub own: String,
}

impl InjectionCheck {
    /// The check for a bench whose own table is `site`/`table`.
    #[must_use]
    pub fn of(site: &str, table: &str) -> Self {
        Self { own: (site.to_owned(), table.to_owned()), backend: VIRTUAL, found: None, passed: false }
    }

    /// As [`InjectionCheck::of`], for a table on a simulated chip.
    #[must_use]
    pub fn on_own_chip(self) -> Self {
        Self { backend: SIMULATED, ..self }
    }

    /// Whether the check has not passed yet.
    #[must_use]
    pub const fn is_due(&self) -> bool {
        !self.passed
    }

    /// Learns the table's identity from its commissioning record; ignores all others.
    pub fn learn(&mut self, event: &Event) {
        if let Event::Commissioned { site, table, backend } = event {
            self.found = Some((site.clone(), table.clone(), backend.clone()));
        }
    }

    /// Makes the check. Once it has passed, the bench may inject faults into this table.
    ///
    /// # Errors
    /// [`InService`] if the table is open, and on real wires or not the bench's own.
    pub fn admit(&mut self, shown: &Snapshot) -> Result<(), InService> {
        if shown.open {
            let (own, found) = (&self.own, self.found.as_ref());
            let why = match found {
                _ if shown.backend != self.backend => Some("its wires are real"),
                Some((_, _, backend)) if backend != self.backend => Some("it was commissioned on real wires"),
                Some((site, table, _)) if (site, table) == (&own.0, &own.1) => None,
                Some(_) => Some("it is not this bench's"),
                None => Some("its journal does not say whose it is"),
            };
            if let Some(why) = why {
                let table = found.map_or_else(|| "of an unknown name".into(), |(s, t, _)| format!("{s}/{t}"));
                let own = format!("{}/{}", own.0, own.1);
                return Err(InService { table, backend: shown.backend.clone(), why, own });
            }
        }
        self.passed = true;
        Ok(())
    }
}

impl From<InService> for BenchError {
    fn from(refused: InService) -> Self {
        Self::Rig(refused.to_string())
    }
}

/// A bench with an [`InjectionCheck`].
pub(crate) trait InjectionChecked: Bench {
    /// Its check.
    fn injection_check(&mut self) -> &mut InjectionCheck;

    /// Makes the check if it is due. It passes if the daemon does not run, because nobody can play then.
    fn check_injection(&mut self) -> Result<(), BenchError> {
        if self.injection_check().is_due() {
            if let Some(shown) = self.snapshot()? {
                self.injection_check().admit(&shown)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EnvironmentFault;
    use crate::pure::{Pure, Setup};
    use tumbler_twin::Fault;

    /// A simulated chip permits neither another table nor another backend.
    #[test]
    fn a_chip_of_the_benchs_own_makes_no_other_table_its_own() {
        let commissioned = |site: &str, backend: &str| Event::Commissioned {
            site: site.into(),
            table: "virtual".into(),
            backend: backend.into(),
        };
        let admits = |site: &str, backend: &str| {
            let mut injection_check = InjectionCheck::of("rig", "virtual").on_own_chip();
            injection_check.learn(&commissioned(site, backend));
            let shown = Snapshot { open: true, backend: backend.into(), ..Snapshot::default() };
            injection_check.admit(&shown).is_ok()
        };
        assert_eq!([admits("rig", "cdev"), admits("grand", "cdev"), admits("rig", "rppal")], [true, false, false]);
    }

    /// Faults of the twin and of the environment alike; and an unknown journal permits nothing.
    #[test]
    fn every_kind_of_injection_asks_first() {
        let mut setup = Setup::of("nz-div9", "nz-div9-1", 1);
        setup.settings.backend = "cdev".into();
        let mut bench = Pure::new(setup).unwrap();
        let mut injection_check = InjectionCheck::of(super::super::SITE, "pure");
        let mut shown = bench.snapshot().unwrap().unwrap();
        shown.open = true;
        assert_eq!(injection_check.admit(&shown).unwrap_err().why, "its wires are real");
        shown.backend = VIRTUAL.into();
        assert_eq!(injection_check.admit(&shown).unwrap_err().why, "its journal does not say whose it is");
        injection_check.learn(&bench.log().records[0].record.event);
        assert_eq!(injection_check.admit(&shown).unwrap_err().why, "it was commissioned on real wires");
        assert!(injection_check.is_due());
        assert!(
            bench.fault(Fault::MotorStall).is_ok() && bench.disturb(EnvironmentFault::Hang).is_ok(),
            "it is closed"
        );
    }
}
