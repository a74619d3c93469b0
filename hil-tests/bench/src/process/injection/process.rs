//! Injects faults of the daemon's process: killed, stopped for a while, or starved.

use super::super::rig_fault::RigFault;
use super::super::table::Virtual;
use super::load::Load;
use super::tracer::{SYNCS, Tracer, WRITES};
use super::unsupported::bench_lacks;
use crate::process::clock::wait_for;
use crate::{Bench, BenchError, EnvironmentFault};
use nix::sys::signal::Signal;
use std::path::PathBuf;
use std::time::Duration;

/// How long the kernel may take to stop or continue a process.
const SIGNALLED: Duration = Duration::from_secs(5);

pub(super) fn disturb(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), BenchError> {
    match fault {
        EnvironmentFault::Kill => {
            table.kill()?;
            table.injections.note(fault, true);
        }
        EnvironmentFault::Hang => {
            hang(table, true)?;
            table.catch_up();
            table.world.process_hung(true);
            table.injections.note(fault, true);
        }
        EnvironmentFault::KillAtSync(n) => kill_at(table, fault, SYNCS, n)?,
        EnvironmentFault::KillAtWrite(n) => kill_at(table, fault, WRITES, n)?,
        EnvironmentFault::Starved => table.injections.load = Some(Load::start()?),
        _ => return Err(bench_lacks(fault)),
    }
    Ok(())
}

pub(super) fn restore(table: &mut Virtual, fault: EnvironmentFault) -> Result<(), BenchError> {
    match fault {
        EnvironmentFault::Kill => table.start(),
        EnvironmentFault::Hang => {
            table.catch_up();
            table.world.process_hung(false);
            Ok(hang(table, false)?)
        }
        EnvironmentFault::KillAtSync(_) | EnvironmentFault::KillAtWrite(_) => {
            table.injections.kill_at = None;
            if let Some(tracer) = table.injections.tracer.take() {
                tracer.detach()?;
            }
            if table.daemon.running()? { Ok(()) } else { table.start() }
        }
        EnvironmentFault::Starved => {
            let took = table.injections.load.take().is_some_and(|load| load.is_everywhere());
            table.injections.note(fault, took);
            Ok(())
        }
        _ => Err(bench_lacks(fault)),
    }
}

/// Stops or continues the daemon's process, and waits until the kernel shows it: a stopped process has state `T`.
fn hang(table: &mut Virtual, hung: bool) -> Result<(), RigFault> {
    let pid = table.daemon.pid().ok_or_else(|| RigFault::Other("tumblerd does not run".into()))?;
    table.daemon.signal(if hung { Signal::SIGSTOP } else { Signal::SIGCONT })?;
    let hint = || format!("see /proc/{pid}/stat");
    wait_for("the kernel to stop or continue tumblerd", SIGNALLED, hint, || Ok((state(pid)? == 'T') == hung))
}

/// The state of a process as `/proc/PID/stat` has it, after the name, which may hold anything.
fn state(pid: u32) -> Result<char, RigFault> {
    let path = PathBuf::from(format!("/proc/{pid}/stat"));
    let text = std::fs::read_to_string(&path).map_err(RigFault::file("read", &path))?;
    let state = text.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    state.ok_or_else(|| RigFault::Other(format!("{} has no state", path.display())))
}

/// Kills the daemon at the n-th of these system calls of its journal thread from now on.
fn kill_at(table: &mut Virtual, fault: EnvironmentFault, calls: &str, n: u16) -> Result<(), BenchError> {
    if table.injections.tracer.is_some() {
        return Err(BenchError::Rig("strace is attached already: heal the fault before it".into()));
    }
    table.injections.tracer =
        Some(Tracer::attach(table.daemon.pid(), &table.dir, calls, &format!("signal=SIGKILL:when={n}"))?);
    table.injections.kill_at = Some(fault);
    Ok(())
}
