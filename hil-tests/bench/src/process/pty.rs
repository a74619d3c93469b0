//! The serial port of the virtual bench: a pty pair, and a symbolic link with a stable name.

use super::rig_fault::RigFault;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::pty::openpty;
use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// A pty pair. The daemon opens the link; the rig reads and writes the master.
#[derive(Debug)]
pub struct Pty {
    master: OwnedFd,
    /// Held open, so that the master gets no EIO when the daemon closes its end.
    slave: OwnedFd,
    link: PathBuf,
    device: PathBuf,
}

impl Pty {
    /// Opens a new pair, with its slave in raw mode and linked at `link`. An existing link is replaced, so a replugged port is another
    /// device under the same name, as with `/dev/serial/by-id`.
    ///
    /// # Errors
    /// [`RigFault`] when the system has no more ptys or the link cannot be made.
    pub fn open(link: &Path) -> Result<Self, RigFault> {
        let pair = openpty(None, None).map_err(RigFault::system("open a pty pair"))?;
        let mut modes = tcgetattr(&pair.slave).map_err(RigFault::system("read the pty's modes"))?;
        cfmakeraw(&mut modes);
        tcsetattr(&pair.slave, SetArg::TCSANOW, &modes).map_err(RigFault::system("set the pty to raw"))?;
        fcntl(&pair.master, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))
            .map_err(RigFault::system("make the pty's master non-blocking"))?;
        // No child inherits the pair: a daemon that inherited the master would keep an unplugged port alive.
        for end in [&pair.master, &pair.slave] {
            fcntl(end, FcntlArg::F_SETFD(nix::fcntl::FdFlag::FD_CLOEXEC))
                .map_err(RigFault::system("set close-on-exec on the pty"))?;
        }
        let device = nix::unistd::ttyname(&pair.slave).map_err(RigFault::system("name the pty"))?;
        match std::fs::remove_file(link) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(RigFault::file("replace the link", link)(e));
            }
            _ => {}
        }
        std::os::unix::fs::symlink(&device, link).map_err(RigFault::file("make the link", link))?;
        Ok(Self { master: pair.master, slave: pair.slave, link: link.to_owned(), device })
    }

    /// The path that the daemon opens.
    #[must_use]
    pub fn link(&self) -> &Path {
        &self.link
    }
    /// The device behind the link.
    #[must_use]
    pub fn device(&self) -> &Path {
        &self.device
    }
    /// The master, to poll on.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }
    /// The slave's end that the rig holds, for measurements on the bare line.
    #[must_use]
    pub fn slave(&self) -> BorrowedFd<'_> {
        self.slave.as_fd()
    }

    /// Reads what waits, appending to `bytes`. Returns how many came; 0 when nothing waits.
    ///
    /// # Errors
    /// [`RigFault`] for anything but an empty line.
    pub fn read(&self, bytes: &mut Vec<u8>) -> Result<usize, RigFault> {
        let mut chunk = [0_u8; 512];
        match nix::unistd::read(&self.master, &mut chunk) {
            Ok(n) => {
                bytes.extend_from_slice(chunk.get(..n).unwrap_or_default());
                Ok(n)
            }
            Err(nix::errno::Errno::EAGAIN | nix::errno::Errno::EINTR) => Ok(0),
            Err(e) => Err(RigFault::system("read the pty")(e)),
        }
    }

    /// Writes to the line. Bytes that do not fit its buffer are lost, as on a wire without a receiver.
    ///
    /// # Errors
    /// [`RigFault`] for anything but a full buffer.
    pub fn write(&self, bytes: &[u8]) -> Result<(), RigFault> {
        match nix::unistd::write(&self.master, bytes) {
            Ok(_) | Err(nix::errno::Errno::EAGAIN | nix::errno::Errno::EINTR) => Ok(()),
            Err(e) => Err(RigFault::system("write to the pty")(e)),
        }
    }

    /// Removes the link, as udev does when the adapter is unplugged. Dropping the pair afterwards hangs up the line.
    ///
    /// # Errors
    /// [`RigFault`] when the link cannot be removed.
    pub fn unlink(&self) -> Result<(), RigFault> {
        std::fs::remove_file(&self.link).map_err(RigFault::file("remove the link", &self.link))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn bytes_pass_both_ways_unchanged_and_a_closed_peer_is_no_error() {
        let dir = tempfile::tempdir().unwrap();
        let pty = Pty::open(&dir.path().join("bus")).unwrap();
        let all: Vec<u8> = (0..=255).collect();
        {
            let mut port = std::fs::OpenOptions::new().read(true).write(true).open(pty.link()).unwrap();
            port.write_all(&all).unwrap();
            let mut got = Vec::new();
            super::super::clock::wait_for("bytes", std::time::Duration::from_secs(5), String::new, || {
                pty.read(&mut got)?;
                Ok(got.len() >= all.len())
            })
            .unwrap();
            assert_eq!(got, all);
            pty.write(&all).unwrap();
            let mut back = vec![0; all.len()];
            port.read_exact(&mut back).unwrap();
            assert_eq!(back, all);
        }
        assert_eq!(pty.read(&mut Vec::new()).unwrap(), 0, "the rig holds the slave open");
    }

    #[test]
    fn a_replugged_port_is_another_device_under_the_same_name() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("bus");
        let first = Pty::open(&link).unwrap();
        let second = Pty::open(&link).unwrap();
        assert_ne!(first.device(), second.device());
        assert_eq!(std::fs::read_link(&link).unwrap(), second.device());
    }
}
