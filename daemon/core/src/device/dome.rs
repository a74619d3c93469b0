//! The dome: an opaque cover with two antivalent contacts (NZ 3.4(e)(iv)).
//!
//! | closed | open | lasting          | the dome is |
//! | ------ | ---- | ---------------- | ----------- |
//! | made   | -    | debounce         | closed      |
//! | -      | made | debounce         | open        |
//! | -      | -    | up to travel     | travelling  |
//! | same   | same | beyond travel    | fault       |

use super::contact::Contact;
use crate::line::InLine;
use crate::timer::{Timer, Timers};
use crate::units::{Millis, Mono};
use serde::{Deserialize, Serialize};

/// Where the dome is, as far as its contacts say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Closed => "closed",
            Self::Open => "open",
            Self::Travelling => "travelling",
            Self::Fault => "fault",
        }
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
        self.place == Place::Closed && self.closed.is_active() && self.open.raw == Some(false)
    }

    fn contact(&mut self, line: InLine) -> &mut Contact {
        if line == InLine::DomeOpen { &mut self.open } else { &mut self.closed }
    }

    /// Takes the level of one contact at the beginning of watching; returns the dome's new place if it changed.
    pub fn level(
        &mut self,
        line: InLine,
        active: bool,
        at: Mono,
        travel: Millis,
        timers: &mut Timers,
    ) -> Option<Place> {
        self.contact(line).level(line, active, timers);
        self.watch_travel(at, travel, timers);
        self.look()
    }

    /// Takes a raw edge of one contact.
    pub fn edge(
        &mut self,
        line: InLine,
        active: bool,
        at: Mono,
        debounce: Millis,
        travel: Millis,
        timers: &mut Timers,
    ) {
        self.contact(line).edge(line, active, at, debounce, timers);
        // One that is back where it was is looked at again: while it was away the other may have settled.
        if self.place == Place::Travelling && !timers.is_set(Timer::Debounce(line)) {
            timers.after(Timer::Debounce(line), at, debounce);
        }
        self.watch_travel(at, travel, timers);
    }

    /// A contact's debounce time has passed; returns the dome's new place if it changed.
    pub fn settle(&mut self, line: InLine) -> Option<Place> {
        self.contact(line).settle();
        self.look()
    }

    /// The contacts have agreed with each other for longer than the dome travels.
    pub fn contradict(&mut self) -> Option<Place> {
        if self.place == Place::Fault || self.closed.raw != self.open.raw || self.closed.raw.is_none() {
            return None;
        }
        self.place = Place::Fault;
        Some(Place::Fault)
    }

    /// The wires are no longer watched.
    pub fn forget(&mut self, timers: &mut Timers) {
        self.closed.forget(InLine::DomeClosed, timers);
        self.open.forget(InLine::DomeOpen, timers);
        timers.clear(Timer::DomeTravel);
        self.place = Place::Unknown;
    }

    fn watch_travel(&mut self, at: Mono, travel: Millis, timers: &mut Timers) {
        match (self.closed.raw, self.open.raw) {
            (Some(closed), Some(open)) if closed == open => {
                if !timers.is_set(Timer::DomeTravel) {
                    timers.after(Timer::DomeTravel, at, travel);
                }
            }
            _ => timers.clear(Timer::DomeTravel),
        }
    }

    fn look(&mut self) -> Option<Place> {
        let place = match (self.closed.stable, self.open.stable) {
            (Some(true), Some(false)) => Place::Closed,
            // Two contacts that break at once settle one after the other; open it never was.
            (Some(false), Some(true)) if self.open.raw == Some(true) => Place::Open,
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
