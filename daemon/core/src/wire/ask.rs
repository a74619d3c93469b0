//! The lines of the console's socket: requests, and the daemon's answers. `daemon/docs/console.md` is the page for people.
//!
//! A request is `{"id":1,"ask":"status"}`, `{"id":2,"ask":{"query":"events","with":{"after":0,"limit":10}}}` or
//! `{"id":3,"ask":{"command":"close","with":{"name":"Mei"}}}`. Every line of the daemon is `{"id":1,"answer":...}` or
//! `{"id":1,"error":"..."}`.

use crate::latch::{Malfunction, Waiver};
use crate::prelude::*;
use crate::record::Lit;
use crate::round::call::Call;
use crate::round::ending::Void;
use crate::round::{Doubt, Finding, FlatBy};
use crate::snapshot::Snapshot;
use crate::units::{Dice, RoundId, Seq, Tumbles};
use crate::wire::console::{Answer, Command, Who};
use crate::wire::topics::EventMessage;
use crate::wire::unique::Unique;
use crate::wire::wires::Wires;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Longest line that is taken from a client, in bytes, the line's end included.
pub const MAX_LINE: usize = 64 * 1024;
/// Longest line that a client has to take, in bytes: an answer with the longest record, which is told in its fields and as the text
/// that the chain covers, and whose quotes and control characters take several bytes there.
pub const MAX_ANSWER: usize = 16 * MAX_LINE;
/// Most records in one answer to [`Query::Events`].
pub const MAX_EVENTS: u32 = 1000;
/// Most rounds in one answer to [`Query::Rounds`].
pub const MAX_ROUNDS: u32 = 1000;

/// One line of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Chosen by the client; the answers carry it.
    pub id: u64,
    /// What is asked.
    pub ask: Ask,
}

/// What is asked: something that the daemon tells, or something that the table does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Ask {
    /// A question; anybody who may open the socket may ask it.
    Query(Query),
    /// A command; the table decides who may give it.
    Command(Command),
}

/// A question to the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "query", content = "with", deny_unknown_fields)]
pub enum Query {
    /// The table as it is: one [`Told::Status`].
    Status,
    /// The table as it is and every new record, until the client hangs up: [`Told::Status`] and [`Told::Record`] in turn.
    Watch,
    /// What is latched and what is waived: one [`Told::Faults`].
    Faults,
    /// Every wire and every register: one [`Told::Wires`].
    Wires,
    /// The latest rounds, oldest first: [`Told::Round`] for each, then [`Told::End`].
    Rounds {
        /// How many, at most [`MAX_ROUNDS`].
        last: u32,
    },
    /// A round whole: [`Told::Record`] for each of its records and each that was written about it later, then [`Told::End`].
    Round {
        /// Which.
        round: RoundId,
    },
    /// Journal records: [`Told::Record`] for each, then [`Told::End`].
    Events {
        /// Only records after this one.
        after: Seq,
        /// How many, at most [`MAX_EVENTS`].
        limit: u32,
    },
}

impl<'de> Deserialize<'de> for Ask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Unique(ask) = Unique::deserialize(deserializer)?;
        let kinds = "`ask` must be the name of a query, or an object with `query` or `command`";
        match ask {
            Value::String(name) => {
                let query = serde_json::json!({ "query": name });
                serde_json::from_value(query).map(Self::Query).map_err(D::Error::custom)
            }
            Value::Object(ref fields) if fields.contains_key("query") => {
                serde_json::from_value(ask).map(Self::Query).map_err(D::Error::custom)
            }
            Value::Object(ref fields) if fields.contains_key("command") => {
                serde_json::from_value(ask).map(Self::Command).map_err(D::Error::custom)
            }
            _ => Err(D::Error::custom(kinds)),
        }
    }
}

/// One line of the daemon.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Line")]
pub struct Reply {
    /// The request's number; `null` where the line could not be read.
    pub id: Option<u64>,
    /// What is said.
    #[serde(flatten)]
    pub said: Said,
}

/// A line as it is read: one that is an answer and an error at once is neither.
#[derive(Deserialize)]
struct Line {
    id: Option<u64>,
    answer: Option<Told>,
    error: Option<String>,
}

impl TryFrom<Line> for Reply {
    type Error = &'static str;

    fn try_from(line: Line) -> Result<Self, Self::Error> {
        let said = match (line.answer, line.error) {
            (Some(told), None) => Said::Answer(told),
            (None, Some(why)) => Said::Error(why),
            _ => return Err("a line has either `answer` or `error`"),
        };
        Ok(Self { id: line.id, said })
    }
}

