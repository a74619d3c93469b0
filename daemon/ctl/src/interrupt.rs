//! Ctrl-C, a terminal that closes, or a request to end: while the table tests, that is to end there too.

use anyhow::Context;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use std::os::fd::{AsFd, BorrowedFd};

/// Interrupts that do not end this process by themselves.
#[derive(Debug)]
pub(crate) struct Interrupt(SignalFd);

impl Interrupt {
    /// From here on they are caught, in this thread and in those that it starts.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn catch() -> anyhow::Result<Self> {
        let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
        let caught = signals.thread_block().and_then(|()| SignalFd::with_flags(&signals, SfdFlags::SFD_CLOEXEC));
        Ok(Self(caught.context("the system does not hand over Ctrl-C")?))
    }

    /// Whether one has come.
    pub(crate) fn has_come(&self) -> bool {
        self.comes(None, PollTimeout::ZERO)
    }

    /// Waits for one.
    pub(crate) fn wait(&self) {
        while !self.comes(None, PollTimeout::NONE) {}
    }

    /// Waits for one, or until there is something to read here; whether one came.
    pub(crate) fn comes_before(&self, input: BorrowedFd<'_>) -> bool {
        self.comes(Some(input), PollTimeout::NONE)
    }

    fn comes(&self, or: Option<BorrowedFd<'_>>, within: PollTimeout) -> bool {
        let read = |fd| PollFd::new(fd, PollFlags::POLLIN);
        let mut looked_at: Vec<PollFd<'_>> = [Some(self.0.as_fd()), or].into_iter().flatten().map(read).collect();
        // It is left unread: whoever else waits for it is to see it too.
        poll(&mut looked_at, within).is_ok() && looked_at.first().and_then(PollFd::any) == Some(true)
    }
}
