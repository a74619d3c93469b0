//! The faults that a scenario has injected.

use super::step::TableFault;
use tumbler_bench::{AnyFault, Bench, BenchError};
use tumbler_core::line::OutLine;
use tumbler_twin::Fault;

/// An injected fault.
#[derive(Debug)]
struct Injected {
    id: String,
    target: AnyFault,
    /// Must have taken effect by the end.
    claimed: bool,
    /// It is not healed yet.
    in_force: bool,
}

/// All faults of a trial.
#[derive(Debug, Default)]
pub(super) struct Faults {
    injected: Vec<Injected>,
    /// Table time of the last injection or mark.
    pub since: u64,
}

impl Faults {
    /// Injects a fault. `claimed`: it must have taken effect by the end.
    pub(super) fn inject(
        &mut self,
        bench: &mut dyn Bench,
        broken: &TableFault,
        claimed: bool,
    ) -> Result<(), BenchError> {
        let TableFault { name, fault } = broken;
        self.injected.push(Injected { id: name.clone(), target: *fault, claimed, in_force: true });
        self.since = bench.now();
        fault.inject(bench)
    }

    /// Whether this fault was broken and is not healed.
    pub(super) fn is_in_force(&self, target: AnyFault) -> bool {
        self.injected.iter().any(|f| f.in_force && f.target == target)
    }

    /// Heals one fault.
    pub(super) fn heal(&mut self, bench: &mut dyn Bench, target: AnyFault) -> Result<(), BenchError> {
        target.heal(bench)?;
        self.injected.iter_mut().filter(|f| f.target == target).for_each(|f| f.in_force = false);
        Ok(())
    }

    /// Heals all faults, the latest first.
    pub(super) fn heal_all(&mut self, bench: &mut dyn Bench) -> Result<(), BenchError> {
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

    /// The first claimed fault that has not taken effect.
    pub(super) fn unshown(&self, bench: &mut dyn Bench) -> Option<&str> {
        self.injected.iter().find(|f| f.claimed && !f.target.took_effect(bench)).map(|f| f.id.as_str())
    }

    /// The longest commit time of all injected disk faults, in milliseconds.
    pub(super) fn slowest_commit(&self) -> u64 {
        let commits = self.injected.iter().map(|fault| match fault.target {
            AnyFault::Environment(fault) => u64::from(fault.commit_millis()),
            AnyFault::Part(_) => 0,
        });
        commits.max().unwrap_or(0)
    }

    fn has(&self, fault: Fault) -> bool {
        self.is_in_force(AnyFault::Part(fault))
    }

    /// Whether driver and dead-man relay are both shorted, so that the motor has power whatever the daemon does.
    pub(super) fn motor_runs_by_itself(&self) -> bool {
        self.has(Fault::EnableStuck) && self.has(Fault::DeadmanWelded) || self.has(Fault::Runaway)
    }

    /// Whether the sign is broken: its pin is stuck, or it does not light.
    pub(super) fn sign_is_broken(&self) -> bool {
        self.has(Fault::PinStuck(OutLine::OutOfService)) || self.has(Fault::SignDead)
    }
}
