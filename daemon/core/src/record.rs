//! The journal's records: facts, decisions and their clauses, in the order in which they became known.
//!
//! A record holds no wall time and no hash: the shell's journal adds both as it writes.

mod kind;
mod standing;

pub use kind::{Decision, Remark};
pub use standing::Standing;

use crate::hardware_test::Report;
use crate::latch::Code;
use crate::prelude::*;
use crate::round::call::Call;
use crate::round::ending::{Void, one_or_more};
use crate::round::{Doubt, Finding, FlatBy, Reveal, SpinEnd};
use crate::units::{Dice, Mono, RoundId, Seq, Tumbles};
use crate::wire::console::{Exit, Who};
use serde::{Deserialize, Serialize};
use strum::{EnumDiscriminants, IntoStaticStr, VariantArray};

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Version of the records' JSON. A journal of a newer version is refused.
pub const VERSION: u32 = 2;

/// One record of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Record {
    /// Its number; consecutive.
    pub seq: Seq,
    /// When it became known, on the monotonic clock of the boot that the last [`Event::Started`] names.
    pub at: Mono,
    /// The round it belongs to, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub round: Option<RoundId>,
    /// The clauses of the rule set in force that this is about.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub clauses: Vec<String>,
    /// Who asked for it on the console; a person's typed name is part of the event.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub who: Option<Who>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

