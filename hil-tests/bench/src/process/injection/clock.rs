//! Injects faults of the daemon's wall clock.

use super::super::rig_fault::RigFault;
use super::super::table::Virtual;
use super::state::Jitter;
use super::unsupported::bench_lacks;
use super::wall_clock::{file, set};
use crate::{BenchError, EnvironmentFault};

/// The step forward or back: six hours, in seconds.
const STEP: i64 = 6 * 3600;
/// A record whose wall time differs from the machine's by more than this, in milliseconds, proves that the clock moved.
const TOLERANCE: i64 = 60_000;

pub(super) fn disturb(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), BenchError> {
    if !file(table.dir.path()).exists() {
        // A clock step shows only in a record, and the latch proof, which also tries clock steps, does not wait for one.
        return Err(BenchError::Unsupported("this trial's daemon has no wall clock of its own to be moved".into()));
    }
    match fault {
        EnvironmentFault::ClockForward => set(table.dir.path(), STEP)?,
        EnvironmentFault::ClockBack => set(table.dir.path(), -STEP)?,
        EnvironmentFault::ClockJitter => {
            table.injections.jitter = Some(Jitter::default());
            table.injections.step_clock(table.world.now(), table.dir.path())?;
        }
        _ => return Err(bench_lacks(fault)),
    }
    table.injections.clock = Some((fault, table.world.journal.last().0));
    Ok(())
}

pub(super) fn restore(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), BenchError> {
    let moved = shows(table)?;
    table.injections.note(fault, moved);
    table.injections.jitter = None;
    table.injections.clock = None;
    Ok(set(table.dir.path(), 0)?)
}

/// Whether a record since the injection has a wall time other than the machine's.
pub(super) fn shows(table: &Virtual) -> Result<bool, RigFault> {
    let Some((_, since)) = table.injections.clock else { return Ok(false) };
    let path = table.dir.state().join("journal.sqlite");
    let bad = |e: rusqlite::Error| RigFault::Other(format!("read the journal {}: {e}", path.display()));
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = rusqlite::Connection::open_with_flags(&path, flags).map_err(bad)?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let query = "SELECT count(*) FROM record WHERE seq > ?1 AND abs(wall - ?2) > ?3";
    let moved: u64 = connection.query_row(query, (since, now, TOLERANCE), |row| row.get(0)).map_err(bad)?;
    Ok(moved > 0)
}
