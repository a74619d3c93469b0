//! The supply: a power cut, and the boot after it.
//!
//! The daemon dies by SIGKILL when the supply is gone, the state directory's file system loses whatever was not synced, and
//! the run directory is emptied, as a tmpfs is by a boot. Then the daemon starts under another boot id. Only the
//! monotonic clock goes on, which begins again at a real boot.

use super::mounts::OtherBoot;
use super::rig_fault::RigFault;
use super::table::{Setup, Virtual};
use super::workdir::WorkDir;
use crate::{Bench, Trouble};
use tumbler_twin::{Act, MS};

/// `power_good` drops some 20 ms before the supply fails; far longer, and the twin is at fault.
const FAILS_NANOS: u64 = 1_000 * MS;

impl Virtual {
    /// [`Virtual::start`] on a machine that was just switched on.
    ///
    /// # Errors
    /// [`Trouble`] when anything of it cannot be had.
    pub fn start_after_boot(setup: &Setup, dir: WorkDir, opened: bool) -> Result<Self, Trouble> {
        let boot = OtherBoot::begin(&dir.path().join("boot_id"))?;
        let mut table = Self::start(setup, dir, opened)?;
        table.boot = Some(boot);
        Ok(table)
    }

    /// Cuts the supply; returns when it is gone, and everything with it.
    pub(super) fn power_off(&mut self) -> Result<(), Trouble> {
        if self.dir.disk().is_none() {
            return Err(Trouble::Rig("this table's journal has no disk of its own to be cut off".into()));
        }
        // Records that are seen but not synced are lost below: what survives is read after it.
        self.turn()?;
        self.world.cut = true;
        self.act(Act::CutSupply)?;
        let until = self.world.now() + FAILS_NANOS;
        if !self.turn_until(until, |table| Ok(!table.world.twin.supply()))? {
            return Err(Trouble::Rig("the supply did not fail".into()));
        }
        if let Some(disk) = self.dir.disk() {
            disk.lose_unsynced()?;
        }
        self.daemon.kill()?;
        self.world.journal.close();
        if let Some(disk) = self.dir.disk() {
            disk.mend()?;
        }
        let run = self.dir.run();
        std::fs::remove_dir_all(&run).map_err(RigFault::file("empty", &run))?;
        std::fs::create_dir(&run).map_err(RigFault::file("make the directory", &run))?;
        self.world.cut = false;
        self.ended();
        Ok(())
    }

    /// The supply comes back, and the machine boots.
    pub(super) fn power_on(&mut self) -> Result<(), Trouble> {
        self.boot = None;
        self.boot = Some(OtherBoot::begin(&self.dir.path().join("boot_id"))?);
        self.act(Act::RestoreSupply)?;
        Ok(self.launch()?)
    }
}
