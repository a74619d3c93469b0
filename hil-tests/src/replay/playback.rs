//! A recording played back against this build's core: the table being pure, the same inputs must bring the same effects
//! about, bit for bit.

use super::recording::Recording;
use std::fmt;
use tumbler_core::effect::Effect;
use tumbler_core::input::Stamped;
use tumbler_core::table::Table;
use tumbler_core::wire::recording::{Digest, Entry, Line};

/// Where it first went otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// Other effects came of an input.
    Effects {
        /// The input as recorded.
        recorded: Box<Entry>,
        /// What comes of it now.
        replayed: Vec<Effect>,
    },
    /// The same effects, and another table at the next keyframe.
    Table {
        /// The keyframe's number.
        index: u64,
    },
}

/// An input with what comes of it now.
#[derive(Clone, Debug)]
pub struct Played {
    /// The input with its times.
    pub stamped: Stamped,
    /// Its effects.
    pub effects: Vec<Effect>,
    /// Whether a round that was lawfully begun could begin right before it: nothing is in progress, moves or is latched.
    pub idle: bool,
    /// Whether the table was open for gaming right before it.
    pub open: bool,
}

/// What came of a playback.
#[derive(Clone, Debug)]
pub struct Playback {
    /// Every input with its effects, as far as it went.
    pub played: Vec<Played>,
    /// The table after the last.
    pub table: Table,
    /// Keyframes that were compared.
    pub keyframes: usize,
    /// The first difference.
    pub difference: Option<Difference>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Effects { recorded, replayed } => {
                let Stamped { at, now, input } = &recorded.stamped;
                writeln!(f, "input {}: {input:?}, happened at {at:?}, handed in at {now:?}", recorded.index)?;
                writeln!(f, "  recorded: {} effects, digest {}", recorded.effects, recorded.digest)?;
                write!(f, "  now:      {} effects, digest {}: {replayed:?}", replayed.len(), Digest::of(replayed))
            }
            Self::Table { index } => write!(f, "keyframe {index}: the same effects up to there, and another table"),
        }
    }
}

/// Plays a recording back to its end, beyond the first difference too. `None` for one without a keyframe.
#[must_use]
pub fn play(recording: &Recording) -> Option<Playback> {
    let mut table = recording.first()?.clone();
    let (mut played, mut keyframes, mut difference) = (Vec::new(), 0, None);
    let mut revision = None;
    let (mut idle, mut open) = (false, false);
    for line in &recording.lines {
        match line {
            Line::Header(_) => {}
            Line::Keyframe { index, table: recorded } => {
                keyframes += 1;
                if **recorded != table && difference.is_none() {
                    difference = Some(Difference::Table { index: *index });
                }
            }
            Line::Input(entry) => {
                if revision != Some(table.revision()) {
                    revision = Some(table.revision());
                    let shown = table.snapshot();
                    let still = shown.round.is_none() && shown.test.is_none() && shown.malfunctions.is_empty();
                    let known = !["travelling", "unknown"].contains(&shown.dome.as_str());
                    (idle, open) = (still && known && !shown.motor, shown.open);
                }
                let Stamped { at, now, input } = &entry.stamped;
                let mut effects = Vec::new();
                table.handle(*at, *now, input, &mut effects);
                if !entry.matches(&effects) && difference.is_none() {
                    difference = Some(Difference::Effects { recorded: entry.clone(), replayed: effects.clone() });
                }
                played.push(Played { stamped: entry.stamped.clone(), effects, idle, open });
            }
        }
    }
    Some(Playback { played, table, keyframes, difference })
}
