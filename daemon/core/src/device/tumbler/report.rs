//! What the tumbler reports: how a run was stopped, and what is wrong.

use crate::line::InLine;
use crate::round::SpinEnd;
use serde::{Deserialize, Serialize};

/// What the motor runs for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunsFor {
    /// The spin of the round in progress.
    Round,
    /// A device's test.
    Test,
}

/// How the motor came to be commanded off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// It reached its target.
    Target,
    /// A guard line took itself away for longer than a flicker.
    Guard(InLine),
    /// The spin's time limit.
    TimeLimit,
    /// A defect of the tumbler.
    Defect(Defect),
    /// The dealer's button "No spin".
    NoSpin,
    /// It turned too slowly, where the text asks for a tumbler that operates correctly (NZ 7.1(b)).
    Slow,
    /// The motor was too hot, or its sensor cannot be believed.
    Heat,
    /// The table called it off. Whatever it did that for has ended the spin or the test as well.
    Halt,
}

/// What is wrong with a tumbler that does not operate correctly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Defect {
    /// Commanded on, and the cam makes no progress.
    Stall,
    /// The cam runs backwards.
    Reverse,
    /// The shaft turned without a command.
    Uncommanded,
    /// The shaft turned on too long after motor off.
    Coast,
    /// Motor power stayed although the dead-man edges had ended.
    Deadman,
    /// The cam shows steps that a driven shaft does not make.
    Erratic,
    /// Edges of the cam were lost.
    LostEdges,
    /// The motor driver reports a fault.
    Driver,
}

impl Stop {
    /// What ended the spin, for the record.
    #[must_use]
    pub const fn spin_end(self) -> SpinEnd {
        match self {
            Self::Target => SpinEnd::Target,
            Self::TimeLimit => SpinEnd::TimeLimit,
            Self::Guard(InLine::Seal) => SpinEnd::Seal,
            Self::Guard(InLine::PowerGood) => SpinEnd::Supply,
            Self::Guard(InLine::MotorFault) => SpinEnd::Driver,
            Self::Guard(_) => SpinEnd::Dome,
            Self::Defect(defect) => defect.spin_end(),
            Self::NoSpin => SpinEnd::NoSpin,
            Self::Slow => SpinEnd::Slow,
            Self::Heat => SpinEnd::Heat,
            // Not a spin's end that anybody judges: its own is on record by then.
            Self::Halt => SpinEnd::Interruption,
        }
    }
}

impl Defect {
    /// What ended the spin, for the record.
    #[must_use]
    pub const fn spin_end(self) -> SpinEnd {
        match self {
            Self::Stall => SpinEnd::Stall,
            Self::Reverse => SpinEnd::Reverse,
            Self::Uncommanded | Self::Coast | Self::Deadman => SpinEnd::RunsOn,
            Self::Erratic => SpinEnd::Erratic,
            Self::LostEdges => SpinEnd::LostEdges,
            Self::Driver => SpinEnd::Driver,
        }
    }

    /// What a technician is told.
    #[must_use]
    pub const fn found(self) -> &'static str {
        match self {
            Self::Stall => "the motor is on and the cam makes no progress (stalled, dead, or a cam sensor stuck)",
            Self::Reverse => "the cam runs backwards",
            Self::Uncommanded => "the shaft turned without a command",
            Self::Coast => "the shaft turned on too long after motor off",
            Self::Deadman => "the shaft turned on although the dead-man edges had ended",
            Self::Erratic => {
                "the cam falls back or goes on faster than a shaft turns (noise on both sensors, or a loose cam)"
            }
            Self::LostEdges => "edges of the cam were lost",
            Self::Driver => "the motor driver reports a fault",
        }
    }
}

/// What the tumbler reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// Another full tumble was counted.
    Tumbled,
    /// A full tumble takes longer than a healthy one may.
    Slow,
    /// A guard line flickered and the same spin goes on.
    Flickered(InLine),
    /// A guard line has flickered too often in this run, which is over for good.
    Chattered(InLine),
    /// The motor was commanded off; the shaft may still turn.
    Stopped(Stop),
    /// The shaft stands still after a run.
    Still,
    /// Something is wrong.
    Defective(Defect),
}
