//! Every wire and every register of the field bus as the daemon has them, for whoever looks for a broken one.
//! `daemon/docs/console.md` is the page for people.
//!
//! What wires and units say, raw: nothing here was debounced, judged or made durable. Keys that may not be known yet are not in it.

use crate::prelude::*;
use crate::units::Mono;
use crate::wire::lines::Line;
use crate::wire::registers::Kind;
use serde::{Deserialize, Serialize};

/// Longest time by which what is told of wires and units is behind them, in milliseconds, as long as the daemon keeps up.
pub const BEHIND_MS: u32 = 200;

/// All wires and units.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wires {
    /// Now, on the clock of all moments in it.
    pub now: Mono,
    /// The same in milliseconds since 1970.
    pub wall: i64,
    /// The daemon's start, from which on it counts.
    pub began: Mono,
    /// The lines: first those that the table watches, then those that it drives.
    pub lines: Vec<Wire>,
    /// The units of the field bus, by their addresses.
    pub units: Vec<Unit>,
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wire {
    /// Its name.
    pub line: Line,
    /// Where it is, as in the configuration; `None` on a bench's wire.
    pub pin: Option<String>,
    /// Its pin on a Raspberry Pi's 40-pin header, 1 to 40, where it is on one.
    pub header: Option<u8>,
    /// Whether the daemon has the line: it reads it, or drives it.
    pub watched: bool,
    /// Its logical level; for an output the one that reads back. `None` where none is known.
    pub active: Option<bool>,
    /// What that level means, for people.
    pub means: Option<String>,
    /// Whether the pin is high.
    pub high: Option<bool>,
    /// Since when it has this level, as far as it was watched.
    pub since: Option<Mono>,
    /// Changes of its level that were seen.
    pub changes: u64,
    /// When the last one was.
    pub changed: Option<Mono>,
    /// How often edges of it were lost.
    pub gaps: u64,
    /// The level that an output is to have; `None` of an input, and of an output that was not driven yet.
    pub commanded: Option<bool>,
    /// What is odd about it, for people.
    pub note: Option<String>,
}

/// A unit of the field bus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// Its address.
    pub unit: u8,
    /// Its name: `terminal`, `reader`, or `board-` with its address.
    pub name: String,
    /// Without a valid reply for too long.
    pub lost: bool,
    /// Transactions that ended, however they did.
    pub exchanges: u64,
    /// Of these, those without a reply in time.
    pub timeouts: u64,
    /// With a reply whose checksum or frame was wrong.
    pub corrupt: u64,
    /// With a reply in order that carried other amounts than were asked for.
    pub misshapen: u64,
    /// With a Modbus exception.
    pub exceptions: u64,
    /// The last exception's code.
    pub exception: Option<u8>,
    /// Those that could not be begun, because the serial port was gone.
    pub port_gone: u64,
    /// Transactions after one that had failed.
    pub retries: u64,
    /// When the last good reply came.
    pub answered: Option<Mono>,
    /// All that it has.
    pub registers: Vec<Register>,
}

impl Unit {
    /// Transactions that failed, however they did.
    #[must_use]
    pub const fn failed(&self) -> u64 {
        let Self { timeouts, corrupt, misshapen, exceptions, port_gone, .. } = self;
        let all = timeouts.saturating_add(*corrupt).saturating_add(*misshapen);
        all.saturating_add(*exceptions).saturating_add(*port_gone)
    }
}

/// A register or a bit of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Register {
    /// What it is.
    pub kind: Kind,
    /// Its address.
    pub address: u16,
    /// What it is called in the map of registers.
    pub name: String,
    /// The area whose lamp it commands or senses.
    pub area: Option<String>,
    /// As last read or written; 0 or 1 of a bit. `None` where that never was, or may not be known.
    pub value: Option<u16>,
    /// A key is in it that may not be known yet.
    pub secret: bool,
    /// When it was last read, or written and that was acknowledged.
    pub at: Option<Mono>,
}
