//! The wall clock as the daemon sees it, moved by a small library that is loaded before the daemon alone. The host's clock
//! and the daemon's monotonic one are left alone.

use super::{RigFault, Virtual, no_means, not_here};
use crate::{Outside, Trouble};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library's source.
const SOURCE: &str = include_str!("wallclock.c");
/// Six hours, in seconds.
const FAR: i64 = 6 * 3600;
/// What the clock steps between while it jitters, in seconds.
const JITTER: [i64; 2] = [90, -90];
/// How often it steps, in nanoseconds.
const STEP: u64 = 200_000_000;
/// A record whose wall time is so far from the machine's shows that the clock moved, in milliseconds.
const MOVED: i64 = 60_000;

/// A clock that jitters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Jitter {
    next: u64,
    steps: usize,
}

/// The library as it lies beside the rig's program on a machine that has no compiler (`scripts/vm`).
const BUILT: &str = "wallclock.so";

/// Builds the library in `dir`, beside the file that it reads; gives both. Where one lies beside the rig's program, it is that.
pub fn library(dir: &Path) -> Result<(PathBuf, PathBuf), Trouble> {
    let (source, library, file) = (dir.join("wallclock.c"), dir.join("wallclock.so"), file(dir));
    std::fs::write(&file, 0_i64.to_ne_bytes()).map_err(RigFault::file("write", &file))?;
    let own = std::env::current_exe().map_err(RigFault::system("find the rig's own program"))?;
    let built = own.with_file_name(BUILT);
    if built.exists() {
        return Ok((built, file));
    }
    std::fs::write(&source, SOURCE).map_err(RigFault::file("write", &source))?;
    let built = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).output();
    let built = built.map_err(|_| not_here("C compiler", "install one: apt-get install gcc libc6-dev"))?;
    if built.status.success() {
        return Ok((library, file));
    }
    Err(not_here("C library to build with", String::from_utf8_lossy(&built.stderr).trim_end()))
}

pub(super) fn disturb(table: &mut Virtual, outside: Outside) -> Result<(), Trouble> {
    if !file(table.dir.path()).exists() {
        // A step of the clock shows in a record only, and a proof that tries it in passing waits for none.
        return Err(Trouble::NotHere("this trial's daemon has no wall clock of its own to be moved".into()));
    }
    match outside {
        Outside::ClockForward => set(table, FAR)?,
        Outside::ClockBack => set(table, -FAR)?,
        Outside::ClockJitter => {
            table.means.jitter = Some(Jitter::default());
            step(table)?;
        }
        _ => return Err(no_means(outside)),
    }
    table.means.clock = Some((outside, table.world.journal.last().0));
    Ok(())
}

pub(super) fn restore(table: &mut Virtual, outside: Outside) -> Result<(), Trouble> {
    let moved = shown(table)?;
    table.means.note(outside, moved);
    table.means.jitter = None;
    table.means.clock = None;
    Ok(set(table, 0)?)
}

/// Lets a clock that jitters step, when it is time to.
pub(in crate::process) fn step(table: &mut Virtual) -> Result<(), RigFault> {
    let now = table.world.now();
    let Some(jitter) = table.means.jitter.as_mut().filter(|jitter| now >= jitter.next) else { return Ok(()) };
    jitter.next = now + STEP;
    jitter.steps += 1;
    let offset = JITTER.get(jitter.steps % JITTER.len()).copied().unwrap_or_default();
    set(table, offset)
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

/// The file that tells how late the clock is.
fn file(dir: &Path) -> PathBuf {
    dir.join("wallclock")
}

fn set(table: &Virtual, seconds: i64) -> Result<(), RigFault> {
    let path = file(table.dir.path());
    // In place: the daemon has the file in its memory.
    let file = std::fs::OpenOptions::new().write(true).open(&path);
    let set = file.and_then(|mut file| file.write_all(&seconds.to_ne_bytes()));
    set.map_err(RigFault::file("set the daemon's clock in", &path))
}
