//! Injects faults into the real daemon's environment, for the virtual bench. Each file injects and heals one kind, and measures
//! whether the fault has taken effect.

mod clock;
mod disk;
mod files;
mod journal;
mod load;
mod network;
pub(super) mod ports;
mod process;
pub(super) mod state;
mod tracer;
mod unsupported;
pub(super) mod wall_clock;

use super::table::Virtual;
use crate::BenchError;
use crate::environment_fault::{EnvironmentFault, Kind};

impl Virtual {
    /// Injects a fault.
    pub(super) fn break_environment(&mut self, fault: EnvironmentFault) -> Result<(), BenchError> {
        match fault.kind() {
            Kind::Process => process::disturb(self, fault),
            Kind::Files => files::disturb(self, fault),
            Kind::Network => network::disturb(self, fault),
            Kind::Ports => ports::disturb(self, fault),
            Kind::Clock => clock::disturb(self, fault),
            Kind::Disk => disk::disturb(self, fault),
            Kind::Journal => journal::disturb(self, fault),
        }
    }

    /// Heals a fault.
    pub(super) fn mend_environment(&mut self, fault: EnvironmentFault) -> Result<(), BenchError> {
        match fault.kind() {
            Kind::Process => process::restore(self, fault),
            // The daemon has recreated the files at its start.
            Kind::Files => Ok(()),
            Kind::Network => network::restore(self, fault),
            Kind::Ports => ports::restore(self, fault),
            Kind::Clock => clock::restore(self, fault),
            Kind::Disk => disk::restore(self, fault),
            Kind::Journal => journal::restore(self, fault),
        }
    }

    /// Whether the fault has taken effect.
    pub(super) fn environment_shows(&mut self, fault: EnvironmentFault) -> bool {
        let shows_now = match fault.kind() {
            Kind::Disk => self.injections.tracer.as_ref().is_some_and(|tracer| disk::injected(&tracer.output())),
            Kind::Clock => clock::shows(self).unwrap_or(false),
            Kind::Process => self.injections.load.as_ref().is_some_and(load::Load::is_everywhere),
            Kind::Network => network::shows(self, fault),
            Kind::Ports => ports::shows(self, fault),
            Kind::Journal | Kind::Files => false,
        };
        self.injections.shown.contains(&fault) || shows_now
    }
}
