//! The table as it is: what people see, on the console, the broker and the panel. Holds nothing that is still secret.

use crate::every::every;
use crate::hardware_test::Measurement;
use crate::latch::{Malfunction, Waiver};
use crate::prelude::*;
use crate::prompt::Prompt;
use crate::round::{Doubt, Finding, History, Past, Round, Spin};
use crate::units::{Dice, MilliCelsius, RoundId, Seq, Tumbles};
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// What a person is asked. `tumblerctl interrupted ANSWER` answers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Question {
    /// Of which round.
    pub round: RoundId,
    /// Why; the question's id for a program.
    pub why: Doubt,
    /// The question, for a person.
    pub text: String,
    /// The answers that there are.
    pub answers: Vec<Finding>,
}

/// The phases that people see.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    IntoStaticStr,
    VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Phase {
    /// No permission to play: the opening tests are pending.
    #[default]
    Closed,
    /// A game may begin.
    Ready,
    /// Bets are being placed, or the round has begun and the spin is over.
    Betting,
    /// The tumbler runs.
    Tumbling,
    /// "No more bets" was called, and the dice are not revealed.
    BetsClosed,
    /// The dice may be seen; the result is not entered.
    Revealed,
    /// The result is entered; wagers are being settled.
    Settling,
    /// A person is asked what became of the dice; nothing goes on before.
    Interrupted,
    /// The last round ended void; a game may begin.
    Void,
    /// A malfunction is latched and no round is in progress, or the journal cannot be written.
    Blocked,
    /// A technician works on the table.
    Maintenance,
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// That of a round in progress.
    pub(crate) fn of(round: &Round) -> Self {
        match round.spin() {
            _ if round.asked().is_some() => Self::Interrupted,
            Spin::Running => Self::Tumbling,
            _ if round.result().is_some() => Self::Settling,
            _ if round.revealed().is_some() => Self::Revealed,
            _ if round.bets_closed() => Self::BetsClosed,
            _ => Self::Betting,
        }
    }

    /// That of a table on which a game may begin, after these rounds.
    pub(crate) const fn between(history: &History) -> Self {
        if history.has_ended_void() { Self::Void } else { Self::Ready }
    }

    /// The phase's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The table as it is, all of it durable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snapshot {
    /// Last record that this picture includes.
    pub seq: Seq,
    /// What people see.
    pub phase: Phase,
    /// Rule set of the round in progress, else the one for new rounds.
    pub rules: String,
    /// Layout of the round in progress, else the one for new rounds.
    pub layout: String,
    /// Hardware backend; on `virtual` nothing here is a real game.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["virtual", "cdev", "rppal"])))]
    pub backend: String,
    /// The round in progress, if one is.
    pub round: Option<RoundId>,
    /// Whether the table is open for gaming.
    pub open: bool,
    /// Full tumbles of this round's spin so far.
    pub tumbles: Tumbles,
    /// `closed`, `open`, `travelling` or `fault`; `unknown` until the contacts were read.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["closed", "open", "travelling", "fault", "unknown"])))]
    pub dome: String,
    /// `motor_enable` as it reads back.
    pub motor: bool,
    /// Poses of the dice, as the reader has them: `flat`, `not-flat`, `moving`, `missing`, `unknown`.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = "^(flat|not-flat|moving|missing|unknown)$"))))]
    pub poses: [String; 3],
    /// Result of the round in progress, once entered.
    pub result: Option<Dice>,
    /// What the terminal's display shows, as it reads back.
    pub display: String,
    /// Ids of the areas commanded on.
    pub lit: Vec<String>,
    /// Ids of the areas through which current flows, when last sensed.
    pub sensed: Vec<String>,
    /// Whether lit and sensed were found the same for the result on show.
    pub verified: bool,
    /// Latched malfunctions.
    pub malfunctions: Vec<Malfunction>,
    /// Checks replaced by a procedure.
    pub waived: Vec<Waiver>,
    /// The motor's temperature.
    pub temperature: Option<MilliCelsius>,
    /// Whether the supervisor's key privilege is in force.
    pub key: bool,
    /// Units of the field bus that are lost.
    pub lost_units: Vec<u8>,
    /// A test in progress: what it does and what it waits for.
    pub test: Option<String>,
    /// What a person is asked, where the round waits for that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub question: Option<Question>,
    /// What people are asked to do now, with an id for programs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub prompt: Option<Prompt>,
    /// What the hardware test in progress has measured so far.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub measurements: Vec<Measurement>,
    /// The latest endings, newest last.
    pub recent: Vec<Past>,
}

impl Snapshot {
    /// The same where the journal cannot be written: what can be seen or measured, and whatever stands in the way of a game, is as it
    /// is now; what is so only by a record is as it is on record (design.md rule 2). Every field is of one kind or the other.
    pub(crate) fn until_recorded(self, on_record: &Self) -> Self {
        let was = on_record.clone();
        let opened_since = |old: &Malfunction| self.malfunctions.iter().all(|now| now.code != old.code);
        let unproved: Vec<Malfunction> = was.malfunctions.into_iter().filter(opened_since).collect();
        Self {
            seq: was.seq,
            phase: match self.phase {
                stands @ (Phase::Closed | Phase::Maintenance) => stands,
                _ => Phase::Blocked,
            },
            rules: was.rules,
            layout: was.layout,
            backend: self.backend,
            round: was.round,
            open: self.open && was.open,
            tumbles: was.tumbles,
            dome: self.dome,
            motor: self.motor,
            poses: self.poses,
            result: was.result,
            display: self.display,
            lit: self.lit,
            sensed: self.sensed,
            verified: was.verified,
            malfunctions: self.malfunctions.into_iter().chain(unproved).collect(),
            waived: self.waived.into_iter().filter(|waiver| was.waived.contains(waiver)).collect(),
            temperature: self.temperature,
            key: self.key,
            lost_units: self.lost_units,
            // A test measures; what it proves is a record.
            prompt: if self.test.is_some() { self.prompt } else { was.prompt },
            test: self.test,
            question: was.question,
            measurements: self.measurements,
            recent: was.recent,
        }
    }
}
