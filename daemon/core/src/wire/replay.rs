//! The replay of a recording. The table is pure, so the same inputs must have the same effects, bit for bit.

use super::recording::{Digest, Entry};
use crate::effect::Effect;
use crate::input::Stamped;
use crate::prelude::*;
use crate::table::Table;
use core::fmt;

/// The first difference between a recording and its replay.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// An input has other effects.
    Effects {
        /// The input as recorded.
        recorded: Box<Entry>,
        /// Its effects now.
        replayed: Vec<Effect>,
    },
    /// All effects are the same, but the table differs at the next keyframe.
    Table {
        /// Number of the keyframe.
        index: u64,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Effects { recorded, replayed } => {
                let Stamped { at, now, input } = &recorded.stamped;
                writeln!(f, "input {}: {input:?}, happened at {at:?}, handed in at {now:?}", recorded.index)?;
                writeln!(f, "  recorded: {} effects, digest {}", recorded.effects, recorded.digest)?;
                write!(f, "  replayed: {} effects, digest {}: {replayed:?}", replayed.len(), Digest::of(replayed))
            }
            Self::Table { index } => {
                write!(f, "keyframe {index}: the same effects up to there, and another state of the table")
            }
        }
    }
}

/// A replay in progress. Hand it the lines of a recording in their order.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// The table after the last input; `None` before the first keyframe.
    pub table: Option<Table>,
    /// Keyframes that were compared and found equal. The first one is where the replay begins, and is not counted.
    pub keyframes: u64,
    /// The first difference.
    pub difference: Option<Difference>,
}

impl Replay {
    /// Begins at this keyframe if it is the first one; otherwise compares the table with it.
    pub fn keyframe(&mut self, index: u64, recorded: &Table) {
        match &self.table {
            None => self.table = Some(recorded.clone()),
            Some(replayed) if replayed == recorded => self.keyframes += 1,
            Some(_) => {
                self.difference.get_or_insert(Difference::Table { index });
            }
        }
    }

    /// Plays an input, and compares its effects with the recorded ones. Returns them; `None` before the first keyframe.
    pub fn input(&mut self, entry: &Entry) -> Option<Vec<Effect>> {
        let Stamped { at, now, input } = &entry.stamped;
        let mut effects = Vec::new();
        self.table.as_mut()?.handle(*at, *now, input, &mut effects);
        if !entry.matches(&effects) {
            let (recorded, replayed) = (Box::new(entry.clone()), effects.clone());
            self.difference.get_or_insert(Difference::Effects { recorded, replayed });
        }
        Some(effects)
    }
}