impl Record {
    /// A record of no clause, which nobody asked for on the console.
    #[must_use]
    pub const fn plain(seq: Seq, at: Mono, round: Option<RoundId>, event: Event) -> Self {
        Self { seq, at, round, clauses: Vec::new(), who: None, event }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, EnumDiscriminants)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", content = "data", rename_all = "kebab-case")]
#[strum_discriminants(
    name(Kind),
    doc = "The kind of a record: its event without what is told of it.",
    allow(missing_docs, reason = "each is that of the event of this name"),
    derive(PartialOrd, Ord, IntoStaticStr, VariantArray),
    strum(serialize_all = "kebab-case")
)]
pub enum Event {
    /// The journal's first record: the table was put together.
    Commissioned {
        /// Site.
        site: String,
        /// Table.
        table: String,
        /// Hardware backend: `virtual`, `cdev` or `rppal`.
        backend: String,
    },
    /// The daemon started.
    Started {
        /// The kernel's boot id.
        boot: String,
        /// Version of the daemon.
        build: String,
        /// Hash of the effective configuration.
        config: String,
        /// Hardware backend.
        backend: String,
        /// Rule set in force for new rounds.
        rules: String,
        /// Layout in force for new rounds.
        layout: String,
    },
    /// The daemon was asked to stop.
    Stopped,
    /// A device's test, or the opening tests, began: what follows may move and light.
    TestBegan {
        /// Which: `opening`, or the malfunction that is to be reset.
        test: String,
        /// The supervisor.
        by: String,
    },
    /// One of the opening tests ended.
    Tested {
        /// Which, by a name that programs may go by: `power`, `lamps`, `tumbler`, `deadman`, `seal`, `areas`, `bell`, `sign` …
        test: String,
        /// Whether it passed.
        passed: bool,
        /// What was found.
        found: String,
    },
    /// The table was opened for gaming (NZ 5): permission to play.
    Opened {
        /// The supervisor.
        by: String,
    },
    /// The table was closed: no permission to play.
    Closed {
        /// Who closed it, or why it closed by itself.
        by: String,
    },
    /// Maintenance began or ended.
    Maintenance {
        /// Began (`true`) or ended.
        on: bool,
        /// Who.
        by: String,
    },
    /// A round began.
    RoundBegan {
        /// The rule set it keeps to its end.
        rules: String,
        /// The layout it keeps to its end.
        layout: String,
    },
    /// A call was made. A fact: judged, never refused.
    Called {
        /// Which.
        call: Call,
        /// Whether it belongs to the round; otherwise it was made out of turn and changes nothing.
        in_turn: bool,
        /// What was out of order about it, by the rules' order of play.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        remark: Option<String>,
    },
    /// The motor is about to be commanded on for this round's spin.
    SpinBegan,
    /// The spin that was about to begin did not: nothing moved, and the dealer asks again.
    SpinDropped {
        /// Why.
        why: String,
    },
    /// The motor guard cut a spin for less than 3 ms and the same spin went on.
    SpinFlickered {
        /// The line that flickered.
        line: String,
    },
    /// Three full tumbles are made, and the tumbler still runs: a controller that is lost from here on loses none of them (NZ 6.1,
    /// SGV6 5.5.1).
    SpinMade {
        /// Net steps of the cam that were counted.
        steps: u32,
    },
    /// The spin ended.
    SpinEnded {
        /// Full tumbles counted.
        tumbles: Tumbles,
        /// Whether it is a valid spin.
        valid: bool,
        /// Net steps of the cam that were counted.
        #[serde(default)]
        steps: u32,
        /// Steps that prove the three full tumbles which make a spin valid.
        #[serde(default)]
        needed: u32,
        /// What ended it.
        how: SpinEnd,
    },
    /// The dice may be seen.
    Revealed {
        /// How.
        how: Reveal,
    },
    /// The outcome is established: from here on only damaged dice void the round, where its rules have a clause for them.
    Established {
        /// Who said that the dice lie flat.
        flat: FlatBy,
    },
    /// The reader said what the dice show, after the outcome was established: what was first seen stands.
    FacesRead {
        /// The faces, lowest first.
        dice: Dice,
    },
    /// An entry was not taken as a result.
    EntryError {
        /// The code of what stands in the way; older records have words only.
        #[serde(skip_serializing_if = "String::is_empty", default)]
        code: String,
        /// Why.
        why: String,
    },
    /// The entry differs from the reader's faces: no lamp lights.
    EntryDiffers {
        /// What was entered.
        entered: Dice,
        /// What the reader read.
        read: Dice,
    },
    /// A result was entered.
    Result {
        /// The faces, lowest first.
        dice: Dice,
        /// Their total.
        total: u8,
        /// The call, worded as the rules have it.
        call: String,
        /// Ids of the winning areas.
        areas: Vec<String>,
    },
    /// The result was amended under the supervisor before settlement (NZ 7.2).
    Amended {
        /// What had been entered.
        from: Dice,
        /// What the dice show.
        to: Dice,
        /// The supervisor.
        by: String,
    },
    /// The winning areas were found lit, and no others.
    LampsVerified,
    /// The round ended settled: the dealer keyed "all paid" (NZ 4.4), or the supervisor settled it by the dice.
    Settled {
        /// What the dice showed.
        dice: Dice,
        /// Its total.
        total: u8,
        /// By what the wagers were settled.
        #[serde(default)]
        lamps: Lit,
        /// The supervisor, where one settled it.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        by: Option<String>,
    },
    /// The round ended void.
    Voided(Void),
    /// Something else was found wrong with a round that had ended or was established: recorded beside, changes nothing.
    Noted {
        /// Which it is; older records have words only.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        kind: Option<Remark>,
        /// What, in words.
        what: String,
    },
    /// An earlier round was found affected (SGV6 5.6). Its first ending stays.
    VoidedAfterwards {
        /// The round.
        round: RoundId,
        /// Why.
        reason: String,
        /// The clauses that say so, of that round's own rule set. Records of version 1 had one, `clause`.
        #[serde(default, alias = "clause", deserialize_with = "one_or_more")]
        clauses: Vec<String>,
        /// The supervisor.
        by: String,
    },
    /// An error in a round that had ended was written down (SGV6 5.8). It changes no round.
    Corrected {
        /// The round.
        round: RoundId,
        /// What was wrong.
        reason: String,
        /// The supervisor.
        by: String,
    },
    /// The game supervisor came to see wrong numbers amended, which the dealer keys (NZ 7.2).
    Supervised {
        /// The game supervisor.
        by: String,
    },
    /// After a restart in mid-round: what is on record of the round decides whether it is concluded, goes on, is void, or a person is
    /// asked, by its rule set (table.md, Phases).
    Resumed {
        /// Whether the outcome had been established, so that the round is concluded.
        established: bool,
    },
    /// Only people can know what became of the dice: one is asked.
    Asked {
        /// Why.
        why: Doubt,
    },
    /// The person who was asked has answered.
    Answered {
        /// What was found.
        finding: Finding,
        /// What there is to say of it.
        reason: String,
        /// Who.
        by: String,
    },
    /// A malfunction was latched.
    Latched {
        /// Which.
        code: Code,
        /// What was found.
        cause: String,
        /// Whether it showed only while the tumbler ran, so that only a spin proves it gone.
        #[serde(skip_serializing_if = "core::ops::Not::not", default)]
        in_spin: bool,
    },
    /// A latch was opened.
    Unlatched {
        /// Which.
        code: Code,
        /// `rectified`, or the procedure.
        how: String,
        /// The procedure, where one replaces the check until the table closes; older records have it in `how` only.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        procedure: Option<String>,
        /// The supervisor.
        by: String,
    },
    /// A request was refused.
    Refused {
        /// What was asked.
        what: String,
        /// The code of what stands in the way; older records have words only.
        #[serde(skip_serializing_if = "String::is_empty", default)]
        code: String,
        /// Why it was refused.
        why: String,
        /// So many more of this caller were refused since the last record of it, and not recorded one by one.
        #[serde(skip_serializing_if = "is_zero", default)]
        left_out: u64,
    },
    /// The supervisor's key was turned on.
    KeyTurned,
    /// A supervisor's decision that is none of the above (SGV6 5.14).
    Decided {
        /// Which it is; older records have words only.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        kind: Option<Decision>,
        /// What, in words.
        what: String,
        /// Why.
        reason: String,
        /// Who.
        by: String,
    },
    /// Somebody closes the table in mid-round: it closes when the round has ended, also after a restart.
    Closing {
        /// Who.
        by: String,
    },
    /// A set of dice was enrolled.
    DiceEnrolled {
        /// The three identities.
        dice: [u16; 3],
        /// The supervisor.
        by: String,
    },
    /// A hardware test ended (maintenance).
    HardwareTested(Box<Report>),
    /// Everything that a restart needs, so that it need not read further back.
    Keyframe(Box<Standing>),
}

/// By what the wagers of a round were settled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Lit {
    /// Not said: a record of version 1.
    #[default]
    Unknown,
    /// The winning areas were proved lit, and no others.
    Proved,
    /// By the result on the dice, as the areas cannot be lit or proved (NZ 7.3, SGV6 5.10); a malfunction is on record.
    ByTheDice,
}

/// How [`Event::Unlatched`] says in words that a procedure replaces the check; what follows is the procedure.
const PROCEDURE: &str = "procedure: ";

impl Event {
    /// A latch is opened by this exit.
    #[must_use]
    pub fn unlatched(code: Code, exit: &Exit, by: &str) -> Self {
        let (how, procedure) = match exit {
            Exit::Rectified => ("rectified".to_owned(), None),
            Exit::Procedure(procedure) => (format!("{PROCEDURE}{procedure}"), Some(procedure.clone())),
        };
        Self::Unlatched { code, how, procedure, by: by.to_owned() }
    }
}
