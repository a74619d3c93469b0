//! The `tumblerd` under test: the shipped binary, in the two processes as which it runs at a table.

use super::child::Child;
use super::clock;
use super::notify::NotifySocket;
use super::rig_fault::RigFault;
use super::workdir::WorkDir;
use nix::sys::signal::Signal;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use tumbler_core::units::Mono;

/// Default path of `tumblerd`: beside the rig's own binary, where cargo puts both.
#[must_use]
pub fn find(given: Option<&Path>) -> PathBuf {
    if let Some(path) = given {
        return path.to_owned();
    }
    if let Some(path) = std::env::var_os("CARGO_BIN_EXE_tumblerd").or_else(|| std::env::var_os("TUMBLERD")) {
        return PathBuf::from(path);
    }
    let own = std::env::current_exe().unwrap_or_default();
    // Test binaries are one directory deeper.
    own.ancestors()
        .skip(1)
        .take(2)
        .map(|dir| dir.join("tumblerd"))
        .find(|candidate| candidate.is_file())
        .unwrap_or_else(|| own.with_file_name("tumblerd"))
}

/// A daemon, running or not.
#[derive(Debug)]
pub struct Daemon {
    program: PathBuf,
    config: PathBuf,
    log: PathBuf,
    notify: NotifySocket,
    child: Option<Child>,
    /// The process that speaks to the network. It lives on while the daemon is restarted.
    network: Option<Child>,
    started: Mono,
    ready: Option<Mono>,
    /// A preloaded library, and the file from which it reads the wall clock's offset.
    wall: Option<(PathBuf, PathBuf)>,
}

impl Daemon {
    /// The daemon for this directory, not started yet.
    ///
    /// # Errors
    /// [`RigFault`] when the program is not there or the service manager's socket cannot be made.
    pub fn new(program: &Path, dir: &WorkDir) -> Result<Self, RigFault> {
        if !program.is_file() {
            return Err(RigFault::Other(format!(
                "there is no tumblerd at {}; build it (cargo build -p tumblerd) or name it with --tumblerd",
                program.display()
            )));
        }
        Ok(Self {
            program: program.to_owned(),
            config: dir.config(),
            log: dir.log(),
            notify: NotifySocket::listen(&dir.notify())?,
            child: None,
            network: None,
            started: Mono(0),
            ready: None,
            wall: None,
        })
    }

    /// Commissions a new table, which creates its journal.
    ///
    /// # Errors
    /// [`RigFault`] with the daemon's message when it refuses.
    pub fn commission(&self) -> Result<(), RigFault> {
        self.commission_with(&self.config)
    }

    /// Commissions the table of this configuration.
    ///
    /// # Errors
    /// [`RigFault`] with the daemon's message when it refuses.
    pub fn commission_with(&self, config: &Path) -> Result<(), RigFault> {
        let done = Command::new(&self.program)
            .arg("--config")
            .arg(config)
            .arg("--commission")
            .output()
            .map_err(RigFault::file("start", &self.program))?;
        if done.status.success() {
            return Ok(());
        }
        let words = String::from_utf8_lossy(&done.stderr);
        Err(RigFault::Other(format!("tumblerd --commission ended with {}: {}", done.status, words.trim_end())))
    }

    /// From its next start on, `library` shifts its wall clock by the offset in `file`; no other clock.
    pub fn preload(&mut self, library: PathBuf, file: PathBuf) {
        self.wall = Some((library, file));
    }

    /// Starts it, and the process that speaks to the network if it does not run yet.
    ///
    /// # Errors
    /// [`RigFault`] when it runs already or cannot be started.
    pub fn start(&mut self) -> Result<(), RigFault> {
        if self.running()? {
            return Err(RigFault::Other("tumblerd runs already".into()));
        }
        self.start_network()?;
        let mut command = self.command();
        command.arg("--config").arg(&self.config).env("NOTIFY_SOCKET", self.notify.path());
        let _ = self.notify.take();
        self.ready = None;
        self.started = clock::now();
        self.child = Some(Child::spawn(command, "tumblerd", &self.log, "is it built for this machine?")?);
        Ok(())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env("RUST_BACKTRACE", "1");
        if let Some((library, file)) = &self.wall {
            command.env("LD_PRELOAD", library).env("TUMBLER_HIL_CLOCK", file);
        }
        command
    }

    fn start_network(&mut self) -> Result<(), RigFault> {
        if let Some(network) = &mut self.network {
            if network.ended()?.is_none() {
                return Ok(());
            }
        }
        let mut command = self.command();
        command.arg("net").arg("--config").arg(&self.config);
        self.network = Some(Child::spawn(command, "tumblerd net", &self.log, "is it built for this machine?")?);
        Ok(())
    }

    /// SIGKILL to the process that speaks to the network, and waits for its end. The daemon's next start starts it again.
    ///
    /// # Errors
    /// [`RigFault`] when it cannot be waited for.
    pub fn kill_network(&mut self) -> Result<(), RigFault> {
        self.network.take().map_or(Ok(()), |mut network| network.kill())
    }

    /// The number of the process that speaks to the network while it is there.
    #[must_use]
    pub fn network_pid(&self) -> Option<u32> {
        self.network.as_ref().map(Child::pid)
    }

    /// Whether it runs.
    ///
    /// # Errors
    /// [`RigFault`] when the system does not tell.
    pub fn running(&mut self) -> Result<bool, RigFault> {
        match &mut self.child {
            Some(child) => Ok(child.ended()?.is_none()),
            None => Ok(false),
        }
    }

    /// How it ended, if it was started and has ended.
    ///
    /// # Errors
    /// [`RigFault`] when the system does not tell.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>, RigFault> {
        self.child.as_mut().map_or(Ok(None), Child::ended)
    }

    /// Its process number while it is there.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::pid)
    }

    /// Sends it a signal.
    ///
    /// # Errors
    /// [`RigFault`] when it does not run.
    pub fn signal(&mut self, signal: Signal) -> Result<(), RigFault> {
        match &mut self.child {
            Some(child) => child.signal(signal),
            None => Err(RigFault::Other(format!("tumblerd cannot get {signal}: it was not started"))),
        }
    }

    /// SIGKILL, and waits for the end.
    ///
    /// # Errors
    /// [`RigFault`] when it cannot be waited for.
    pub fn kill(&mut self) -> Result<(), RigFault> {
        self.child.as_mut().map_or(Ok(()), Child::kill)
    }

    /// The service manager's socket, to poll on.
    #[must_use]
    pub fn notified(&self) -> BorrowedFd<'_> {
        self.notify.fd()
    }

    /// Its messages to the service manager since the last call.
    pub fn said(&mut self) -> Vec<(Mono, String)> {
        let said = self.notify.take();
        if self.ready.is_none() {
            self.ready = said.iter().find(|(_, line)| line == "READY=1").map(|(at, _)| *at);
        }
        said
    }

    /// Time from its start to READY, in nanoseconds; `None` before that.
    #[must_use]
    pub fn start_to_ready(&self) -> Option<u64> {
        self.ready.map(|ready| ready.nanos_since(self.started))
    }
}
