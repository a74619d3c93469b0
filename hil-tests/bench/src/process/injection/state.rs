//! State of the fault injection at a table: which faults are in force, what was there before, and which have taken effect.

use super::super::proxy::ProxyCounts;
use super::super::rig_fault::RigFault;
use super::super::rogue_client::RogueClient;
use super::super::workdir::WorkDir;
use super::load::Load;
use super::tracer::Tracer;
use super::wall_clock;
use crate::EnvironmentFault;
use gpiocdev::Request;
use nix::sys::signal::Signal;
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// The files of a journal.
const JOURNAL: [&str; 3] = ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"];
/// Offsets of a jittering clock, in turn, in seconds.
const JITTER: [i64; 2] = [90, -90];
/// Interval between two steps of a jittering clock, in nanoseconds.
const STEP: u64 = 200_000_000;

/// State of the fault injection at a table.
#[derive(Debug, Default)]
pub(in super::super) struct Injections {
    /// Faults that have taken effect since the bench began.
    pub(super) shown: BTreeSet<EnvironmentFault>,
    /// Copies of files beside the journal.
    pub(super) files: Files,
    pub(super) network: Network,
    pub(super) ports: Ports,
    /// The strace that is attached to the daemon.
    pub(super) tracer: Option<Tracer>,
    /// The fault that is armed to kill the daemon.
    pub(super) kill_at: Option<EnvironmentFault>,
    /// Busy loops on every core.
    pub(super) load: Option<Load>,
    /// The fault of the wall clock in force, and the number of the last record before it.
    pub(super) clock: Option<(EnvironmentFault, u64)>,
    pub(super) jitter: Option<Jitter>,
}

impl Injections {
    /// Notes that a fault has taken effect, if `shown`.
    pub(super) fn note(&mut self, fault: EnvironmentFault, shown: bool) {
        if shown {
            self.shown.insert(fault);
        }
    }

    /// Copies the journal before a start, for a later rollback.
    pub(in super::super) fn back_up_journal(dir: &WorkDir) -> Result<(), RigFault> {
        copy_journal(&dir.state(), &dir.path().join("earlier"))
    }

    /// Copies permit and slot, as somebody would who wants to restore the permission to play later. After a boot there is no permit.
    pub(in super::super) fn back_up_files(&mut self, dir: &WorkDir) -> Result<(), RigFault> {
        if !permit(dir).exists() {
            return Ok(());
        }
        let read = |path: PathBuf| {
            let bytes = std::fs::read(&path).map_err(RigFault::file("read", &path))?;
            Ok::<_, RigFault>((path, bytes))
        };
        self.files.opened = Some([read(permit(dir))?, read(slot(dir))?]);
        Ok(())
    }

    /// Steps a jittering clock when it is due.
    pub(in super::super) fn step_clock(&mut self, now: u64, dir: &Path) -> Result<(), RigFault> {
        let Some(jitter) = self.jitter.as_mut().filter(|jitter| now >= jitter.next) else { return Ok(()) };
        jitter.next = now + STEP;
        jitter.steps += 1;
        let offset = JITTER.get(jitter.steps % JITTER.len()).copied().unwrap_or_default();
        wall_clock::set(dir, offset)
    }

    /// The daemon has ended by itself. Returns whether a kill was armed, and strace and the kernel agree that it was the cause.
    pub(in super::super) fn ended_as_intended(&mut self, status: ExitStatus) -> Result<bool, RigFault> {
        let Some(fault) = self.kill_at.take() else { return Ok(false) };
        let Some(mut tracer) = self.tracer.take() else { return Ok(false) };
        tracer.wait_for_end()?;
        // strace prints no result for the call at which the process died.
        let output = tracer.output();
        let died = output.contains("= ?") && output.contains("+++ killed by SIGKILL +++");
        let intended = status.signal() == Some(Signal::SIGKILL as i32) && died;
        self.note(fault, intended);
        Ok(intended)
    }
}

/// Permit and slot as they were when the table was open.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub opened: Option<[(PathBuf, Vec<u8>); 2]>,
}

/// The fault of the network in force, and the counts before it.
#[derive(Debug, Default)]
pub(super) struct Network {
    pub broken: Option<EnvironmentFault>,
    pub counts: ProxyCounts,
    pub logged: usize,
    pub foreign_messages: u64,
    /// The broker restarted and had no retained messages of the table.
    pub forgot: bool,
    pub rogue: Option<RogueClient>,
    /// Rogue clients that were told to stop. They are joined at the bench's end, so that the table need not wait for them.
    pub dismissed: Vec<RogueClient>,
}

/// The serial port that was unplugged.
#[derive(Debug, Default)]
pub(super) struct Ports {
    /// The device that the daemon had open when it vanished.
    pub device: PathBuf,
    pub broken: Option<EnvironmentFault>,
    /// A line of the simulated chip that the rig holds instead of the daemon.
    pub line: Option<Request>,
}

/// A clock that jitters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Jitter {
    next: u64,
    steps: usize,
}

/// The permit: the permission to play.
pub(super) fn permit(dir: &WorkDir) -> PathBuf {
    dir.run().join("permit")
}

/// The slot: whose journal it is, and where it ended.
pub(super) fn slot(dir: &WorkDir) -> PathBuf {
    dir.state().join("slot")
}

/// Copies the files of a journal over those of another, if there are any.
pub(super) fn copy_journal(from: &Path, to: &Path) -> Result<(), RigFault> {
    std::fs::create_dir_all(to).map_err(RigFault::file("make the directory", to))?;
    remove_journal(to)?;
    for name in JOURNAL {
        let (from, to) = (from.join(name), to.join(name));
        if from.exists() {
            std::fs::copy(&from, &to).map_err(RigFault::file("copy", &from))?;
        }
    }
    Ok(())
}

/// Removes the files of a journal.
pub(super) fn remove_journal(from: &Path) -> Result<(), RigFault> {
    for path in JOURNAL.map(|name| from.join(name)) {
        if path.exists() {
            std::fs::remove_file(&path).map_err(RigFault::file("remove", &path))?;
        }
    }
    Ok(())
}
