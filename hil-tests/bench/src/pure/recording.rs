//! Recording of the table's raw inputs on this bench, in the daemon's format.

use super::Pure;
use tumbler_core::effect::Effect;
use tumbler_core::input::Stamped;
use tumbler_core::table::Table;
use tumbler_core::wire::recording::{Entry, FORMAT, Header, Line};

/// Hands the table an input, and appends it to the tape with its effects. A keyframe comes before the first one.
pub(super) fn handle(tape: &mut Vec<Line>, table: &mut Table, stamped: Stamped, effects: &mut Vec<Effect>) {
    if tape.is_empty() {
        tape.push(Line::Keyframe { index: 0, table: Box::new(table.clone()) });
    }
    let index = tape.len() as u64 - 1;
    // Key codes that may not be seen yet are masked; the table behaves the same.
    let stamped = Stamped { input: table.redact(stamped.input), ..stamped };
    let before = effects.len();
    table.handle(stamped.at, stamped.now, &stamped.input, effects);
    let came = effects.get(before..).unwrap_or_default();
    tape.push(Line::Input(Box::new(Entry::of(index, stamped, came))));
}

impl Pure {
    /// Header and lines of a recording of the table's raw inputs since its daemon's start; `None` if they are not recorded.
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
