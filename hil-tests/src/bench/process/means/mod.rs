//! Real means against the real daemon: what breaks around it on the virtual bench. Each room does one kind of harm, mends
//! it, and proves by a reading of its own that it took hold.

mod files;
mod network;
mod ports;
mod process;

use super::fault::RigFault;
use super::table::Virtual;
use crate::bench::{Outside, Trouble};
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
            Room::Clock | Room::Disk | Room::Journal => Err(no_means(outside)),
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
            Room::Clock | Room::Disk | Room::Journal => Err(no_means(outside)),
        }
    }

    /// Whether it has shown.
    pub(super) fn shown_around(&mut self, outside: Outside) -> bool {
        match room(outside) {
            Room::Network => network::shows(self, outside),
            Room::Ports => ports::shows(self, outside),
            Room::Process | Room::Clock | Room::Disk | Room::Journal | Room::Files => {
                self.means.shown.contains(&outside)
            }
        }
    }
}
