//! Injects faults of the files beside the journal, while the daemon is off: permit, slot and run directory are deleted or replaced
//! by older copies.

use super::super::rig_fault::RigFault;
use super::super::table::Virtual;
use super::state::{permit, slot};
use crate::{BenchError, EnvironmentFault};
use std::path::PathBuf;

pub(super) fn disturb(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), BenchError> {
    if table.daemon.running()? {
        return Err(BenchError::Rig(format!("{fault} needs a daemon that is off: kill or stop it")));
    }
    let shown = match fault {
        EnvironmentFault::PermitOlder => restore_older(table)?,
        EnvironmentFault::RunMissing => {
            let run = table.dir.run();
            std::fs::remove_dir_all(&run).map_err(RigFault::file("remove", &run))?;
            !run.exists()
        }
        EnvironmentFault::SlotMissing => remove(slot(&table.dir))?,
        _ => remove(permit(&table.dir))?,
    };
    if shown {
        table.injections.shown.insert(fault);
    }
    Ok(())
}

/// Removes a file. It need not exist: a latch has removed the permit already.
fn remove(file: PathBuf) -> Result<bool, RigFault> {
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(RigFault::file("remove", &file)(error)),
        _ => Ok(!file.exists()),
    }
}

fn restore_older(table: &Virtual) -> Result<bool, BenchError> {
    let Some(files) = &table.injections.files.opened else {
        return Err(BenchError::Unsupported(
            "the bench did not begin with an open table, so it has no older permit".into(),
        ));
    };
    for (path, bytes) in files {
        std::fs::write(path, bytes).map_err(RigFault::file("write", path))?;
    }
    Ok(files.iter().all(|(path, bytes)| std::fs::read(path).is_ok_and(|now| now == *bytes)))
}
