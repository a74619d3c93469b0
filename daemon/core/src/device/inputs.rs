//! The input lines: their raw levels, the contacts among them debounced, and which buttons may act.
//!
//! ```text
//!            --watch-->           a line: unknown --level, edge--> raw --its debounce time--> debounced
//!  unwatched            watched   a button: not armed --seen inactive--> armed --active--> acts once, not armed
//!            <--lose--
//! ```

use super::contact::Contact;
use crate::context::Context;
use crate::line::InLine;
use crate::settings::Parameters;
use crate::timer::Timer;
use crate::units::Millis;
use serde::{Deserialize, Serialize};

/// How many lines there are.
const LINES: usize = InLine::ALL.len();

/// All input lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    watched: bool,
    raw: [Option<bool>; LINES],
    contacts: [Contact; LINES],
    armed: [bool; LINES],
}

impl Default for Inputs {
    fn default() -> Self {
        Self { watched: true, raw: [None; LINES], contacts: [Contact::default(); LINES], armed: [false; LINES] }
    }
}

impl Inputs {
    /// The lines are watched again.
    pub const fn watch(&mut self) {
        self.watched = true;
    }

    /// The lines are gone: nothing is known of any.
    pub fn lose(&mut self, ctx: &mut Context) {
        self.watched = false;
        self.raw = [None; LINES];
        self.armed = [false; LINES];
        for line in InLine::ALL {
            if let Some(contact) = self.contacts.get_mut(line.index()) {
                contact.forget(line, ctx);
            }
            ctx.clear(Timer::Held(line));
        }
    }

    /// The raw level of a line.
    pub fn note(&mut self, line: InLine, active: bool) {
        if let Some(raw) = self.raw.get_mut(line.index()) {
            *raw = Some(active);
        }
    }

    /// A contact's level as watching it began: what is active then has not been pressed.
    pub fn level(&mut self, line: InLine, active: bool, ctx: &mut Context) {
        if let Some(contact) = self.contacts.get_mut(line.index()) {
            contact.level(line, active, ctx);
        }
        if let Some(armed) = self.armed.get_mut(line.index()) {
            *armed = !active;
        }
    }

    /// A contact's edge, which counts once it has lasted for the line's debounce time.
    pub fn edge(&mut self, line: InLine, active: bool, ctx: &mut Context) {
        if let Some(contact) = self.contacts.get_mut(line.index()) {
            contact.edge(line, active, debounce(line, ctx.p()), ctx);
        }
    }

    /// A contact has kept its level for its debounce time; the level, where it is a new one.
    pub fn debounced(&mut self, line: InLine) -> Option<bool> {
        self.contacts.get_mut(line.index()).and_then(Contact::debounced)
    }

    /// A button or the key was debounced at this level; gives whether it had been seen at the other, so that it acts.
    pub fn press(&mut self, line: InLine, active: bool) -> bool {
        self.armed.get_mut(line.index()).is_some_and(|armed| core::mem::replace(armed, !active)) && active
    }

    /// Whether the lines are watched.
    #[must_use]
    pub const fn is_watched(&self) -> bool {
        self.watched
    }

    /// A line's raw level, where one is known.
    #[must_use]
    pub fn raw(&self, line: InLine) -> Option<bool> {
        self.raw.get(line.index()).copied().flatten()
    }

    /// Whether a contact is active, raw and debounced.
    #[must_use]
    pub fn is_active(&self, line: InLine) -> bool {
        self.contacts.get(line.index()).is_some_and(Contact::is_active)
    }

    /// Whether a contact is inactive, raw and debounced.
    #[must_use]
    pub fn is_inactive(&self, line: InLine) -> bool {
        self.contacts.get(line.index()).is_some_and(Contact::is_inactive)
    }
}

const fn debounce(line: InLine, p: &Parameters) -> Millis {
    Millis(match line {
        InLine::Seal => p.seal_debounce,
        // The driver's fault output and the supply's signal are not contacts: they do not bounce, but may flicker.
        InLine::MotorFault | InLine::PowerGood => p.flicker,
        _ => p.button_debounce,
    })
}
