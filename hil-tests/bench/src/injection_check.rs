//! Injection is refused on a table that is open for gaming.
//!
//! Before a bench breaks anything for the first time, it looks at what the table says of itself: its status, and the
//! commissioning record of its journal. A table on real wires, or one that is not the bench's own, is left alone while it
//! is open: somebody may be playing on it. What a bench opens itself after that is its own doing.

use super::{Bench, Trouble};
use tumbler_core::record::Event;
use tumbler_core::snapshot::Snapshot;

/// The backend of tables on which no game is real.
const VIRTUAL: &str = "virtual";
/// The backend of a table on a chip that the bench itself has the kernel simulate: as real as the bench.
const SIMULATED: &str = "cdev";

/// Which table a bench is for, and what is known of the one that it found.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Site and name of the bench's own table.
    own: (String, String),
    /// Its backend.
    backend: &'static str,
    /// Site, name and backend with which the table was commissioned, once that is known.
    found: Option<(String, String, String)>,
    /// The look was taken.
    passed: bool,
}

/// A table that nothing may be broken on.
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
    /// Why it is not the bench's to break.
    pub why: &'static str,
    /// Site and name of the bench's own.
    pub own: String,
}

impl Guard {
    /// The guard of a bench whose own table is this one of this site.
    #[must_use]
    pub fn of(site: &str, table: &str) -> Self {
        Self { own: (site.to_owned(), table.to_owned()), backend: VIRTUAL, found: None, passed: false }
    }

    /// The same table on a chip that the bench has simulated.
    #[must_use]
    pub fn on_own_chip(self) -> Self {
        Self { backend: SIMULATED, ..self }
    }

    /// Whether the look is still to be taken.
    #[must_use]
    pub const fn is_due(&self) -> bool {
        !self.passed
    }

    /// Learns from a record of the table's journal which table it is.
    pub fn learn(&mut self, event: &Event) {
        if let Event::Commissioned { site, table, backend } = event {
            self.found = Some((site.clone(), table.clone(), backend.clone()));
        }
    }

    /// Lets the bench break things on this table from now on.
    ///
    /// # Errors
    /// [`InService`] where it is open, and on real wires or not the bench's own.
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

impl From<InService> for Trouble {
    fn from(refused: InService) -> Self {
        Self::Rig(refused.to_string())
    }
}

/// A bench with a guard.
pub(crate) trait Guarded: Bench {
    /// Its guard.
    fn guard(&mut self) -> &mut Guard;

    /// Looks, before anything is broken for the first time, whether this table may be broken. One that does not run tells nothing, and
    /// nobody plays on it.
    fn look(&mut self) -> Result<(), Trouble> {
        if self.guard().is_due() {
            if let Some(shown) = self.snapshot()? {
                self.guard().admit(&shown)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outside;
    use crate::pure::{Pure, Setup};
    use tumbler_twin::Fault;

    /// A chip of the bench's own is no licence for another table, nor is it one for a bench without a chip.
    #[test]
    fn a_chip_of_the_benchs_own_makes_no_other_table_its_own() {
        let commissioned = |site: &str, backend: &str| Event::Commissioned {
            site: site.into(),
            table: "virtual".into(),
            backend: backend.into(),
        };
        let admits = |site: &str, backend: &str| {
            let mut guard = Guard::of("rig", "virtual").on_own_chip();
            guard.learn(&commissioned(site, backend));
            let shown = Snapshot { open: true, backend: backend.into(), ..Snapshot::default() };
            guard.admit(&shown).is_ok()
        };
        assert_eq!([admits("rig", "cdev"), admits("grand", "cdev"), admits("rig", "rppal")], [true, false, false]);
    }

    /// Around the daemon as well as in the twin; and an unknown journal is nobody's licence.
    #[test]
    fn every_kind_of_injection_asks_first() {
        let mut setup = Setup::of("nz-div9", "nz-div9-1", 1);
        setup.settings.backend = "cdev".into();
        let mut bench = Pure::new(setup).unwrap();
        let mut guard = Guard::of(super::super::SITE, "pure");
        let mut shown = bench.snapshot().unwrap().unwrap();
        shown.open = true;
        assert_eq!(guard.admit(&shown).unwrap_err().why, "its wires are real");
        shown.backend = VIRTUAL.into();
        assert_eq!(guard.admit(&shown).unwrap_err().why, "its journal does not say whose it is");
        guard.learn(&bench.log().records[0].record.event);
        assert_eq!(guard.admit(&shown).unwrap_err().why, "it was commissioned on real wires");
        assert!(guard.is_due());
        assert!(bench.fault(Fault::MotorStall).is_ok() && bench.disturb(Outside::Hang).is_ok(), "it is closed");
    }
}
