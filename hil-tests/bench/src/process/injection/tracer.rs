//! Injects faults into system calls of the daemon's journal thread with strace: a call fails, is delayed, or kills the daemon.
//!
//! Only calls of that thread on files of the state directory are traced, so that nothing else in the daemon is slowed down.

use super::super::rig_fault::RigFault;
use super::unsupported::machine_lacks;
use crate::BenchError;
use crate::process::child::Child;
use crate::process::clock::wait_for;
use crate::process::workdir::WorkDir;
use nix::sys::signal::Signal;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long strace may take to attach or detach; a sync that it delays may have to end first.
const ATTACHED: Duration = Duration::from_secs(15);
/// Name of the daemon's thread that writes the journal.
const THREAD: &str = "journal";
/// The files that this thread writes, in the state directory.
const FILES: [&str; 4] = ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "slot"];

/// System calls that make a file durable.
pub(super) const SYNCS: &str = "fdatasync,fsync";
/// System calls that change a file.
pub(super) const WRITES: &str = "pwrite64,write,ftruncate";

/// A running strace.
#[derive(Debug)]
pub(super) struct Tracer {
    child: Child,
    log: PathBuf,
}

impl Tracer {
    /// Attaches strace: from now on it injects `injection`, in the syntax of its `inject=`, into these system calls on the journal's
    /// files.
    pub(super) fn attach(pid: Option<u32>, dir: &WorkDir, calls: &str, injection: &str) -> Result<Self, BenchError> {
        let pid = pid.ok_or_else(|| RigFault::Other("tumblerd does not run".into()))?;
        let thread = thread_of(pid)?;
        let log = dir.path().join("strace.log");
        let stderr = dir.path().join("strace.stderr");
        let mut command = Command::new("strace");
        command.arg("-p").arg(thread.to_string()).arg("-o").arg(&log);
        command.args(["-e", &format!("trace={calls}"), "-e", &format!("inject={calls}:{injection}")]);
        for file in files(dir) {
            command.arg("-P").arg(file);
        }
        let child = Child::spawn_bare(command, "strace", &stderr, "");
        let mut child = child.map_err(|_| machine_lacks("strace", "install it: apt-get install strace"))?;
        let traced = || Ok::<_, RigFault>(tracer_of(pid, thread)? != 0);
        let mut refused = false;
        let hint = || format!("see {}", stderr.display());
        wait_for("strace to attach", ATTACHED, hint, || {
            refused = child.ended()?.is_some();
            Ok(refused || traced()?)
        })?;
        if refused {
            let said = std::fs::read_to_string(&stderr).unwrap_or_default();
            return Err(machine_lacks("ptrace", said.trim_end()));
        }
        Ok(Self { child, log })
    }

    /// Strace's output so far.
    pub(super) fn output(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until strace has ended, as it does when the traced process has.
    pub(super) fn wait_for_end(&mut self) -> Result<(), RigFault> {
        let log = self.log.clone();
        wait_for("strace to end", ATTACHED, || format!("see {}", log.display()), || Ok(self.child.ended()?.is_some()))
    }

    /// Detaches from the daemon. Returns strace's output.
    pub(super) fn detach(mut self) -> Result<String, RigFault> {
        if self.child.ended()?.is_none() {
            self.child.signal(Signal::SIGTERM)?;
            self.wait_for_end()?;
        }
        Ok(self.output())
    }
}

fn files(dir: &WorkDir) -> impl Iterator<Item = PathBuf> {
    let state = dir.state();
    FILES.into_iter().map(move |name| state.join(name))
}

fn thread_of(pid: u32) -> Result<u32, RigFault> {
    let tasks = PathBuf::from(format!("/proc/{pid}/task"));
    let entries = std::fs::read_dir(&tasks).map_err(RigFault::file("read the directory", &tasks))?;
    let named = |task: &Path| std::fs::read_to_string(task.join("comm")).is_ok_and(|name| name.trim_end() == THREAD);
    let found = entries.flatten().find(|entry| named(&entry.path()));
    let number = found.and_then(|entry| entry.file_name().to_str()?.parse().ok());
    number.ok_or_else(|| RigFault::Other(format!("tumblerd has no thread `{THREAD}`")))
}

fn tracer_of(pid: u32, thread: u32) -> Result<u32, RigFault> {
    let path = PathBuf::from(format!("/proc/{pid}/task/{thread}/status"));
    let text = std::fs::read_to_string(&path).map_err(RigFault::file("read", &path))?;
    let tracer = text.lines().find_map(|line| line.strip_prefix("TracerPid:")?.trim().parse().ok());
    tracer.ok_or_else(|| RigFault::Other(format!("{} names no tracer", path.display())))
}
