//! What the means remember of a table: what is broken by which of them, how things stood before, and what has shown.

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
/// What the clock steps between while it jitters, in seconds.
const JITTER: [i64; 2] = [90, -90];
/// How often it steps, in nanoseconds.
const STEP: u64 = 200_000_000;

/// What the means remember of a table.
#[derive(Debug, Default)]
pub(in super::super) struct Means {
    /// What has shown since the bench began.
    pub(super) shown: BTreeSet<EnvironmentFault>,
    /// Copies of files beside the journal.
    pub(super) files: Files,
    pub(super) network: Network,
    pub(super) ports: Ports,
    /// strace at the daemon.
    pub(super) tracer: Option<Tracer>,
    /// What is to kill the daemon.
    pub(super) kill_at: Option<EnvironmentFault>,
    /// Busy loops on every core.
    pub(super) load: Option<Load>,
    /// What was done to the wall clock, and the last record before it.
    pub(super) clock: Option<(EnvironmentFault, u64)>,
    pub(super) jitter: Option<Jitter>,
}

impl Means {
    /// Notes that something has shown, if it has.
    pub(super) fn note(&mut self, fault: EnvironmentFault, shown: bool) {
        if shown {
            self.shown.insert(fault);
        }
    }

    /// Before a start: keeps the journal as it is, for whoever wants to roll it back.
    pub(in super::super) fn keep_journal(dir: &WorkDir) -> Result<(), RigFault> {
        copy_journal(&dir.state(), &dir.path().join("earlier"))
    }

    /// Keeps copies of the permission to play, as somebody would who means to put it back. After a boot there is none.
    pub(in super::super) fn keep_files(&mut self, dir: &WorkDir) -> Result<(), RigFault> {
        if !permit(dir).exists() {
            return Ok(());
        }
        let read = |path: PathBuf| {
            let bytes = std::fs::read(&path).map_err(RigFault::file("read", &path))?;
            Ok((path, bytes))
        };
        self.files.opened = Some([read(permit(dir))?, read(slot(dir))?]);
        Ok(())
    }

    /// Lets a clock that jitters step, when it is time to.
    pub(in super::super) fn step_clock(&mut self, now: u64, dir: &Path) -> Result<(), RigFault> {
        let Some(jitter) = self.jitter.as_mut().filter(|jitter| now >= jitter.next) else { return Ok(()) };
        jitter.next = now + STEP;
        jitter.steps += 1;
        let offset = JITTER.get(jitter.steps % JITTER.len()).copied().unwrap_or_default();
        wall_clock::set(dir, offset)
    }

    /// The daemon has ended by itself: whether that was wanted, and strace and the kernel agree on how.
    pub(in super::super) fn ended_as_wanted(&mut self, status: ExitStatus) -> Result<bool, RigFault> {
        let Some(fault) = self.kill_at.take() else { return Ok(false) };
        let Some(mut tracer) = self.tracer.take() else { return Ok(false) };
        tracer.outlive()?;
        // The call that it died at has no result.
        let told = tracer.told();
        let died = told.contains("= ?") && told.contains("+++ killed by SIGKILL +++");
        let wanted = status.signal() == Some(Signal::SIGKILL as i32) && died;
        self.note(fault, wanted);
        Ok(wanted)
    }
}

/// Permit and slot as they were when the table was open.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub opened: Option<[(PathBuf, Vec<u8>); 2]>,
}

/// What is broken now, and how things stood before.
#[derive(Debug, Default)]
pub(super) struct Network {
    pub broken: Option<EnvironmentFault>,
    pub counts: ProxyCounts,
    pub logged: usize,
    pub strangers: u64,
    /// The broker came back and kept nothing of the table.
    pub forgot: bool,
    pub rogue: Option<RogueClient>,
    /// Strangers that were sent away; they end with the bench, as nobody can wait for them while the table plays.
    pub sent_away: Vec<RogueClient>,
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

/// The permission to play.
pub(super) fn permit(dir: &WorkDir) -> PathBuf {
    dir.run().join("permit")
}

/// Whose journal it is, and where it ended.
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
