//! The units of the field bus, as the rig's end of the line calls them.

use tumbler_core::effect::BusOp;
use tumbler_core::input::BusReply;
use tumbler_twin::Garble;

/// The units on the line.
pub trait Units {
    /// The unit handles a complete request, after its turnaround.
    fn transact(&mut self, unit: u8, op: &BusOp) -> Response;

    /// Bytes of a transmitter that is stuck on; called again when they have crossed the wire.
    fn babble(&mut self) -> Option<[u8; 8]> {
        None
    }
}

/// A unit's response to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// It answers, and the line may garble the answer.
    Reply(BusReply, Option<Garble>),
    /// It answers with this Modbus exception code.
    Exception(u8),
    /// No such unit, or a mute one.
    Silence,
}
