//! Real means against the real daemon: what breaks around it on the virtual bench. Each room does one kind of harm, mends
//! it, and proves by a reading of its own that it took hold.

pub(super) mod clock;
mod disk;
mod files;
pub(super) mod journal;
mod load;
mod network;
pub(super) mod ports;
pub(super) mod process;
mod tracer;

use super::fault::RigFault;
use super::table::Virtual;
use crate::{Outside, Trouble};
use std::collections::BTreeSet;

/// What the means remember of a table.
#[derive(Debug, Default)]
pub(super) struct Means {
    /// What has shown since the bench began.
    shown: BTreeSet<Outside>,
    /// Copies of files beside the journal.
    files: files::Files,
    network: network::Network,
    ports: ports::Ports,
    /// strace at the daemon.
    tracer: Option<tracer::Tracer>,
    /// What is to kill the daemon.
    deadly: Option<Outside>,
    /// Busy loops on every core.
    load: Option<load::Load>,
    /// What was done to the wall clock, and the last record before it.
    clock: Option<(Outside, u64)>,
    jitter: Option<clock::Jitter>,
}

impl Means {
    /// Notes that something has shown, if it has.
    fn note(&mut self, outside: Outside, shown: bool) {
        if shown {
            self.shown.insert(outside);
        }
    }
}

/// Who does the harm.
enum Room {
    Process,
    Clock,
    Disk,
    Journal,
    Files,
    Network,
    Ports,
}

const fn room(outside: Outside) -> Room {
    match outside {
        Outside::Kill | Outside::Hang | Outside::KillAtSync(_) | Outside::KillAtWrite(_) | Outside::Starved => {
            Room::Process
        }
        Outside::ClockForward | Outside::ClockBack | Outside::ClockJitter => Room::Clock,
        Outside::DiskFull | Outside::DiskReadOnly | Outside::DiskSlow | Outside::DiskTakes(_) | Outside::DiskError => {
            Room::Disk
        }
        Outside::JournalTruncated
        | Outside::JournalBitflip
        | Outside::JournalMissing
        | Outside::JournalForeign
        | Outside::JournalRolledBack => Room::Journal,
        Outside::PermitMissing | Outside::PermitOlder | Outside::RunMissing | Outside::SlotMissing => Room::Files,
        Outside::BrokerDown
        | Outside::BrokerHalfOpen
        | Outside::BrokerSlow
        | Outside::BrokerFlapping
        | Outside::BrokerDenies
        | Outside::BrokerTlsExpired
        | Outside::BrokerForgets
        | Outside::BrokerTakenOver
        | Outside::BrokerHostile => Room::Network,
        Outside::PortUnplugged | Outside::PortRenamed | Outside::ChipGone | Outside::LineBusy => Room::Ports,
    }
}

fn not_here(what: &str, remedy: &str) -> Trouble {
    Trouble::NotHere(format!("this machine gives the rig no {what}: {remedy}"))
}

fn no_means(outside: Outside) -> Trouble {
    Trouble::NotHere(format!("the virtual bench has no means for {outside:?}"))
}

impl Virtual {
    /// Breaks something around the daemon.
    pub(super) fn break_around(&mut self, outside: Outside) -> Result<(), Trouble> {
        match room(outside) {
            Room::Process => process::disturb(self, outside),
            Room::Files => files::disturb(self, outside),
            Room::Network => network::disturb(self, outside),
            Room::Ports => ports::disturb(self, outside),
            Room::Clock => clock::disturb(self, outside),
            Room::Disk => disk::disturb(self, outside),
            Room::Journal => journal::disturb(self, outside),
        }
    }

    /// Mends it again.
    pub(super) fn mend_around(&mut self, outside: Outside) -> Result<(), Trouble> {
        match room(outside) {
            Room::Process => process::restore(self, outside),
            // The daemon has made its own again.
            Room::Files => Ok(()),
            Room::Network => network::restore(self, outside),
            Room::Ports => ports::restore(self, outside),
            Room::Clock => clock::restore(self, outside),
            Room::Disk => disk::restore(self, outside),
            Room::Journal => journal::restore(self, outside),
        }
    }

    /// Whether it has shown.
    pub(super) fn shown_around(&mut self, outside: Outside) -> bool {
        let shows_now = match room(outside) {
            Room::Disk => self.means.tracer.as_ref().is_some_and(|tracer| disk::injected(&tracer.told())),
            Room::Clock => clock::shown(self).unwrap_or(false),
            Room::Process => self.means.load.as_ref().is_some_and(load::Load::is_everywhere),
            Room::Network => network::shows(self, outside),
            Room::Ports => ports::shows(self, outside),
            Room::Journal | Room::Files => false,
        };
        self.means.shown.contains(&outside) || shows_now
    }
}
