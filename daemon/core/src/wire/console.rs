//! The console: what people ask of the daemon over its Unix socket, one JSON object a line in each direction.
//!
//! The shell finds out who asks (peer credentials); the table decides what they may (role, key switch, facts).

use crate::hardware_test::HardwareTest;
use crate::latch::Code;
use crate::prelude::*;
use crate::refusal::Refusal;
use crate::round::Finding;
use crate::text;
use crate::units::{Dice, RoundId};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// Ends the account's name of a caller who is logged in at the panel. No account of the machine ends so.
pub const PANEL: &str = " (panel)";

/// Who asks. Roles come from the caller's groups, never from what the caller says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The account, for the record.
    pub account: String,
    /// Member of `tumbler-tech`.
    pub technician: bool,
    /// Member of `tumbler-supervisor`, or of `tumbler-manager`.
    pub supervisor: bool,
    /// Member of `tumbler-manager`: a shift manager or above, who decides what SGV6 and SGOC leave open (5.14).
    #[serde(default)]
    pub manager: bool,
}

/// An account, and the role in which it asked (SGV6 and SGOC 5.14: "Table Game Shift Manager or above"; NZ 7.2: "the game
/// supervisor").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Who {
    /// The account, as the operating system knows it.
    pub account: String,
    /// The highest of its roles.
    pub role: Role,
}

/// A role at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Role {
    /// None that the table knows.
    None,
    /// A technician.
    Technician,
    /// A supervisor.
    Supervisor,
    /// The shift manager or above.
    Manager,
}

impl core::fmt::Display for Who {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let role: &str = self.role.into();
        write!(f, "{}, {role}", self.account)
    }
}

impl Caller {
    /// Who asks, for the record, in the highest role that the account has.
    #[must_use]
    pub fn who(&self) -> Who {
        let role = match self {
            Self { manager: true, .. } => Role::Manager,
            Self { supervisor: true, .. } => Role::Supervisor,
            Self { technician: true, .. } => Role::Technician,
            _ => Role::None,
        };
        Who { account: self.account.clone(), role }
    }
}

/// How a latch is to be opened (NZ 7.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// The malfunction has been rectified; a test of that very device proves it.
    Rectified,
    /// A procedure that keeps the game's integrity replaces the check until the table closes.
    Procedure(String),
}

/// An item of the opening tests that only a person can see (NZ 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Witness {
    /// The areas that lit were the ones of each test result (NZ 5(b)): finds swapped lamps.
    Areas,
    /// The dice compartment's seal looks whole (NZ 5(d)).
    Seal,
    /// The bell was heard.
    Bell,
    /// The sign was seen.
    Sign,
    /// Three dice lie in the compartment under the seal (NZ 5(d)): asked where no reader sees them.
    Dice,
}

