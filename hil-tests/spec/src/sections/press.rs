//! Presses: a button acts once its contact has been made for `button_debounce`, after it was seen open for as long.
//!
//! ```text
//!  open ── edge ──> making ── `button_debounce` without an edge ──> PRESSED ── open for as long ──> open
//!    └<── edge ───────┘
//! ```

use crate::observation::{Line, Observation, Seen, Truth};
use crate::scene::Scene;

/// A contact whose bounce is left out.
#[derive(Clone, Debug)]
pub(super) struct Button {
    pub(super) line: Line,
    /// The level that has lasted; unknown before the first one was seen, which presses nothing.
    pressed: bool,
    known: bool,
    level: bool,
    since_ns: u64,
    /// When it was last pressed.
    pub(super) last_ns: Option<u64>,
}

impl Button {
    pub(super) const fn new(line: Line) -> Self {
        Self { line, pressed: true, known: false, level: true, since_ns: 0, last_ns: None }
    }

    /// When the edge under way becomes a press, if nothing breaks the contact before.
    pub(super) fn due(&self, scene: &Scene) -> Option<u64> {
        let making = self.known && self.level && !self.pressed;
        making.then_some(self.since_ns + scene.config.given.limits.button_debounce_ns)
    }

    /// Takes what is seen; answers with the time of a press that was made before it.
    pub(super) fn take(&mut self, seen: &Observation, scene: &Scene) -> Option<u64> {
        let due = self.due(scene).filter(|due| *due <= seen.at_ns);
        if self.since_ns + scene.config.given.limits.button_debounce_ns <= seen.at_ns {
            self.pressed = self.level;
            self.last_ns = due.or(self.last_ns);
        }
        match &seen.what {
            Seen::Wire { line, active, initial } if *line == self.line => {
                if *initial || !self.known {
                    (self.pressed, self.known) = (*active, true);
                }
                (self.level, self.since_ns) = (*active, seen.at_ns);
            }
            Seen::Truth(Truth::Process { .. }) => self.known = false,
            _ => {}
        }
        due
    }
}
