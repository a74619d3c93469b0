//! Plays a recording back against this build's core.

use super::recording::Recording;
use tumbler_core::effect::Effect;
use tumbler_core::input::Stamped;
use tumbler_core::table::Table;
use tumbler_core::wire::recording::Line;
use tumbler_core::wire::replay::{Difference, Replay};

/// An input with its effects in the replay.
#[derive(Clone, Debug)]
pub struct ReplayedInput {
    /// The input with its times.
    pub stamped: Stamped,
    /// Its effects.
    pub effects: Vec<Effect>,
    /// Whether a round could lawfully begin right before it: nothing is in progress, moves or is latched.
    pub idle: bool,
    /// Whether the table was open for gaming right before it.
    pub open: bool,
}

/// Result of a playback.
#[derive(Clone, Debug)]
pub struct Playback {
    /// All inputs with their effects.
    pub inputs: Vec<ReplayedInput>,
    /// The table after the last.
    pub table: Table,
    /// Keyframes that were compared and found equal, without the first one.
    pub keyframes: u64,
    /// The first difference.
    pub difference: Option<Difference>,
}

/// Plays a recording to its end, also beyond the first difference. `None` if there is no keyframe.
#[must_use]
pub fn play(recording: &Recording) -> Option<Playback> {
    let (mut replay, mut inputs) = (Replay::default(), Vec::new());
    let mut revision = None;
    let (mut idle, mut open) = (false, false);
    for line in &recording.lines {
        match line {
            Line::Header(_) => {}
            Line::Keyframe { index, table } => replay.keyframe(*index, table),
            Line::Input(entry) => {
                let table = replay.table.as_ref()?;
                if revision != Some(table.revision()) {
                    revision = Some(table.revision());
                    let shown = table.snapshot();
                    let still = shown.round.is_none() && shown.test.is_none() && shown.malfunctions.is_empty();
                    let known = !["travelling", "unknown"].contains(&shown.dome.as_str());
                    (idle, open) = (still && known && !shown.motor, shown.open);
                }
                let effects = replay.input(entry)?;
                inputs.push(ReplayedInput { stamped: entry.stamped.clone(), effects, idle, open });
            }
        }
    }
    let Replay { table, keyframes, difference } = replay;
    Some(Playback { inputs, table: table?, keyframes, difference })
}
