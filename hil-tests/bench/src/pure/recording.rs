//! The raw inputs of the table on this bench, recorded as a daemon records them.

use super::Pure;
use tumbler_core::effect::Effect;
use tumbler_core::input::Stamped;
use tumbler_core::table::Table;
use tumbler_core::wire::recording::{Entry, FORMAT, Header, Line};

/// Has the table take an input, and appends it to the tape with what came of it. The first one brings a keyframe.
pub(super) fn handle(tape: &mut Vec<Line>, table: &mut Table, stamped: Stamped, effects: &mut Vec<Effect>) {
    if tape.is_empty() {
        tape.push(Line::Keyframe { index: 0, table: Box::new(table.clone()) });
    }
    let index = tape.len() as u64 - 1;
    // What may not be seen yet is not kept; the table does the same with it.
    let stamped = Stamped { input: table.redact(stamped.input), ..stamped };
    let before = effects.len();
    table.handle(stamped.at, stamped.now, &stamped.input, effects);
    let came = effects.get(before..).unwrap_or_default();
    tape.push(Line::Input(Box::new(Entry::of(index, stamped, came))));
}

impl Pure {
    /// Header and lines of a recording of the table's raw inputs since its daemon's start; `None` where they are not recorded.
    #[must_use]
    pub fn recording(&self, reason: &str) -> Option<(Header, Vec<Line>)> {
        let header = Header {
            format: FORMAT,
            build: "pure".into(),
            backend: self.settings.backend.clone(),
            boot: self.boot_id.clone(),
            reason: reason.into(),
        };
        Some((header, self.tape.clone()?))
    }
}
