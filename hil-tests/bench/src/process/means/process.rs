//! The daemon's process: killed, or stopped for a while.

use super::super::rig_fault::RigFault;
use super::super::table::Virtual;
use super::load::Load;
use super::refusal::no_means;
use super::tracer::{SYNCS, Tracer, WRITES};
use crate::process::clock::wait_for;
use crate::{Bench, EnvironmentFault, Trouble};
use nix::sys::signal::Signal;
use std::path::PathBuf;
use std::time::Duration;

/// How long the kernel may take to stop a process or to let it go on.
const SIGNALLED: Duration = Duration::from_secs(5);

pub(super) fn disturb(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), Trouble> {
    match fault {
        EnvironmentFault::Kill => {
            table.kill()?;
            table.means.note(fault, true);
        }
        EnvironmentFault::Hang => {
            hang(table, true)?;
            table.catch_up();
            table.world.hung(true);
            table.means.note(fault, true);
        }
        EnvironmentFault::KillAtSync(n) => kill_at(table, fault, SYNCS, n)?,
        EnvironmentFault::KillAtWrite(n) => kill_at(table, fault, WRITES, n)?,
        EnvironmentFault::Starved => table.means.load = Some(Load::start()?),
        _ => return Err(no_means(fault)),
    }
    Ok(())
}

pub(super) fn restore(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), Trouble> {
    match fault {
        EnvironmentFault::Kill => table.start(),
        EnvironmentFault::Hang => {
            table.catch_up();
            table.world.hung(false);
            Ok(hang(table, false)?)
        }
        EnvironmentFault::KillAtSync(_) | EnvironmentFault::KillAtWrite(_) => {
            table.means.kill_at = None;
            if let Some(tracer) = table.means.tracer.take() {
                tracer.detach()?;
            }
            if table.daemon.running()? { Ok(()) } else { table.start() }
        }
        EnvironmentFault::Starved => {
            let took = table.means.load.take().is_some_and(|load| load.is_everywhere());
            table.means.note(fault, took);
            Ok(())
        }
        _ => Err(no_means(fault)),
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

/// The daemon dies at the n-th of these system calls of its journal thread from now on.
fn kill_at(table: &mut Virtual, fault: EnvironmentFault, calls: &str, n: u16) -> Result<(), Trouble> {
    if table.means.tracer.is_some() {
        return Err(Trouble::Rig("strace is at work already: heal the fault before it".into()));
    }
    table.means.tracer =
        Some(Tracer::attach(table.daemon.pid(), &table.dir, calls, &format!("signal=SIGKILL:when={n}"))?);
    table.means.kill_at = Some(fault);
    Ok(())
}
