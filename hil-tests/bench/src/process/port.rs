//! The rig's end of the field bus: a pty, or a serial adapter on a real line.

use super::pty::Pty;
use super::rig_fault::RigFault;
use super::speed::LineSpeed;
use nix::sys::termios::{BaudRate, SetArg, cfmakeraw, cfsetspeed, tcgetattr, tcsetattr};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The rig's end of the field bus.
#[derive(Debug)]
pub enum Port {
    /// A pty: the line's timing is simulated.
    Pty(Pty),
    /// A serial adapter: the line has its own timing.
    Serial(Serial),
}

/// A serial port at 115,200 baud, 8 data bits, no parity, 1 stop bit, in raw mode.
#[derive(Debug)]
pub struct Serial {
    port: File,
}

impl Serial {
    /// Opens it, and discards what is in its buffers.
    ///
    /// # Errors
    /// [`RigFault`] where it cannot be opened, or is no serial port.
    pub fn open(path: &Path) -> Result<Self, RigFault> {
        let flags = nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY;
        let port = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path);
        let port = port.map_err(RigFault::file("open the rig's serial port", path))?;
        let set = || {
            let mut modes = tcgetattr(&port)?;
            cfmakeraw(&mut modes);
            cfsetspeed(&mut modes, BaudRate::B115200)?;
            tcsetattr(&port, SetArg::TCSANOW, &modes)?;
            nix::sys::termios::tcflush(&port, nix::sys::termios::FlushArg::TCIOFLUSH)
        };
        set().map_err(|error| RigFault::file("set the rig's serial port to 115,200 baud at", path)(error.into()))?;
        Ok(Self { port })
    }
}

impl Port {
    /// The timing that the rig has to simulate.
    #[must_use]
    pub fn speed(&self) -> LineSpeed {
        match self {
            Self::Pty(_) => LineSpeed::default(),
            // A real line delays the bytes itself; only the units' turnaround is simulated.
            Self::Serial(_) => LineSpeed { byte_ns: 0, ..LineSpeed::default() },
        }
    }

    /// The device that the daemon has open, where the rig made it.
    #[must_use]
    pub fn device(&self) -> Option<&Path> {
        match self {
            Self::Pty(pty) => Some(pty.device()),
            Self::Serial(_) => None,
        }
    }

    /// Becomes readable when a byte arrives.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Pty(pty) => pty.fd(),
            Self::Serial(serial) => serial.port.as_fd(),
        }
    }

    /// Reads what waits, appending to `bytes`. Returns how many came; 0 when nothing waits.
    ///
    /// # Errors
    /// [`RigFault`] for anything but an empty line.
    pub fn read(&self, bytes: &mut Vec<u8>) -> Result<usize, RigFault> {
        let mut port = match self {
            Self::Pty(pty) => return pty.read(bytes),
            Self::Serial(serial) => &serial.port,
        };
        let mut chunk = [0; 512];
        match port.read(&mut chunk) {
            Ok(n) => {
                bytes.extend_from_slice(chunk.get(..n).unwrap_or_default());
                Ok(n)
            }
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(0),
            Err(e) => Err(RigFault::system("read the rig's serial port")(e)),
        }
    }

    /// Writes to the line. Bytes that do not fit its buffer are lost, as on a wire without a receiver.
    ///
    /// # Errors
    /// [`RigFault`] for anything but a full buffer.
    pub fn write(&self, bytes: &[u8]) -> Result<(), RigFault> {
        let mut port = match self {
            Self::Pty(pty) => return pty.write(bytes),
            Self::Serial(serial) => &serial.port,
        };
        match port.write(bytes) {
            Ok(_) => Ok(()),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(()),
            Err(e) => Err(RigFault::system("write to the rig's serial port")(e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::clock::wait_for;
    use std::time::Duration;

    #[test]
    fn every_byte_passes_a_serial_port_both_ways_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        let line = Pty::open(&dir.path().join("bus")).unwrap();
        let port = Port::Serial(Serial::open(line.link()).unwrap());
        let all: Vec<u8> = (0..=255).collect();
        let mut got = [Vec::new(), Vec::new()];
        port.write(&all).unwrap();
        line.write(&all).unwrap();
        wait_for("bytes", Duration::from_secs(5), String::new, || {
            line.read(&mut got[0])?;
            port.read(&mut got[1])?;
            Ok(got.iter().all(|got| got.len() >= all.len()))
        })
        .unwrap();
        assert_eq!(got, [all.clone(), all]);
        assert_eq!(port.read(&mut Vec::new()).unwrap(), 0);
    }

    #[test]
    fn what_is_no_serial_port_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "").unwrap();
        for path in [path, dir.path().join("none")] {
            let said = Serial::open(&path).unwrap_err().to_string();
            assert!(said.contains(path.to_str().unwrap()) && said.contains("serial port"), "{said}");
        }
    }
}
