//! Ctrl-C, a terminal that closes, or a request to end: while the table tests, that is to end there too.

use crate::context::Context;
use crate::ending::Ended;
use crate::link::Link;
use crate::say;
use anyhow::Context as _;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;
use tumbler_core::wire::ask::{Ask, Told};
use tumbler_core::wire::console::Command;

/// Longest wait for the end of a test that was called off.
const CALLED_OFF: Duration = Duration::from_secs(2);

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

/// Does this, which has the table test itself; an interrupt meanwhile calls the test off at the table.
///
/// # Errors
/// Those of what is done, and where the daemon cannot be told.
pub(crate) fn or_call_off(
    context: &Context,
    name: &str,
    does: impl FnOnce(&Interrupt) -> anyhow::Result<Ended> + Send + 'static,
) -> anyhow::Result<Ended> {
    let interrupt = Arc::new(Interrupt::catch()?);
    let (to, heard) = channel();
    let (waits, done) = (Arc::clone(&interrupt), to.clone());
    // Both end with the process.
    std::thread::spawn(move || {
        waits.wait();
        to.send(None)
    });
    let doing = Arc::clone(&interrupt);
    std::thread::spawn(move || done.send(Some(does(&doing))));
    let mut ended = heard.recv()?;
    if !interrupt.has_come() || matches!(ended, Some(Ok(Ended::Done))) {
        return ended.unwrap_or(Ok(Ended::Refused));
    }
    let (to, told) = channel();
    let mut link = Link::open(&context.socket)?;
    link.ask(Ask::Command(Command::Close { name: name.to_owned() }))?;
    std::thread::spawn(move || to.send(link.next()));
    let told = told.recv_timeout(CALLED_OFF).context("the table does not say whether the test was called off");
    let told = told.context("`tumblerctl status` tells")??;
    while ended.is_none() {
        match heard.recv_timeout(CALLED_OFF) {
            Ok(next) => ended = next,
            Err(_) => break,
        }
    }
    match &told {
        Told::Refused { why, .. } => {
            say::complain(&format!("the test goes on at the table, which refuses to call it off: {why}"));
        }
        told => context.say_answer(told)?,
    }
    match ended {
        Some(Err(error)) => Err(error),
        _ => Ok(Ended::Refused),
    }
}
