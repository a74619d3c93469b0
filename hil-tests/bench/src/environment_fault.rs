//! What can break around the daemon: its process, its clock, its disk, its network, its ports. The twin knows nothing of
//! these; each bench does them by real means where it can, and says [`super::Trouble::NotHere`] where it cannot.

use tumbler_twin::fault_table::Share;

/// Something around the daemon that can be broken and mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outside {
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
    /// The wall clock steps to and fro.
    ClockJitter,
    /// The journal's file system is full.
    DiskFull,
    /// The journal's file system is read-only.
    DiskReadOnly,
    /// Every sync takes five seconds.
    DiskSlow,
    /// A commit of the journal takes so many milliseconds.
    DiskTakes(u16),
    /// Every sync fails with an input/output error.
    DiskError,
    /// The journal was cut while the daemon was off.
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
    /// Permit and slot are those of the table when it was open, put back while the daemon was off.
    PermitOlder,
    /// The run directory was deleted while the daemon was off.
    RunMissing,
    /// The slot was deleted while the daemon was off.
    SlotMissing,
    /// The broker is down: connections are refused.
    BrokerDown,
    /// Connections to the broker stay open, and nothing passes any more.
    BrokerHalfOpen,
    /// The way to the broker is slow.
    BrokerSlow,
    /// The way to the broker comes and goes.
    BrokerFlapping,
    /// The broker refuses the daemon's account.
    BrokerDenies,
    /// The broker's certificate has expired.
    BrokerTlsExpired,
    /// The broker forgot the session.
    BrokerForgets,
    /// Somebody else connects with the daemon's client id.
    BrokerTakenOver,
    /// Somebody publishes to every topic of the table: oversized, retained, garbage.
    BrokerHostile,
    /// The field bus' serial port vanishes.
    PortUnplugged,
    /// The serial port vanishes and comes back under another name, with the same id.
    PortRenamed,
    /// The wires vanish: the GPIO chip is gone.
    ChipGone,
    /// A line is held by somebody else when the daemon starts.
    LineBusy,
}

/// What kind of thing is broken: each bench has one means for each.
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

/// What an id stands for, and whether it wants a number after a colon.
#[derive(Clone, Copy, Debug)]
enum Make {
    Plain(Outside),
    Number(fn(u16) -> Outside),
}

/// Something that can be broken, as it is declared.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its id as scenarios and the catalogue write it.
    pub id: &'static str,
    make: Make,
    kind: Kind,
    /// How days of random trouble draw it.
    pub swarm: Share,
}

const fn row(id: &'static str, make: Make, kind: Kind, swarm: Share) -> Row {
    Row { id, make, kind, swarm }
}

const EVERY: Share = Share::Every(&[""]);

