//! Backend `virtual`: the lines as JSON messages over a Unix socket on which a bench listens.
//! `daemon/docs/virtual-wire.md` is the page for builders of benches.
//!
//! A wire that talks nonsense cannot be trusted, so one bad message, a flood or a full pipe is as good as a cut: the
//! table is told that its lines are lost, the connection is dropped and tried again with back-off.

mod decode;
mod pin;
mod session;

pub use decode::LONGEST;
pub use session::FLOOD;

use crate::hardware::pins::Outputs;
use crate::hardware::retry::Retry;
use crate::hardware::{Lines, safe_level};
use crate::run::clock;
use crate::run::inbox::Arrival;
use bytes::BufMut as _;
use decode::{CHUNK, Decoder};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect, socket};
use pin::{VirtualPin, Wire};
use session::Session;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::UnixStream;
use tumbler_core::input::Input;
use tumbler_core::line::OutLine;

/// The lines of a table whose hardware is a bench behind a socket.
#[derive(Debug)]
pub struct VirtualLines {
    path: PathBuf,
    wire: Wire,
    pins: Outputs<VirtualPin>,
    decoder: Decoder,
    session: Session,
    /// Inputs that wait to be drained: loss, return, and readbacks that are known already.
    pending: Vec<Arrival>,
    /// More may be in the socket than one drain has taken.
    more: bool,
    retry: Retry,
    /// The sign as last set; everything else is driven low after a loss.
    sign: bool,
}

impl VirtualLines {
    /// Lines on the socket at `path`. A bench that does not listen yet is tried again for ever.
    #[must_use]
    pub fn open(path: &Path) -> Self {
        let wire = Wire::default();
        let mut lines = Self {
            path: path.to_path_buf(),
            pins: Outputs::new(|line| VirtualPin::new(Rc::clone(&wire), line)),
            wire,
            decoder: Decoder::default(),
            session: Session::new(clock::now()),
            pending: Vec::new(),
            more: false,
            retry: Retry::new(),
            sign: true,
        };
        if let Err(error) = lines.connect() {
            lines.lose(format!("no bench at {}: {error}", path.display()));
        }
        lines
    }

    fn connected(&self) -> bool {
        self.wire.borrow().is_some()
    }

    /// Connects and drives every output to its safe level. The motor is never switched on from here.
    fn connect(&mut self) -> io::Result<()> {
        let stream = dial(&self.path)?;
        *self.wire.borrow_mut() = Some(stream);
        self.decoder = Decoder::default();
        self.session = Session::new(clock::now());
        tracing::info!(bench = %self.path.display(), "connected to the bench; its wires are virtual");
        for line in OutLine::ALL {
            let level = if line == OutLine::OutOfService { Some(self.sign) } else { safe_level(line) };
            if let Some(level) = level {
                self.set(line, level);
            }
        }
        Ok(())
    }

    /// Drops the connection, tells the table and plans the next attempt.
    fn lose(&mut self, reason: String) {
        let was = self.wire.borrow_mut().take().is_some();
        let there = if was { self.session.age(clock::now()) } else { 0 };
        self.decoder = Decoder::default();
        self.more = false;
        if self.retry.lost(&reason, Duration::from_nanos(there)) {
            tracing::warn!(%reason, gaps = self.session.gaps, "lines lost; trying again");
        }
        self.pending.push(Arrival { at: clock::now(), input: Input::LinesLost { reason } });
    }

    /// Tries the bench again once the pause is over. A failure is only logged: the table knows that its lines are lost.
    fn try_again(&mut self) {
        if !self.retry.is_due() {
            return;
        }
        let back = self.pending.len();
        match self.connect() {
            Ok(()) => {
                // Before the effects of driving the outputs.
                self.pending.insert(back, Arrival { at: clock::now(), input: Input::LinesBack });
            }
            Err(error) => {
                self.retry.pause();
                tracing::debug!(%error, bench = %self.path.display(), "the bench is still away");
            }
        }
    }

    /// Reads once, and takes every whole message in.
    fn read(&mut self, out: &mut Vec<Arrival>) {
        let pending = self.decoder.pending();
        let room = self.decoder.room();
        let read = match self.wire.borrow().as_ref() {
            Some(stream) => stream.try_read_buf(&mut room.limit(CHUNK)),
            None => return,
        };
        match read {
            Ok(0) if pending > 0 => self.lose("the bench hung up in mid-message".into()),
            Ok(0) => self.lose("the bench hung up".into()),
            // It left without reading what it had been sent.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => self.lose("the bench hung up".into()),
            Ok(count) => {
                self.more = count == CHUNK;
                self.take_messages(out);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.more = false,
            Err(error) => self.lose(format!("the bench cannot be read: {error}")),
        }
    }

    fn take_messages(&mut self, out: &mut Vec<Arrival>) {
        let now = clock::now();
        loop {
            let taken = match self.decoder.next() {
                Ok(Some(message)) => self.session.take(message, now, out).map_err(|flood| flood.to_string()),
                Ok(None) => return,
                Err(nonsense) => Err(nonsense.to_string()),
            };
            if let Err(reason) = taken {
                self.lose(reason);
                return;
            }
        }
    }
}

impl Lines for VirtualLines {
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.more || !self.pending.is_empty() {
            return Poll::Ready(());
        }
        match self.wire.borrow().as_ref() {
            // An error of the runtime shows as an error of the next read.
            Some(stream) => stream.poll_read_ready(cx).map(|_| ()),
            None => self.retry.poll(cx),
        }
    }

    fn drain(&mut self, out: &mut Vec<Arrival>) {
        if self.connected() {
            self.read(out);
        } else {
            self.try_again();
        }
        out.append(&mut self.pending);
    }

    fn set(&mut self, line: OutLine, active: bool) {
        if line == OutLine::OutOfService {
            self.sign = active;
        }
        if !self.connected() {
            return;
        }
        match self.pins.set(line, active) {
            Ok(()) => self.pending.extend(self.session.driven(line, active, clock::now())),
            Err(error) => self.lose(error.to_string()),
        }
    }

    fn backend(&self) -> &'static str {
        "virtual"
    }
}

/// Connects without ever waiting: a listener whose queue is full counts as none.
fn dial(path: &Path) -> io::Result<UnixStream> {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let fd = socket(AddressFamily::Unix, SockType::Stream, flags, None)?;
    connect(fd.as_raw_fd(), &UnixAddr::new(path)?)?;
    UnixStream::from_std(fd.into())
}

#[cfg(test)]
mod tests;
