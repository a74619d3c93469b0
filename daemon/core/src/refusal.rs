//! Reasons for refusals: all their texts in one place, with the clauses behind them.

use crate::hardware_test::HardwareTest;
use crate::latch::Code;
use crate::line::InLine;
use crate::prelude::*;
use crate::round::call;
use crate::round::question::Doubt;
use crate::rules::Clause;
use crate::units::{Dice, Millis, RoundId};
use strum::{IntoStaticStr, VariantNames};

/// Why a request, an entry or a command is refused: what stands in the way, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum Refusal {
    // No game may start.
    /// The daemon ends.
    #[error("the daemon is stopping")]
    Stopping,
    /// A technician works on the table.
    #[error("{0} has the table in maintenance")]
    InMaintenance(String),
    /// Something is latched.
    #[error("malfunction {0}: {1}")]
    Malfunction(Code, String),
    /// Nobody has opened the table.
    #[error("the table is closed: a supervisor opens it")]
    Closed,
    /// Somebody has asked to close it.
    #[error("the table closes after this round")]
    ClosesAfterRound,
    /// A test is under way.
    #[error("a test is in progress: it ends first")]
    Testing,
    /// The lines were lost.
    #[error("the wires are not watched: `faults` says why")]
    Unwatched,
    /// A crash could still forget that games are permitted.
    #[error("the permission to play is not durable yet: ask again in a moment")]
    PermissionNotDurable,
    /// The configured rule set or layout is unknown.
    #[error("no rule set is in force")]
    NoRules,

    // The tumbler may not run.
    /// The order of play begins with a call.
    #[error("the round begins with \"Place your bets\"")]
    PlaceBetsFirst,
    /// Motion would destroy what a person is asked about.
    #[error("a person is asked how the dice lie: nothing may move them")]
    AskedBeforeMotion,
    /// It was asked for already.
    #[error("the tumbler runs already")]
    RunsAlready,
    /// A round has one valid spin.
    #[error("this round has had its valid spin")]
    HasHadItsSpin,
    /// The order of play spins before that call.
    #[error("\"No more bets\" was called")]
    BetsClosed,
    /// The order of play spins after that call.
    #[error("the tumbler runs only after \"No more bets\"")]
    BetsOpen,
    /// The dice are not covered.
    #[error("the dome is not down")]
    DomeNotDown,
    /// A line that guards the motor says no.
    #[error("{} does not allow it: see to seal, supply or motor driver", .0.name())]
    GuardAway(InLine),
    /// The shaft moves or was not seen at rest.
    #[error("the tumbler does not stand still")]
    ShaftMoves,
    /// Its pin does not have the commanded level.
    #[error("the motor does not read back as off")]
    MotorReadsOn,
    /// It is hot, or its temperature is unknown.
    #[error("the motor's temperature does not allow it")]
    TooHot,
    /// The dealer took the request back.
    #[error("\"No spin\" was pressed before the motor started: press `tumble` again")]
    NoSpinPressed,

    // The person.
    /// The account does not have the role.
    #[error("{account} is not in the group {role}")]
    NotInGroup {
        /// The account.
        account: String,
        /// The role that is needed.
        role: &'static str,
    },
    /// The command names no person.
    #[error("a named person answers for this: give a name")]
    NoName,
    /// It would fill journal and displays.
    #[error("a {what} has {most} characters at most, and this one has {has}: say it shorter")]
    TooLong {
        /// What it is, such as `name` or `reason`.
        what: &'static str,
        /// Characters that it may have.
        most: usize,
        /// Characters that it has.
        has: usize,
    },
    /// It would look like another text.
    #[error("a {what} has no characters that are not seen, and this one has U+{:04X}: type it without", u32::from(*.character))]
    Unseen {
        /// What it is, such as `name` or `reason`.
        what: &'static str,
        /// The first such character.
        character: char,
    },
    /// It would look like the same text without them.
    #[error("a {what} has no space at its ends: type it without")]
    SpaceAtEnd {
        /// What it is, such as `name` or `reason`.
        what: &'static str,
    },
    /// The key switch was not turned recently enough.
    #[error("turn the supervisor's key first: its privilege lasts {} s", .lasts.0 / 1000)]
    NoKey {
        /// How long a turn of it counts.
        lasts: Millis,
    },
    /// SGV6 and SGOC 5.14 leave the decision to another person.
    #[error("the rules leave this to the shift manager or above (5.14): the group tumbler-manager")]
    LeftToManager,
    /// A decision needs a reason.
    #[error("state the reason")]
    NoReason,

    // Opening, closing, resetting, testing.
    /// A round is in progress and must end first.
    #[error("round {} is in progress: it ends first", .0.0)]
    RoundInProgress(RoundId),
    /// The table is open.
    #[error("the table is open already")]
    OpenAlready,
    /// Something is latched, so the table cannot open.
    #[error("malfunction {0} is latched ({1}): reset it first")]
    ResetFirst(Code, String),
    /// Maintenance has begun already.
    #[error("the table is in maintenance already")]
    InMaintenanceAlready,
    /// There is no maintenance to end.
    #[error("the table is not in maintenance")]
    NotInMaintenance,
    /// There is no such latch to reset.
    #[error("{0} is not latched")]
    NotLatched(Code),
    /// The turn of the key is older than the latch.
    #[error("turn the supervisor's key again: {0} was latched after its last turn")]
    KeyOlderThanLatch(Code),
    /// Each wears the disk, and pushes the oldest one out.
    #[error("{most} recordings of this account were written, and then one in {} min is, as each wears the disk: ask again in {wait_s} s", .each.0 / 60_000)]
    TooManyRecordings {
        /// Recordings that it may have written at once.
        most: u32,
        /// The time in which one more is written.
        each: Millis,
        /// How long none is, in seconds.
        wait_s: u64,
    },
    /// Only a repair opens this latch.
    #[error("no procedure replaces {code}: {why}. It has to be rectified")]
    NoProcedureReplaces {
        /// The malfunction.
        code: Code,
        /// Why none does.
        why: &'static str,
    },
    /// The command does not state the procedure.
    #[error("state the procedure")]
    NoProcedure,
    /// A procedure lasts until the table closes, so it needs an open table.
    #[error("a procedure lasts until the table closes, and this table is closed: rectify it")]
    ProcedureWhileClosed,
    /// Hardware tests need a table that is out of play.
    #[error("the table is not in maintenance: hardware is tested only there (`tumblerctl maintenance on`)")]
    TestedOnlyInMaintenance,
    /// The table has no such device.
    #[error("{0}: this table has none fitted")]
    NotFitted(HardwareTest),
    /// No test asks for a witness.
    #[error("no test waits for a witness: what asks for one is an opening, a reset or a hardware test")]
    NoWitnessWanted,
    /// It has been witnessed already.
    #[error("that was witnessed already")]
    WitnessedAlready,
    /// Nothing moves by a command alone.
    #[error("nobody pressed tumble at the table within 10 s: ask again, and press it there")]
    NotPressed,
    /// A press counts from the question on.
    #[error("the button {} is held: let it go", .0.name())]
    ButtonHeld(InLine),
    /// Whoever stands at the table stops what moves there.
    #[error("\"No spin\" was pressed")]
    StoppedByNoSpin,
    /// Dice are enrolled by the identities that the reader sees.
    #[error("the dice reader does not see three dice that it can identify")]
    NoDiceSeen,

    // Voiding.
    /// Nothing to void.
    #[error("no round is in progress: `void-afterwards` is for rounds that have ended")]
    NothingToVoid,
    /// A question is answered, not voided.
    #[error("{} Answer with `tumblerctl interrupted`", .0.text())]
    AnswerInstead(Doubt),
    /// NZ 4.9 and its like; damaged dice void even then where the text says so (SG 5.6).
    #[error("the outcome is established: {}", if *.damage_voids { "only damaged dice void it, by the supervisor" } else { "it stands" })]
    OutcomeStands {
        /// Whether the text voids every round that damaged dice affect.
        damage_voids: bool,
    },
    /// Nobody can have seen how they lie.
    #[error("the dice are not revealed yet: nobody can say how they lie")]
    NotRevealedToJudge,
    /// People who see a big win may not choose "void".
    #[error("the dice of a valid spin lie open: {}", if *.reader { "the dice reader says how, or say `--not-flat`" } else { "say how. `--not-flat`, or `tumblerctl interrupted cannot-tell`" })]
    DiceLieOpen {
        /// Whether a dice reader is in service.
        reader: bool,
    },
    /// NZ 7.1 voids a spin on its grounds (a) to (d), and a choice is none of them.
    #[error("only the grounds of {clause} void a spin, and a choice is none of them")]
    NoGround {
        /// The clause with the grounds.
        clause: Clause<'static>,
    },
    /// It is no round that has ended.
    #[error("that round is in progress: this is for one that has ended")]
    VoidIsForIt,
    /// There was none.
    #[error("there was no round {}; the last was {}", .round.0, .last.0)]
    NoSuchRound {
        /// Asked for.
        round: RoundId,
        /// The last that there was.
        last: RoundId,
    },
    /// Nothing more to void.
    #[error("round {} ended void already", .0.0)]
    VoidAlready(RoundId),
    /// Too old a round, or another version's rule set.
    #[error("the rules of round {} are not known here any more: `correct` writes it down", .0.0)]
    RulesForgotten(RoundId),

    // What a person is asked.
    /// An answer without a question, because there is no round.
    #[error("no round is in progress: nobody is asked")]
    NoRoundToAsk,
    /// An answer without a question, in a round that needs none.
    #[error("nobody is asked: the round goes on by itself")]
    NobodyAsked,
    /// An answer without a question, because the dice can be seen.
    #[error("nobody is asked: the dealer keys what the dice show")]
    DealerKeys,
    /// The outcome of other dice cannot stand.
    #[error("the dice are not the three enrolled ones: the outcome cannot stand; answer `cannot-tell`")]
    DiceNotEnrolled,
    /// No outcome follows from a spin of which nothing is known.
    #[error("nobody knows whether the spin had three tumbles: no outcome follows from it; answer `cannot-tell`")]
    NobodyCounted,
    /// Nobody can have seen it.
    #[error("the dice were moved under the dome: nobody can have seen what they showed")]
    MovedUnseen,
    /// Nobody may have seen it.
    #[error("the dice are covered, and bets are open: nobody can have seen how they lie")]
    CoveredWhileBetting,
    /// Nobody can see it yet.
    #[error("the dome is on, and nobody can have seen how they lie: lift it first")]
    DomeOn,

    // Reveal and result.
    /// There is no dome to confirm.
    #[error("no round under a dome is in progress: there is nothing to confirm")]
    NoDomeToConfirm,
    /// The order of play has not reached the reveal.
    #[error("the dice may not be seen yet")]
    NotToBeSeenYet,
    /// The dome's contacts work, so there is nothing to confirm.
    #[error("the contacts say so themselves")]
    ContactsSaySo,
    /// There is no round to settle.
    #[error("no round is in progress: there is nothing to settle")]
    NothingToSettle,
    /// A round is settled by the entered result.
    #[error("another result is entered: amend it first")]
    AnotherResult,
    /// NZ 6.4: on the entry terminal, where nothing that 7.3 speaks of has failed.
    #[error("terminal and lamps are in service: the dealer enters the result and ends the round there ({clause})")]
    EnteredOnTerminal {
        /// The clause that says so.
        clause: Clause<'static>,
    },
    /// The faces of the dice are unknown.
    #[error("no result is entered: say what the dice show (`--dice`)")]
    SayTheDice,
    /// The dice are covered.
    #[error("the dice are not revealed yet: after the reveal")]
    NotRevealed,
    /// The reader decides first whether the dice lie flat.
    #[error("the dice reader has not found the dice flat yet")]
    NotFoundFlat,
    /// The reader must read the faces first.
    #[error("the dice reader has not read the faces yet: ask again in a moment")]
    FacesNotRead,
    /// A difference from the reader must be decided before the round is settled.
    #[error("the dice reader shows other faces: uphold these numbers with `amend` first")]
    UpholdFirst,
    /// A difference from the reader is decided by the person who looks at the dice.
    #[error("the dice reader shows other faces: look at the dice, and uphold these numbers if they show them")]
    ReaderDiffers,
    /// A question must be answered first.
    #[error("a person is asked how the dice lie: answer that first")]
    AnswerFirst,
    /// NZ 7.2: before the wagers are settled.
    #[error("no round is in progress: after \"all paid\" a result stands")]
    ResultStands,
    /// There is no result to amend.
    #[error("no result is entered yet: the dealer keys it")]
    NothingEntered,
    /// The result has these numbers already.
    #[error("the result is {} already", call::result(*.0))]
    SameResult(Dice),
    /// No entry is waiting for the supervisor.
    #[error("no numbers wait to be amended by the dealer; a result that stands is amended by `amend`")]
    NothingToSupervise,
    /// "All paid" comes after the winning areas are lit.
    #[error("the winning areas are not proved lit yet")]
    AreasNotLit,
    /// People need seconds to collect and pay (NZ 6.5).
    #[error("\"all paid\" counts from {} ms after {}: collect and pay first", .after.0, if *.lit { "the areas are lit" } else { "the result" })]
    PaidTooEarly {
        /// The time from which it counts.
        after: Millis,
        /// Whether it counts from the areas; otherwise from the result.
        lit: bool,
    },
    /// A question must be answered before a result is entered.
    #[error("a person is asked first. {}", .0.text())]
    AskedBeforeEntry(Doubt),
    /// Wrong numbers are amended under the supervisor (NZ 7.2).
    #[error(
        "wrong numbers were entered: they are amended under the game supervisor ({clause}), `tumblerctl supervise`"
    )]
    AmendedUnderSupervisor {
        /// The clause that says so.
        clause: Clause<'static>,
    },
    /// A result has three numbers.
    #[error("{0} numbers keyed; a result has three")]
    NotThreeNumbers(usize),
    /// Only the supervisor amends an entered result.
    #[error("the result is entered already: the supervisor amends it, before the wagers are settled")]
    EnteredAlready,
    /// There is no round.
    #[error("no round is in progress")]
    NoRound,

    // What was begun came to nothing.
    /// A test of the opening failed.
    #[error("not opened: {0}")]
    NotOpened(String),
    /// The device's test failed.
    #[error("{0} stays latched: {1}")]
    StaysLatched(Code, String),
    /// Nobody is told that it is done.
    #[error(
        "the journal cannot be written: nothing of this is on record, and a restart would undo it; see `tumblerctl faults`"
    )]
    NotOnRecord,
}

