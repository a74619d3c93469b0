//! A button's contact, or the key's: how long it is held, and how it bounces and flickers.

use crate::units::Mono;
use serde::{Deserialize, Serialize};

/// A contact's movement: from its first edge to the last one before a level lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Movement {
    first: Mono,
    last: Mono,
    edges: i64,
}

/// What was seen of a contact. A level counts once it has lasted for the time of debounce. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contact {
    /// Its level now, and the one that last lasted.
    pub(super) level: bool,
    pub(super) lasting: bool,
    moving: Option<Movement>,
    /// Since when it is on.
    on: Option<Mono>,
    /// Longest time for which it was on.
    pub(super) hold: u64,
    /// Longest movement, and most breaks within one.
    pub(super) bounce: u64,
    pub(super) bounces: i64,
    /// Movements that came to nothing.
    pub(super) flickers: i64,
}

impl Contact {
    /// At this level, before anything was seen of it.
    #[must_use]
    pub fn at(level: bool, at: Mono) -> Self {
        Self { level, lasting: level, on: level.then_some(at), ..Self::default() }
    }

    /// A raw edge.
    pub fn edge(&mut self, active: bool, at: Mono) {
        // Its partner was lost.
        if core::mem::replace(&mut self.level, active) == active {
            return;
        }
        let (first, edges) = self.moving.map_or((at, 0), |moving| (moving.first, moving.edges));
        self.moving = Some(Movement { first, last: at, edges: edges + 1 });
    }

    /// A movement after which the contact has kept its level for `debounce` is over; whether the contact came on by that.
    pub fn settle(&mut self, debounce: u64, at: Mono) -> bool {
        let Some(Movement { first, last, edges }) = self.moving.filter(|m| at.nanos_since(m.last) >= debounce) else {
            return false;
        };
        self.moving = None;
        if self.level == self.lasting {
            self.flickers += edges / 2;
            return false;
        }
        self.lasting = self.level;
        self.bounce = self.bounce.max(last.nanos_since(first));
        self.bounces = self.bounces.max(edges / 2);
        if self.level {
            self.on = Some(first);
        } else if let Some(on) = self.on.take() {
            self.hold = self.hold.max(first.nanos_since(on));
        }
        self.level
    }

    /// As it stands at the end: what is still on is held until now, and what has not come to rest has flickered.
    #[must_use]
    pub fn ended(mut self, now: Mono) -> Self {
        self.hold = self.hold.max(self.on.map_or(0, |on| now.nanos_since(on)));
        self.flickers += self.moving.map_or(0, |moving| moving.edges / 2);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A press that bounces for 3 ms and is held for 100 ms, a flicker of 2 ms, and chatter that does not end.
    #[test]
    fn holds_bounces_and_flickers_are_told_apart() {
        const DEBOUNCE: u64 = 20_000_000;
        let ms = Mono::from_millis;
        let mut contact = Contact::at(false, ms(0));
        for (at, active) in [(100, true), (101, false), (103, true), (200, false), (300, true), (302, false)] {
            contact.settle(DEBOUNCE, ms(at));
            contact.edge(active, ms(at));
            assert!(!contact.settle(DEBOUNCE, ms(at + 1)), "{at}: it has not lasted");
            if at == 103 {
                assert!(!contact.settle(DEBOUNCE, ms(122)) && contact.settle(DEBOUNCE, ms(123)));
            }
        }
        contact.settle(DEBOUNCE, ms(400));
        let shown = |c: Contact| (c.lasting, c.hold, c.bounce, c.bounces, c.flickers);
        assert_eq!(shown(contact), (false, 100_000_000, 3_000_000, 1, 1));
        for at in (500..560).step_by(10) {
            contact.settle(DEBOUNCE, ms(at));
            contact.edge(at % 20 == 0, ms(at));
        }
        assert_eq!(shown(contact.ended(ms(560))).4, 4, "three more, that have not come to rest");
        contact.settle(DEBOUNCE, ms(600));
        contact.edge(true, ms(600));
        contact.settle(DEBOUNCE, ms(620));
        assert_eq!(contact.ended(ms(900)).hold, 300_000_000, "it is on still");
    }
}