/// All of them, declared once. Days of random trouble are played on the pure bench: it has no wall clock, no other program and no line's
/// owner. Kills and slow commits they draw with numbers of their own.
#[rustfmt::skip]
pub const TABLE: &[Row] = &[
    row("bus.unplugged", Make::Plain(Outside::PortUnplugged), Kind::Ports, EVERY),
    row("bus.renamed", Make::Plain(Outside::PortRenamed), Kind::Ports, EVERY),
    row("gpio.chip_gone", Make::Plain(Outside::ChipGone), Kind::Ports, EVERY),
    row("disk.full", Make::Plain(Outside::DiskFull), Kind::Disk, EVERY),
    row("disk.readonly", Make::Plain(Outside::DiskReadOnly), Kind::Disk, EVERY),
    row("disk.io_error", Make::Plain(Outside::DiskError), Kind::Disk, EVERY),
    row("disk.slow_fsync", Make::Plain(Outside::DiskSlow), Kind::Disk, EVERY),
    row("mqtt.down", Make::Plain(Outside::BrokerDown), Kind::Network, EVERY),
    row("mqtt.half_open", Make::Plain(Outside::BrokerHalfOpen), Kind::Network, EVERY),
    row("mqtt.slow", Make::Plain(Outside::BrokerSlow), Kind::Network, EVERY),
    row("mqtt.auth_denied", Make::Plain(Outside::BrokerDenies), Kind::Network, EVERY),
    row("mqtt.session_lost", Make::Plain(Outside::BrokerForgets), Kind::Network, EVERY),
    row("proc.kill", Make::Plain(Outside::Kill), Kind::Process, Share::Never),
    row("proc.hang", Make::Plain(Outside::Hang), Kind::Process, Share::Never),
    row("proc.starved", Make::Plain(Outside::Starved), Kind::Process, Share::Never),
    row("clock.forward", Make::Plain(Outside::ClockForward), Kind::Clock, Share::Never),
    row("clock.back", Make::Plain(Outside::ClockBack), Kind::Clock, Share::Never),
    row("clock.jitter", Make::Plain(Outside::ClockJitter), Kind::Clock, Share::Never),
    row("journal.truncated", Make::Plain(Outside::JournalTruncated), Kind::Journal, Share::Never),
    row("journal.bitflip", Make::Plain(Outside::JournalBitflip), Kind::Journal, Share::Never),
    row("journal.missing", Make::Plain(Outside::JournalMissing), Kind::Journal, Share::Never),
    row("journal.foreign", Make::Plain(Outside::JournalForeign), Kind::Journal, Share::Never),
    row("journal.rolled_back", Make::Plain(Outside::JournalRolledBack), Kind::Journal, Share::Never),
    row("permit.missing", Make::Plain(Outside::PermitMissing), Kind::Files, Share::Never),
    row("permit.older", Make::Plain(Outside::PermitOlder), Kind::Files, Share::Never),
    row("run.missing", Make::Plain(Outside::RunMissing), Kind::Files, Share::Never),
    row("slot.missing", Make::Plain(Outside::SlotMissing), Kind::Files, Share::Never),
    row("mqtt.flapping", Make::Plain(Outside::BrokerFlapping), Kind::Network, Share::Never),
    row("mqtt.tls_expired", Make::Plain(Outside::BrokerTlsExpired), Kind::Network, Share::Never),
    row("mqtt.same_client_id", Make::Plain(Outside::BrokerTakenOver), Kind::Network, Share::Never),
    row("mqtt.hostile", Make::Plain(Outside::BrokerHostile), Kind::Network, Share::Never),
    row("gpio.line_busy", Make::Plain(Outside::LineBusy), Kind::Ports, Share::Never),
    row("proc.kill_at_sync", Make::Number(Outside::KillAtSync), Kind::Process, Share::Never),
    row("proc.kill_at_write", Make::Number(Outside::KillAtWrite), Kind::Process, Share::Never),
    row("disk.takes_ms", Make::Number(Outside::DiskTakes), Kind::Disk, Share::Never),
];

/// How long every sync of a slow disk takes, in ms (faults.md disk.slow_fsync).
pub const SLOW_SYNC_MILLIS: u16 = 5_000;

impl Outside {
    /// How long a commit of the journal takes while this is in force, in ms; 0 where it takes as long as ever.
    #[must_use]
    pub const fn commit_millis(self) -> u16 {
        match self {
            Self::DiskSlow => SLOW_SYNC_MILLIS,
            Self::DiskTakes(millis) => millis,
            _ => 0,
        }
    }

    /// What has this id; `None` where it is no such id or its argument is no number of at least 1.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let (id, argument) = name.split_once(':').map_or((name, None), |(id, argument)| (id, Some(argument)));
        match (TABLE.iter().find(|row| row.id == id)?.make, argument) {
            (Make::Plain(outside), None) => Some(outside),
            (Make::Number(make), Some(number)) => number.parse().ok().filter(|n| *n > 0).map(make),
            _ => None,
        }
    }

    /// What kind of thing it breaks.
    #[must_use]
    pub fn kind(self) -> Kind {
        let of = |row: &&Row| {
            let example = match row.make {
                Make::Plain(outside) => outside,
                Make::Number(make) => make(1),
            };
            core::mem::discriminant(&example) == core::mem::discriminant(&self)
        };
        TABLE.iter().find(of).map_or(Kind::Process, |row| row.kind)
    }

    /// All ids, for whoever wrote one that does not exist.
    pub fn ids() -> impl Iterator<Item = String> {
        TABLE.iter().map(|row| match row.make {
            Make::Plain(_) => row.id.to_owned(),
            Make::Number(_) => format!("{}:<a number from 1>", row.id),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_with_their_numbers_and_nothing_else_is() {
        assert_eq!(Outside::parse("proc.hang"), Some(Outside::Hang));
        assert_eq!(Outside::parse("proc.kill_at_sync:3"), Some(Outside::KillAtSync(3)));
        for none in ["proc.kill_at_sync", "proc.kill_at_sync:0", "proc.kill_at_sync:x", "proc.hung", ""] {
            assert_eq!(Outside::parse(none), None, "{none}");
        }
        assert!(Outside::ids().any(|id| id == "disk.full"));
        assert_eq!([Outside::DiskTakes(7).kind(), Outside::LineBusy.kind()], [Kind::Disk, Kind::Ports]);
    }
}