/// What is asked of the table and may be refused; its name is that in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Asked {
    /// The dealer's request for a spin.
    Tumble,
    /// The dealer's stop.
    NoSpin,
    /// The terminal's Entry.
    Entry,
    Open,
    Witness,
    Close,
    Maintenance,
    HardwareTest,
    Reset,
    Amend,
    Void,
    #[strum(serialize = "interrupted")]
    Finding,
    Supervise,
    Correct,
    VoidAfterwards,
    ConfirmDome,
    Settle,
    #[strum(serialize = "dice enrol")]
    EnrolDice,
    Record,
}

impl Asked {
    /// Its name in records.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }
}

impl Refusal {
    /// The codes of all.
    pub const CODES: &'static [&'static str] = Self::VARIANTS;

    /// Its code, by which programs may go: the words beside it may change.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.into()
    }

    /// The keys of the clauses ([`crate::rules::CLAUSE_KEYS`]) that are the grounds of this refusal of `asked`; none if the rules do
    /// not mention it.
    pub(crate) fn keys(&self, asked: Asked) -> &'static [&'static str] {
        match self {
            Self::OutcomeStands { .. } if asked == Asked::NoSpin => &["no-spin", "result-stands"],
            Self::OutcomeStands { .. } => &["result-stands"],
            Self::NoGround { .. } => &["no-spin"],
            Self::EnteredOnTerminal { .. } => &["entry"],
            Self::LeftToManager => &["supervisor"],
            Self::AreasNotLit => &["lamps", "all-paid"],
            Self::PaidTooEarly { .. } => &["collect-and-pay", "all-paid"],
            Self::Malfunction(..) if asked == Asked::Tumble => &["activate", "malfunction"],
            _ if asked == Asked::Tumble => &["activate"],
            _ if asked == Asked::Entry => &["entry", "terminal"],
            Self::NotRevealed
            | Self::ResultStands
            | Self::NothingEntered
            | Self::SameResult(_)
            | Self::ReaderDiffers
            | Self::NotInGroup { .. }
            | Self::NoKey { .. }
            | Self::NoName
            | Self::TooLong { .. }
            | Self::Unseen { .. }
            | Self::SpaceAtEnd { .. }
                if asked == Asked::Amend =>
            {
                &["amend"]
            }
            _ => &[],
        }
    }
}
