//! The daemon's process: killed, or stopped for a while.

use super::{RigFault, Virtual, no_means};
use crate::bench::process::clock::wait_for;
use crate::bench::{Bench, Outside, Trouble};
use nix::sys::signal::Signal;
use std::path::PathBuf;
use std::time::Duration;

/// How long the kernel may take to stop a process or to let it go on.
const SIGNALLED: Duration = Duration::from_secs(5);

pub(super) fn disturb(table: &mut Virtual, outside: Outside) -> Result<(), Trouble> {
    match outside {
        Outside::Kill => {
            table.kill()?;
            table.means.shown.insert(outside);
        }
        Outside::Hang => {
            hang(table, true)?;
            table.world.begin_turn();
            table.world.hung(true);
            table.means.shown.insert(outside);
        }
        _ => return Err(no_means(outside)),
    }
    Ok(())
}

pub(super) fn restore(table: &mut Virtual, outside: Outside) -> Result<(), Trouble> {
    match outside {
        Outside::Kill => table.start(),
        Outside::Hang => {
            table.world.begin_turn();
            table.world.hung(false);
            Ok(hang(table, false)?)
        }
        _ => Err(no_means(outside)),
    }
}

/// Stops the daemon's process or lets it go on, and waits until the kernel says so: `T` is its state while it is stopped.
fn hang(table: &mut Virtual, hung: bool) -> Result<(), RigFault> {
    let pid = table.daemon.pid().ok_or_else(|| RigFault::Other("tumblerd does not run".into()))?;
    table.daemon.signal(if hung { Signal::SIGSTOP } else { Signal::SIGCONT })?;
    let hint = || format!("see /proc/{pid}/stat");
    wait_for("the kernel to stop tumblerd or let it go on", SIGNALLED, hint, || Ok((state(pid)? == 'T') == hung))
}

/// The state of a process as `/proc/PID/stat` has it, after the name, which may hold anything.
fn state(pid: u32) -> Result<char, RigFault> {
    let path = PathBuf::from(format!("/proc/{pid}/stat"));
    let text = std::fs::read_to_string(&path).map_err(RigFault::file("read", &path))?;
    let state = text.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    state.ok_or_else(|| RigFault::Other(format!("{} has no state", path.display())))
}
