//! What can break around the daemon: its process, its clock, its disk, its network, its ports. The twin knows nothing of
//! these; each bench does them by real means where it can, and says [`super::Trouble::NotHere`] where it cannot.

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

/// Ids that need no argument.
const PLAIN: &[(&str, Outside)] = &[
    ("proc.kill", Outside::Kill),
    ("proc.hang", Outside::Hang),
    ("proc.starved", Outside::Starved),
    ("clock.forward", Outside::ClockForward),
    ("clock.back", Outside::ClockBack),
    ("clock.jitter", Outside::ClockJitter),
    ("disk.full", Outside::DiskFull),
    ("disk.readonly", Outside::DiskReadOnly),
    ("disk.slow_fsync", Outside::DiskSlow),
    ("disk.io_error", Outside::DiskError),
    ("journal.truncated", Outside::JournalTruncated),
    ("journal.bitflip", Outside::JournalBitflip),
    ("journal.missing", Outside::JournalMissing),
    ("journal.foreign", Outside::JournalForeign),
    ("journal.rolled_back", Outside::JournalRolledBack),
    ("permit.missing", Outside::PermitMissing),
    ("permit.older", Outside::PermitOlder),
    ("run.missing", Outside::RunMissing),
    ("slot.missing", Outside::SlotMissing),
    ("mqtt.down", Outside::BrokerDown),
    ("mqtt.half_open", Outside::BrokerHalfOpen),
    ("mqtt.slow", Outside::BrokerSlow),
    ("mqtt.flapping", Outside::BrokerFlapping),
    ("mqtt.auth_denied", Outside::BrokerDenies),
    ("mqtt.tls_expired", Outside::BrokerTlsExpired),
    ("mqtt.session_lost", Outside::BrokerForgets),
    ("mqtt.same_client_id", Outside::BrokerTakenOver),
    ("mqtt.hostile", Outside::BrokerHostile),
    ("bus.unplugged", Outside::PortUnplugged),
    ("bus.renamed", Outside::PortRenamed),
    ("gpio.chip_gone", Outside::ChipGone),
    ("gpio.line_busy", Outside::LineBusy),
];

/// Ids that need a number after a colon.
type Numbered = (&'static str, fn(u16) -> Outside);
const NUMBERED: &[Numbered] = &[
    ("proc.kill_at_sync", Outside::KillAtSync),
    ("proc.kill_at_write", Outside::KillAtWrite),
    ("disk.takes_ms", Outside::DiskTakes),
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
        if let Some((_, outside)) = PLAIN.iter().find(|(id, _)| *id == name) {
            return Some(*outside);
        }
        let (id, argument) = name.split_once(':')?;
        let (_, make) = NUMBERED.iter().find(|(known, _)| *known == id)?;
        argument.parse().ok().filter(|n| *n > 0).map(make)
    }

    /// All ids, for whoever wrote one that does not exist.
    pub fn ids() -> impl Iterator<Item = String> {
        let plain = PLAIN.iter().map(|(id, _)| (*id).to_owned());
        plain.chain(NUMBERED.iter().map(|(id, _)| format!("{id}:<a number from 1>")))
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
    }
}
