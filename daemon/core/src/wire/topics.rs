//! Topics and messages on the broker. Outbound only: the daemon subscribes to nothing.

use crate::effect::KeyTold;
use crate::latch::Code;
use crate::prelude::*;
use crate::record::Record;
use crate::units::{Mono, RoundId, Seq};
use crate::wire::chain::Chain;
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

/// A message on `event`: the fields that both forms have, then its own.
macro_rules! event_message {
    ($(#[$about:meta])* $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub struct $name {
            /// Version of the message.
            #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
            pub v: u32,
            /// Id of the journal: consumers count `seq` per stream.
            pub stream: String,
            /// Link of this record, in hexadecimal, the same as in `chain`: the journal's head when it was the last.
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
            $($own)*
        }
    };
}

event_message! {
    /// Message on `event`: a journal record as it was committed.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    EventMessage {
        /// The record.
        #[serde(flatten)]
        pub record: Record,
        /// Its place in the journal's chain.
        pub chain: Chain,
        /// The record's JSON byte for byte as it lies in the journal: what `body_hash` in `chain` is the hash of.
        pub body: String,
    }
}

impl EventMessage {
    /// The same record in short form.
    #[must_use]
    pub fn short(&self) -> ShortEventMessage {
        let Self { v, stream, head, wall, wall_quality, boot, backend, record, chain, .. } = self.clone();
        // The header's last line; the event's own name could be had from its whole JSON only.
        let kind = chain.header.lines().last().unwrap_or_default().to_owned();
        let Record { seq, at, round, .. } = record;
        ShortEventMessage {
            v,
            stream,
            head,
            wall,
            wall_quality,
            boot,
            backend,
            seq,
            at,
            round,
            kind,
            short: true,
            chain,
        }
    }
}

event_message! {
    /// Message on `event` in short form: a record that the broker does not take whole, told without what it says. Its place in the
    /// chain is proved all the same, and `body_hash` proves the record once it is fetched from the journal.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    ShortEventMessage {
        /// The record's number; consecutive.
        pub seq: Seq,
        /// When it became known, on the monotonic clock of boot `boot`.
        pub at: Mono,
        /// The round it belongs to, if any.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        pub round: Option<RoundId>,
        /// What happened: the record's kind, without its data.
        pub kind: String,
        /// Always `true`: what the record says was left out.
        #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
        pub short: bool,
        /// Its place in the journal's chain.
        pub chain: Chain,
    }
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
