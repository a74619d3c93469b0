//! Faults of the daemon's environment: process, clock, disk, network, ports. The twin knows nothing of these. A bench injects
//! what it has the means for, and returns [`super::BenchError::Unsupported`] for the rest.

use core::fmt;
use tumbler_twin::Declared;
use tumbler_twin::fault_row::{Constructor, Healing, Row, Share};

impl EnvironmentFault {
    /// Why the pure bench cannot bring it about, with the bench that can; none where it can. To the table it is a broker that acknowledges
    /// nothing, and as that free play draws it.
    #[must_use]
    pub const fn beyond_pure(self) -> Option<&'static str> {
        match self {
            Self::BrokerDenies | Self::BrokerTlsExpired | Self::BrokerTakenOver | Self::BrokerHostile => {
                Some("this bench has no broker that could refuse or be misled; bench virtual has one")
            }
            _ => None,
        }
    }
}

/// A fault of the daemon's environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EnvironmentFault {
    /// SIGKILL; healed by a start.
    Kill,
    /// SIGSTOP; healed by SIGCONT.
    Hang,
    /// The daemon dies by SIGKILL at its n-th sync of a file from now on; healed by a start.
    KillAtSync(u16),
    /// The daemon dies by SIGKILL at its n-th write to a file from now on; healed by a start.
    KillAtWrite(u16),
    /// Other programs load every core.
    Starved,
    /// The wall clock is six hours ahead.
    ClockForward,
    /// The wall clock is six hours behind.
    ClockBack,
    /// The wall clock jumps back and forth.
    ClockJitter,
    /// The journal's file system is full.
    DiskFull,
    /// The journal's file system is read-only.
    DiskReadOnly,
    /// Every sync takes five seconds.
    DiskSlow,
    /// Every commit of the journal takes this many milliseconds.
    DiskTakes(u16),
    /// Every sync fails with an input/output error.
    DiskError,
    /// The journal was truncated while the daemon was off.
    JournalTruncated,
    /// A bit of the journal flipped while the daemon was off.
    JournalBitflip,
    /// The journal was deleted while the daemon was off.
    JournalMissing,
    /// The journal is another table's.
    JournalForeign,
    /// The journal is an older copy of itself.
    JournalRolledBack,
    /// The permit was deleted while the daemon was off.
    PermitMissing,
    /// Permit and slot were replaced while the daemon was off, by copies from when the table was open.
    PermitOlder,
    /// The run directory was deleted while the daemon was off.
    RunMissing,
    /// The slot was deleted while the daemon was off.
    SlotMissing,
    /// The broker is down: connections are refused.
    BrokerDown,
    /// Connections to the broker stay open, but nothing passes.
    BrokerHalfOpen,
    /// The network path to the broker is slow.
    BrokerSlow,
    /// The network path to the broker goes down and up in turn.
    BrokerFlapping,
    /// The broker refuses the daemon's account.
    BrokerDenies,
    /// The broker's certificate has expired.
    BrokerTlsExpired,
    /// The broker lost the session and the retained messages.
    BrokerForgets,
    /// Another client connects with the daemon's client id.
    BrokerTakenOver,
    /// Another client publishes to every topic of the table: oversized, retained, garbage.
    BrokerHostile,
    /// The field bus's serial port vanishes.
    PortUnplugged,
    /// The serial port vanishes and comes back under another name, with the same id.
    PortRenamed,
    /// The wires vanish: the GPIO chip is gone.
    ChipGone,
    /// Another process holds a line when the daemon starts.
    LineBusy,
}

/// What is broken; a bench has one means for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The daemon's process, and the processors.
    Process,
    /// The wall clock.
    Clock,
    /// The journal's file system.
    Disk,
    /// The journal's file.
    Journal,
    /// The files beside the journal.
    Files,
    /// Broker and network.
    Network,
    /// The serial port and the wires.
    Ports,
}

const fn row(
    id: &'static str,
    make: Constructor<EnvironmentFault>,
    kind: Kind,
    swarm: Share,
) -> Row<EnvironmentFault, Kind> {
    Row::new(id, make, kind, swarm)
}

const EVERY: Share = Share::Every(&[""]);
/// The daemon notices within this time, in milliseconds.
const NOTICED: Healing = Healing::Held(20_000);

