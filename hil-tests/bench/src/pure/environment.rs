//! Faults of the daemon's environment, as far as the pure bench can model them: by what input the table gets, and when.

use super::super::{Bench, BenchError, EnvironmentFault};
use super::Pure;
use super::broker::Broker;
use super::journal::{KillAtCommit, Salvage};
use crate::environment_fault::SLOW_SYNC_MILLIS;
use std::collections::BTreeSet;
use tumbler_core::input::Input;
use tumbler_core::line::{InLine, OutLine};
use tumbler_spec::{Part, Seen, Truth};
use tumbler_twin::MS;

/// Time from a publish to the broker's acknowledgement.
pub(super) const RELAY_NANOS: u64 = 3 * MS;
/// The same on a slow path: half a second each way.
const SLOW_RELAY_NANOS: u64 = 1000 * MS;
/// Judges are told that the disk is slow if commits take longer than this: reactions that wait for a record have no deadline then.
const SLOW_COMMIT_NANOS: u64 = 200 * MS;
/// A disk whose every sync takes five seconds.
const SLOW: EnvironmentFault = EnvironmentFault::DiskTakes(SLOW_SYNC_MILLIS);

/// The state of the daemon's environment.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    /// Faults that have taken effect since the bench began.
    pub(super) shown: BTreeSet<EnvironmentFault>,
    /// The process is stopped: it gets no input and runs no timer.
    pub(super) hung: bool,
    /// The serial port is gone: every transaction fails.
    pub(super) port_gone: bool,
    /// The wires are gone: nothing is driven, and no edge is seen.
    pub(super) chip_gone: bool,
    /// The broker's acknowledgements take a second.
    pub(super) slow: bool,
    /// The sign's level as last commanded, for when the wires come back.
    pub(super) sign: bool,
    /// Commits take longer than judges expect.
    slow_disk: bool,
    /// The fault that will kill the daemon at a commit.
    kill_at: Option<EnvironmentFault>,
}

fn no_means(fault: EnvironmentFault) -> BenchError {
    BenchError::Unsupported(format!("the pure bench has no means for {fault}"))
}

impl Pure {
    /// Publishes what is durable and not yet acknowledged, if the broker is up.
    pub(super) fn relay_more(&mut self) {
        if self.broker && self.relay.is_none() && self.log.relayed < self.durable {
            let takes = if self.environment.slow { SLOW_RELAY_NANOS } else { RELAY_NANOS };
            self.relay = Some((self.now + takes, self.durable));
        }
    }

    fn hang(&mut self, hung: bool) {
        self.environment.hung = hung;
        self.observer.tell(self.now, Seen::Truth(Truth::Hung { hung }));
    }

    /// Injects a fault.
    pub(super) fn break_environment(&mut self, fault: EnvironmentFault) -> Result<(), BenchError> {
        match fault {
            EnvironmentFault::Kill => self.kill()?,
            EnvironmentFault::Hang if self.table.is_none() => {}
            EnvironmentFault::Hang => self.hang(true),
            // The same to the table: nothing is acknowledged.
            EnvironmentFault::BrokerDown
            | EnvironmentFault::BrokerHalfOpen
            | EnvironmentFault::BrokerDenies
            | EnvironmentFault::BrokerTlsExpired
            | EnvironmentFault::BrokerTakenOver => {
                self.tell_broken(Part::Network, true);
                self.broker(false)?;
            }
            EnvironmentFault::DiskTakes(millis) => {
                self.mend_environment(fault)?;
                let nanos = u64::from(millis) * MS;
                self.journal.set_latency(nanos);
                self.environment.slow_disk = nanos > SLOW_COMMIT_NANOS;
                if self.environment.slow_disk {
                    self.tell_broken(Part::Journal, true);
                }
            }
            EnvironmentFault::BrokerSlow => self.environment.slow = true,
            EnvironmentFault::BrokerForgets => {
                self.broker(false)?;
                self.broker(true)?;
            }
            EnvironmentFault::PortUnplugged | EnvironmentFault::PortRenamed => {
                self.tell_broken(Part::Bus, true);
                self.environment.port_gone = true;
            }
            EnvironmentFault::ChipGone => {
                self.tell_broken(Part::Gpio, true);
                self.environment.chip_gone = true;
                self.inbox.push_back((self.now, Input::LinesLost { reason: "the chip is gone".into() }));
                self.after()?;
            }
            EnvironmentFault::PermitMissing
            | EnvironmentFault::RunMissing
            | EnvironmentFault::PermitOlder
            | EnvironmentFault::SlotMissing => {
                self.break_files(fault)?;
            }
            EnvironmentFault::KillAtSync(n) => {
                self.kill_at(fault, n, false);
                return Ok(());
            }
            EnvironmentFault::KillAtWrite(n) => {
                self.kill_at(fault, n, true);
                return Ok(());
            }
            EnvironmentFault::DiskFull => self.break_disk("the journal's disk is full"),
            EnvironmentFault::DiskReadOnly => self.break_disk("the journal's disk is read-only"),
            EnvironmentFault::DiskError => self.break_disk("the journal's disk fails"),
            EnvironmentFault::DiskSlow => self.break_environment(SLOW)?,
            EnvironmentFault::JournalTruncated => self.damage("the journal was cut", Salvage::Earlier)?,
            EnvironmentFault::JournalBitflip => self.damage("the journal was changed", Salvage::All)?,
            EnvironmentFault::JournalMissing => self.damage("the journal is missing", Salvage::Nothing)?,
            EnvironmentFault::JournalForeign => self.damage("the journal is a foreign one", Salvage::Nothing)?,
            EnvironmentFault::JournalRolledBack => self.damage("the journal is older than it was", Salvage::Earlier)?,
            _ => return Err(no_means(fault)),
        }
        self.environment.shown.insert(fault);
        Ok(())
    }