/// What the daemon says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// An answer.
    Answer(Told),
    /// The request could not be read or carried out; after one that could not be read the connection is closed.
    Error(String),
}

/// What is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// The command was carried out.
    Done(String),
    /// The command was refused.
    Refused {
        /// Its code.
        code: String,
        /// What stands in the way and what to do.
        why: String,
    },
    /// The table as it is.
    Status(Box<Status>),
    /// What is latched and what is waived.
    Faults {
        /// Latched malfunctions.
        latched: Vec<Malfunction>,
        /// Checks replaced by a procedure.
        waived: Vec<Waiver>,
    },
    /// Every wire and every register.
    Wires(Box<Wires>),
    /// A round.
    Round(Box<RoundSummary>),
    /// A record.
    Record(Box<EventMessage>),
    /// There are no more.
    End {
        /// The journal's last record.
        last: Seq,
    },
}

impl From<Answer> for Told {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Done(what) => Self::Done(what),
            Answer::Refused { code, why } => Self::Refused { code, why },
        }
    }
}

/// The table, and its ways to the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The table as it is.
    pub snapshot: Snapshot,
    /// The way to the broker; `None` where no broker is configured.
    pub relay: Option<Relay>,
    /// The process that speaks to the network; `None` where neither a broker nor a panel is configured.
    #[serde(default)]
    pub network: Option<Network>,
    /// Which table this is.
    #[serde(default)]
    pub about: About,
}

/// Which table, and what runs it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Site.
    pub site: String,
    /// Table.
    pub table: String,
    /// Version of the daemon.
    pub build: String,
    /// Hardware backend; on `virtual` no game is real.
    pub backend: String,
}

/// The process that speaks to the network, as the one that drives the table sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    /// Whether it is there. Without it there is neither a panel nor a broker; the table plays on.
    pub up: bool,
    /// Since when, in milliseconds since 1970.
    pub since: i64,
    /// Why it is not there.
    pub trouble: Option<String>,
}

/// The way to the broker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relay {
    /// The broker, `host:port`.
    pub broker: String,
    /// Whether the broker answers now.
    pub connected: bool,
    /// Last record that the broker acknowledged.
    pub acknowledged: Seq,
    /// Records that wait for the broker.
    pub waiting: u64,
    /// Key presses that were never told, because the broker was away or slow.
    pub keys_dropped: u64,
    /// What stood in the way last, and what to do; kept until events pass again.
    pub trouble: Option<String>,
    /// Topics that the broker refuses, each with the reason; the others are told all the same.
    #[serde(default)]
    pub refused: Vec<String>,
}

/// A round in short.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundSummary {
    /// The round.
    pub round: RoundId,
    /// Its rule set.
    pub rules: String,
    /// Its layout.
    pub layout: String,
    /// Wall time of its beginning, in milliseconds since 1970.
    pub wall: i64,
    /// "Place your bets" and "No more bets", "No spin": the calls that belong to the round, in their order.
    #[serde(default)]
    pub calls: Vec<Call>,
    /// Full tumbles of its last spin.
    pub tumbles: Option<Tumbles>,
    /// Steps of the cam that were counted in it.
    #[serde(default)]
    pub steps: Option<u32>,
    /// Steps that prove a valid spin.
    #[serde(default)]
    pub needed: Option<u32>,
    /// Who said that the dice lie flat: the outcome was established.
    #[serde(default)]
    pub flat: Option<FlatBy>,
    /// What was entered or settled last.
    pub dice: Option<Dice>,
    /// What had been entered before it was amended, in order.
    #[serde(default)]
    pub amended: Vec<Dice>,
    /// By what the wagers were settled.
    #[serde(default)]
    pub lamps: Option<Lit>,
    /// Why a person was asked what became of the dice.
    #[serde(default)]
    pub asked: Option<Doubt>,
    /// What that person found.
    #[serde(default)]
    pub found: Option<Finding>,
    /// What people decided in it.
    #[serde(default)]
    pub decided: Vec<Decision>,
    /// Whether it ended settled.
    pub settled: bool,
    /// How it ended void.
    pub void: Option<Void>,
    /// Why it was found affected after it had ended (SGV6 5.6), as it was first found.
    pub voided_afterwards: Option<String>,
    /// Errors that were written down beside it after it had ended (SGV6 5.8).
    #[serde(default)]
    pub corrected: Vec<String>,
}

/// What a person decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What.
    pub what: String,
    /// Why.
    pub reason: String,
    /// Who, as typed.
    pub by: String,
    /// The account, and its role.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub who: Option<Who>,
}
