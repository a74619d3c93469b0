//! The files beside the journal: permit, slot and run directory, deleted or older than they were while the daemon was off.

use super::super::rig_fault::RigFault;
use super::super::table::Virtual;
use super::state::{permit, slot};
use crate::{EnvironmentFault, Trouble};
use std::path::PathBuf;

pub(super) fn disturb(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), Trouble> {
    if table.daemon.running()? {
        return Err(Trouble::Rig(format!("{fault:?} is for a daemon that is off")));
    }
    let shown = match fault {
        EnvironmentFault::PermitOlder => put_back(table)?,
        EnvironmentFault::RunMissing => {
            let run = table.dir.run();
            std::fs::remove_dir_all(&run).map_err(RigFault::file("remove", &run))?;
            !run.exists()
        }
        EnvironmentFault::SlotMissing => remove(slot(&table.dir))?,
        _ => remove(permit(&table.dir))?,
    };
    if shown {
        table.means.shown.insert(fault);
    }
    Ok(())
}

/// Removes a file that need not be there: a latch takes the permit away by itself.
fn remove(file: PathBuf) -> Result<bool, RigFault> {
    match std::fs::remove_file(&file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(RigFault::file("remove", &file)(error)),
        _ => Ok(!file.exists()),
    }
}

fn put_back(table: &Virtual) -> Result<bool, Trouble> {
    let Some(files) = &table.means.files.opened else {
        return Err(Trouble::NotHere("the bench did not begin with an open table, so it has no older permit".into()));
    };
    for (path, bytes) in files {
        std::fs::write(path, bytes).map_err(RigFault::file("write", path))?;
    }
    Ok(files.iter().all(|(path, bytes)| std::fs::read(path).is_ok_and(|now| now == *bytes)))
}
