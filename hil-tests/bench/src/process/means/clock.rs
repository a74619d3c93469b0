//! The daemon's wall clock is moved.

use super::super::rig_fault::RigFault;
use super::super::table::Virtual;
use super::refusal::no_means;
use super::state::Jitter;
use super::wall_clock::{file, set};
use crate::{EnvironmentFault, Trouble};

/// Six hours, in seconds.
const FAR: i64 = 6 * 3600;
/// A record whose wall time is so far from the machine's shows that the clock moved, in milliseconds.
const MOVED: i64 = 60_000;

pub(super) fn disturb(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), Trouble> {
    if !file(table.dir.path()).exists() {
        // A step of the clock shows in a record only, and a proof that tries it in passing waits for none.
        return Err(Trouble::NotHere("this trial's daemon has no wall clock of its own to be moved".into()));
    }
    match fault {
        EnvironmentFault::ClockForward => set(table.dir.path(), FAR)?,
        EnvironmentFault::ClockBack => set(table.dir.path(), -FAR)?,
        EnvironmentFault::ClockJitter => {
            table.means.jitter = Some(Jitter::default());
            table.means.step_clock(table.world.now(), table.dir.path())?;
        }
        _ => return Err(no_means(fault)),
    }
    table.means.clock = Some((fault, table.world.journal.last().0));
    Ok(())
}

pub(super) fn restore(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), Trouble> {
    let moved = shown(table)?;
    table.means.note(fault, moved);
    table.means.jitter = None;
    table.means.clock = None;
    Ok(set(table.dir.path(), 0)?)
}

/// Whether a record since the disturbance carries a wall time that is not the machine's.
pub(super) fn shown(table: &Virtual) -> Result<bool, RigFault> {
    let Some((_, since)) = table.means.clock else { return Ok(false) };
    let path = table.dir.state().join("journal.sqlite");
    let bad = |e: rusqlite::Error| RigFault::Other(format!("read the journal {}: {e}", path.display()));
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = rusqlite::Connection::open_with_flags(&path, flags).map_err(bad)?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let asked = "SELECT count(*) FROM record WHERE seq > ?1 AND abs(wall - ?2) > ?3";
    let moved: u64 = connection.query_row(asked, (since, now, MOVED), |row| row.get(0)).map_err(bad)?;
    Ok(moved > 0)
}
