//! Counts the MQTT packets between daemon and broker, with a parser of its own that neither end shares.

/// Packets that passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PacketCounts {
    /// CONNECTs of the daemon.
    pub connects: u64,
    /// CONNACKs that accepted it.
    pub welcomes: u64,
    /// CONNACKs that refused it (MQTT 5.0, 3.2.2.2: reason codes from 0x80).
    pub refusals: u64,
    /// PUBLISHes of the daemon.
    pub publishes: u64,
    /// SUBSCRIBEs and UNSUBSCRIBEs of the daemon.
    pub subscribes: u64,
    /// PUBLISHes to the daemon.
    pub messages: u64,
}

/// Direction of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the daemon to the broker.
    ToBroker,
    /// From the broker to the daemon.
    ToDaemon,
}

/// One direction of one connection, cut into packets.
#[derive(Debug)]
pub struct Tap {
    direction: Direction,
    /// The beginning of the current packet: type, remaining length, and the first bytes of its body.
    head: Vec<u8>,
    /// Bytes of the packet still to come after the head.
    rest: usize,
}

/// Bytes of a packet's body that are kept: CONNACK's flags and reason code.
const KEPT: usize = 2;

impl Tap {
    /// A tap on a new connection.
    #[must_use]
    pub const fn new(direction: Direction) -> Self {
        Self { direction, head: Vec::new(), rest: 0 }
    }

    /// Processes bytes that pass, and counts the packets that they complete.
    pub fn pass(&mut self, bytes: &[u8], counts: &mut PacketCounts) {
        for byte in bytes {
            if self.rest > 0 {
                self.rest -= 1;
                if self.rest == 0 {
                    self.end(counts);
                }
                continue;
            }
            self.head.push(*byte);
            let Some((length, body)) = remaining(&self.head) else { continue };
            let kept = self.head.len() - body;
            if kept >= length {
                self.end(counts);
            } else if kept >= KEPT {
                self.rest = length - kept;
            }
        }
    }

    fn end(&mut self, counts: &mut PacketCounts) {
        let body = remaining(&self.head).map_or(0, |(_, body)| body);
        let reason = self.head.get(body + 1).copied().unwrap_or_default();
        let kind = self.head.first().map_or(0, |first| first >> 4);
        let counter = match (self.direction, kind) {
            (Direction::ToBroker, 1) => Some(&mut counts.connects),
            (Direction::ToBroker, 3) => Some(&mut counts.publishes),
            (Direction::ToBroker, 8 | 10) => Some(&mut counts.subscribes),
            (Direction::ToDaemon, 2) if reason < 0x80 => Some(&mut counts.welcomes),
            (Direction::ToDaemon, 2) => Some(&mut counts.refusals),
            (Direction::ToDaemon, 3) => Some(&mut counts.messages),
            _ => None,
        };
        if let Some(counter) = counter {
            *counter += 1;
        }
        self.head.clear();
        self.rest = 0;
    }
}

/// The remaining length, and where the body begins (MQTT 5.0, 2.1.4 and 1.5.5); `None` until all its bytes have arrived. MQTT
/// allows four bytes of length: a stream with a fifth is not MQTT, and is cut by the first four.
fn remaining(head: &[u8]) -> Option<(usize, usize)> {
    let mut length = 0_usize;
    for (place, byte) in head.iter().skip(1).take(4).enumerate() {
        length |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 || place == 3 {
            return Some((length, place + 2));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tapped(direction: Direction, bytes: &[u8], chunk: usize) -> PacketCounts {
        let (mut tap, mut counts) = (Tap::new(direction), PacketCounts::default());
        bytes.chunks(chunk).for_each(|part| tap.pass(part, &mut counts));
        counts
    }

    #[test]
    fn packets_are_told_apart_however_the_bytes_are_cut() {
        // CONNECT of 3 bytes, PUBLISH of 200 bytes (two bytes of length), PINGREQ, SUBSCRIBE of 1 byte, UNSUBSCRIBE of 2.
        let mut sent = vec![0x10, 3, 0, 0, 0, 0x32, 0xc8, 0x01];
        // Bytes within a packet that look like SUBSCRIBEs are none.
        sent.extend([0x82; 200]);
        sent.extend([0xc0, 0, 0x82, 1, 7, 0xa2, 2, 8, 8]);
        for chunk in [1, 2, 3, 7, 1000] {
            let counts = tapped(Direction::ToBroker, &sent, chunk);
            assert_eq!((counts.connects, counts.publishes, counts.subscribes), (1, 1, 2), "cut into {chunk}");
            assert_eq!((counts.welcomes, counts.refusals, counts.messages), (0, 0, 0));
        }
    }

    #[test]
    fn a_refusal_is_told_from_a_welcome() {
        // CONNACK success; CONNACK 0x86 bad user name or password; PUBLISH.
        let came = [0x20, 3, 0, 0, 0, 0x20, 3, 0, 0x86, 0, 0x30, 3, 0, 1, b'a'];
        for chunk in [1, 4, 100] {
            let counts = tapped(Direction::ToDaemon, &came, chunk);
            assert_eq!((counts.welcomes, counts.refusals, counts.messages), (1, 1, 1), "cut into {chunk}");
        }
    }
}
