//! The input lines: their raw levels, the contacts among them debounced, and which buttons may act.
//!
//! ```text
//!            --watch-->           a line: unknown --level, edge--> raw --its debounce time--> debounced
//!  unwatched            watched   a button: not armed --seen inactive--> armed --active--> acts once, not armed
//!            <--lose--             its presses: by a hand --more than `presses` without a rest--> by none --a rest--> by a hand
//! ```

use super::contact::Contact;
use crate::context::Context;
use crate::line::InLine;
use crate::settings::Parameters;
use crate::timer::Timer;
use crate::units::{Millis, Mono};
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
    presses: [Presses; LINES],
}

/// Presses of a button, or turns of the key, that followed one another without a rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Presses {
    count: u32,
    last: Option<Mono>,
}

impl Default for Inputs {
    fn default() -> Self {
        Self {
            watched: true,
            raw: [None; LINES],
            contacts: [Contact::default(); LINES],
            armed: [false; LINES],
            presses: [Presses::default(); LINES],
        }
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
        ctx.clear(Timer::KeyBack);
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

    /// A button or the key acts; gives whether a hand may have done that. `latched`: it is known to be bad, and one that has chattered
    /// has one press after each rest then.
    pub fn is_by_hand(&mut self, line: InLine, latched: bool, ctx: &Context) -> bool {
        let most = ctx.p().presses;
        let rested = !self.is_pressed_lately(line, ctx);
        let Some(presses) = self.presses.get_mut(line.index()) else { return false };
        if rested {
            presses.count = if latched && presses.count >= most { most.saturating_sub(1) } else { 0 };
        }
        presses.last = Some(ctx.at());
        presses.count = presses.count.saturating_add(1).min(most.saturating_add(1));
        presses.count <= most
    }

    /// Whether a button comes on again and again, and no hand does that.
    #[must_use]
    pub fn chatters(&self, line: InLine, ctx: &Context) -> bool {
        self.is_pressed_lately(line, ctx) && self.presses.get(line.index()).is_some_and(|p| p.count > ctx.p().presses)
    }

    fn is_pressed_lately(&self, line: InLine, ctx: &Context) -> bool {
        let last = self.presses.get(line.index()).and_then(|presses| presses.last);
        last.is_some_and(|last| !ctx.reached(last, Millis(ctx.p().press_rest)))
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
