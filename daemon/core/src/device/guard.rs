//! The motor guard: which lines take the motor's permission away, by their raw levels.
//!
//! ```text
//!  no run --begin--> a run --a line flickers once too often: suspect--> suspect --clear: the line came to another level--> a run
//!                                                                           '--take, the run is over--> not to be relied on
//! ```

use super::inputs::Inputs;
use crate::latch::Code;
use crate::line::InLine;
use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// What the guard remembers of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// Levels of the dome's two contacts as the motor started. Under Open Cover the dome lies aside, and what changes there
    /// while the motor runs is a hand.
    dome_at_rest: [Option<bool>; 2],
    /// The line that ended the run by flickering once too often, as long as it has not shown to be a change: a dome that is
    /// lifted bounces, too.
    suspect: Option<InLine>,
}

impl Guard {
    /// The motor starts.
    pub fn begin(&mut self, inputs: &Inputs) {
        self.suspect = None;
        self.dome_at_rest = [inputs.raw(InLine::DomeClosed), inputs.raw(InLine::DomeOpen)];
    }

    /// This line flickered once too often in the run.
    pub const fn suspect(&mut self, line: InLine) {
        self.suspect = Some(line);
    }

    /// This line, or the dome as a whole, has come to another level: what it did was the beginning of that.
    pub fn clear(&mut self, line: InLine) {
        self.suspect = self.suspect.filter(|suspect| !line.is_of_dome() && *suspect != line);
    }

    /// The run is over: the line that is not to be relied on, where there is one.
    pub const fn take(&mut self) -> Option<InLine> {
        self.suspect.take()
    }

    /// The first line that takes the motor's permission away; `covered`: the dome is on while the tumbler turns; `commanded`: the
    /// motor is on, or cut for a moment.
    #[must_use]
    pub fn away(&self, inputs: &Inputs, covered: bool, commanded: bool) -> Option<InLine> {
        InLine::ALL.into_iter().find(|line| self.is_away(*line, inputs, covered, commanded))
    }

    /// Whether this line takes the motor's permission away.
    #[must_use]
    pub fn is_away(&self, line: InLine, inputs: &Inputs, covered: bool, commanded: bool) -> bool {
        let raw = inputs.raw(line);
        let [closed_at_rest, open_at_rest] = self.dome_at_rest;
        match line {
            InLine::DomeClosed if covered => raw != Some(true),
            InLine::DomeOpen if covered => raw != Some(false),
            InLine::DomeClosed => commanded && raw != closed_at_rest,
            InLine::DomeOpen => commanded && raw != open_at_rest,
            InLine::Seal | InLine::PowerGood => raw != Some(true),
            InLine::MotorFault => raw != Some(false),
            _ => false,
        }
    }

    /// What a line which cannot be relied on has done: flickered more than `most` times in a run.
    #[must_use]
    pub fn chatter(line: InLine, most: u32) -> String {
        format!("{} flickered more than {most} times while the tumbler ran", line.name())
    }

    /// The malfunction that a line which cannot be relied on is.
    #[must_use]
    pub const fn malfunction(line: InLine) -> Code {
        match line {
            InLine::DomeClosed | InLine::DomeOpen => Code::Dome,
            InLine::Seal => Code::Seal,
            InLine::MotorFault => Code::Tumbler,
            _ => Code::Gpio,
        }
    }
}
