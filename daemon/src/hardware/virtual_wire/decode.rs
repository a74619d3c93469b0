//! Cuts the bench's bytes into messages. Whatever comes, memory stays bounded and nothing panics.

use bytes::BytesMut;
use tokio_util::codec::{AnyDelimiterCodec, Decoder as _};
use tumbler_core::wire::lines::FromBench;

/// Longest message, newline included. The longest that the protocol has is about 80 bytes.
pub const LONGEST: usize = 256;

/// Bytes that are read at once: enough for some 250 edges, which is more than a contact bounces.
pub(super) const CHUNK: usize = 16 * 1024;

/// Why the bench's bytes cannot be trusted any further.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Nonsense {
    /// A line without an end.
    #[error("a message of more than {LONGEST} bytes, beginning with `{0}`")]
    TooLong(String),
    /// A line that is none of the protocol's messages.
    #[error("`{text}` is no message of the virtual wire: {problem}")]
    Malformed {
        /// The line, cut short and made printable.
        text: String,
        /// What the parser says.
        problem: String,
    },
}

/// The bytes that have come and are not yet messages.
#[derive(Debug)]
pub(super) struct Decoder {
    codec: AnyDelimiterCodec,
    buffer: BytesMut,
}

impl Default for Decoder {
    fn default() -> Self {
        // Its limit leaves out the newline.
        let codec = AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), Vec::new(), LONGEST - 1);
        Self { codec, buffer: BytesMut::with_capacity(CHUNK) }
    }
}

impl Decoder {
    /// Where bytes are to be read into, with room for some.
    pub(super) fn room(&mut self) -> &mut BytesMut {
        self.buffer.reserve(CHUNK);
        &mut self.buffer
    }

    /// Bytes of a message whose end has not come.
    #[must_use]
    pub(super) fn pending(&self) -> usize {
        self.buffer.len()
    }

    /// The next whole message; `None` until more bytes come.
    ///
    /// # Errors
    /// [`Nonsense`]; what follows in the buffer is not to be trusted then.
    pub(super) fn next(&mut self) -> Result<Option<FromBench>, Nonsense> {
        let Some(line) = self.codec.decode(&mut self.buffer).map_err(|_| Nonsense::TooLong(printable(&self.buffer)))?
        else {
            return Ok(None);
        };
        serde_json::from_slice(&line)
            .map(Some)
            .map_err(|error| Nonsense::Malformed { text: printable(&line), problem: error.to_string() })
    }
}

/// The beginning of some bytes, fit for a log.
fn printable(bytes: &[u8]) -> String {
    bytes.iter().take(60).flat_map(|b| b.escape_ascii()).map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn feed(decoder: &mut Decoder, bytes: &[u8]) {
        decoder.room().extend_from_slice(bytes);
    }

    const EDGE: &[u8] = br#"{"line":"dome_open","active":true,"at_ns":5,"seq":1}"#;

    #[test]
    fn a_message_may_come_in_halves() {
        let mut decoder = Decoder::default();
        feed(&mut decoder, &EDGE[..20]);
        assert_eq!(decoder.next(), Ok(None));
        assert_eq!(decoder.pending(), 20);
        feed(&mut decoder, &EDGE[20..]);
        assert_eq!(decoder.next(), Ok(None));
        feed(&mut decoder, b"\n{");
        assert!(matches!(decoder.next(), Ok(Some(FromBench::Line(_)))));
        assert_eq!(decoder.next(), Ok(None));
        assert_eq!(decoder.pending(), 1);
    }

    #[test]
    fn what_is_no_message_is_named_and_cut_short() {
        let mut decoder = Decoder::default();
        feed(&mut decoder, b"\xff\x00hello\n");
        let Err(Nonsense::Malformed { text, .. }) = decoder.next() else { panic!("taken") };
        assert_eq!(text, "\\xff\\x00hello");
        for bad in [
            &b"\n"[..],
            b"{}\n",
            b"[1]\n",
            b"{\"line\":\"door\",\"active\":true,\"at_ns\":1,\"seq\":0}\n",
            b"{\"line\":\"seal\",\"active\":1,\"at_ns\":1,\"seq\":0}\n",
            b"{\"line\":\"seal\",\"active\":true,\"at_ns\":-1,\"seq\":0}\n",
            b"{\"line\":\"seal\",\"active\":true,\"at_ns\":1,\"seq\":0,\"x\":1}\n",
            b"{\"motor_temperature_mc\":1.5,\"at_ns\":1}\n",
        ] {
            let mut decoder = Decoder::default();
            feed(&mut decoder, bad);
            assert!(decoder.next().is_err(), "{}", printable(bad));
        }
    }

    #[test]
    fn a_line_without_an_end_is_cut_off() {
        let mut decoder = Decoder::default();
        feed(&mut decoder, &[b'x'; LONGEST - 1]);
        assert_eq!(decoder.next(), Ok(None));
        feed(&mut decoder, b"x");
        assert!(matches!(decoder.next(), Err(Nonsense::TooLong(_))));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_or_keep_more_than_a_message(chunks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..400), 0..60)) {
            let mut decoder = Decoder::default();
            for chunk in chunks {
                feed(&mut decoder, &chunk);
                loop {
                    match decoder.next() {
                        Ok(Some(_)) => {}
                        Ok(None) => break,
                        Err(_) => { decoder = Decoder::default(); break }
                    }
                }
                prop_assert!(decoder.pending() < LONGEST);
            }
        }
    }
}
