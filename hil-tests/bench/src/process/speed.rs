//! Timing of the field bus: how long a frame takes on a real line.

/// Timing of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSpeed {
    /// Nanoseconds a byte.
    pub byte_ns: u64,
    /// Silence that ends a frame, in nanoseconds: 1.75 ms above 19,200 baud (Modbus over Serial Line 1.02, 2.5.1.1).
    pub silence_ns: u64,
    /// A unit's own time from the end of the silence to the reply's first byte, in nanoseconds.
    pub turnaround_ns: u64,
    /// Bytes after which a receiver's FIFO wakes its driver.
    pub fifo: usize,
}

impl Default for LineSpeed {
    /// 115,200 baud, 8 data bits, no parity, 1 stop bit: 10 bits a byte; FIFO trigger level 8 as in a 16550.
    fn default() -> Self {
        Self { byte_ns: 10 * 1_000_000_000 / 115_200, silence_ns: 1_750_000, turnaround_ns: 250_000, fifo: 8 }
    }
}

impl LineSpeed {
    /// Time that this number of bytes takes on the wire, in nanoseconds.
    #[must_use]
    pub fn bytes(&self, count: usize) -> u64 {
        self.byte_ns.saturating_mul(count as u64)
    }
    /// Time from the first byte of a request to the last of its reply, in nanoseconds.
    #[must_use]
    pub fn transaction(&self, request: usize, reply: usize) -> u64 {
        self.bytes(request + reply) + self.silence_ns + self.turnaround_ns
    }
}
