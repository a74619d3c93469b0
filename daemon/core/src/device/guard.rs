//! The motor guard: which lines take the motor's permission away, by their raw levels.
//!
//! ```text
//!  no run --begin--> a run --a line breaks once too often: suspect--> suspect --come_to: the dome was moved--> a run
//!                                       broke_again: it was whole between--|  '--take, the run is over--.
//!                                                                          '--> sure --take-------------'--> not to be relied on
//! ```
//!
//! How long the break lasts that is one too many does not matter. But a dome that is lifted bounces, too: one that is found in another place
//! than at the start, or on its way there, was moved by somebody, and bounced no longer than its debounce time.

use super::dome::Place;
use super::inputs::Inputs;
use crate::latch::Code;
use crate::line::InLine;
use crate::prelude::*;
use crate::units::{Millis, Mono};
use serde::{Deserialize, Serialize};

/// What the guard remembers of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// Levels of the dome's two contacts as the motor started. Under Open Cover the dome lies aside, and what changes there
    /// while the motor runs is a hand.
    dome_at_rest: [Option<bool>; 2],
    /// Where the dome was as the motor started.
    place_at_rest: Place,
    suspect: Option<Suspect>,
}

/// The line that ended the run by breaking once too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Suspect {
    line: InLine,
    at: Mono,
    /// No movement of the dome explains it any more.
    sure: bool,
}

impl Guard {
    /// The motor starts.
    pub fn begin(&mut self, inputs: &Inputs, dome: Place) {
        self.suspect = None;
        self.place_at_rest = dome;
        self.dome_at_rest = [inputs.raw(InLine::DomeClosed), inputs.raw(InLine::DomeOpen)];
    }

    /// This line broke once too often in the run, at `at`.
    pub const fn suspect(&mut self, line: InLine, at: Mono) {
        self.suspect = Some(Suspect { line, at, sure: !line.is_of_dome() });
    }

    /// A line broke, at `at`: a suspect that does so later than it bounces was whole before, and not on its way.
    pub fn broke_again(&mut self, line: InLine, at: Mono, bounce: Millis) {
        if let Some(suspect) = self.suspect.as_mut().filter(|suspect| suspect.line == line) {
            suspect.sure |= at.reached(suspect.at, bounce);
        }
    }

    /// The dome has come to this place: what its contacts did was the beginning of that, unless it is back where it was. One on its
    /// way has moved too, though somebody may put it back at once: the contact at which it lay is open for longer than it bounces.
    pub fn come_to(&mut self, place: Place, inputs: &Inputs) {
        let [closed, open] = self.dome_at_rest;
        let left = |line, at_rest: Option<bool>| at_rest == Some(true) && inputs.raw(line) == Some(false);
        let moved = match place {
            Place::Unknown => false,
            Place::Travelling => left(InLine::DomeClosed, closed) || left(InLine::DomeOpen, open),
            Place::Closed | Place::Open | Place::Fault => place != self.place_at_rest,
        };
        self.suspect = self.suspect.filter(|suspect| suspect.sure || !moved);
    }

    /// Whether a line of the dome is suspect that the dome's way may still explain.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        self.suspect.is_some_and(|suspect| !suspect.sure)
    }

    /// The run is over: the line that is not to be relied on, where there is one.
    pub fn take(&mut self) -> Option<InLine> {
        self.suspect.take().map(|suspect| suspect.line)
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

    /// What a line which cannot be relied on has done: it broke after `most` flickers in a run.
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
