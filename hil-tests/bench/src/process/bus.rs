//! The field bus of the virtual bench: Modbus RTU units behind a pty, paced as a real line of 115,200 baud would be.
//!
//! A pty has no baud rate: the other end gets each byte at once. So the rig computes when the last byte of a request would have
//! crossed the wire, adds the unit's turnaround, and delivers the reply's bytes when a UART's receive FIFO would have delivered them.
//! All these times are absolute, so that a late chunk does not delay the next.

use super::clock;
use super::frame::{self, RequestOutcome};
use super::port::Port;
use super::rig_fault::RigFault;
use super::speed::LineSpeed;
use super::units::Units;
use std::collections::VecDeque;
use tumbler_core::units::Mono;
use tumbler_twin::Garble;

/// Counts of what crossed the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Whole requests with a good checksum.
    pub requests: u64,
    /// Replies sent.
    pub replies: u64,
    /// Requests for which no unit answered.
    pub unanswered: u64,
    /// Bytes discarded: bad checksum, or a frame that stayed incomplete.
    pub discarded: u64,
    /// Requests that arrived during a reply: on a real line both would be garbled.
    pub collisions: u64,
    /// Bytes in both directions.
    pub bytes: u64,
}

/// A frame whose last byte is still on its way to the unit.
#[derive(Debug)]
struct Arriving {
    due: Mono,
    frame: Vec<u8>,
}

/// The line and its units' side.
#[derive(Debug)]
pub struct Bus {
    speed: LineSpeed,
    received: Vec<u8>,
    last_byte: Mono,
    free: Mono,
    arriving: VecDeque<Arriving>,
    leaving: VecDeque<(Mono, Vec<u8>)>,
    /// When a transmitter that is stuck on sends next.
    babbling: Option<Mono>,
    counts: LineCounts,
}

impl Bus {
    /// Delay of a late reply, in nanoseconds: after the master's timeout (50 ms and the time of the bytes,
    /// `daemon/docs/registers.md`), and before it asks again.
    const LATE_NS: u64 = 60_000_000;
    /// Time after which an incomplete request is discarded, in nanoseconds of real time. The wire's own 1.75 ms would blame the
    /// daemon for a busy machine: its write may reach the pty in two pieces.
    const INCOMPLETE_NS: u64 = 20_000_000;

    /// A silent line.
    #[must_use]
    pub fn new(speed: LineSpeed) -> Self {
        Self {
            speed,
            received: Vec::new(),
            last_byte: Mono(0),
            free: Mono(0),
            arriving: VecDeque::new(),
            leaving: VecDeque::new(),
            babbling: None,
            counts: LineCounts::default(),
        }
    }

    /// Counts so far.
    #[must_use]
    pub fn counts(&self) -> LineCounts {
        self.counts
    }
    /// The line's speed.
    #[must_use]
    pub fn speed(&self) -> LineSpeed {
        self.speed
    }

    /// When [`Bus::advance`] must be called next, if no byte arrives before.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Mono> {
        let act = self.arriving.front().map(|a| a.due);
        let send = self.leaving.front().map(|(due, _)| *due);
        let stale = (!self.received.is_empty()).then(|| Mono(self.last_byte.0.saturating_add(Self::INCOMPLETE_NS)));
        [act, send, stale, self.babbling].into_iter().flatten().min()
    }

    /// Reads requests, lets units act when they are due, and sends the bytes that are due.
    ///
    /// # Errors
    /// [`RigFault`] when the port fails.
    pub fn advance(&mut self, port: &Port, units: &mut dyn Units) -> Result<(), RigFault> {
        let now = clock::now();
        let count = port.read(&mut self.received)?;
        if count > 0 {
            self.last_byte = now;
            self.counts.bytes += count as u64;
            self.assemble(now);
        } else if !self.received.is_empty() && now.nanos_since(self.last_byte) >= Self::INCOMPLETE_NS {
            self.discard();
        }
        while self.arriving.front().is_some_and(|a| a.due <= now) {
            if let Some(arriving) = self.arriving.pop_front() {
                self.act(&arriving, units);
            }
        }
        if self.babbling.is_none_or(|due| due <= now) {
            self.babbling = match units.babble() {
                Some(bytes) => {
                    self.counts.bytes += bytes.len() as u64;
                    port.write(&bytes)?;
                    Some(Mono(now.0.saturating_add(self.speed.bytes(bytes.len()))))
                }
                None => None,
            };
        }
        while self.leaving.front().is_some_and(|(due, _)| *due <= now) {
            if let Some((_, bytes)) = self.leaving.pop_front() {
                self.counts.bytes += bytes.len() as u64;
                port.write(&bytes)?;
            }
        }
        Ok(())
    }

    fn discard(&mut self) {
        self.counts.discarded += self.received.len() as u64;
        self.received.clear();
    }

    fn assemble(&mut self, now: Mono) {
        while let Some(length) = frame::request_length(&self.received) {
            if self.received.len() < length {
                return;
            }
            let frame: Vec<u8> = self.received.drain(..length).collect();
            if !self.leaving.is_empty() || !self.arriving.is_empty() {
                self.counts.collisions += 1;
                continue;
            }
            let start = now.max(self.free);
            let end = start.0.saturating_add(self.speed.bytes(frame.len()));
            self.free = Mono(end);
            let due = Mono(end.saturating_add(self.speed.silence_ns + self.speed.turnaround_ns));
            self.arriving.push_back(Arriving { due, frame });
        }
    }

    /// Queues a frame whose first byte crosses the wire at `begins`.
    fn send(&mut self, frame: &[u8], begins: Mono) {
        let mut crossed = 0_usize;
        for chunk in frame.chunks(self.speed.fifo.max(1)) {
            crossed += chunk.len();
            let due = Mono(begins.0.saturating_add(self.speed.bytes(crossed)));
            self.leaving.push_back((due, chunk.to_vec()));
            self.free = due;
        }
    }

    fn act(&mut self, arriving: &Arriving, units: &mut dyn Units) {
        match frame::serve(&arriving.frame, units) {
            RequestOutcome::Reply(mut reply, garble) => {
                self.counts.requests += 1;
                self.counts.replies += 1;
                let mut begins = arriving.due;
                match garble {
                    // Flips one bit, each time in another byte: address, function, length, data, checksum.
                    Some(Garble::Hit) => {
                        let place = (self.counts.requests as usize) % reply.len().max(1);
                        reply.iter_mut().skip(place).take(1).for_each(|byte| *byte ^= 0x10);
                    }
                    Some(Garble::Late) => begins = Mono(begins.0.saturating_add(Self::LATE_NS)),
                    Some(Garble::OtherUnit) => reply = frame::of_other_unit(reply),
                    Some(Garble::Twice) | None => {}
                }
                self.send(&reply, begins);
                if garble == Some(Garble::Twice) {
                    self.send(&reply, Mono(self.free.0.saturating_add(self.speed.silence_ns)));
                }
            }
            RequestOutcome::Silence => {
                self.counts.requests += 1;
                self.counts.unanswered += 1;
            }
            RequestOutcome::Malformed => {
                self.counts.discarded += arriving.frame.len() as u64;
                self.discard();
            }
        }
    }
}

#[cfg(test)]
mod tests;