    /// Damages the files beside the journal while the daemon is off.
    fn break_files(&mut self, fault: EnvironmentFault) -> Result<(), BenchError> {
        if self.table.is_some() {
            return Err(BenchError::Rig(format!("{fault} is for a daemon that is off")));
        }
        match fault {
            EnvironmentFault::PermitOlder if !self.journal.put_permit_back() => {
                return Err(BenchError::Unsupported("the table was never open, so there is no older permit".into()));
            }
            EnvironmentFault::PermitMissing | EnvironmentFault::RunMissing => self.journal.lose_permit(),
            EnvironmentFault::SlotMissing => self.journal.lose_slot(),
            _ => {}
        }
        Ok(())
    }

    fn tell_broken(&mut self, part: Part, broken: bool) {
        self.observer.part(self.now, part, broken);
    }

    /// Hands in every input level, then every pin's readback; or, without the chip, its loss.
    pub(super) fn read_lines(&mut self) {
        if self.environment.chip_gone {
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
    fn lines_back(&mut self) -> Result<(), BenchError> {
        self.environment.chip_gone = false;
        let safe =
            [(OutLine::MotorEnable, false), (OutLine::OutOfService, self.environment.sign), (OutLine::Bell, false)];
        for (line, active) in safe {
            self.observer.output(self.now, line, active);
            self.twin.output(self.now, line, active, &mut self.wires);
        }
        self.inbox.push_back((self.now, Input::LinesBack));
        self.notice();
        self.read_lines();
        self.after()
    }

    fn kill_at(&mut self, fault: EnvironmentFault, commits: u16, durable: bool) {
        self.journal.kill_at = Some(KillAtCommit { commits, durable });
        self.environment.kill_at = Some(fault);
    }

    fn break_disk(&mut self, reason: &'static str) {
        self.journal.set_broken(self.now, Some(reason));
        self.tell_broken(Part::Journal, true);
    }

    fn damage(&mut self, reason: &'static str, keeps: Salvage) -> Result<(), BenchError> {
        if self.table.is_some() {
            return Err(BenchError::Rig("the journal is damaged only while the daemon is off: kill or stop it".into()));
        }
        let first = self.journal.damage(self.now, reason, keeps);
        self.told.iter_mut().for_each(Broker::begin_journal);
        self.recorded(first);
        Ok(())
    }

    /// The daemon is gone. If its kill was armed and has fired, the fault has taken effect.
    pub(super) fn note_death(&mut self) {
        if let (Some(fault), None) = (self.environment.kill_at, self.journal.kill_at) {
            self.environment.shown.insert(fault);
        }
        self.environment.kill_at = None;
    }

    /// Heals a fault.
    pub(super) fn mend_environment(&mut self, fault: EnvironmentFault) -> Result<(), BenchError> {
        match fault {
            EnvironmentFault::Kill => self.start(),
            EnvironmentFault::Hang if !self.environment.hung => Ok(()),
            EnvironmentFault::Hang => {
                self.hang(false);
                self.after()
            }
            EnvironmentFault::DiskTakes(_) => {
                self.journal.set_latency(self.commit_ns);
                if core::mem::take(&mut self.environment.slow_disk) {
                    self.tell_broken(Part::Journal, false);
                }
                Ok(())
            }
            // The daemon has recreated the files at its start.
            EnvironmentFault::JournalTruncated
            | EnvironmentFault::JournalBitflip
            | EnvironmentFault::JournalMissing
            | EnvironmentFault::JournalForeign
            | EnvironmentFault::JournalRolledBack
            | EnvironmentFault::PermitMissing
            | EnvironmentFault::RunMissing
            | EnvironmentFault::PermitOlder
            | EnvironmentFault::SlotMissing => Ok(()),
            EnvironmentFault::BrokerDown
            | EnvironmentFault::BrokerHalfOpen
            | EnvironmentFault::BrokerDenies
            | EnvironmentFault::BrokerTlsExpired
            | EnvironmentFault::BrokerTakenOver => {
                self.tell_broken(Part::Network, false);
                self.broker(true)
            }
            EnvironmentFault::BrokerSlow => {
                self.environment.slow = false;
                Ok(())
            }
            EnvironmentFault::BrokerForgets => Ok(()),
            EnvironmentFault::PortUnplugged | EnvironmentFault::PortRenamed => {
                self.environment.port_gone = false;
                self.tell_broken(Part::Bus, false);
                Ok(())
            }
            EnvironmentFault::ChipGone => {
                self.lines_back()?;
                self.tell_broken(Part::Gpio, false);
                Ok(())
            }
            EnvironmentFault::KillAtSync(_) | EnvironmentFault::KillAtWrite(_) => {
                self.journal.kill_at = None;
                self.environment.kill_at = None;
                if self.table.is_some() { Ok(()) } else { self.start() }
            }
            EnvironmentFault::DiskFull | EnvironmentFault::DiskReadOnly | EnvironmentFault::DiskError => {
                self.journal.set_broken(self.now, None);
                self.tell_broken(Part::Journal, false);
                Ok(())
            }
            EnvironmentFault::DiskSlow => self.mend_environment(SLOW),
            _ => Err(no_means(fault)),
        }
    }
}
