//! What breaks around the daemon, as far as the pure bench has a counterpart: what the table is handed, and when.

use super::super::{Bench, Outside, Trouble};
use super::Pure;
use super::broker::Broker;
use super::journal::{Deadly, Keeps};
use crate::environment_fault::SLOW_SYNC_MILLIS;
use std::collections::BTreeSet;
use tumbler_core::input::Input;
use tumbler_core::line::{InLine, OutLine};
use tumbler_judges::{Part, Seen, Truth};
use tumbler_twin::MS;

/// The relay's way to the broker and back.
pub(super) const RELAY_NANOS: u64 = 3 * MS;
/// The same where the path is slow: half a second each way.
const SLOW_RELAY_NANOS: u64 = 1000 * MS;
/// Slower commits than this are a slow disk: what waits for a record has no deadline then.
const SLOW_COMMIT_NANOS: u64 = 200 * MS;
/// A disk whose every sync takes five seconds.
const SLOW: Outside = Outside::DiskTakes(SLOW_SYNC_MILLIS);

/// What the bench remembers of what was broken.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    /// What has shown since the bench began.
    pub(super) shown: BTreeSet<Outside>,
    /// The process is stopped: nothing is handed in, and nothing of its own goes on.
    pub(super) hung: bool,
    /// The serial port is gone: every transaction ends with that.
    pub(super) port_gone: bool,
    /// The wires are gone: nothing is driven, and no edge is seen.
    pub(super) chip_gone: bool,
    /// What the broker has acknowledged takes a second to be known.
    pub(super) slow: bool,
    /// The sign's level as last commanded, for wires that come back.
    pub(super) sign: bool,
    /// Commits take longer than judges reckon with.
    slow_disk: bool,
    /// What is to kill the daemon at a commit.
    deadly: Option<Outside>,
}

fn no_means(outside: Outside) -> Trouble {
    Trouble::NotHere(format!("the pure bench has no means for {outside:?}"))
}

impl Pure {
    /// What is durable and not acknowledged yet goes to the broker, if that is there.
    pub(super) fn relay_more(&mut self) {
        if self.broker && self.relay.is_none() && self.log.relayed < self.durable {
            let takes = if self.around.slow { SLOW_RELAY_NANOS } else { RELAY_NANOS };
            self.relay = Some((self.now + takes, self.durable));
        }
    }

    fn hang(&mut self, hung: bool) {
        self.around.hung = hung;
        self.observer.tell(self.now, Seen::Truth(Truth::Hung { hung }));
    }

    /// Breaks something around the daemon.
    pub(super) fn break_around(&mut self, outside: Outside) -> Result<(), Trouble> {
        match outside {
            Outside::Kill => self.kill()?,
            Outside::Hang if self.table.is_none() => {}
            Outside::Hang => self.hang(true),
            // To the table they are all the same: nobody acknowledges anything.
            Outside::BrokerDown
            | Outside::BrokerHalfOpen
            | Outside::BrokerDenies
            | Outside::BrokerTlsExpired
            | Outside::BrokerTakenOver => {
                self.tell_broken(Part::Network, true);
                self.broker(false)?;
            }
            Outside::DiskTakes(millis) => {
                self.mend_around(outside)?;
                let nanos = u64::from(millis) * MS;
                self.journal.set_latency(nanos);
                self.around.slow_disk = nanos > SLOW_COMMIT_NANOS;
                if self.around.slow_disk {
                    self.tell_broken(Part::Journal, true);
                }
            }
            Outside::BrokerSlow => self.around.slow = true,
            Outside::BrokerForgets => {
                self.broker(false)?;
                self.broker(true)?;
            }
            Outside::PortUnplugged | Outside::PortRenamed => {
                self.tell_broken(Part::Bus, true);
                self.around.port_gone = true;
            }
            Outside::ChipGone => {
                self.tell_broken(Part::Gpio, true);
                self.around.chip_gone = true;
                self.inbox.push_back((self.now, Input::LinesLost { reason: "the chip is gone".into() }));
                self.after()?;
            }
            Outside::PermitMissing | Outside::RunMissing | Outside::PermitOlder | Outside::SlotMissing => {
                self.break_files(outside)?;
            }
            Outside::KillAtSync(n) => {
                self.deadly(outside, n, false);
                return Ok(());
            }
            Outside::KillAtWrite(n) => {
                self.deadly(outside, n, true);
                return Ok(());
            }
            Outside::DiskFull => self.break_disk("the journal's disk is full"),
            Outside::DiskReadOnly => self.break_disk("the journal's disk is read-only"),
            Outside::DiskError => self.break_disk("the journal's disk fails"),
            Outside::DiskSlow => self.break_around(SLOW)?,
            Outside::JournalTruncated => self.damage("the journal was cut", Keeps::Earlier)?,
            Outside::JournalBitflip => self.damage("the journal was changed", Keeps::All)?,
            Outside::JournalMissing => self.damage("the journal is missing", Keeps::Nothing)?,
            Outside::JournalForeign => self.damage("the journal is a foreign one", Keeps::Nothing)?,
            Outside::JournalRolledBack => self.damage("the journal is older than it was", Keeps::Earlier)?,
            _ => return Err(no_means(outside)),
        }
        self.around.shown.insert(outside);
        Ok(())
    }

