//! Working directories of the bench's tables: created under the system's temporary directory, and removed on drop.

use super::mounts::SmallDisk;
use super::rig_fault::RigFault;
use crate::BenchError;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Prefix of all working directories' names; the rig's process id follows.
const PREFIX: &str = "tumbler-hil-";

/// Most bytes of a socket's path: a `sockaddr_un` has 108, and a zero ends it.
const SOCKET: usize = 107;

/// Where the run directories lie, as on a table: in memory, and not on the disk whose wear is measured.
const MEMORY: &str = "/dev/shm";

/// The files of one table: everything that its daemon keeps, its sockets and its serial port.
#[derive(Debug)]
pub struct WorkDir {
    /// The file system of the state directory, where it has its own; unmounted before the directory is removed.
    disk: Option<SmallDisk>,
    dir: TempDir,
    /// Where the run directory is; the directory itself where memory cannot be had.
    memory: Option<TempDir>,
}

impl WorkDir {
    /// A new directory with an empty state and run directory.
    ///
    /// # Errors
    /// [`RigFault`] when it cannot be made, or when people with accounts of their own could not pass to it.
    pub fn new() -> Result<Self, RigFault> {
        let above = std::env::temp_dir();
        // Only root can use the console under other accounts; otherwise the rig's own is the only one.
        if nix::unistd::Uid::effective().is_root() {
            passable(&above)?;
        }
        let prefix = format!("{PREFIX}{}-", std::process::id());
        short(&above, prefix.len())?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        let dir = builder.tempdir_in(above).map_err(RigFault::system("make a temporary directory"))?;
        // People at the console have their own accounts, which must be able to traverse the directory.
        let passable = std::fs::Permissions::from_mode(0o711);
        std::fs::set_permissions(dir.path(), passable).map_err(RigFault::file("let people through", dir.path()))?;
        let made = Self { disk: None, dir, memory: builder.tempdir_in(MEMORY).ok() };
        for path in [made.state(), made.run()] {
            std::fs::create_dir(&path).map_err(RigFault::file("make the directory", &path))?;
        }
        Ok(made)
    }

    /// A new directory whose state directory is on this disk, with the files that an earlier run left there.
    ///
    /// # Errors
    /// [`BenchError`] when it cannot be made or mounted.
    pub fn on_disk(device: &Path) -> Result<Self, BenchError> {
        let mut dir = Self::new()?;
        dir.disk = Some(SmallDisk::found(device, &dir.state())?);
        Ok(dir)
    }

    /// Copies another one's state and run directories into these.
    ///
    /// # Errors
    /// [`RigFault`] when something cannot be copied.
    pub fn take_over(&self, template: &Self) -> Result<(), RigFault> {
        copy_files(&template.state(), &self.state())?;
        copy_files(&template.run(), &self.run())?;
        if self.disk.is_some() {
            // A power cut must not lose what was there before the daemon started.
            let state = self.state();
            let root = std::fs::File::open(&state).map_err(RigFault::file("open", &state))?;
            nix::unistd::syncfs(root).map_err(RigFault::system("sync the state directory"))?;
        }
        Ok(())
    }

    /// Puts the state directory, still empty, on a small file system of its own.
    ///
    /// # Errors
    /// [`BenchError::Unsupported`] where that cannot be had.
    pub fn own_disk(&mut self) -> Result<(), BenchError> {
        self.disk = Some(SmallDisk::mount(&self.path().join("state.ext4"), &self.state())?);
        Ok(())
    }

    /// The state directory's own file system.
    #[must_use]
    pub(super) fn disk(&self) -> Option<&SmallDisk> {
        self.disk.as_ref()
    }

    /// The directory itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
    /// The daemon's state directory.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.path().join("state")
    }
    /// The daemon's run directory, which a reboot empties.
    #[must_use]
    pub fn run(&self) -> PathBuf {
        self.memory.as_ref().unwrap_or(&self.dir).path().join("run")
    }
    /// The daemon's configuration.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.path().join("tumblerd.toml")
    }
    /// The daemon's password at the broker.
    #[must_use]
    pub fn password(&self) -> PathBuf {
        self.path().join("password")
    }
    /// The label of the table's simulated chip, where it has one: as unique as the directory.
    #[must_use]
    pub fn chip(&self) -> String {
        self.path().file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }
    /// The virtual wire's socket.
    #[must_use]
    pub fn wire(&self) -> PathBuf {
        self.path().join("wire.sock")
    }
    /// The field bus' port.
    #[must_use]
    pub fn bus(&self) -> PathBuf {
        self.path().join("bus")
    }
    /// The daemon's console.
    #[must_use]
    pub fn console(&self) -> PathBuf {
        self.path().join("console.sock")
    }
    /// The socket between the daemon's two processes.
    #[must_use]
    pub fn network(&self) -> PathBuf {
        self.path().join("net.sock")
    }
    /// The run directory of the process that speaks to the network.
    #[must_use]
    pub fn network_run(&self) -> PathBuf {
        self.path().join("net")
    }
    /// The service manager's socket.
    #[must_use]
    pub fn notify(&self) -> PathBuf {
        self.path().join("notify.sock")
    }
    /// The daemon's log.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.path().join("tumblerd.log")
    }
    /// The last lines of the daemon's log, for a report.
    #[must_use]
    pub fn log_tail(&self, lines: usize) -> String {
        let text = std::fs::read(self.log()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let all: Vec<&str> = text.lines().collect();
        all.get(all.len().saturating_sub(lines)..).unwrap_or_default().join("\n")
    }
}

