//! Lines in and lines out at the seam, each with a limit in bytes and in time.

use super::messages::SILENCE;
use bytes::{Bytes, BytesMut};
use serde::Serialize;
use std::io::ErrorKind;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::codec::{AnyDelimiterCodec, Decoder};

/// Longest time in which the other side takes a line.
const TAKEN: Duration = Duration::from_secs(5);

/// Why no line came, or none could be sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoLine {
    #[error("a line is longer than {0} bytes")]
    TooLong(usize),
    #[error("no whole line came for {SILENCE:?}: it hangs")]
    Silent,
    #[error("it did not take a line within {TAKEN:?}: it hangs")]
    NotTaken,
    #[error("it hung up")]
    Gone,
    #[error("the connection broke: {0}")]
    Broken(std::io::Error),
}

impl NoLine {
    fn of(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => Self::Gone,
            _ => Self::Broken(error),
        }
    }
}

/// The lines of the other side.
#[derive(Debug)]
pub(super) struct Lines<R> {
    from: R,
    codec: AnyDelimiterCodec,
    buffer: BytesMut,
    longest: usize,
    /// When the last line came.
    last: Instant,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// Lines of so many bytes at most, their ends included.
    pub(super) fn new(from: R, longest: usize) -> Self {
        // Its limit leaves out the line's end.
        let codec = AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), Vec::new(), longest.saturating_sub(1));
        Self { from, codec, buffer: BytesMut::new(), longest, last: Instant::now() }
    }

    /// The next line, without its end; what was begun and not ended is none. May be dropped and called again.
    ///
    /// # Errors
    /// [`NoLine`].
    pub(super) async fn next(&mut self) -> Result<Bytes, NoLine> {
        loop {
            if let Some(line) = self.codec.decode(&mut self.buffer).map_err(|_| NoLine::TooLong(self.longest))? {
                self.last = Instant::now();
                return Ok(line);
            }
            match timeout_at(self.last + SILENCE, self.from.read_buf(&mut self.buffer)).await {
                Err(_) => return Err(NoLine::Silent),
                Ok(Ok(0)) => return Err(NoLine::Gone),
                Ok(Err(error)) => return Err(NoLine::of(error)),
                Ok(Ok(_)) => {}
            }
        }
    }
}

/// Writes a line.
///
/// # Errors
/// [`NoLine`].
pub(super) async fn write(to: &mut (impl AsyncWrite + Unpin), said: &impl Serialize) -> Result<(), NoLine> {
    let mut line = serde_json::to_vec(said).map_err(|error| NoLine::Broken(error.into()))?;
    line.push(b'\n');
    match timeout(TAKEN, to.write_all(&line)).await {
        Err(_) => Err(NoLine::NotTaken),
        Ok(Err(error)) => Err(NoLine::of(error)),
        Ok(Ok(())) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(bytes: &[u8], longest: usize) -> (Vec<Bytes>, String) {
        let mut lines = Lines::new(bytes, longest);
        let mut found = Vec::new();
        loop {
            match lines.next().await {
                Ok(line) => found.push(line),
                Err(error) => return (found, error.to_string()),
            }
        }
    }

    #[tokio::test]
    async fn what_is_too_long_or_not_ended_is_no_line() {
        let (found, end) = all(b"one\ntwo\n{\"alive\"", 100).await;
        assert_eq!((found, end.as_str()), (vec!["one".into(), "two".into()], "it hung up"));
        let (found, end) = all(b"123456789\n1234567890\n", 10).await;
        assert_eq!((found, end.as_str()), (vec!["123456789".into()], "a line is longer than 10 bytes"));
    }

    #[tokio::test(start_paused = true)]
    async fn who_says_nothing_whole_for_long_hangs() {
        let (mut other, own) = tokio::io::duplex(64);
        let mut lines = Lines::new(own, 100);
        let begun = Instant::now();
        let drip = async {
            loop {
                other.write_all(b"x").await.unwrap();
                tokio::time::sleep(SILENCE / 10).await;
            }
        };
        let next = tokio::select! { () = drip => None, next = lines.next() => Some(next) };
        assert!(matches!(next, Some(Err(NoLine::Silent))) && begun.elapsed() < SILENCE * 2, "{next:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_hangs() {
        let (_other, mut own) = tokio::io::duplex(16);
        assert!(matches!(write(&mut own, &"x".repeat(64)).await, Err(NoLine::NotTaken)));
    }
}
