//! Output pins that are messages to the bench.

use embedded_hal::digital::{self, ErrorKind, ErrorType, OutputPin};
use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, send};
use std::cell::RefCell;
use std::io;
use std::os::fd::AsRawFd;
use std::rc::Rc;
use tokio::net::UnixStream;
use tumbler_core::line::OutLine;

/// The connection to the bench, shared by all pins; `None` while there is none.
pub(super) type Wire = Rc<RefCell<Option<UnixStream>>>;

/// An output pin on the virtual wire.
#[derive(Debug)]
pub(super) struct VirtualPin {
    wire: Wire,
    line: OutLine,
}

/// Why a pin could not be driven.
#[derive(Debug, thiserror::Error)]
pub(super) enum PinError {
    /// There is no bench.
    #[error("no bench is connected")]
    NotConnected,
    /// The bench does not read, and its buffer is full.
    #[error("the bench does not read what it is sent")]
    NotRead,
    /// The connection failed.
    #[error("the bench cannot be written to: {0}")]
    Failed(#[from] io::Error),
}

impl digital::Error for PinError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Other
    }
}

impl VirtualPin {
    /// The pin of this output.
    #[must_use]
    pub(super) fn new(wire: Wire, line: OutLine) -> Self {
        Self { wire, line }
    }

    fn drive(&mut self, active: bool) -> Result<(), PinError> {
        let wire = self.wire.borrow();
        let stream = wire.as_ref().ok_or(PinError::NotConnected)?;
        let message = message(self.line, active).as_bytes();
        // Straight to the kernel: the runtime would first want to hear from it that there is room.
        match send(stream.as_raw_fd(), message, MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL) {
            Ok(written) if written == message.len() => Ok(()),
            // Half a message can never be completed in order, so the wire is as good as cut.
            Ok(_) | Err(Errno::EAGAIN) => Err(PinError::NotRead),
            Err(error) => Err(PinError::Failed(error.into())),
        }
    }
}

impl ErrorType for VirtualPin {
    type Error = PinError;
}

impl OutputPin for VirtualPin {
    fn set_low(&mut self) -> Result<(), PinError> {
        self.drive(false)
    }
    fn set_high(&mut self) -> Result<(), PinError> {
        self.drive(true)
    }
}

/// The message for an output and level; written out, so that driving a pin allocates nothing.
const fn message(line: OutLine, active: bool) -> &'static str {
    match (line, active) {
        (OutLine::MotorEnable, true) => "{\"line\":\"motor_enable\",\"active\":true}\n",
        (OutLine::MotorEnable, false) => "{\"line\":\"motor_enable\",\"active\":false}\n",
        (OutLine::MotorAlive, true) => "{\"line\":\"motor_alive\",\"active\":true}\n",
        (OutLine::MotorAlive, false) => "{\"line\":\"motor_alive\",\"active\":false}\n",
        (OutLine::OutOfService, true) => "{\"line\":\"out_of_service\",\"active\":true}\n",
        (OutLine::OutOfService, false) => "{\"line\":\"out_of_service\",\"active\":false}\n",
        (OutLine::Bell, true) => "{\"line\":\"bell\",\"active\":true}\n",
        (OutLine::Bell, false) => "{\"line\":\"bell\",\"active\":false}\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::wire::lines::ToBench;

    #[test]
    fn the_messages_are_the_contracts() {
        for line in OutLine::ALL {
            for active in [false, true] {
                let expected = serde_json::to_string(&ToBench { line, active }).unwrap() + "\n";
                assert_eq!(message(line, active), expected);
            }
        }
    }
}
