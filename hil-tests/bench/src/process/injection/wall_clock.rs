//! A separate wall clock for the daemon: a small library, preloaded into the daemon only, and the file that holds the clock's
//! offset. The host's clock and the daemon's monotonic clock are unchanged.

use super::super::rig_fault::RigFault;
use super::unsupported::machine_lacks;
use crate::BenchError;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library's source.
const SOURCE: &str = include_str!("wallclock.c");
/// The library as built beforehand, beside the rig's program, for machines without a compiler (`scripts/vm`).
const BUILT: &str = "wallclock.so";

/// Builds the library in `dir`, beside the file that it reads, unless one is beside the rig's program. Returns both paths.
pub fn library(dir: &Path) -> Result<(PathBuf, PathBuf), BenchError> {
    let (source, library, file) = (dir.join("wallclock.c"), dir.join("wallclock.so"), file(dir));
    std::fs::write(&file, 0_i64.to_ne_bytes()).map_err(RigFault::file("write", &file))?;
    let own = std::env::current_exe().map_err(RigFault::system("find the rig's own program"))?;
    let built = own.with_file_name(BUILT);
    if built.exists() {
        return Ok((built, file));
    }
    std::fs::write(&source, SOURCE).map_err(RigFault::file("write", &source))?;
    let built = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).output();
    let built = built.map_err(|_| machine_lacks("C compiler", "install one: apt-get install gcc libc6-dev"))?;
    if built.status.success() {
        return Ok((library, file));
    }
    Err(machine_lacks("C library to build with", String::from_utf8_lossy(&built.stderr).trim_end()))
}

/// The file that holds the clock's offset.
pub(super) fn file(dir: &Path) -> PathBuf {
    dir.join("wallclock")
}

/// Sets the offset of the clock of the daemon in `dir` from the machine's.
pub(super) fn set(dir: &Path, seconds: i64) -> Result<(), RigFault> {
    let path = file(dir);
    // In place: the daemon has mapped the file.
    let file = std::fs::OpenOptions::new().write(true).open(&path);
    let set = file.and_then(|mut file| file.write_all(&seconds.to_ne_bytes()));
    set.map_err(RigFault::file("set the daemon's clock in", &path))
}
