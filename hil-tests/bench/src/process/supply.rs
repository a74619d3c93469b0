//! The power supply: a power cut, and the boot after it.
//!
//! The daemon dies by SIGKILL when the supply is gone, the state directory's file system loses whatever was not synced, and
//! the run directory is emptied, as a reboot empties a tmpfs. Then the daemon starts under a new boot id. One difference to a
//! real boot remains: the monotonic clock does not restart.

use super::mounts::SimulatedBoot;
use super::rig_fault::RigFault;
use super::table::{Setup, Virtual};
use super::workdir::WorkDir;
use crate::{Bench, BenchError};
use tumbler_twin::{Act, MS};

/// Limit for the time from the drop of `power_good` to the loss of power. The twin takes some 20 ms; more than this is a fault of
/// the twin.
const FAILS_NANOS: u64 = 1_000 * MS;

impl Virtual {
    /// [`Virtual::start`] on a machine that was just switched on.
    ///
    /// # Errors
    /// [`BenchError`] when a part of it cannot be set up.
    pub fn start_after_boot(setup: &Setup, dir: WorkDir, opened: bool) -> Result<Self, BenchError> {
        let boot = SimulatedBoot::begin(&dir.path().join("boot_id"))?;
        let mut table = Self::start(setup, dir, opened)?;
        table.boot = Some(boot);
        Ok(table)
    }

    /// Cuts the supply; returns when daemon, motor, lamps and terminal have lost power.
    pub(super) fn power_off(&mut self) -> Result<(), BenchError> {
        if self.dir.disk().is_none() {
            return Err(BenchError::Rig("this table's journal has no disk of its own to be cut off".into()));
        }
        // Records that were written but not synced are lost below, so read the journal only after that.
        self.tick()?;
        self.world.cut = true;
        self.act(Act::CutSupply)?;
        let until = self.world.now() + FAILS_NANOS;
        if !self.tick_until(until, |table| Ok(!table.world.twin.supply()))? {
            return Err(BenchError::Rig("the supply did not fail".into()));
        }
        if let Some(disk) = self.dir.disk() {
            disk.lose_unsynced()?;
        }
        self.daemon.kill()?;
        self.daemon.kill_network()?;
        self.world.journal.close();
        if let Some(disk) = self.dir.disk() {
            disk.repair()?;
        }
        let run = self.dir.run();
        std::fs::remove_dir_all(&run).map_err(RigFault::file("empty", &run))?;
        std::fs::create_dir(&run).map_err(RigFault::file("make the directory", &run))?;
        self.world.cut = false;
        self.daemon_ended();
        Ok(())
    }

    /// The supply comes back, and the machine boots.
    pub(super) fn power_on(&mut self) -> Result<(), BenchError> {
        self.boot = None;
        self.boot = Some(SimulatedBoot::begin(&self.dir.path().join("boot_id"))?);
        self.act(Act::RestoreSupply)?;
        Ok(self.launch()?)
    }
}
