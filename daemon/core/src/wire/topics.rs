//! Topics and messages on the broker. Outbound only: the daemon subscribes to nothing.

use crate::effect::KeyTold;
use crate::latch::Code;
use serde::{Deserialize, Serialize};

/// Version of the messages' JSON.
pub const VERSION: u32 = 1;

/// The topics of one table: `taisai/<site>/<table>/...`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topics {
    root: String,
}

impl Topics {
    /// The topics of this table at this site.
    #[must_use]
    pub fn new(site: &str, table: &str) -> Self {
        Self { root: format!("taisai/{site}/{table}") }
    }
    /// Retained: whether the daemon is connected; the broker publishes the will when it is lost.
    #[must_use]
    pub fn status(&self) -> String {
        format!("{}/status", self.root)
    }
    /// Retained: the table as it is ([`StateMessage`]).
    #[must_use]
    pub fn state(&self) -> String {
        format!("{}/state", self.root)
    }
    /// QoS 1: every journal record, in order.
    #[must_use]
    pub fn event(&self) -> String {
        format!("{}/event", self.root)
    }
    /// Keys on the dealer's keypad, as far as they may be told.
    #[must_use]
    pub fn keypad(&self) -> String {
        format!("{}/keypad", self.root)
    }
    /// Retained: lamps commanded, sensed and verified.
    #[must_use]
    pub fn lamps(&self) -> String {
        format!("{}/lamps", self.root)
    }
    /// Retained while latched, deleted afterwards.
    #[must_use]
    pub fn fault(&self, code: Code) -> String {
        format!("{}/fault/{}", self.root, code.name())
    }
}

/// Message on `status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Status {
    /// Version of the message.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub v: u32,
    /// `online` or `offline`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["online", "offline"])))]
    pub status: String,
    /// The kernel's boot id.
    pub boot: String,
    /// Version of the daemon.
    pub build: String,
    /// Hardware backend; on `virtual` nothing here is a real game.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["virtual", "cdev", "rppal"])))]
    pub backend: String,
}

/// Message on `state`: the table as it is. Retained, so it says of which boot it is and when it was told: who reads it
/// later must not take it for news.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StateMessage {
    /// Version of the message.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub v: u32,
    /// The kernel's boot id.
    pub boot: String,
    /// Wall time of the telling, in milliseconds since 1970.
    pub wall: i64,
    /// The table.
    #[serde(flatten)]
    pub snapshot: crate::snapshot::Snapshot,
}

/// Message on `event`: a journal record as it was committed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventMessage {
    /// Version of the message.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub v: u32,
    /// Id of the journal: consumers count `seq` per stream.
    pub stream: String,
    /// Hash of this record, in hexadecimal: the journal's head when it was the last.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub head: String,
    /// Wall time in milliseconds since 1970.
    pub wall: i64,
    /// Quality of the wall time: `synchronised` or `unsynchronised`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["synchronised", "unsynchronised"])))]
    pub wall_quality: String,
    /// Boot id under which the record was made.
    pub boot: String,
    /// Hardware backend.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["virtual", "cdev", "rppal"])))]
    pub backend: String,
    /// The record.
    #[serde(flatten)]
    pub record: crate::record::Record,
}

/// Message on `keypad`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeypadMessage {
    /// Version of the message.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub v: u32,
    /// The key, as far as it may be told.
    pub key: KeyTold,
}

/// Message on `lamps`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LampsMessage {
    /// Version of the message.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub v: u32,
    /// Ids of the areas commanded on.
    pub commanded: Vec<String>,
    /// Ids of the areas through which current flows.
    pub sensed: Vec<String>,
    /// Whether both were found the same for the result on show.
    pub verified: bool,
}

/// Message on `fault/<code>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FaultMessage {
    /// Version of the message.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub v: u32,
    /// What is latched.
    pub code: Code,
    /// What was found.
    pub cause: String,
}
