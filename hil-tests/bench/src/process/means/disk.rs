//! The journal's disk: full, read-only, slow, failing.

use super::super::rig_fault::RigFault;
use super::super::table::Virtual;
use super::refusal::no_means;
use super::tracer::{SYNCS, Tracer};
use crate::environment_fault::SLOW_SYNC_MILLIS;
use crate::process::mounts::SmallDisk;
use crate::{EnvironmentFault, Trouble};
use nix::errno::Errno;

pub(super) fn disturb(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), Trouble> {
    match fault {
        EnvironmentFault::DiskFull => {
            let disk = disk(table)?;
            disk.fill()?;
            let found = disk.probe();
            table.means.note(fault, found == Some(Errno::ENOSPC));
            table.catch_up();
            table.world.journal_broken(true);
        }
        EnvironmentFault::DiskReadOnly => {
            let disk = disk(table)?;
            disk.break_down()?;
            let found = disk.probe();
            table.means.note(fault, found == Some(Errno::EROFS));
            table.catch_up();
            table.world.journal_broken(true);
        }
        EnvironmentFault::DiskSlow => {
            // strace counts in microseconds.
            trace(table, &format!("delay_exit={SLOW_SYNC_MILLIS}000"))?;
            table.catch_up();
            table.world.journal_broken(true);
        }
        EnvironmentFault::DiskError => {
            trace(table, "error=EIO")?;
            table.catch_up();
            table.world.journal_broken(true);
        }
        _ => return Err(no_means(fault)),
    }
    Ok(())
}

pub(super) fn restore(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), Trouble> {
    match fault {
        EnvironmentFault::DiskFull => disk(table)?.empty()?,
        // Only a check of the file system, with nobody using it, makes it writable again.
        EnvironmentFault::DiskReadOnly => {
            if table.daemon.running()? {
                return Err(Trouble::Rig("a read-only disk is mended while the daemon is off: stop or kill it".into()));
            }
            table.world.journal.close();
            disk(table)?.mend()?;
        }
        EnvironmentFault::DiskSlow | EnvironmentFault::DiskError => {
            if let Some(tracer) = table.means.tracer.take() {
                let told = tracer.detach()?;
                table.means.note(fault, injected(&told));
            }
        }
        _ => return Err(no_means(fault)),
    }
    table.catch_up();
    table.world.journal_broken(false);
    Ok(())
}

/// Whether strace did something to a system call.
pub(super) fn injected(told: &str) -> bool {
    told.contains("(INJECTED)") || told.contains("(DELAYED)")
}

fn disk(table: &Virtual) -> Result<&SmallDisk, RigFault> {
    table.dir.disk().ok_or_else(|| RigFault::Other("this table's journal has no disk of its own".into()))
}

fn trace(table: &mut Virtual, harm: &str) -> Result<(), Trouble> {
    if table.means.tracer.is_some() {
        return Err(Trouble::Rig("strace is at work already: heal the fault before it".into()));
    }
    table.means.tracer = Some(Tracer::attach(table.daemon.pid(), &table.dir, SYNCS, harm)?);
    Ok(())
}
