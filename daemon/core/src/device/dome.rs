//! The dome: an opaque cover with two antivalent contacts (NZ 3.4(e)(iv)).
//!
//! | closed | open | lasting          | the dome is |
//! | ------ | ---- | ---------------- | ----------- |
//! | made   | -    | debounce         | closed      |
//! | -      | made | debounce         | open        |
//! | -      | -    | up to travel     | travelling  |
//! | same   | same | beyond travel    | fault       |

use super::contact::Contact;
use crate::context::Context;
use crate::line::InLine;
use crate::timer::Timer;
use crate::units::Millis;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// Where the dome is, as far as its contacts say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Place {
    /// The contacts were not read yet.
    #[default]
    Unknown,
    /// Down: the dice are covered.
    Closed,
    /// Away: the dice may be seen.
    Open,
    /// Between the two.
    Travelling,
    /// The contacts contradict each other for longer than the dome travels.
    Fault,
}

impl Place {
    /// The place's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The dome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dome {
    closed: Contact,
    open: Contact,
    place: Place,
}

impl Dome {
    /// Where it is.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.place
    }

    /// Whether both contacts say, raw and debounced, that the dice are covered.
    #[must_use]
    pub fn covers(&self) -> bool {
        self.place == Place::Closed && self.closed.is_active() && self.open.raw() == Some(false)
    }

    fn contact(&mut self, line: InLine) -> &mut Contact {
        if line == InLine::DomeOpen { &mut self.open } else { &mut self.closed }
    }

    /// Takes the level of one contact at the beginning of watching; returns the dome's new place if it changed.
    pub fn level(&mut self, line: InLine, active: bool, ctx: &mut Context) -> Option<Place> {
        self.contact(line).level(line, active, ctx);
        self.watch_travel(ctx);
        self.look()
    }

    /// Takes a raw edge of one contact.
    pub fn edge(&mut self, line: InLine, active: bool, ctx: &mut Context) {
        self.contact(line).edge(line, active, Millis(ctx.p().dome_debounce), ctx);
        // One that is back where it was is looked at again: while it was away the other may have come to its level.
        if self.place == Place::Travelling && !ctx.is_set(Timer::Debounce(line)) {
            ctx.after(Timer::Debounce(line), Millis(ctx.p().dome_debounce));
        }
        self.watch_travel(ctx);
    }

    /// A contact's debounce time has passed; returns the dome's new place if it changed.
    pub fn debounced(&mut self, line: InLine) -> Option<Place> {
        self.contact(line).debounced();
        self.look()
    }

    /// The contacts have agreed with each other for longer than the dome travels.
    pub fn contradict(&mut self) -> Option<Place> {
        if self.place == Place::Fault || self.closed.raw() != self.open.raw() || self.closed.raw().is_none() {
            return None;
        }
        self.place = Place::Fault;
        Some(Place::Fault)
    }

    /// The wires are no longer watched.
    pub fn forget(&mut self, ctx: &mut Context) {
        self.closed.forget(InLine::DomeClosed, ctx);
        self.open.forget(InLine::DomeOpen, ctx);
        ctx.clear(Timer::DomeTravel);
        self.place = Place::Unknown;
    }

    fn watch_travel(&mut self, ctx: &mut Context) {
        match (self.closed.raw(), self.open.raw()) {
            (Some(closed), Some(open)) if closed == open => {
                if !ctx.is_set(Timer::DomeTravel) {
                    ctx.after(Timer::DomeTravel, Millis(ctx.p().dome_travel));
                }
            }
            _ => ctx.clear(Timer::DomeTravel),
        }
    }

    fn look(&mut self) -> Option<Place> {
        let place = match (self.closed.stable(), self.open.stable()) {
            (Some(true), Some(false)) => Place::Closed,
            // Two contacts that break at once are debounced one after the other; open it never was.
            (Some(false), Some(true)) if self.open.raw() == Some(true) => Place::Open,
            (None, _) | (_, None) => Place::Unknown,
            _ if self.place == Place::Fault => Place::Fault,
            _ => Place::Travelling,
        };
        if place == self.place {
            return None;
        }
        self.place = place;
        Some(place)
    }
}
