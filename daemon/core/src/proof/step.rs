//! A step of a device's test: what it waits for, and what it is called.

use crate::latch::Code;
use crate::line::Key;
use crate::prelude::*;
use crate::units::{Dice, Millis, Mono};
use crate::wire::console::Witness;
use crate::wire::registers::terminal::ENTRY;
use alloc::collections::VecDeque;
use serde::{Deserialize, Serialize};

/// One step of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Step {
    /// The test's beginning is durable.
    Durable,
    /// The supply is good, the lines are watched and the outputs read back (NZ 5(a)).
    Power,
    /// The units of the field bus reply; or only those of one malfunction.
    Units { only: Option<Code> },
    /// The temperature is known and good.
    Temperature,
    /// The display shows what it is told, and no key is held.
    Terminal { shown: usize },
    /// A person presses every key (NZ 5(b): "the entry terminal ... functioning correctly").
    Keys { left: Vec<u16> },
    /// All areas light, result by result (NZ 5(b)).
    Lamps { results: VecDeque<Dice>, proved: Option<Mono>, lit: bool },
    /// The bell is struck.
    Bell { struck: bool },
    /// The seal's loop is closed (NZ 5(d)).
    Seal,
    /// The tumbler makes a valid spin, and the dead-man relay ends it (NZ 5(c)).
    Spin(Start),
    /// The reader sees the enrolled dice at rest.
    Dice,
    /// The reader replies and can say how the dice lie.
    Reader,
    /// No button is held.
    Buttons,
    /// The probe of a hardware test, or of a reset that is one, watches until it has measured enough.
    Measure {
        /// What is shown on the lamps, since when.
        results: VecDeque<Dice>,
        /// When the picture in front was lit.
        lit: Option<Mono>,
    },
    /// A person says what only a person can see.
    Witness { left: Vec<Witness> },
}

/// What stood in the way of a test's spin has to be away for so long before the press is asked for again: a line that chatters is put
/// right by no pause of its own, and nobody reads a question that comes and goes faster.
pub(super) const CLEAR_FOR: Millis = Millis(500);

/// How far a test's spin has come: nothing moves before somebody at the table presses the button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Start {
    /// The press was not asked for yet.
    Unasked,
    /// The press is waited for; it was first asked for then.
    Asked(Mono),
    /// The same, and since less than a flicker, which ends at the second moment, something stands in the way.
    Doubtful(Mono, Mono),
    /// Something stood in the way after that, and the press is not asked for again before the second moment.
    Withdrawn(Mono, Mono),
    /// Somebody pressed, asked as above.
    Pressed(Mono),
    /// The motor was commanded on.
    Started,
}

impl Start {
    /// What people see of it: a flicker is not shown.
    pub(crate) fn is_shown_as(self) -> core::mem::Discriminant<Self> {
        let shown = if let Self::Doubtful(since, _) = self { Self::Asked(since) } else { self };
        core::mem::discriminant(&shown)
    }

    /// When the press was first asked for.
    pub(crate) const fn asked(self) -> Option<Mono> {
        match self {
            Self::Unasked | Self::Started => None,
            Self::Asked(since) | Self::Doubtful(since, _) | Self::Withdrawn(since, _) | Self::Pressed(since) => {
                Some(since)
            }
        }
    }
}

/// How a step stands.
pub(crate) enum Outcome {
    /// Passed, with what was found where it is worth a record.
    Passed(Option<String>),
    /// Failed, with what was found.
    Failed(String),
    /// To be looked at again, at the latest then.
    Waits(Mono),
    /// It has gone on: to be looked at again now.
    Again,
}

impl Step {
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Durable => "journal",
            Self::Power => "power",
            Self::Units { .. } => "bus",
            Self::Temperature => "temperature",
            Self::Terminal { .. } => "terminal",
            Self::Keys { .. } => "keys",
            Self::Lamps { .. } => "lamps",
            Self::Bell { .. } => "bell",
            Self::Seal => "seal",
            Self::Spin(_) => "tumbler",
            Self::Dice => "dice",
            Self::Reader => "reader",
            Self::Buttons => "buttons",
            Self::Measure { .. } => "measure",
            Self::Witness { .. } => "witness",
        }
    }

    /// Keys of the clauses that its record is about.
    pub(crate) const fn clauses(&self) -> &'static [&'static str] {
        match self {
            Self::Power => &["opening-power"],
            Self::Lamps { .. } | Self::Terminal { .. } | Self::Keys { .. } | Self::Units { .. } => {
                &["opening-lamps", "terminal"]
            }
            Self::Spin(_) => &["opening-tumbler"],
            Self::Seal | Self::Dice => &["opening-seal"],
            Self::Bell { .. } => &["bell"],
            Self::Durable
            | Self::Temperature
            | Self::Reader
            | Self::Buttons
            | Self::Measure { .. }
            | Self::Witness { .. } => &[],
        }
    }

    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Lamps { results, .. } => match results.front() {
                Some(dice) => format!("lamps, showing {}", crate::round::call::result(*dice)),
                None => "lamps, all dark".to_owned(),
            },
            Self::Witness { left } => {
                let left: Vec<&str> = left.iter().map(|item| item.name()).collect();
                format!("waits for a witness: {}", left.join(", "))
            }
            Self::Keys { left } => {
                let left: Vec<String> = left.iter().map(|code| key_name(*code, "Entry")).collect();
                format!("waits for every key of the terminal to be pressed: {}", left.join(", "))
            }
            _ => self.name().to_owned(),
        }
    }

    /// A key was pressed; whether this step asks for that.
    pub(crate) fn press_key(&mut self, key: Key) -> bool {
        let Self::Keys { left } = self else { return false };
        let code = match key {
            Key::Digit(face) => u16::from(face.pips()),
            Key::Entry => ENTRY,
            Key::Hidden => return false,
        };
        left.retain(|wanted| *wanted != code);
        true
    }

    /// The dealer's button was pressed; whether this step asks for that.
    pub(crate) fn press_tumble(&mut self) -> bool {
        let Self::Spin(start) = self else { return false };
        let (Start::Asked(since) | Start::Doubtful(since, _)) = *start else { return false };
        *start = Start::Pressed(since);
        true
    }

    /// A spin that nobody was asked for yet.
    pub(crate) const fn spin() -> Self {
        Self::Spin(Start::Unasked)
    }

    /// Every key of the terminal is still to be pressed.
    pub(crate) fn keys() -> Self {
        Self::Keys { left: (1..=ENTRY).collect() }
    }
}

/// Keys of the clauses that what a person saw is about.
pub(crate) const fn seen_clauses(item: Witness) -> &'static [&'static str] {
    match item {
        Witness::Areas => &["opening-lamps", "terminal"],
        Witness::Seal | Witness::Dice => &["opening-seal"],
        Witness::Bell => &["bell"],
        Witness::Sign => &[],
    }
}

/// A key of the terminal, by its code; what Entry is called differs between people and programs.
pub(crate) fn key_name(code: u16, entry: &str) -> String {
    if code == ENTRY { entry.to_owned() } else { code.to_string() }
}
