//! The journal's records as a stranger reads them (`daemon/docs/mqtt.md`): JSON of the shape
//! `{"seq":12,"at":345,"round":3,"kind":"voided","data":{...}}`. Unknown kinds stay unknown, and a malformed payload is marked as
//! such.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
pub struct Record {
    /// Its number.
    pub seq: u64,
    /// When the table decided it, in nanoseconds on the monotonic clock.
    pub at_ns: u64,
    /// The round it belongs to, if any.
    pub round: Option<u64>,
    /// The clauses that it is about.
    pub clauses: Vec<String>,
    /// Who asked for it on the console.
    pub who: Option<Who>,
    /// Its kind, as written.
    pub kind: String,
    /// Its payload, as written.
    pub data: Value,
    /// What it says.
    pub fact: Fact,
}

/// A person, as the kernel vouches for him: his account, and the highest role that it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "as in a record")]
pub struct Who {
    pub account: String,
    pub role: String,
}

/// Not a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no journal record: {0}")]
pub struct NoRecord(String);

impl Record {
    /// Reads a record from its JSON. Other fields than those above, such as those of a message on `event`, are ignored.
    ///
    /// # Errors
    /// [`NoRecord`] if `seq`, `at` or `kind` is missing or has another type. A payload that does not fit its kind is not an error
    /// here but a [`Fact::Malformed`].
    pub fn read(value: Value) -> Result<Self, NoRecord> {
        let Value::Object(mut fields) = value else { return Err(NoRecord("not an object".into())) };
        let number = |name: &str| {
            fields.get(name).and_then(Value::as_u64).ok_or_else(|| NoRecord(format!("`{name}` is not a whole number")))
        };
        let (seq, at_ns) = (number("seq")?, number("at")?);
        let round = match fields.get("round") {
            None | Some(Value::Null) => None,
            Some(round) => Some(round.as_u64().ok_or_else(|| NoRecord("`round` is not a whole number".into()))?),
        };
        let Some(Value::String(kind)) = fields.remove("kind") else {
            return Err(NoRecord("`kind` is not a text".into()));
        };
        let data = fields.remove("data").unwrap_or(Value::Null);
        let clauses =
            fields.remove("clauses").map(Vec::deserialize).transpose().map_err(|e| NoRecord(e.to_string()))?;
        let who = fields.remove("who").map(Who::deserialize).transpose().map_err(|e| NoRecord(e.to_string()))?;
        let fact = Fact::read(&kind, &data);
        Ok(Self { seq, at_ns, round, clauses: clauses.unwrap_or_default(), who, kind, data, fact })
    }
}

impl TryFrom<Value> for Record {
    type Error = NoRecord;
    fn try_from(value: Value) -> Result<Self, NoRecord> {
        Self::read(value)
    }
}

impl From<Record> for Value {
    fn from(record: Record) -> Self {
        let mut value = json!({"seq": record.seq, "at": record.at_ns, "kind": record.kind});
        if let Value::Object(fields) = &mut value {
            if let Some(round) = record.round {
                fields.insert("round".into(), round.into());
            }
            if !record.data.is_null() {
                fields.insert("data".into(), record.data);
            }
            if !record.clauses.is_empty() {
                fields.insert("clauses".into(), record.clauses.into());
            }
            if let Some(who) = record.who {
                fields.insert("who".into(), json!(who));
            }
        }
        value
    }
}

/// A call of the dealer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Call {
    /// "Place your bets".
    PlaceBets,
    /// "No more bets".
    NoMoreBets,
    /// "No spin".
    NoSpin,
}