impl Witness {
    /// Its name, as in commands and prompts.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What a person asks of the table. Everything that moves or clears something names a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "command", content = "with", deny_unknown_fields)]
pub enum Command {
    /// Start the opening tests (NZ 5). The answer comes when the table waits for the witness, or when a test failed.
    Open {
        /// The supervisor's name.
        name: String,
    },
    /// Answer what only a person can see; the last answer opens the table or ends the opening.
    Witness {
        /// What was looked at.
        item: Witness,
        /// Whether it was right.
        right: bool,
        /// The supervisor's name.
        name: String,
    },
    /// Close the table; in mid-round, after the round.
    Close {
        /// The supervisor's name.
        name: String,
    },
    /// Enter or leave maintenance.
    Maintenance {
        /// Enter (`true`) or leave.
        on: bool,
        /// The technician's name.
        name: String,
    },
    /// Run a hardware test, in maintenance. The answer comes when it waits for a witness, or has ended; what was measured is
    /// in the snapshot meanwhile, and then in the record.
    HardwareTest {
        /// Which.
        test: HardwareTest,
        /// The technician's name.
        name: String,
    },
    /// Open a malfunction's latch. The answer comes when the device's test has ended.
    Reset {
        /// The malfunction.
        code: Code,
        /// By which of the two exits.
        exit: Exit,
        /// The supervisor's name.
        name: String,
    },
    /// Amend the numbers entered, before the wagers are settled (NZ 7.2); where the dice reader disagrees,
    /// `uphold` says that the dice on the table do show these numbers, and the reader is wrong.
    Amend {
        /// What the dice show.
        dice: Dice,
        /// Uphold against the reader.
        uphold: bool,
        /// The supervisor's name.
        name: String,
    },
    /// Void the round in progress. Under SGV6 and SGOC what the rules leave open is the shift manager's to decide (5.14).
    Void {
        /// Why.
        reason: String,
        /// A die is damaged: voids even an established outcome where the rules say so (SGV6 5.6; New Zealand's do not).
        #[serde(default)]
        damaged_dice: bool,
        /// A die does not lie flat although the dice reader says so: the outcome was never established, and the
        /// reader is wrong. Possible until a result is entered.
        #[serde(default)]
        not_flat: bool,
        /// The supervisor's name.
        name: String,
    },
    /// Record that an earlier, settled round was affected by damaged dice (SGV6 5.6 "all affected rounds").
    VoidAfterwards {
        /// The round.
        round: RoundId,
        /// Why.
        reason: String,
        /// The supervisor's name.
        name: String,
    },
    /// Answer what became of the dice, where a round waits for that: after an interruption, or when they were moved.
    Finding {
        /// What was found.
        finding: Finding,
        /// What there is to say of it; needed where a person decides.
        #[serde(default)]
        reason: String,
        /// The supervisor's name; under SGV6 and SGOC a shift manager's, where the rules leave the decision to one (5.14).
        name: String,
    },
    /// Supervise the amendment of wrong numbers that the dice reader noticed: the dealer keys them again (NZ 7.2).
    Supervise {
        /// The game supervisor's name.
        name: String,
    },
    /// Write down an error in a round that has ended, which changes no round (SGV6 5.8).
    Correct {
        /// The round.
        round: RoundId,
        /// What was wrong.
        reason: String,
        /// The supervisor's name.
        name: String,
    },
    /// Confirm that the dome is open although its contacts say otherwise (SGV6 5.14).
    ConfirmDome {
        /// Why.
        reason: String,
        /// The supervisor's name.
        name: String,
    },
    /// Settle the round by the dice as they lie, where the equipment cannot (NZ 7.3, SGV6 5.10).
    Settle {
        /// What the dice show; needed unless a result was entered.
        dice: Option<Dice>,
        /// Why.
        reason: String,
        /// The supervisor's name.
        name: String,
    },
    /// Enrol the sealed set of dice that the reader sees now.
    EnrolDice {
        /// Why.
        reason: String,
        /// The supervisor's name.
        name: String,
    },
    /// Write out the ring of raw inputs now.
    Record,
}

impl Command {
    /// The person who answers for it; `None` for what needs nobody.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Open { name }
            | Self::Witness { name, .. }
            | Self::Close { name }
            | Self::Maintenance { name, .. }
            | Self::HardwareTest { name, .. }
            | Self::Reset { name, .. }
            | Self::Amend { name, .. }
            | Self::Void { name, .. }
            | Self::VoidAfterwards { name, .. }
            | Self::Finding { name, .. }
            | Self::Supervise { name }
            | Self::Correct { name, .. }
            | Self::ConfirmDome { name, .. }
            | Self::Settle { name, .. }
            | Self::EnrolDice { name, .. } => Some(name),
            Self::Record => None,
        }
    }

    /// What it says in a person's own words: its reason or its procedure.
    fn reason(&self) -> Option<&str> {
        match self {
            Self::Void { reason, .. }
            | Self::VoidAfterwards { reason, .. }
            | Self::Finding { reason, .. }
            | Self::Correct { reason, .. }
            | Self::ConfirmDome { reason, .. }
            | Self::Settle { reason, .. }
            | Self::EnrolDice { reason, .. }
            | Self::Reset { exit: Exit::Procedure(reason), .. } => Some(reason),
            Self::Open { .. }
            | Self::Witness { .. }
            | Self::Close { .. }
            | Self::Maintenance { .. }
            | Self::HardwareTest { .. }
            | Self::Reset { exit: Exit::Rectified, .. }
            | Self::Amend { .. }
            | Self::Supervise { .. }
            | Self::Record => None,
        }
    }

    /// Checks what people wrote in it. The table does when a command comes in; a client may before.
    ///
    /// # Errors
    /// Why its name or its reason cannot be taken.
    pub fn check_texts(&self) -> Result<(), Refusal> {
        self.name().map_or(Ok(()), text::name)?;
        self.reason().map_or(Ok(()), text::reason)
    }
}

/// The table's answer to a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// Done, with what was done.
    Done(String),
    /// Refused.
    Refused {
        /// Its code, by which programs may go: mostly that of a [`Refusal`].
        code: String,
        /// What stands in the way and what to do. The words may change.
        why: String,
    },
}

impl Answer {
    /// A refusal with this code.
    #[must_use]
    pub fn refused(code: &str, why: impl Into<String>) -> Self {
        Self::Refused { code: code.to_owned(), why: why.into() }
    }
}

impl From<&Refusal> for Answer {
    fn from(refusal: &Refusal) -> Self {
        Self::refused(refusal.code(), refusal.to_string())
    }
}
