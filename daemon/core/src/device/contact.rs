//! A contact with bounce: buttons, the key switch, the dome's contacts, the seal's loop, the supply's signal.

use crate::context::Context;
use crate::line::InLine;
use crate::timer::Timer;
use crate::units::Millis;
use serde::{Deserialize, Serialize};

/// A contact: its raw level, and the level that has lasted for its debounce time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contact {
    /// The level as last seen; `None` until it was first seen.
    raw: Option<bool>,
    /// The level that lasted.
    stable: Option<bool>,
}

impl Contact {
    /// Takes the level at the beginning of watching: no edge, no debounce.
    pub fn level(&mut self, line: InLine, active: bool, ctx: &mut Context) {
        ctx.clear(Timer::Debounce(line));
        self.raw = Some(active);
        self.stable = Some(active);
    }

    /// Takes a raw edge; [`Contact::debounced`] is due `debounce` later unless the contact returns.
    pub fn edge(&mut self, line: InLine, active: bool, debounce: Millis, ctx: &mut Context) {
        self.raw = Some(active);
        if self.stable == Some(active) {
            ctx.clear(Timer::Debounce(line));
        } else {
            ctx.after(Timer::Debounce(line), debounce);
        }
    }

    /// The debounce time has passed: returns the new level if it changed.
    pub fn debounced(&mut self) -> Option<bool> {
        if self.raw == self.stable {
            return None;
        }
        self.stable = self.raw;
        self.stable
    }

    /// Forgets what was seen: the wire is no longer watched.
    pub fn forget(&mut self, line: InLine, ctx: &mut Context) {
        ctx.clear(Timer::Debounce(line));
        *self = Self::default();
    }

    /// The level as last seen; `None` until it was first seen.
    #[must_use]
    pub const fn raw(&self) -> Option<bool> {
        self.raw
    }

    /// The level that has lasted for its debounce time.
    #[must_use]
    pub const fn stable(&self) -> Option<bool> {
        self.stable
    }

    /// Active, both now and for its debounce time.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.raw == Some(true) && self.stable == Some(true)
    }

    /// Inactive, both now and for its debounce time.
    #[must_use]
    pub fn is_inactive(&self) -> bool {
        self.raw == Some(false) && self.stable == Some(false)
    }
}
