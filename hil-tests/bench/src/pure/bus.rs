//! The field bus as the pure bench models it: a transaction takes the time of its bytes, gaps and the unit's turnaround.

use tumbler_core::effect::{BusOp, BusRequest};
use tumbler_core::input::{BusFailure, BusReply};
use tumbler_twin::{Answer, Garble};

/// A byte of Modbus RTU has 11 bits; at 115,200 baud they take 95.5 microseconds.
const BYTE_NANOS: u64 = 11 * 1_000_000_000 / 115_200;
/// Silence between frames above 19,200 baud (Modbus over serial line 1.02, 2.5.1.1).
const GAP_NANOS: u64 = 1_750_000;
/// A unit begins to answer half a millisecond after the request.
const TURNAROUND_NANOS: u64 = 500_000;
/// The master waits this long for a reply.
const TIMEOUT_NANOS: u64 = 50_000_000;

/// A transaction in progress.
#[derive(Clone)]
pub(super) struct Transaction {
    pub request: BusRequest,
    pub begun: u64,
    /// When the unit acts on it.
    pub acts: u64,
    /// The reply and when it is complete, once the unit has acted.
    pub reply: Option<(u64, Result<BusReply, BusFailure>)>,
    /// The reply comes a second time.
    pub twice: bool,
}

fn bytes(op: &BusOp) -> (u64, u64) {
    match op {
        BusOp::ReadInput { count, .. } => (8, 5 + 2 * *count as u64),
        BusOp::ReadDiscrete { count, .. } => (8, 5 + (*count as u64).div_ceil(8)),
        BusOp::WriteCoils { count, .. } => (9 + (*count as u64).div_ceil(8), 8),
        BusOp::WriteHolding { values, .. } => (9 + 2 * values.len() as u64, 8),
    }
}

impl Transaction {
    pub(super) fn begin(request: BusRequest, now: u64) -> Self {
        let (asked, _) = bytes(&request.op);
        Self {
            acts: now + GAP_NANOS + asked * BYTE_NANOS + TURNAROUND_NANOS,
            request,
            begun: now,
            reply: None,
            twice: false,
        }
    }

    /// Time of the next event.
    pub(super) fn next(&self) -> u64 {
        self.reply.as_ref().map_or(self.acts, |(done, _)| *done)
    }

    /// The unit has acted.
    pub(super) fn answered(&mut self, answer: &Answer) {
        let reply = answer.heard();
        self.twice = answer.garble == Some(Garble::Twice) && reply.is_ok();
        let (_, told) = bytes(&self.request.op);
        let takes = match &reply {
            Ok(_) | Err(BusFailure::Corrupt | BusFailure::WrongShape) => told * BYTE_NANOS,
            Err(BusFailure::Exception(_)) => 5 * BYTE_NANOS,
            Err(BusFailure::Timeout | BusFailure::PortGone) => TIMEOUT_NANOS,
        };
        self.reply = Some((self.acts + takes, reply));
    }
}
