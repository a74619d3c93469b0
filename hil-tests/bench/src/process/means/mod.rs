//! Real means against the real daemon: what breaks around it on the virtual bench. Each file breaks one kind of thing, mends
//! it, and proves by a reading of its own that it took hold.

mod clock;
mod disk;
mod files;
mod journal;
mod load;
mod network;
pub(super) mod ports;
mod process;
mod refusal;
pub(super) mod state;
mod tracer;
pub(super) mod wall_clock;

use super::table::Virtual;
use crate::Trouble;
use crate::environment_fault::{Kind, Outside};

impl Virtual {
    /// Breaks something around the daemon.
    pub(super) fn break_around(&mut self, outside: Outside) -> Result<(), Trouble> {
        match outside.kind() {
            Kind::Process => process::disturb(self, outside),
            Kind::Files => files::disturb(self, outside),
            Kind::Network => network::disturb(self, outside),
            Kind::Ports => ports::disturb(self, outside),
            Kind::Clock => clock::disturb(self, outside),
            Kind::Disk => disk::disturb(self, outside),
            Kind::Journal => journal::disturb(self, outside),
        }
    }

    /// Mends it again.
    pub(super) fn mend_around(&mut self, outside: Outside) -> Result<(), Trouble> {
        match outside.kind() {
            Kind::Process => process::restore(self, outside),
            // The daemon has made its own again.
            Kind::Files => Ok(()),
            Kind::Network => network::restore(self, outside),
            Kind::Ports => ports::restore(self, outside),
            Kind::Clock => clock::restore(self, outside),
            Kind::Disk => disk::restore(self, outside),
            Kind::Journal => journal::restore(self, outside),
        }
    }

    /// Whether it has shown.
    pub(super) fn shown_around(&mut self, outside: Outside) -> bool {
        let shows_now = match outside.kind() {
            Kind::Disk => self.means.tracer.as_ref().is_some_and(|tracer| disk::injected(&tracer.told())),
            Kind::Clock => clock::shown(self).unwrap_or(false),
            Kind::Process => self.means.load.as_ref().is_some_and(load::Load::is_everywhere),
            Kind::Network => network::shows(self, outside),
            Kind::Ports => ports::shows(self, outside),
            Kind::Journal | Kind::Files => false,
        };
        self.means.shown.contains(&outside) || shows_now
    }
}
