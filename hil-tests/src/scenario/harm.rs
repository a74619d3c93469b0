//! What a scenario breaks, and what of it is in force.

use super::run::{Halt, Runner};
use tumbler_bench::{Bench, Outside, Trouble};
use tumbler_core::line::OutLine;
use tumbler_core::rules;
use tumbler_twin::{Fault, fault_name};

/// Something that a scenario can break: a part of the table, or something around the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    Part(Fault),
    Outside(Outside),
}

impl Broken {
    /// Whether it has shown since the bench began.
    pub(super) fn has_shown(self, bench: &mut dyn Bench) -> bool {
        match self {
            Self::Part(fault) => bench.took_hold(fault),
            Self::Outside(outside) => bench.disturbed(outside),
        }
    }
}

/// Something that was broken.
pub(super) struct Injected {
    pub id: String,
    pub what: Broken,
    /// It must have shown by the end.
    pub claimed: bool,
    /// Not healed again.
    pub in_force: bool,
}

impl Runner<'_> {
    /// Breaks something.
    pub(super) fn inject(&mut self, id: &str, what: Broken) -> Result<(), Halt> {
        self.faults.push(Injected { id: id.to_owned(), what, claimed: !self.trying, in_force: true });
        self.broken_at = self.bench.now();
        match what {
            Broken::Part(fault) => self.bench.fault(fault)?,
            Broken::Outside(outside) => self.bench.disturb(outside)?,
        }
        Ok(())
    }

    /// Mends one thing.
    pub(super) fn heal(&mut self, what: Broken) -> Result<(), Halt> {
        match what {
            Broken::Part(fault) => self.bench.heal(fault)?,
            Broken::Outside(outside) => self.bench.restore(outside)?,
        }
        self.faults.iter_mut().filter(|f| f.what == what).for_each(|f| f.in_force = false);
        Ok(())
    }

    /// Mends whatever is broken.
    pub(super) fn heal_faults(&mut self) -> Result<(), Halt> {
        while let Some(what) = self.faults.iter().rfind(|f| f.in_force).map(|f| f.what) {
            self.heal(what)?;
        }
        Ok(())
    }

    /// Whether anything is broken now.
    pub(super) fn anything_broken(&self) -> bool {
        self.faults.iter().any(|f| f.in_force)
    }

    pub(super) fn broken(&self, id: &str) -> Result<Broken, Halt> {
        if let Some(outside) = Outside::parse(id) {
            return Ok(Broken::Outside(outside));
        }
        let layout = rules::layout(&self.trial.layout);
        let lamp = |area: &str| {
            let place = layout?.areas.iter().position(|a| a.id == area)?;
            u16::try_from(place).ok()
        };
        let part = fault_name::parse(id, &lamp).map_err(|mut bad| {
            bad.allowed = Outside::ids().fold(bad.allowed, |all, id| format!("{all}, {id}"));
            Trouble::Rig(bad.to_string())
        });
        Ok(Broken::Part(part?))
    }

    fn is_broken(&self, fault: Fault) -> bool {
        self.faults.iter().any(|f| f.in_force && f.what == Broken::Part(fault))
    }

    /// Whether the motor has power without the daemon's doing: driver and dead-man relay are both shorted.
    pub(super) fn runs_by_itself(&self) -> bool {
        let both = self.is_broken(Fault::EnableStuck) && self.is_broken(Fault::DeadmanWelded);
        both || self.is_broken(Fault::Runaway)
    }

    /// Whether the sign itself is broken: its pin does not follow, or it gives no light.
    pub(super) fn sign_is_broken(&self) -> bool {
        self.is_broken(Fault::PinStuck(OutLine::OutOfService)) || self.is_broken(Fault::SignDead)
    }
}