/// Checks that a table's sockets in this directory have paths that the kernel takes.
fn short(above: &Path, prefix: usize) -> Result<(), RigFault> {
    // Behind the prefix come six letters, and in the directory the longest name of a socket.
    let longest = above.as_os_str().len() + "/".len() + prefix + 6 + "/console.sock".len();
    if longest > SOCKET {
        return Err(RigFault::Other(format!(
            "the path of a socket has at most {SOCKET} bytes, and a table's in {} would have {longest}: set TMPDIR to a directory with a \
             shorter path, such as TMPDIR=/tmp",
            above.display(),
        )));
    }
    Ok(())
}

/// Checks that accounts other than the rig's can pass through this directory and all above it, as the people at a table's
/// console must.
fn passable(dir: &Path) -> Result<(), RigFault> {
    // Both ways to it, where links are on the way.
    let written = std::path::absolute(dir).map_err(RigFault::file("find", dir))?;
    let real = dir.canonicalize().map_err(RigFault::file("find", dir))?;
    let mut on_the_way: Vec<&Path> = written.ancestors().chain(real.ancestors()).collect();
    on_the_way.sort_unstable();
    for path in on_the_way {
        let mode = std::fs::metadata(path).map_err(RigFault::file("look at", path))?.permissions().mode();
        if mode & 0o001 == 0 {
            let path = path.display();
            return Err(RigFault::Other(format!(
                "people call at a table's console from accounts of their own, and cannot pass through {path} (mode {:04o}) to \
                 the tables in {}: chmod o+x {path}, or set TMPDIR to a directory that everybody can pass",
                mode & 0o7777,
                dir.display(),
            )));
        }
    }
    Ok(())
}

fn copy_files(from: &Path, to: &Path) -> Result<(), RigFault> {
    for entry in std::fs::read_dir(from).map_err(RigFault::file("read the directory", from))? {
        let entry = entry.map_err(RigFault::file("read the directory", from))?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(RigFault::file("look at", &path))?;
        if kind.is_dir() {
            std::fs::create_dir(&target).map_err(RigFault::file("make the directory", &target))?;
            copy_files(&path, &target)?;
        } else if kind.is_file() {
            std::fs::copy(&path, &target).map_err(RigFault::file("copy", &path))?;
        }
    }
    Ok(())
}

/// Removes the directories of rigs that were killed: those whose process does not exist any more.
pub fn sweep() {
    let places = [std::env::temp_dir(), PathBuf::from(MEMORY)];
    for entry in places.iter().filter_map(|place| std::fs::read_dir(place).ok()).flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            // Directories of another user stay: they are not ours to remove.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_tables_files_and_nothing_stays_behind() {
        let template = WorkDir::new().unwrap();
        std::fs::write(template.state().join("journal.sqlite"), b"j").unwrap();
        std::fs::create_dir(template.run().join("sub")).unwrap();
        std::fs::write(template.run().join("sub/permit"), b"p").unwrap();
        std::fs::write(template.log(), b"one\ntwo\nthree\n").unwrap();
        let copy = WorkDir::new().unwrap();
        copy.take_over(&template).unwrap();
        assert_eq!(std::fs::read(copy.state().join("journal.sqlite")).unwrap(), b"j");
        assert_eq!(std::fs::read(copy.run().join("sub/permit")).unwrap(), b"p");
        assert!(!copy.log().exists());
        assert_eq!(template.log_tail(2), "two\nthree");
        let (path, run) = (copy.path().to_owned(), copy.run());
        drop(copy);
        assert!(!path.exists() && !run.exists());
    }

    #[test]
    fn a_directory_that_people_cannot_pass_is_named_with_its_mode_and_the_remedy() {
        let top = WorkDir::new().unwrap();
        let (closed, inner) = (top.path().join("closed"), top.path().join("closed/inner"));
        std::fs::create_dir_all(&inner).unwrap();
        let mode = |mode| std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(mode)).unwrap();
        mode(0o750);
        let said = passable(&inner).unwrap_err().to_string();
        for words in [&*format!("chmod o+x {},", closed.display()), "(mode 0750)", "TMPDIR"] {
            assert!(said.contains(words), "{said}");
        }
        // A link from elsewhere is no way round.
        let link = top.path().join("link");
        std::os::unix::fs::symlink(&inner, &link).unwrap();
        assert!(passable(&link).is_err());
        mode(0o711);
        passable(&inner).unwrap();
        passable(&link).unwrap();
    }

    #[test]
    fn leftovers_of_rigs_that_are_gone_are_swept_and_others_stay() {
        let own = WorkDir::new().unwrap();
        // No process has this number: it is above the kernel's limit of 2^22.
        let left = std::env::temp_dir().join(format!("{PREFIX}4194999-{}", std::process::id()));
        std::fs::create_dir(&left).unwrap();
        sweep();
        assert!(!left.exists());
        assert!(own.path().exists());
    }
}
