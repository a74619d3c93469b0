//! Programs that the rig starts: each in a process group of its own, which is killed on drop.

use super::rig_fault::RigFault;
use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// A child process with its group.
#[derive(Debug)]
pub struct Child {
    name: &'static str,
    process: std::process::Child,
    group: Pid,
    ended: Option<ExitStatus>,
}

impl Child {
    /// Starts a program; what it prints is appended to `log`. When the thread that started it ends in whatever way,
    /// SIGKILL of the rig included, the kernel kills it too (by `setpriv --pdeathsig`, where that is installed).
    ///
    /// # Errors
    /// [`RigFault::Spawn`] with `remedy` when it cannot be started.
    pub fn spawn(command: Command, name: &'static str, log: &Path, remedy: &'static str) -> Result<Self, RigFault> {
        Self::spawn_as(tied(command), name, log, remedy)
    }

    /// As [`Child::spawn`], but starts the program itself: for measurements of how long a start takes.
    ///
    /// # Errors
    /// [`RigFault::Spawn`] with `remedy` when it cannot be started.
    pub fn spawn_bare(
        command: Command,
        name: &'static str,
        log: &Path,
        remedy: &'static str,
    ) -> Result<Self, RigFault> {
        Self::spawn_as(command, name, log, remedy)
    }

    /// Starts a program that talks to the rig: `stream` is its standard input and output, and its standard error goes to `log`.
    ///
    /// # Errors
    /// [`RigFault::Spawn`] with `remedy` when it cannot be started.
    pub fn spawn_speaking(
        command: Command,
        stream: UnixStream,
        name: &'static str,
        log: &Path,
        remedy: &'static str,
    ) -> Result<Self, RigFault> {
        let copy = stream.try_clone().map_err(RigFault::system("copy a socket"))?;
        let mut command = tied(command);
        command.stdin(OwnedFd::from(copy)).stdout(OwnedFd::from(stream)).stderr(opened(log)?);
        Self::begin(command, name, remedy)
    }

    fn spawn_as(mut command: Command, name: &'static str, log: &Path, remedy: &'static str) -> Result<Self, RigFault> {
        let file = opened(log)?;
        let copy = file.try_clone().map_err(RigFault::file("open the log", log))?;
        command.stdin(Stdio::null()).stdout(file).stderr(copy);
        Self::begin(command, name, remedy)
    }

    fn begin(mut command: Command, name: &'static str, remedy: &'static str) -> Result<Self, RigFault> {
        command.process_group(0);
        let program = PathBuf::from(command.get_program());
        let process = command.spawn().map_err(|source| RigFault::Spawn { program, source, remedy })?;
        let group = Pid::from_raw(i32::try_from(process.id()).unwrap_or(i32::MAX));
        Ok(Self { name, process, group, ended: None })
    }

    /// The process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// How it ended, if it has.
    ///
    /// # Errors
    /// [`RigFault`] when the system does not tell.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>, RigFault> {
        if self.ended.is_none() {
            self.ended = self.process.try_wait().map_err(RigFault::system("look after a child process"))?;
        }
        Ok(self.ended)
    }

    /// Sends a signal to the program and everything that it started.
    ///
    /// # Errors
    /// [`RigFault`] when it has ended already.
    pub fn signal(&mut self, signal: Signal) -> Result<(), RigFault> {
        if let Some(status) = self.ended()? {
            return Err(RigFault::Other(format!("{} cannot get {signal}: it has ended with {status}", self.name)));
        }
        killpg(self.group, signal).map_err(RigFault::system("signal a child process"))
    }

    /// Kills it, if it still runs, and waits for its end.
    ///
    /// # Errors
    /// [`RigFault`] when it cannot be waited for.
    pub fn kill(&mut self) -> Result<(), RigFault> {
        if self.ended()?.is_some() {
            return Ok(());
        }
        match killpg(self.group, Signal::SIGKILL) {
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(e) => return Err(RigFault::system("kill a child process")(e)),
        }
        self.ended = Some(self.process.wait().map_err(RigFault::system("wait for a child process"))?);
        Ok(())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // SIGKILL also ends a stopped process (SIGSTOP). A failure here cannot be reported.
        let _ = self.kill();
    }
}

fn opened(log: &Path) -> Result<File, RigFault> {
    OpenOptions::new().create(true).append(true).open(log).map_err(RigFault::file("open the log", log))
}

/// The same command through `setpriv`, which sets the parent-death signal and then executes the program.
fn tied(command: Command) -> Command {
    const SETPRIV: &str = "/usr/bin/setpriv";
    // A program that is nowhere is started as it is: the error of that has the remedy, and setpriv's has none.
    if !Path::new(SETPRIV).is_file() || find(command.get_program(), &[]).is_none() {
        return command;
    }
    let mut through = Command::new(SETPRIV);
    through.args(["--pdeathsig", "KILL", "--"]).arg(command.get_program()).args(command.get_args());
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => through.env(key, value),
            None => through.env_remove(key),
        };
    }
    if let Some(dir) = command.get_current_dir() {
        through.current_dir(dir);
    }
    through
}

/// Where this program lies: a name in `PATH`, or else in one of these directories; a path at itself.
pub(super) fn find(program: &OsStr, besides: &[&str]) -> Option<PathBuf> {
    let name = Path::new(program);
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_owned());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).chain(besides.iter().map(PathBuf::from));
    places.map(|dir| dir.join(name)).find(|place| place.is_file())
}

#[cfg(test)]
mod tests {
    use super::super::clock::wait_for;
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_program_that_is_not_installed_is_told_with_its_remedy() {
        let dir = tempfile::tempdir().unwrap();
        let none = Command::new("tumblerd-no-such-program");
        let fault = Child::spawn(none, "none", &dir.path().join("log"), "install it").unwrap_err();
        assert!(matches!(fault, RigFault::Spawn { remedy: "install it", .. }), "{fault}");
    }

    fn sleeper(log: &Path) -> Child {
        let mut command = Command::new("sh");
        // A grandchild, to see that the whole group goes.
        command.args(["-c", "sleep 600 & echo $!; wait"]);
        Child::spawn(command, "sh", log, "").unwrap()
    }

    fn alive(pid: &str) -> bool {
        std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| !s.contains(") Z "))
    }

    #[test]
    fn nothing_outlives_its_owner() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let child = sleeper(&log);
        let pid = child.pid().to_string();
        let mut grandchild = String::new();
        wait_for("the grandchild", Duration::from_secs(5), String::new, || {
            grandchild = std::fs::read_to_string(&log).unwrap_or_default().trim().to_owned();
            Ok(!grandchild.is_empty())
        })
        .unwrap();
        drop(child);
        wait_for("both to go", Duration::from_secs(5), String::new, || Ok(!alive(&pid) && !alive(&grandchild)))
            .unwrap();
    }

    #[test]
    fn a_stopped_child_can_be_killed_and_a_dead_one_gets_no_signal() {
        let dir = tempfile::tempdir().unwrap();
        let mut child = sleeper(&dir.path().join("log"));
        child.signal(Signal::SIGSTOP).unwrap();
        child.kill().unwrap();
        assert!(child.signal(Signal::SIGTERM).unwrap_err().to_string().contains("has ended"));
    }

    #[test]
    fn a_program_that_is_not_there_is_named_with_a_remedy() {
        let dir = tempfile::tempdir().unwrap();
        let missing = Child::spawn_bare(Command::new("/no/such/program"), "x", &dir.path().join("log"), "install it");
        let text = missing.unwrap_err().to_string();
        assert!(text.contains("/no/such/program") && text.contains("install it"), "{text}");
    }
}