    /// What happens to the files beside the journal while the daemon is off.
    fn break_files(&mut self, outside: Outside) -> Result<(), Trouble> {
        if self.table.is_some() {
            return Err(Trouble::Rig(format!("{outside:?} is for a daemon that is off")));
        }
        match outside {
            Outside::PermitOlder if !self.journal.put_permit_back() => {
                return Err(Trouble::NotHere("the table was never open, so there is no older permit".into()));
            }
            Outside::PermitMissing | Outside::RunMissing => self.journal.lose_permit(),
            Outside::SlotMissing => self.journal.lose_slot(),
            _ => {}
        }
        Ok(())
    }

    fn tell_broken(&mut self, part: Part, broken: bool) {
        self.observer.part(self.now, part, broken);
    }

    /// Every level is read, then every pin; where there are no wires, that is found.
    pub(super) fn read_lines(&mut self) {
        if self.around.chip_gone {
            self.inbox.push_back((self.now, Input::LinesLost { reason: "the chip is gone".into() }));
            return;
        }
        for line in InLine::ALL {
            let active = self.twin.level(line);
            self.observer.level(self.now, line, active);
            self.inbox.push_back((self.now, Input::Level { line, active }));
        }
        for line in OutLine::ALL {
            let active = self.twin.pin_level(line);
            self.observer.pin(self.now, line, active);
            if line != OutLine::MotorAlive {
                self.inbox.push_back((self.now, Input::Readback { line, active }));
            }
        }
    }

    /// The wires are back: the shell drives every output to its safe level, and reads all of them.
    fn lines_back(&mut self) -> Result<(), Trouble> {
        self.around.chip_gone = false;
        let safe = [(OutLine::MotorEnable, false), (OutLine::OutOfService, self.around.sign), (OutLine::Bell, false)];
        for (line, active) in safe {
            self.observer.output(self.now, line, active);
            self.twin.output(self.now, line, active, &mut self.wires);
        }
        self.inbox.push_back((self.now, Input::LinesBack));
        self.notice();
        self.read_lines();
        self.after()
    }

    fn deadly(&mut self, outside: Outside, commits: u16, durable: bool) {
        self.journal.deadly = Some(Deadly { commits, durable });
        self.around.deadly = Some(outside);
    }

    fn break_disk(&mut self, reason: &'static str) {
        self.journal.set_broken(self.now, Some(reason));
        self.tell_broken(Part::Journal, true);
    }

    fn damage(&mut self, reason: &'static str, keeps: Keeps) -> Result<(), Trouble> {
        if self.table.is_some() {
            return Err(Trouble::Rig("the journal is damaged only while the daemon is off: kill or stop it".into()));
        }
        let first = self.journal.damage(self.now, reason, keeps);
        self.told.iter_mut().for_each(Broker::begin_journal);
        self.recorded(first);
        Ok(())
    }

    /// The daemon is gone; if something was to kill it, that was it.
    pub(super) fn note_death(&mut self) {
        if let (Some(outside), None) = (self.around.deadly, self.journal.deadly) {
            self.around.shown.insert(outside);
        }
        self.around.deadly = None;
    }

    /// Mends it again.
    pub(super) fn mend_around(&mut self, outside: Outside) -> Result<(), Trouble> {
        match outside {
            Outside::Kill => self.start(),
            Outside::Hang if !self.around.hung => Ok(()),
            Outside::Hang => {
                self.hang(false);
                self.after()
            }
            Outside::DiskTakes(_) => {
                self.journal.set_latency(self.commit_ns);
                if core::mem::take(&mut self.around.slow_disk) {
                    self.tell_broken(Part::Journal, false);
                }
                Ok(())
            }
            // The daemon has made its own again.
            Outside::JournalTruncated
            | Outside::JournalBitflip
            | Outside::JournalMissing
            | Outside::JournalForeign
            | Outside::JournalRolledBack
            | Outside::PermitMissing
            | Outside::RunMissing
            | Outside::PermitOlder
            | Outside::SlotMissing => Ok(()),
            Outside::BrokerDown
            | Outside::BrokerHalfOpen
            | Outside::BrokerDenies
            | Outside::BrokerTlsExpired
            | Outside::BrokerTakenOver => {
                self.tell_broken(Part::Network, false);
                self.broker(true)
            }
            Outside::BrokerSlow => {
                self.around.slow = false;
                Ok(())
            }
            Outside::BrokerForgets => Ok(()),
            Outside::PortUnplugged | Outside::PortRenamed => {
                self.around.port_gone = false;
                self.tell_broken(Part::Bus, false);
                Ok(())
            }
            Outside::ChipGone => {
                self.lines_back()?;
                self.tell_broken(Part::Gpio, false);
                Ok(())
            }
            Outside::KillAtSync(_) | Outside::KillAtWrite(_) => {
                self.journal.deadly = None;
                self.around.deadly = None;
                if self.table.is_some() { Ok(()) } else { self.start() }
            }
            Outside::DiskFull | Outside::DiskReadOnly | Outside::DiskError => {
                self.journal.set_broken(self.now, None);
                self.tell_broken(Part::Journal, false);
                Ok(())
            }
            Outside::DiskSlow => self.mend_around(SLOW),
            _ => Err(no_means(outside)),
        }
    }
}
