//! How long things take on the serial line, from its baud rate and the units' turnaround.

use std::time::Duration;
use tumbler_core::effect::BusOp;

/// Bits of a character on the wire: start, eight data bits, stop.
const BITS: u64 = 10;
/// Half bits of the silence between two frames: 3.5 characters of 11 bits (Modbus over Serial Line V1.02, 2.5.1.1).
const SILENCE_HALF_BITS: u64 = 77;
/// Bytes of a frame that are not its data: unit, function and checksum.
const FRAME: u64 = 4;
/// Bytes of the longest frame that the protocol allows (Modbus over Serial Line V1.02, 2.5.1).
const LONGEST: u64 = 256;
/// Above this baud rate the silences are fixed (Modbus over Serial Line V1.02, 2.5.1.1).
const FIXED_ABOVE: u32 = 19_200;
/// The silence between two frames where it is fixed.
const FIXED_SILENCE: Duration = Duration::from_micros(1750);

/// The times of one serial line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Baud rate.
    pub baud: u32,
    /// Longest time from a request's last byte to the reply's first.
    pub turnaround: Duration,
    /// What a transaction may take beyond all that: scheduling here, buffers in a USB adapter.
    pub slack: Duration,
}

impl Timing {
    /// The time that a number of bytes takes on the wire.
    #[must_use]
    pub fn bytes(&self, count: u64) -> Duration {
        self.half_bits(count * BITS * 2)
    }

    fn half_bits(&self, count: u64) -> Duration {
        Duration::from_nanos(count * 500_000_000 / u64::from(self.baud.max(1)))
    }

    /// The silence that ends a frame: 3.5 characters, and 1.75 ms above 19,200 baud.
    #[must_use]
    pub fn silence(&self) -> Duration {
        if self.baud > FIXED_ABOVE { FIXED_SILENCE } else { self.half_bits(SILENCE_HALF_BITS) }
    }

    /// The longest time from the first byte of a request to the last of its reply.
    #[must_use]
    pub fn transaction(&self, op: &BusOp) -> Duration {
        self.bytes(request_bytes(op)) + self.turnaround + self.bytes(reply_bytes(op)) + self.slack
    }

    /// How long the line is left alone after a reply that may come twice: the silence between the two, the second one, and the
    /// silence that ends it.
    #[must_use]
    pub fn doubled(&self, op: &BusOp) -> Duration {
        self.silence() * 2 + self.bytes(reply_bytes(op))
    }

    /// How long the line is left alone after a transaction failed, so that a reply that comes late cannot pass for the
    /// next one's: the turnaround once more, and the longest frame that there is.
    #[must_use]
    pub fn quarantine(&self) -> Duration {
        self.turnaround + self.bytes(LONGEST)
    }
}

/// Bytes of the frame that asks.
#[must_use]
pub(super) fn request_bytes(op: &BusOp) -> u64 {
    FRAME
        + match op {
            BusOp::ReadInput { .. } | BusOp::ReadDiscrete { .. } => 4,
            BusOp::WriteCoils { count, .. } => 5 + u64::from(count.div_ceil(8)),
            BusOp::WriteHolding { values, .. } => 5 + 2 * values.len() as u64,
        }
}

/// Bytes of the frame that answers.
#[must_use]
pub(super) fn reply_bytes(op: &BusOp) -> u64 {
    FRAME
        + match op {
            BusOp::ReadInput { count, .. } => 1 + 2 * u64::from(*count),
            BusOp::ReadDiscrete { count, .. } => 1 + u64::from(count.div_ceil(8)),
            BusOp::WriteCoils { .. } | BusOp::WriteHolding { .. } => 4,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(baud: u32) -> Timing {
        Timing { baud, turnaround: Duration::from_millis(5), slack: Duration::from_millis(10) }
    }

    #[test]
    fn silences_are_those_of_the_standard() {
        assert_eq!(line(115_200).silence(), Duration::from_micros(1750));
        // 3.5 characters of 11 bits at 9,600 baud.
        assert_eq!(line(9_600).silence().as_micros(), 4010);
    }

    #[test]
    fn a_poll_of_the_terminal_takes_its_bytes_and_the_turnaround() {
        let poll = BusOp::ReadInput { address: 2, count: 12 };
        assert_eq!((request_bytes(&poll), reply_bytes(&poll)), (8, 29));
        // (8 + 29) characters of 10 bits at 115,200 baud are 3.21 ms.
        assert_eq!(line(115_200).transaction(&poll).as_micros(), 15_000 + 694 + 2_517);
    }

    #[test]
    fn lamps_are_eight_to_a_byte() {
        let write = BusOp::WriteCoils { address: 0, count: 50, bits: 1 };
        assert_eq!((request_bytes(&write), reply_bytes(&write)), (16, 8));
        assert_eq!(reply_bytes(&BusOp::ReadDiscrete { address: 0, count: 64 }), 13);
    }
}
