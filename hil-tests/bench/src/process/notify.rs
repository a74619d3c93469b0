//! The service manager's end of `sd_notify`: the daemon's messages, each with its time of arrival.

use super::clock;
use super::rig_fault::RigFault;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use tumbler_core::units::Mono;

/// The socket that `NOTIFY_SOCKET` names.
#[derive(Debug)]
pub struct NotifySocket {
    socket: UnixDatagram,
    path: PathBuf,
}

impl NotifySocket {
    /// Listens at `path`.
    ///
    /// # Errors
    /// [`RigFault`] when the socket cannot be made.
    pub fn listen(path: &Path) -> Result<Self, RigFault> {
        let socket = UnixDatagram::bind(path).map_err(RigFault::file("listen at", path))?;
        socket.set_nonblocking(true).map_err(RigFault::file("make non-blocking", path))?;
        Ok(Self { socket, path: path.to_owned() })
    }

    /// The value of `NOTIFY_SOCKET`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The socket, to poll on.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// The assignments that arrived since the last call, such as `READY=1` or `STATUS=...`.
    #[must_use]
    pub fn take(&self) -> Vec<(Mono, String)> {
        let mut buffer = [0_u8; 4096];
        let mut said = Vec::new();
        while let Ok(n) = self.socket.recv(&mut buffer) {
            let at = clock::now();
            let text = String::from_utf8_lossy(buffer.get(..n).unwrap_or_default()).into_owned();
            said.extend(text.lines().map(|line| (at, line.to_owned())));
        }
        said
    }
}
