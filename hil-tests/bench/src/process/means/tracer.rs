//! strace at the daemon's journal thread: a system call of it fails, takes long, or is the last one.
//!
//! Only that thread is traced, and only where it touches the state directory, so that nothing else in the daemon is slowed.

use super::super::rig_fault::RigFault;
use super::refusal::not_here;
use crate::Trouble;
use crate::process::child::Child;
use crate::process::clock::wait_for;
use crate::process::workdir::WorkDir;
use nix::sys::signal::Signal;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long strace may take to take hold or to let go; a sync that it delays may have to end first.
const ATTACHED: Duration = Duration::from_secs(15);
/// Name of the daemon's thread that writes the journal.
const THREAD: &str = "journal";
/// What it keeps, in its state directory.
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
    /// Does `harm`, in the words of strace's `inject=`, to these system calls on the journal's files from now on.
    pub(super) fn attach(pid: Option<u32>, dir: &WorkDir, calls: &str, harm: &str) -> Result<Self, Trouble> {
        let pid = pid.ok_or_else(|| RigFault::Other("tumblerd does not run".into()))?;
        let thread = thread_of(pid)?;
        let log = dir.path().join("strace.log");
        let words = dir.path().join("strace.words");
        let mut command = Command::new("strace");
        command.arg("-p").arg(thread.to_string()).arg("-o").arg(&log);
        command.args(["-e", &format!("trace={calls}"), "-e", &format!("inject={calls}:{harm}")]);
        for file in files(dir) {
            command.arg("-P").arg(file);
        }
        let child = Child::spawn_bare(command, "strace", &words, "");
        let mut child = child.map_err(|_| not_here("strace", "install it: apt-get install strace"))?;
        let traced = || Ok::<_, RigFault>(tracer_of(pid, thread)? != 0);
        let mut refused = false;
        let hint = || format!("see {}", words.display());
        wait_for("strace to take hold", ATTACHED, hint, || {
            refused = child.ended()?.is_some();
            Ok(refused || traced()?)
        })?;
        if refused {
            let said = std::fs::read_to_string(&words).unwrap_or_default();
            return Err(not_here("ptrace", said.trim_end()));
        }
        Ok(Self { child, log })
    }

    /// What it traced so far.
    pub(super) fn told(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until it has ended, because what it traced has.
    pub(super) fn outlive(&mut self) -> Result<(), RigFault> {
        let log = self.log.clone();
        wait_for("strace to end", ATTACHED, || format!("see {}", log.display()), || Ok(self.child.ended()?.is_some()))
    }

    /// Lets go of the daemon.
    pub(super) fn detach(mut self) -> Result<String, RigFault> {
        if self.child.ended()?.is_none() {
            self.child.signal(Signal::SIGTERM)?;
            self.outlive()?;
        }
        Ok(self.told())
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
