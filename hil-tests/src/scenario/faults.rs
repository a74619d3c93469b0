//! What a scenario breaks, and what of it is in force.

use tumbler_bench::{Bench, EnvironmentFault, Trouble};
use tumbler_core::line::OutLine;
use tumbler_core::rules;
use tumbler_twin::{Fault, fault_table};

/// Something that a scenario can break: a part of the table, or something around the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Part(Fault),
    Environment(EnvironmentFault),
}

impl Target {
    /// What has this id on a table with this layout.
    pub(super) fn parse(id: &str, layout: &str) -> Result<Self, Trouble> {
        if let Some(fault) = EnvironmentFault::parse(id) {
            return Ok(Self::Environment(fault));
        }
        let layout = rules::layout(layout);
        let lamp = |area: &str| {
            let place = layout?.areas.iter().position(|a| a.id == area)?;
            u16::try_from(place).ok()
        };
        let part = fault_table::parse(id, &lamp).map_err(|mut bad| {
            bad.allowed = EnvironmentFault::ids().fold(bad.allowed, |all, id| format!("{all}, {id}"));
            Trouble::Rig(bad.to_string())
        });
        Ok(Self::Part(part?))
    }

    /// Whether it has shown since the bench began.
    pub(super) fn has_shown(self, bench: &mut dyn Bench) -> bool {
        match self {
            Self::Part(fault) => bench.took_hold(fault),
            Self::Environment(fault) => bench.disturbed(fault),
        }
    }
}

/// Something that was broken.
#[derive(Debug)]
struct Injected {
    id: String,
    target: Target,
    /// It must have shown by the end.
    claimed: bool,
    /// Not healed again.
    in_force: bool,
}

/// Everything that was broken.
#[derive(Debug, Default)]
pub(super) struct Faults {
    injected: Vec<Injected>,
    /// When something was last broken, or the last mark made, in table time.
    pub since: u64,
}

impl Faults {
    /// Breaks something. `claimed`: it must have shown by the end.
    pub(super) fn inject(
        &mut self,
        bench: &mut dyn Bench,
        id: &str,
        target: Target,
        claimed: bool,
    ) -> Result<(), Trouble> {
        self.injected.push(Injected { id: id.to_owned(), target, claimed, in_force: true });
        self.since = bench.now();
        match target {
            Target::Part(fault) => bench.fault(fault),
            Target::Environment(fault) => bench.disturb(fault),
        }
    }

    /// Mends one thing.
    pub(super) fn heal(&mut self, bench: &mut dyn Bench, target: Target) -> Result<(), Trouble> {
        match target {
            Target::Part(fault) => bench.heal(fault)?,
            Target::Environment(fault) => bench.restore(fault)?,
        }
        self.injected.iter_mut().filter(|f| f.target == target).for_each(|f| f.in_force = false);
        Ok(())
    }

    /// Mends whatever is broken, the latest first.
    pub(super) fn heal_all(&mut self, bench: &mut dyn Bench) -> Result<(), Trouble> {
        while let Some(target) = self.injected.iter().rfind(|f| f.in_force).map(|f| f.target) {
            self.heal(bench, target)?;
        }
        Ok(())
    }

    /// Whether nothing was broken since the trial began.
    pub(super) fn is_empty(&self) -> bool {
        self.injected.is_empty()
    }

    /// Whether anything is broken now.
    pub(super) fn any_in_force(&self) -> bool {
        self.injected.iter().any(|f| f.in_force)
    }

    /// The first that must have shown and has not.
    pub(super) fn unshown(&self, bench: &mut dyn Bench) -> Option<&str> {
        self.injected.iter().find(|f| f.claimed && !f.target.has_shown(bench)).map(|f| f.id.as_str())
    }

    /// The longest that a commit of the journal took on any disk that the table had, in milliseconds.
    pub(super) fn slowest_commit(&self) -> u64 {
        let commits = self.injected.iter().map(|fault| match fault.target {
            Target::Environment(fault) => u64::from(fault.commit_millis()),
            Target::Part(_) => 0,
        });
        commits.max().unwrap_or(0)
    }

    fn has(&self, fault: Fault) -> bool {
        self.injected.iter().any(|f| f.in_force && f.target == Target::Part(fault))
    }

    /// Whether the motor has power without the daemon's doing: driver and dead-man relay are both shorted.
    pub(super) fn motor_runs_by_itself(&self) -> bool {
        self.has(Fault::EnableStuck) && self.has(Fault::DeadmanWelded) || self.has(Fault::Runaway)
    }

    /// Whether the sign itself is broken: its pin does not follow, or it gives no light.
    pub(super) fn sign_is_broken(&self) -> bool {
        self.has(Fault::PinStuck(OutLine::OutOfService)) || self.has(Fault::SignDead)
    }
}
