//! The serial port: opened exclusively, checked for removal, and lent to one transaction at a time.

use crate::run::clock::{self, Alarm};
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_serial::{DataBits, FlowControl, Parity, SerialStream, StopBits};
use tumbler_core::units::Mono;

/// Bytes thrown away at once while the line is being cleared.
const GULP: usize = 512;

/// An open serial port.
#[derive(Debug)]
pub(super) struct Port {
    stream: Arc<Mutex<SerialStream>>,
}

/// Opens a serial port for this process alone (`TIOCEXCL` and an exclusive `flock`): 8 data bits, no parity, 1 stop bit.
pub(super) fn open(path: &Path, baud: u32) -> io::Result<Port> {
    let settings = tokio_serial::new(path.to_string_lossy(), baud)
        .data_bits(DataBits::Eight)
        .parity(Parity::None)
        .stop_bits(StopBits::One)
        .flow_control(FlowControl::None)
        .exclusive(true);
    let stream = SerialStream::open(&settings)?;
    Ok(Port { stream: Arc::new(Mutex::new(stream)) })
}

/// A port that is gone: unplugged, or its other end hung up.
fn gone() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the serial port is gone")
}

impl Port {
    /// The port for one transaction.
    pub(super) fn lend(&self) -> Lent {
        Lent { stream: Arc::clone(&self.stream) }
    }

    /// Throws away whatever comes, until the line has been silent for `silence` and `not_before` has passed. Says how many
    /// bytes that were. An error means that the port is gone, or that the line was still not silent `limit` later.
    pub(super) async fn clear(
        &self,
        alarm: &mut Alarm,
        silence: Duration,
        not_before: Mono,
        limit: Duration,
    ) -> io::Result<usize> {
        let give_up = later(clock::now().max(not_before), limit);
        let mut until = not_before;
        let mut thrown = 0;
        loop {
            let count = tokio::select! {
                biased;
                count = std::future::poll_fn(|cx| self.gulp(cx)) => count?,
                rang = alarm.wait_until(until) => {
                    rang?;
                    return Ok(thrown);
                }
            };
            thrown += count;
            let now = clock::now();
            if now >= give_up {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the line is never silent: something babbles"));
            }
            until = not_before.max(later(now, silence));
        }
    }

    fn gulp(&self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut bytes = [0; GULP];
        let mut buffer = ReadBuf::new(&mut bytes);
        match Pin::new(&mut *hold(&self.stream)).poll_read(cx, &mut buffer) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Err(error)) => Poll::Ready(Err(as_gone(error))),
            Poll::Ready(Ok(())) if buffer.filled().is_empty() => Poll::Ready(Err(gone())),
            Poll::Ready(Ok(())) => Poll::Ready(Ok(buffer.filled().len())),
        }
    }
}

/// The moment `span` after another.
pub(super) fn later(at: Mono, span: Duration) -> Mono {
    Mono(at.0.saturating_add(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)))
}

/// Kernels report a terminal that was unplugged or hung up as EIO; drivers differ.
fn as_gone(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(libc::EIO | libc::ENXIO | libc::ENODEV | libc::EBADF) => gone(),
        _ => error,
    }
}

/// One lock, held within single calls on one thread, so it is always free.
fn hold(stream: &Mutex<SerialStream>) -> MutexGuard<'_, SerialStream> {
    stream.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The port as one transaction has it. An unplugged one is an error here, where the kernel reads nothing for ever.
#[derive(Debug)]
pub(super) struct Lent {
    stream: Arc<Mutex<SerialStream>>,
}

impl AsyncRead for Lent {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        match Pin::new(&mut *hold(&self.stream)).poll_read(cx, buffer) {
            Poll::Ready(Ok(())) if buffer.filled().len() == before => Poll::Ready(Err(gone())),
            Poll::Ready(Err(error)) => Poll::Ready(Err(as_gone(error))),
            other => other,
        }
    }
}

impl AsyncWrite for Lent {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut *hold(&self.stream)).poll_write(cx, bytes) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(as_gone(error))),
            other => other,
        }
    }
    /// Does not wait for the bytes to leave the wire (`tcdrain` would hold the thread); the time allowed for the
    /// transaction reckons with them.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
