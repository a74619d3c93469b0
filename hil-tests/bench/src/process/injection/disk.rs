//! Injects faults of the journal's disk: full, read-only, slow, failing.

use super::super::rig_fault::RigFault;
use super::super::table::Virtual;
use super::tracer::{SYNCS, Tracer};
use super::unsupported::bench_lacks;
use crate::environment_fault::SLOW_SYNC_MILLIS;
use crate::process::mounts::SmallDisk;
use crate::{BenchError, EnvironmentFault};
use nix::errno::Errno;

pub(super) fn disturb(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), BenchError> {
    match fault {
        EnvironmentFault::DiskFull => {
            let disk = disk(table)?;
            disk.fill()?;
            let found = disk.probe();
            table.injections.note(fault, found == Some(Errno::ENOSPC));
            table.catch_up();
            table.world.journal_broken(true);
        }
        EnvironmentFault::DiskReadOnly => {
            let disk = disk(table)?;
            disk.make_read_only()?;
            let found = disk.probe();
            table.injections.note(fault, found == Some(Errno::EROFS));
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
        _ => return Err(bench_lacks(fault)),
    }
    Ok(())
}

pub(super) fn restore(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), BenchError> {
    match fault {
        EnvironmentFault::DiskFull => disk(table)?.empty()?,
        // Only a file system check makes it writable again, and that needs it unmounted.
        EnvironmentFault::DiskReadOnly => {
            if table.daemon.running()? {
                return Err(BenchError::Rig(
                    "a read-only disk is mended while the daemon is off: stop or kill it".into(),
                ));
            }
            table.world.journal.close();
            disk(table)?.repair()?;
        }
        EnvironmentFault::DiskSlow | EnvironmentFault::DiskError => {
            if let Some(tracer) = table.injections.tracer.take() {
                let output = tracer.detach()?;
                table.injections.note(fault, injected(&output));
            }
        }
        _ => return Err(bench_lacks(fault)),
    }
    table.catch_up();
    table.world.journal_broken(false);
    Ok(())
}

/// Whether strace has tampered with a system call.
pub(super) fn injected(output: &str) -> bool {
    output.contains("(INJECTED)") || output.contains("(DELAYED)")
}

fn disk(table: &Virtual) -> Result<&SmallDisk, RigFault> {
    table.dir.disk().ok_or_else(|| RigFault::Other("this table's journal has no disk of its own".into()))
}

fn trace(table: &mut Virtual, injection: &str) -> Result<(), BenchError> {
    if table.injections.tracer.is_some() {
        return Err(BenchError::Rig("strace is attached already: heal the fault before it".into()));
    }
    table.injections.tracer = Some(Tracer::attach(table.daemon.pid(), &table.dir, SYNCS, injection)?);
    Ok(())
}