/// What a record says, as far as the judges need it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are those of the journal's records, under their names there")]
pub enum Fact {
    /// The daemon started.
    Started { boot: String, rules: String, layout: String },
    /// The daemon was asked to stop.
    Stopped,
    /// An opening test ended.
    Tested { test: String, passed: bool },
    /// The table was opened.
    Opened { by: String },
    /// The table was closed.
    Closed,
    /// Maintenance began or ended.
    Maintenance { on: bool },
    /// A round began.
    RoundBegan { rules: String, layout: String },
    /// A call was made.
    Called { call: Call, in_turn: bool },
    /// The motor is about to be switched on.
    SpinBegan,
    /// Three full tumbles are made.
    SpinMade,
    /// A spin ended.
    SpinEnded { tumbles: u64, valid: bool, steps: i64 },
    /// The dice were revealed.
    Revealed { how: String },
    /// The outcome was established.
    Established { flat: String },
    /// The reader read the faces of the dice.
    FacesRead,
    /// The numbers that were keyed differ from what the reader reads.
    EntryDiffers,
    /// A result was entered.
    Result { dice: [u8; 3], total: u64, call: String, areas: Vec<String> },
    /// The result was amended.
    Amended { to: [u8; 3], by: String },
    /// The winning areas, and no others, were found lit.
    LampsVerified,
    /// The round was settled.
    Settled { dice: [u8; 3], total: u64, by: Option<String> },
    /// The round was voided.
    Voided { reason: String, clauses: Vec<String>, silent: Option<String> },
    /// A round that had ended was voided afterwards.
    VoidedAfterwards { round: u64, clauses: Vec<String>, by: String },
    /// The table asks a person what became of the dice.
    Asked { why: String },
    /// A person said what became of the dice.
    Answered { finding: String, by: String },
    /// The daemon restarted during a round, and the recorded facts decided how it goes on.
    Resumed { established: bool },
    /// A malfunction was latched.
    Latched { code: String },
    /// A latch was opened.
    Unlatched { code: String, how: String, by: String },
    /// A supervisor decided something.
    Decided { kind: String, by: String },
    /// A set of dice was enrolled.
    DiceEnrolled { by: String },
    /// A keyframe: the whole state of the table.
    Keyframe(Keyframe),
    /// Of a known kind whose payload the judges do not need.
    Plain,
    /// Of a kind that the judges do not know.
    Unknown,
    /// Of a known kind, with a payload that does not fit it.
    Malformed(String),
}

/// The state of the table in a keyframe, as far as the judges need it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "the fields are those of the journal's keyframes, under their names there")]
pub struct Keyframe {
    pub boot: String,
    pub rules: String,
    pub layout: String,
    pub open: bool,
    pub latched: Vec<KeyframeLatch>,
    pub last_round: u64,
    pub round: Option<KeyframeRound>,
}

impl Fact {
    /// Whether it decides what the command `void` asks for. Other commands lead to `decided` as well.
    pub(crate) fn answers_void(&self) -> bool {
        const KINDS: [&str; 5] =
            ["void", "not-flat", "dice-damaged", "dice-damaged-result-stands", "dice-damaged-void"];
        matches!(self, Self::Decided { kind, .. } if KINDS.contains(&kind.as_str()))
    }

    /// Whether this is the first record of a new journal that replaces a damaged one: a keyframe in which `journal` is latched. Its
    /// number is higher than any that the old journal may have used, so that the gap shows the loss.
    pub(crate) fn begins_new_journal(&self) -> bool {
        matches!(self, Self::Keyframe(keyframe) if keyframe.latched.iter().any(|latched| latched.code == "journal"))
    }
}

/// A latched malfunction in a [`Keyframe`].
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "as in a keyframe")]
pub struct KeyframeLatch {
    pub code: String,
}

/// The round in progress in a [`Keyframe`].
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "as in a keyframe")]
pub struct KeyframeRound {
    pub id: u64,
    pub rules: String,
    pub layout: String,
    pub result: Option<[u8; 3]>,
}

/// The payload of any kind: every field that the judges read, each optional.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Payload {
    boot: Option<String>,
    rules: Option<String>,
    layout: Option<String>,
    test: Option<String>,
    passed: Option<bool>,
    by: Option<String>,
    on: Option<bool>,
    call: Option<Value>,
    in_turn: Option<bool>,
    tumbles: Option<u64>,
    steps: Option<i64>,
    valid: Option<bool>,
    how: Option<String>,
    flat: Option<String>,
    dice: Option<Value>,
    to: Option<[u8; 3]>,
    total: Option<u64>,
    areas: Option<Vec<String>>,
    reason: Option<String>,
    clauses: Option<Vec<String>>,
    silent: Option<String>,
    round: Option<Value>,
    established: Option<bool>,
    why: Option<String>,
    kind: Option<String>,
    finding: Option<String>,
    code: Option<String>,
}

/// Kinds of which the judges need only that the record is there.
const PLAIN: [&str; 12] = [
    "closing",
    "spin-dropped",
    "corrected",
    "supervised",
    "commissioned",
    "spin-flickered",
    "entry-error",
    "noted",
    "refused",
    "key-turned",
    "test-began",
    "hardware-tested",
];

impl Fact {
    fn read(kind: &str, data: &Value) -> Self {
        Self::known(kind, data).unwrap_or_else(|missing| Self::Malformed(format!("`{kind}`: {missing}")))
    }

