//! The port as the Modbus library has it: of what comes after a request, only the frame that checksum and address prove.
//!
//! The library tells where a frame ends from its head, so a byte before it, or the echo of the request on a line with two wires, would
//! have it wait for a frame that never comes. Here the frame is looked for at every place, and what lies before it is passed over.

use crc::{CRC_16_MODBUS, Crc};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

const CHECKSUM: Crc<u16> = Crc::<u16>::new(&CRC_16_MODBUS);
/// Longest frame that there is.
const LONGEST: usize = 256;
/// Bytes among which no frame was found, beyond which none is looked for: an echo and a reply.
const MOST: usize = 2 * LONGEST;

/// What was heard beside the reply.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// The request itself came back.
    pub(super) echo: AtomicBool,
    /// Bytes before the reply, or all where none was found; without the echo.
    pub(super) stray: AtomicUsize,
}

/// A port for one transaction.
#[derive(Debug)]
pub(super) struct Proven<P> {
    port: P,
    /// The reply's length by the request.
    length: usize,
    asked: Vec<u8>,
    heard: Vec<u8>,
    is_found: bool,
    beside: Arc<Beside>,
}

impl<P> Proven<P> {
    pub(super) fn new(port: P, length: u64, beside: &Arc<Beside>) -> Self {
        let length = usize::try_from(length).unwrap_or(LONGEST);
        Self { port, length, asked: Vec::new(), heard: Vec::new(), is_found: false, beside: Arc::clone(beside) }
    }

    /// Passes over what lies before a proven frame, if there is one.
    fn look(&mut self) -> io::Result<()> {
        // The echo of a write begins as its reply does: while all that was heard may be one, nothing is decided.
        let may_be_echo = self.heard.len() < self.asked.len() && self.asked.starts_with(&self.heard);
        let echo = if self.heard.starts_with(&self.asked) { self.asked.len() } else { 0 };
        let rest = self.heard.get(echo..).unwrap_or_default();
        let frame = if may_be_echo { None } else { frame(rest, &self.asked, self.length) };
        let stray = frame.unwrap_or(rest.len());
        self.beside.echo.store(echo > 0, Ordering::Relaxed);
        self.beside.stray.store(if may_be_echo { 0 } else { stray }, Ordering::Relaxed);
        self.is_found = frame.is_some();
        if self.is_found {
            self.heard.drain(..echo + stray);
        } else if self.heard.len() > MOST {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "more bytes than an echo and a reply, and no frame",
            ));
        }
        Ok(())
    }
}

/// Where the frame begins that answers what was asked, or else one that does not, which is told as that.
fn frame(heard: &[u8], asked: &[u8], length: usize) -> Option<usize> {
    let (unit, function) = (*asked.first()?, *asked.get(1)?);
    for (at, rest) in tails(heard) {
        let expected = match *rest {
            [from, code, ..] if from == unit && code == function => length,
            [from, code, ..] if from == unit && code == function | 0x80 => 5,
            _ => continue,
        };
        // Of a frame that is still coming, no part may pass for another one.
        let is_answer = whole(rest).is_none_or(|long| long == expected);
        match rest.get(..expected) {
            Some(bytes) if is_answer && is_right(bytes) => return Some(at),
            None if is_answer => return None,
            _ => {}
        }
    }
    let other = |rest: &[u8]| whole(rest).and_then(|long| rest.get(..long)).is_some_and(is_right);
    tails(heard).find(|(_, rest)| other(rest)).map(|(at, _)| at)
}

fn tails(heard: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    (0..heard.len()).filter_map(|at| Some((at, heard.get(at..)?)))
}

/// How long the reply is that begins so, as far as that can be told.
fn whole(reply: &[u8]) -> Option<usize> {
    match *reply {
        [_, code, ..] if code >= 0x80 => Some(5),
        [_, 1..=4, count, ..] => Some(5 + usize::from(count)),
        [_, 15 | 16, ..] => Some(8),
        _ => None,
    }
}

/// Whether a frame's checksum is right: over the frame with it, low byte first, it is zero.
fn is_right(frame: &[u8]) -> bool {
    CHECKSUM.checksum(frame) == 0
}

impl<P: AsyncRead + Unpin> AsyncRead for Proven<P> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while !this.is_found {
            let mut bytes = [0; LONGEST];
            let mut more = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut this.port).poll_read(cx, &mut more))?;
            if more.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            this.heard.extend_from_slice(more.filled());
            this.look()?;
        }
        if this.heard.is_empty() {
            return Pin::new(&mut this.port).poll_read(cx, buffer);
        }
        let count = this.heard.len().min(buffer.remaining());
        buffer.put_slice(&this.heard.drain(..count).collect::<Vec<u8>>());
        Poll::Ready(Ok(()))
    }
}

impl<P: AsyncWrite + Unpin> AsyncWrite for Proven<P> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let count = ready!(Pin::new(&mut this.port).poll_write(cx, bytes))?;
        this.asked.extend_from_slice(bytes.get(..count).unwrap_or_default());
        Poll::Ready(Ok(count))
    }
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().port).poll_flush(cx)
    }
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().port).poll_shutdown(cx)
    }
}
