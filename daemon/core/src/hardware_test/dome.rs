//! The dome's two contacts while a person lifts it and puts it back.

use super::Quantity;
use crate::input::InLine;
use crate::units::Mono;
use serde::{Deserialize, Serialize};

/// Edges of a contact that lie no farther apart belong to one movement, in nanoseconds: a hand needs longer to turn back.
const MOVEMENT: u64 = 200_000_000;

/// What was seen of the dome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dome {
    /// Levels of the contacts, `closed` first, once the probe began.
    levels: Option<[bool; 2]>,
    /// Since when both contacts have been the same.
    same_since: Option<Mono>,
    /// Whether they are both made then.
    same_made: bool,
    /// Longest time for which neither was made, and both were.
    neither: u64,
    both: u64,
    /// First and last edge of each contact's present movement.
    moving: [Option<(Mono, Mono)>; 2],
    bounce: u64,
    lifted: bool,
    back: bool,
}

impl Dome {
    /// The contacts at the beginning; said again, it changes nothing.
    pub fn begin(&mut self, closed: bool, open: bool) {
        self.levels.get_or_insert([closed, open]);
    }

    /// A raw edge of a contact.
    pub fn edge(&mut self, line: InLine, active: bool, at: Mono) {
        let Some([closed, open]) = &mut self.levels else { return };
        let place = usize::from(line == InLine::DomeOpen);
        if line == InLine::DomeOpen {
            *open = active
        } else {
            *closed = active
        }
        let now = (*closed, *open);
        if let Some(since) = self.same_since.take() {
            let longest = if self.same_made { &mut self.both } else { &mut self.neither };
            *longest = (*longest).max(at.nanos_since(since));
        }
        if now.0 == now.1 {
            self.same_since = Some(at);
            self.same_made = now.0;
        }
        if let Some(moving) = self.moving.get_mut(place) {
            let first = moving.filter(|(_, last)| at.nanos_since(*last) <= MOVEMENT).map_or(at, |(first, _)| first);
            *moving = Some((first, at));
            self.bounce = self.bounce.max(at.nanos_since(first));
        }
    }

    /// Where the dome is by its debounced contacts.
    pub fn at(&mut self, open: bool, closed: bool) {
        self.lifted |= open;
        self.back |= self.lifted && closed;
    }

    /// Whether it was seen open and then closed again.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.back
    }

    /// What a person is to do.
    #[must_use]
    pub const fn prompt(&self) -> &'static str {
        if self.lifted { "put the dome back" } else { "lift the dome" }
    }

    pub(super) fn found(&self) -> Vec<(Quantity, i64)> {
        if !self.lifted {
            return Vec::new();
        }
        let micros = |nanos: u64| i64::try_from(nanos / 1000).unwrap_or(i64::MAX);
        vec![
            (Quantity::DomeTravel, micros(self.neither)),
            (Quantity::DomeOverlap, micros(self.both)),
            (Quantity::DomeBounce, micros(self.bounce)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FAULTS dome.bounce: the travel is the gap between the contacts, the bounce is measured apart.
    #[test]
    fn travel_overlap_and_bounce_are_told_apart() {
        let mut dome = Dome::default();
        dome.begin(true, false);
        let ms = Mono::from_millis;
        for (line, active, at) in [
            (InLine::DomeClosed, false, 1000),
            (InLine::DomeClosed, true, 1010),
            (InLine::DomeClosed, false, 1025),
            (InLine::DomeOpen, true, 1145),
            (InLine::DomeClosed, true, 3000),
            (InLine::DomeOpen, false, 3007),
        ] {
            dome.edge(line, active, ms(at));
        }
        assert_eq!(dome.prompt(), "lift the dome");
        dome.at(true, false);
        assert_eq!(dome.prompt(), "put the dome back");
        dome.at(false, true);
        assert!(dome.is_done());
        let found = dome.found();
        assert_eq!(
            found,
            [(Quantity::DomeTravel, 120_000), (Quantity::DomeOverlap, 7_000), (Quantity::DomeBounce, 25_000)]
        );
    }
}