/// All faults. Campaigns run on the pure bench, which has no wall clock, no other processes and no line owner. They draw kills and
/// slow commits by themselves, with random numbers.
#[rustfmt::skip]
const TABLE: &[Row<EnvironmentFault, Kind>] = &[
    row("bus.unplugged", Constructor::Plain(EnvironmentFault::PortUnplugged), Kind::Ports, EVERY),
    row("bus.renamed", Constructor::Plain(EnvironmentFault::PortRenamed), Kind::Ports, EVERY),
    row("gpio.chip_gone", Constructor::Plain(EnvironmentFault::ChipGone), Kind::Ports, EVERY),
    row("disk.full", Constructor::Plain(EnvironmentFault::DiskFull), Kind::Disk, EVERY),
    row("disk.readonly", Constructor::Plain(EnvironmentFault::DiskReadOnly), Kind::Disk, EVERY),
    row("disk.io_error", Constructor::Plain(EnvironmentFault::DiskError), Kind::Disk, EVERY),
    row("disk.slow_fsync", Constructor::Plain(EnvironmentFault::DiskSlow), Kind::Disk, EVERY),
    row("mqtt.down", Constructor::Plain(EnvironmentFault::BrokerDown), Kind::Network, EVERY).heals(NOTICED),
    row("mqtt.half_open", Constructor::Plain(EnvironmentFault::BrokerHalfOpen), Kind::Network, EVERY).heals(NOTICED),
    row("mqtt.slow", Constructor::Plain(EnvironmentFault::BrokerSlow), Kind::Network, EVERY).heals(NOTICED),
    row("mqtt.auth_denied", Constructor::Plain(EnvironmentFault::BrokerDenies), Kind::Network, EVERY).heals(NOTICED),
    row("mqtt.session_lost", Constructor::Plain(EnvironmentFault::BrokerForgets), Kind::Network, EVERY).heals(NOTICED),
    row("proc.kill", Constructor::Plain(EnvironmentFault::Kill), Kind::Process, Share::Never),
    row("proc.hang", Constructor::Plain(EnvironmentFault::Hang), Kind::Process, Share::Never),
    row("proc.starved", Constructor::Plain(EnvironmentFault::Starved), Kind::Process, Share::Never),
    row("clock.forward", Constructor::Plain(EnvironmentFault::ClockForward), Kind::Clock, Share::Never),
    row("clock.back", Constructor::Plain(EnvironmentFault::ClockBack), Kind::Clock, Share::Never),
    row("clock.jitter", Constructor::Plain(EnvironmentFault::ClockJitter), Kind::Clock, Share::Never),
    row("journal.truncated", Constructor::Plain(EnvironmentFault::JournalTruncated), Kind::Journal, Share::Never).heals(Healing::Start),
    row("journal.bitflip", Constructor::Plain(EnvironmentFault::JournalBitflip), Kind::Journal, Share::Never).heals(Healing::Start),
    row("journal.missing", Constructor::Plain(EnvironmentFault::JournalMissing), Kind::Journal, Share::Never).heals(Healing::Start),
    row("journal.foreign", Constructor::Plain(EnvironmentFault::JournalForeign), Kind::Journal, Share::Never).heals(Healing::Start),
    row("journal.rolled_back", Constructor::Plain(EnvironmentFault::JournalRolledBack), Kind::Journal, Share::Never).heals(Healing::Start),
    row("permit.missing", Constructor::Plain(EnvironmentFault::PermitMissing), Kind::Files, Share::Never).heals(Healing::Start),
    row("permit.older", Constructor::Plain(EnvironmentFault::PermitOlder), Kind::Files, Share::Never).heals(Healing::Start),
    row("run.missing", Constructor::Plain(EnvironmentFault::RunMissing), Kind::Files, Share::Never).heals(Healing::Start),
    row("slot.missing", Constructor::Plain(EnvironmentFault::SlotMissing), Kind::Files, Share::Never).heals(Healing::Start),
    row("mqtt.flapping", Constructor::Plain(EnvironmentFault::BrokerFlapping), Kind::Network, Share::Never).heals(NOTICED),
    row("mqtt.tls_expired", Constructor::Plain(EnvironmentFault::BrokerTlsExpired), Kind::Network, Share::Never).heals(NOTICED),
    row("mqtt.same_client_id", Constructor::Plain(EnvironmentFault::BrokerTakenOver), Kind::Network, Share::Never).heals(NOTICED),
    row("mqtt.hostile", Constructor::Plain(EnvironmentFault::BrokerHostile), Kind::Network, Share::Never).heals(NOTICED),
    row("gpio.line_busy", Constructor::Plain(EnvironmentFault::LineBusy), Kind::Ports, Share::Never),
    row("proc.kill_at_sync", Constructor::Number(EnvironmentFault::KillAtSync), Kind::Process, Share::Never),
    row("proc.kill_at_write", Constructor::Number(EnvironmentFault::KillAtWrite), Kind::Process, Share::Never),
    row("disk.takes_ms", Constructor::Number(EnvironmentFault::DiskTakes), Kind::Disk, Share::Never).heals(Healing::Settles(1_000)),
];

impl Declared for EnvironmentFault {
    type Part = Kind;
    const TABLE: &'static [Row<Self, Self::Part>] = TABLE;
}

/// How long every sync of a slow disk takes, in ms (faults.md disk.slow_fsync).
pub const SLOW_SYNC_MILLIS: u16 = 5_000;

impl EnvironmentFault {
    /// How long a commit of the journal takes under this fault, in ms; 0 where the fault does not change it.
    #[must_use]
    pub const fn commit_millis(self) -> u16 {
        match self {
            Self::DiskSlow => SLOW_SYNC_MILLIS,
            Self::DiskTakes(millis) => millis,
            _ => 0,
        }
    }

    /// Every commit of the journal takes this long, in ms; longer than a minute is no longer told apart.
    #[must_use]
    pub fn disk_takes(millis: u64) -> Self {
        Self::DiskTakes(u16::try_from(millis).unwrap_or(60_000))
    }

    /// The fault with this name; `None` for an unknown id, or an argument that is no number from 1.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::named(name, None).ok()
    }

    /// What it breaks.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.row().map_or(Kind::Process, |row| row.part)
    }
}

/// Its name.
impl fmt::Display for EnvironmentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_with_their_numbers_and_nothing_else_is() {
        assert_eq!(EnvironmentFault::parse("proc.hang"), Some(EnvironmentFault::Hang));
        assert_eq!(EnvironmentFault::parse("proc.kill_at_sync:3"), Some(EnvironmentFault::KillAtSync(3)));
        for none in ["proc.kill_at_sync", "proc.kill_at_sync:0", "proc.kill_at_sync:x", "proc.hung", ""] {
            assert_eq!(EnvironmentFault::parse(none), None, "{none}");
        }
        assert_eq!(EnvironmentFault::DiskTakes(300).to_string(), "disk.takes_ms:300");
        assert_eq!(
            [EnvironmentFault::DiskTakes(7).kind(), EnvironmentFault::LineBusy.kind()],
            [Kind::Disk, Kind::Ports]
        );
    }
}
