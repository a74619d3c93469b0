//! Reads requests as the standard has them, and as a proxy in front of the panel may understand them: a line of a request's head ends with
//! CR LF. The library takes a bare LF as well. So in place of one it is handed a character that may stand nowhere in a head, and refuses
//! that with 400. Where a head ends and how long a body is, it says itself ([`Framing::request`]): nothing is framed twice.

use bytes::{Buf, BytesMut};
use hyper::Request;
use hyper::body::{Body, Incoming};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that are read at once.
const CHUNK: usize = 4096;
/// What stands in a head in place of a bare LF, and ends it.
const BARE: &[u8] = b"\0\r\n\r\n";

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// A head.
    Head,
    /// So many bytes of a body, then a head.
    Body(u64),
    /// A body whose length nobody knows before it has come.
    Unknown,
    /// Nothing: the head was refused.
    Refused,
}

/// What the library found out about the connection.
#[derive(Clone, Debug)]
pub(super) struct Framing(Arc<Mutex<Next>>);

impl Framing {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Next::Head)))
    }

    /// A head has come. Gives whether the connection is to end with the answer: where the next head begins is not known here.
    pub(super) fn request(&self, request: &Request<Incoming>) -> bool {
        let next = match request.body().size_hint().exact() {
            Some(0) => Next::Head,
            Some(bytes) => Next::Body(bytes),
            None => Next::Unknown,
        };
        *self.next() = next;
        next == Next::Unknown
    }

    fn next(&self) -> std::sync::MutexGuard<'_, Next> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection, read so.
#[derive(Debug)]
pub(super) struct Heads<S> {
    stream: S,
    framing: Framing,
    /// What has come and was not handed on.
    kept: BytesMut,
    /// The two characters before, of a head.
    before: [u8; 2],
}

impl<S> Heads<S> {
    pub(super) fn new(stream: S, framing: Framing) -> Self {
        Self { stream, framing, kept: BytesMut::new(), before: *b"\r\n" }
    }

    /// Hands on what may be: of a head no more than to its end, so that the library says first what follows.
    fn hand_on(&mut self, to: &mut ReadBuf<'_>) {
        let room = self.kept.len().min(to.remaining());
        let mut next = self.framing.next();
        match &mut *next {
            Next::Refused => {}
            Next::Unknown => to.put_slice(&self.kept.split_to(room)),
            Next::Body(left) => {
                let taken = room.min(usize::try_from(*left).unwrap_or(usize::MAX));
                to.put_slice(&self.kept.split_to(taken));
                *left -= taken as u64;
                if *left == 0 {
                    *next = Next::Head;
                }
            }
            Next::Head => {
                for _ in 0..room {
                    let byte = self.kept.get_u8();
                    if byte == b'\n' && self.before[1] != b'\r' {
                        // The library looks at a head once it has ended.
                        to.put_slice(BARE.get(..to.remaining()).unwrap_or(BARE));
                        self.kept.clear();
                        *next = Next::Refused;
                        break;
                    }
                    to.put_slice(&[byte]);
                    let ends = byte == b'\n' && self.before == *b"\n\r";
                    self.before = [self.before[1], byte];
                    if ends {
                        break;
                    }
                }
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Heads<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.kept.is_empty() && *this.framing.next() != Next::Refused {
            let mut bytes = [0; CHUNK];
            let mut came = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut this.stream).poll_read(cx, &mut came))?;
            this.kept.extend_from_slice(came.filled());
        }
        this.hand_on(to);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Heads<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, bytes)
    }
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