    fn known(kind: &str, data: &Value) -> Result<Self, String> {
        let unit = match kind {
            "stopped" => Some(Self::Stopped),
            "spin-began" => Some(Self::SpinBegan),
            "spin-made" => Some(Self::SpinMade),
            "lamps-verified" => Some(Self::LampsVerified),
            "closed" => Some(Self::Closed),
            "faces-read" => Some(Self::FacesRead),
            "entry-differs" => Some(Self::EntryDiffers),
            _ if PLAIN.contains(&kind) => Some(Self::Plain),
            _ => None,
        };
        if let Some(fact) = unit {
            return Ok(fact);
        }
        if kind == "keyframe" {
            return Keyframe::deserialize(data).map(Self::Keyframe).map_err(|e| e.to_string());
        }
        if !data.is_object() {
            // Nothing can be required of an unknown kind.
            return if NAMED.contains(&kind) { Err("no payload".into()) } else { Ok(Self::Unknown) };
        }
        if !NAMED.contains(&kind) {
            return Ok(Self::Unknown);
        }
        Payload::deserialize(data).map_err(|e| e.to_string())?.fact(kind)
    }
}

/// Kinds whose payload the judges read.
const NAMED: [&str; 21] = [
    "asked",
    "answered",
    "started",
    "tested",
    "opened",
    "maintenance",
    "round-began",
    "called",
    "spin-ended",
    "revealed",
    "established",
    "result",
    "amended",
    "settled",
    "voided",
    "voided-afterwards",
    "resumed",
    "latched",
    "unlatched",
    "decided",
    "dice-enrolled",
];

fn need<T>(value: Option<T>, name: &str) -> Result<T, String> {
    value.ok_or_else(|| format!("`{name}` is missing"))
}

fn shaped<T: for<'de> Deserialize<'de>>(value: Option<Value>, name: &str) -> Result<T, String> {
    T::deserialize(need(value, name)?).map_err(|e| format!("`{name}`: {e}"))
}

impl Payload {
    fn fact(self, kind: &str) -> Result<Fact, String> {
        Ok(match kind {
            "started" => Fact::Started {
                boot: need(self.boot, "boot")?,
                rules: need(self.rules, "rules")?,
                layout: need(self.layout, "layout")?,
            },
            "tested" => Fact::Tested { test: need(self.test, "test")?, passed: need(self.passed, "passed")? },
            "opened" => Fact::Opened { by: need(self.by, "by")? },
            "maintenance" => Fact::Maintenance { on: need(self.on, "on")? },
            "round-began" => {
                Fact::RoundBegan { rules: need(self.rules, "rules")?, layout: need(self.layout, "layout")? }
            }
            "called" => Fact::Called { call: shaped(self.call, "call")?, in_turn: need(self.in_turn, "in_turn")? },
            "spin-ended" => {
                let (tumbles, valid) = (need(self.tumbles, "tumbles")?, need(self.valid, "valid")?);
                Fact::SpinEnded { tumbles, valid, steps: need(self.steps, "steps")? }
            }
            "revealed" => Fact::Revealed { how: need(self.how, "how")? },
            "established" => Fact::Established { flat: need(self.flat, "flat")? },
            "result" => Fact::Result {
                dice: shaped(self.dice, "dice")?,
                total: need(self.total, "total")?,
                call: shaped(self.call, "call")?,
                areas: need(self.areas, "areas")?,
            },
            "amended" => Fact::Amended { to: need(self.to, "to")?, by: need(self.by, "by")? },
            "settled" => {
                Fact::Settled { dice: shaped(self.dice, "dice")?, total: need(self.total, "total")?, by: self.by }
            }
            "voided" => Fact::Voided {
                reason: need(self.reason, "reason")?,
                clauses: self.clauses.unwrap_or_default(),
                silent: self.silent,
            },
            "voided-afterwards" => Fact::VoidedAfterwards {
                round: shaped(self.round, "round")?,
                clauses: self.clauses.unwrap_or_default(),
                by: need(self.by, "by")?,
            },
            "asked" => Fact::Asked { why: need(self.why, "why")? },
            "answered" => Fact::Answered { finding: need(self.finding, "finding")?, by: need(self.by, "by")? },
            "resumed" => Fact::Resumed { established: need(self.established, "established")? },
            "latched" => Fact::Latched { code: need(self.code, "code")? },
            "unlatched" => Fact::Unlatched {
                code: need(self.code, "code")?,
                how: need(self.how, "how")?,
                by: need(self.by, "by")?,
            },
            "decided" => Fact::Decided { kind: self.kind.unwrap_or_default(), by: need(self.by, "by")? },
            "dice-enrolled" => Fact::DiceEnrolled { by: need(self.by, "by")? },
            _ => Fact::Unknown,
        })
    }
}

#[cfg(test)]
mod tests;
