//! Lines in and lines out, each with a limit in bytes and in time.

use bytes::{Bytes, BytesMut};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::codec::{AnyDelimiterCodec, Decoder};
use tumbler_core::wire::ask::{MAX_LINE, Reply};

/// Longest time until the first request: a program that connects knows what it wants to ask.
const FIRST: Duration = Duration::from_secs(10);
/// Longest time without another request: a forgotten connection gives its place back.
const IDLE: Duration = Duration::from_secs(300);
/// Longest time from a line's first byte to its last: a program writes a line at once.
const HALF: Duration = Duration::from_secs(5);
/// Longest time in which a client takes a line; a slower one is dropped.
const TAKEN: Duration = Duration::from_secs(5);

/// Why no line came.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoLine {
    #[error("a line is longer than {MAX_LINE} bytes")]
    TooLong,
    #[error("a line was begun and not ended within {HALF:?}")]
    Half,
    #[error("no request came for {0:?}")]
    Idle(Duration),
    #[error("the client is gone")]
    Gone,
}

/// The lines of a client.
#[derive(Debug)]
pub(super) struct Lines<R> {
    from: R,
    codec: AnyDelimiterCodec,
    buffer: BytesMut,
    begun: Option<Instant>,
    /// How long the next line may take to begin.
    patience: Duration,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(from: R) -> Self {
        // Its limit leaves out the line's end.
        let codec = AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), Vec::new(), MAX_LINE - 1);
        Self { from, codec, buffer: BytesMut::new(), begun: None, patience: FIRST }
    }

    /// The next line, without its end; `None` when the client hung up between two lines. May be dropped and called again.
    ///
    /// # Errors
    /// [`NoLine`].
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, NoLine> {
        loop {
            if let Some(line) = self.codec.decode(&mut self.buffer).map_err(|_| NoLine::TooLong)? {
                self.begun = (!self.buffer.is_empty()).then(Instant::now);
                self.patience = IDLE;
                return Ok(Some(line));
            }
            let limit = self.begun.map_or_else(|| Instant::now() + self.patience, |begun| begun + HALF);
            let late = if self.begun.is_some() { NoLine::Half } else { NoLine::Idle(self.patience) };
            let was_between = self.buffer.is_empty();
            match timeout_at(limit, self.from.read_buf(&mut self.buffer)).await {
                Err(_) => return Err(late),
                Ok(Ok(0)) if was_between => return Ok(None),
                Ok(Ok(0) | Err(_)) => return Err(NoLine::Gone),
                Ok(Ok(_)) => drop(self.begun.get_or_insert_with(Instant::now)),
            }
        }
    }
}

/// Writes a reply to the client; `false` when the client is gone or too slow.
pub(super) async fn write(to: &mut (impl AsyncWrite + Unpin), reply: &Reply) -> bool {
    let Ok(mut line) = serde_json::to_vec(reply) else { return false };
    line.push(b'\n');
    matches!(timeout(TAKEN, to.write_all(&line)).await, Ok(Ok(())))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(bytes: &[u8]) -> Vec<Result<Option<Bytes>, NoLine>> {
        let mut lines = Lines::new(bytes);
        let mut found = Vec::new();
        loop {
            let next = lines.next().await;
            let is_last = !matches!(next, Ok(Some(_)));
            found.push(next);
            if is_last {
                return found;
            }
        }
    }

    #[tokio::test]
    async fn lines_come_one_by_one_however_they_are_cut() {
        let found = all(b"one\n\ntwo\n").await;
        assert_eq!(
            found,
            ["one", "", "two"].map(|line| Ok(Some(line.into()))).into_iter().chain([Ok(None)]).collect::<Vec<_>>()
        );
        assert_eq!(all(b"one\ntw").await, [Ok(Some("one".into())), Err(NoLine::Gone)]);
    }

    #[tokio::test]
    async fn a_line_has_a_greatest_length() {
        let mut longest = vec![b'x'; MAX_LINE - 1];
        longest.push(b'\n');
        assert!(matches!(all(&longest).await.first(), Some(Ok(Some(line))) if line.len() == MAX_LINE - 1));
        assert_eq!(all(&vec![b'x'; MAX_LINE + 1]).await, [Err(NoLine::TooLong)]);
        longest.insert(0, b'x');
        assert_eq!(all(&longest).await, [Err(NoLine::TooLong)]);
    }

    #[tokio::test(start_paused = true)]
    async fn half_a_line_and_none_at_all_time_out() {
        let (mut client, server) = tokio::io::duplex(64);
        let mut lines = Lines::new(server);
        let begun = Instant::now();
        assert_eq!(lines.next().await, Err(NoLine::Idle(FIRST)));
        assert!(begun.elapsed() >= FIRST && begun.elapsed() < FIRST * 2);
        client.write_all(b"{}\n").await.unwrap();
        assert_eq!(lines.next().await, Ok(Some("{}".into())));
        let begun = Instant::now();
        assert_eq!(lines.next().await, Err(NoLine::Idle(IDLE)));
        assert!(begun.elapsed() >= IDLE);
        client.write_all(b"{\"id\"").await.unwrap();
        assert_eq!(lines.next().await, Err(NoLine::Half));
        assert!(begun.elapsed() < IDLE + HALF * 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_given_up() {
        let (_client, mut server) = tokio::io::duplex(16);
        let reply = Reply { id: Some(1), said: tumbler_core::wire::ask::Said::Error("x".repeat(64)) };
        assert!(!write(&mut server, &reply).await);
    }
}
