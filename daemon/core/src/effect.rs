//! What goes out. The shell carries effects out in the order in which they are returned and decides nothing.

use crate::context::outputs::Drive;
use crate::prelude::*;
use crate::record::Record;
use crate::units::Seq;
use crate::wire::console::Answer;
use serde::{Deserialize, Serialize};

/// One transaction on the field bus. At most one is outstanding at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BusRequest {
    /// Number of the request; the answer carries it.
    pub id: u32,
    /// Modbus unit address, 1 to 247.
    pub unit: u8,
    /// What to read or write.
    pub op: BusOp,
}

/// A Modbus transaction, in the protocol's own terms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BusOp {
    /// Function 04: read input registers. At most 32.
    ReadInput {
        /// First address.
        address: u16,
        /// How many.
        count: u16,
    },
    /// Function 02: read discrete inputs. At most 64.
    ReadDiscrete {
        /// First address.
        address: u16,
        /// How many.
        count: u16,
    },
    /// Function 15: write coils. At most 64.
    WriteCoils {
        /// First address.
        address: u16,
        /// How many.
        count: u16,
        /// Bit 0 goes to the first address.
        bits: u64,
    },
    /// Function 16: write holding registers.
    WriteHolding {
        /// First address.
        address: u16,
        /// The values, in the order of their addresses.
        values: Vec<u16>,
    },
}

/// What the relay may say of the dealer's keypad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum KeyTold {
    /// Some key was pressed; which one may not be told before the reveal.
    SomeKey,
    /// A digit key, 1 to 6.
    Digit(#[cfg_attr(feature = "schema", schemars(range(min = 1, max = 6)))] u8),
    /// The entry key.
    Entry,
}

/// One thing to do outside.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Drive this output. The hardware answers with [`crate::input::Input::Readback`], except for the dead-man line.
    Set(Drive),
    /// Append these records to the journal in one commit, in this order, then answer with
    /// [`crate::input::Input::Durable`] of the last one's number.
    Journal {
        /// The records, consecutive in `seq`.
        records: Vec<Record>,
        /// The relay's cursor to be kept with this commit: every event up to it is acknowledged by the broker.
        relayed: Seq,
        /// Whether the permission changes with this commit: the slot and the permit beside the journal are
        /// rewritten with it (`Some(true)`: a game may start; `Some(false)`: none may). A revocation is
        /// written to slot and permit *before* the commit, a grant after it.
        permit: Option<bool>,
    },
    /// Run this transaction on the field bus and answer with [`crate::input::Input::Bus`].
    Bus(BusRequest),
    /// Answer a console command.
    Reply {
        /// The number of the command.
        request: u64,
        /// The answer.
        answer: Answer,
    },
    /// Tell the relay of a key on the dealer's keypad. Not journalled, so not kept while the broker is away.
    Keypad(KeyTold),
    /// Write out the ring of raw inputs: an incident worth replaying just ended a round, latched, or was asked for.
    Dump {
        /// Why: a short word for the file's name, such as `void`, `tumbler` or `record`.
        reason: String,
        /// The number of the command that asked for it, if one did: who writes the file answers it, and names the file.
        #[serde(skip_serializing_if = "Option::is_none")]
        request: Option<u64>,
    },
}
