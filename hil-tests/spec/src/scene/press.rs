//! Presses: a button acts once its contact has been made for `button_debounce`, after it was seen open for as long.
//!
//! ```text
//!  open ── edge ──> making ── `button_debounce` without an edge ──> PRESSED ── open for as long ──> open
//!    └<── edge ───────┘
//! ```

use crate::observation::{Line, Observation, Seen, Truth};
use crate::past::remember;
use std::collections::VecDeque;

/// The dealer's buttons.
pub(crate) const DEALERS: [Line; 4] = [Line::Tumble, Line::PlaceBets, Line::NoMoreBets, Line::NoSpin];

/// As many presses are remembered.
const MOST: usize = 256;

/// A contact whose bounce is left out.
#[derive(Clone, Debug)]
struct Button {
    line: Line,
    /// The level that has lasted; unknown before the first one was seen, which presses nothing.
    pressed: bool,
    known: bool,
    level: bool,
    since_ns: u64,
}

impl Button {
    const fn new(line: Line) -> Self {
        Self { line, pressed: true, known: false, level: true, since_ns: 0 }
    }

    const fn is_making(&self) -> bool {
        self.known && self.level && !self.pressed
    }

    /// Takes what is seen; answers whether it is an edge of this button.
    fn take(&mut self, seen: &Observation, debounce_ns: u64) -> bool {
        if self.since_ns + debounce_ns <= seen.at_ns {
            self.pressed = self.level;
        }
        match &seen.what {
            Seen::Wire { line, active, initial } if *line == self.line => {
                if *initial || !self.known {
                    (self.pressed, self.known) = (*active, true);
                }
                (self.level, self.since_ns) = (*active, seen.at_ns);
                true
            }
            Seen::Truth(Truth::Process { .. }) => {
                self.known = false;
                false
            }
            _ => false,
        }
    }
}

/// The dealer's buttons, and when they acted.
#[derive(Clone, Debug)]
pub(crate) struct Buttons {
    buttons: [Button; DEALERS.len()],
    presses: VecDeque<(Line, u64)>,
    debounce_ns: u64,
}

impl Buttons {
    pub(super) fn new(debounce_ns: u64) -> Self {
        Self { buttons: DEALERS.map(Button::new), presses: VecDeque::new(), debounce_ns }
    }

    /// When the edge under way becomes a press, if nothing breaks the contact before.
    pub(crate) fn due(&self, line: Line) -> Option<u64> {
        let making = self.buttons.iter().find(|button| button.line == line && button.is_making());
        making.map(|button| button.since_ns + self.debounce_ns)
    }

    /// Whether this button acted at any time from one moment to another, both included.
    pub(crate) fn acted(&self, line: Line, from_ns: u64, to_ns: u64) -> bool {
        self.presses.iter().any(|(of, at)| *of == line && (from_ns..=to_ns).contains(at))
    }

    /// Takes what is seen; the presses of a test command nothing.
    pub(super) fn take(&mut self, seen: &Observation, tested: bool) {
        for button in &mut self.buttons {
            if !button.take(seen, self.debounce_ns) || tested {
                continue;
            }
            // Until the contact breaks it is taken to be pressed; then it was not.
            self.presses.retain(|(of, at)| *of != button.line || *at <= seen.at_ns);
            if button.is_making() {
                remember(&mut self.presses, MOST, (button.line, button.since_ns + self.debounce_ns));
            }
        }
    }

    /// From this moment on a test takes all presses.
    pub(super) fn end(&mut self, at_ns: u64) {
        self.presses.retain(|(_, at)| *at <= at_ns);
    }
}
