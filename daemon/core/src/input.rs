//! What comes in. Every input carries two times: `at`, when it happened, and `now`, when it is handed in.
//!
//! The shell drains everything that waits, orders it by `at`, hands it in, and only then hands in
//! [`Input::Tick`], so that an edge stamped before a deadline beats the timer that came late.

use crate::line::{InLine, OutLine};
use crate::prelude::*;
use crate::units::{MilliCelsius, Mono, Seq};
use crate::wire::console::{Caller, Command};
use serde::{Deserialize, Serialize};

/// How a transaction on the field bus failed. Nothing is ever decided on a bad frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BusFailure {
    /// No reply within the time allowed.
    Timeout,
    /// A reply with a bad checksum, a wrong unit or function, or one that is no Modbus at all.
    Corrupt,
    /// A well-formed reply that carries other amounts than were asked for.
    WrongShape,
    /// The unit answered with this Modbus exception code.
    Exception(u8),
    /// The serial port is gone or cannot be opened.
    PortGone,
}

/// What a unit on the field bus answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BusReply {
    /// Registers, in the order of their addresses.
    Words(Vec<u16>),
    /// Bits: bit 0 is the lowest address. At most 64.
    Bits(u64),
    /// A write was acknowledged.
    Written,
}

/// One thing that happened outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// Time passed and nothing else waits. Fires the deadlines up to `now`.
    Tick,
    /// A line's level when watching it began (or began again after a gap); no edge.
    Level {
        /// The line.
        line: InLine,
        /// Its logical level.
        active: bool,
    },
    /// A raw edge, before any debounce.
    Edge {
        /// The line.
        line: InLine,
        /// Its logical level after the edge.
        active: bool,
    },
    /// Edges of this line were lost (gap in the kernel's sequence numbers). A fault, never ignored.
    LineGap {
        /// The line.
        line: InLine,
    },
    /// What an output really is, read back from the hardware after every change and when it changes by itself.
    Readback {
        /// The output.
        line: OutLine,
        /// Its logical level.
        active: bool,
    },
    /// The lines can no longer be watched or driven: chip gone, line taken by somebody else, a write failed.
    LinesLost {
        /// What happened, for a person.
        reason: String,
    },
    /// The lines are back: a [`Input::Level`] for each follows.
    LinesBack,
    /// The answer to the bus request with this number.
    Bus {
        /// The number of the request ([`crate::effect::BusRequest::id`]).
        id: u32,
        /// The unit's reply, or how the transaction failed.
        reply: Result<BusReply, BusFailure>,
    },
    /// A reading of the motor's temperature, or the lack of one.
    Temperature {
        /// The reading; `None` when the sensor did not answer.
        reading: Option<MilliCelsius>,
    },
    /// All records up to and with this one are on stable storage.
    Durable {
        /// The last durable record.
        seq: Seq,
    },
    /// The journal cannot be written. Nothing after the last [`Input::Durable`] is known to be kept.
    JournalFailed {
        /// What happened, for a person.
        reason: String,
    },
    /// The relay's broker acknowledged every event up to and with this one.
    Relayed {
        /// The last acknowledged record.
        seq: Seq,
    },
    /// A person's command from the console.
    Console {
        /// The number under which the answer is expected.
        request: u64,
        /// Who asks.
        caller: Caller,
        /// What is asked.
        command: Command,
    },
    /// The daemon was asked to stop: everything is de-energised and [`crate::record::Event::Stopped`] recorded; nothing
    /// energises any more. The shell waits a bounded time for the record and then ends, whatever became of it.
    Stop,
}

/// An input with its two times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stamped {
    /// When it happened.
    pub at: Mono,
    /// When it was handed in. Never decreases.
    pub now: Mono,
    /// What happened.
    pub input: Input,
}
