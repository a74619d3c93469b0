//! What the judges see: everything that can be watched on the table's wires, bus, broker and journal and of its people, and what
//! the twin knows to be true. Observations serialise to JSON, one per line.

mod bus;
mod line;
mod truth;

use crate::record::Record;
pub use bus::{BusKind, Transaction, Words};
pub use line::Line;
pub(crate) use line::quarter;
use serde::{Deserialize, Serialize};
use serde_json::Value;
pub use truth::{Key, Part, Truth};

/// One thing seen, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// When, in nanoseconds on the monotonic clock with which the table stamps its records. Never decreases in a [`Trace`].
    pub at_ns: u64,
    /// What.
    pub what: Seen,
}

impl Observation {
    /// Something seen at this moment.
    #[must_use]
    pub const fn new(at_ns: u64, what: Seen) -> Self {
        Self { at_ns, what }
    }
}

/// What was seen, in the order in which it was seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Trace(pub Vec<Observation>);

/// Something that judges can see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(clippy::large_enum_variant, reason = "a record is read far more often than it is moved")]
pub enum Seen {
    /// A wire's level, in either direction.
    Wire {
        /// The line.
        line: Line,
        /// Its logical level from now on.
        active: bool,
        /// Whether this is the level at which watching began, and not an edge.
        #[serde(default)]
        initial: bool,
    },
    /// A line reported the level that it already had: the edges in between never reached the table.
    RepeatedLevel {
        /// The line.
        line: Line,
        /// Its logical level, now as before.
        active: bool,
    },
    /// A reading of the motor's temperature, when the table gets it.
    Temperature {
        /// In thousandths of a degree Celsius; `None` if the sensor did not answer.
        milli_celsius: Option<i32>,
    },
    /// A transaction on the field bus, at its end.
    Bus(Transaction),
    /// What an output pin reads after it was driven.
    Readback {
        /// The pin.
        line: Line,
        /// Its logical level.
        active: bool,
    },
    /// A message, as a subscriber with retain-as-published receives it.
    Mqtt {
        /// The topic.
        topic: String,
        /// The payload; `None` for an empty one, which deletes a retained message.
        payload: Option<Value>,
        /// Whether it was published with the retain flag.
        retained: bool,
    },
    /// The state of the table, from its journal, when the judges start watching a table that has already been in use.
    InitialState {
        /// Whether it was open.
        open: bool,
        /// Codes of the latched malfunctions.
        latched: Vec<String>,
        /// Whether a round was in progress.
        in_round: bool,
    },
    /// A record of the journal, when it became durable, or merged in by its own time if the rig reads the journal later.
    Record(Record),
    /// A command that a person gave on the console: `{"command":"open","with":{...}}`.
    ConsoleCommand {
        /// Its number, by which it is answered.
        #[serde(default)]
        request: u64,
        /// Its name.
        command: String,
        /// Its arguments.
        #[serde(default)]
        with: Value,
    },
    /// Text that the table showed or sent to people, other than by bus and broker.
    Text {
        /// Where.
        outlet: Outlet,
        /// What.
        text: String,
    },
    /// The console answered a command.
    Answer {
        /// The command's number.
        request: u64,
        /// The code of a refusal; `None` if the command was carried out.
        refused: Option<String>,
        /// What the console said.
        text: String,
    },
    /// The table's own account of its state, as MQTT and the panel give it.
    Status(Value),
    /// What the twin knows to be true.
    Truth(Truth),
}

/// Where the table shows or tells people something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outlet {
    /// The console, apart from its answers to commands.
    Console,
    /// The panel or the results display.
    Panel,
    /// The daemon's log.
    Log,
}

#[cfg(test)]
mod tests;
