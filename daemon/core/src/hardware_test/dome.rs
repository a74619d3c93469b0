//! The dome's two contacts while a person lifts it and puts it back.

use super::{Plots, Quantity, Wave};
use crate::line::InLine;
use crate::prelude::*;
use crate::units::Mono;
use serde::{Deserialize, Serialize};

/// Edges of a contact that lie no farther apart belong to one movement, in nanoseconds: a hand needs longer to turn back.
const MOVEMENT: u64 = 200_000_000;

/// A stroke of the dome has ended when no contact has changed for so long, in nanoseconds: longer than any lawful travel.
const STROKE: u64 = 1_000_000_000;
/// Strokes that are kept, by what a person was asked to do.
const STROKES: [&str; 2] = ["lifted", "put back"];

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
    /// Both contacts over the first two strokes, which are the lifting and the putting back.
    strokes: Vec<[Wave; 2]>,
    /// How many strokes have begun.
    begun: usize,
    /// First and last edge of the present stroke.
    stroke: Option<(Mono, Mono)>,
}

impl Dome {
    /// The contacts at the beginning; said again, it changes nothing.
    pub fn begin(&mut self, closed: bool, open: bool) {
        self.levels.get_or_insert([closed, open]);
    }

    /// A raw edge of a contact.
    pub fn edge(&mut self, line: InLine, active: bool, at: Mono) {
        let Some(before) = self.levels else { return };
        self.draw(before, line, at);
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

    /// Keeps an edge for the drawing, with the levels before it.
    fn draw(&mut self, [closed, open]: [bool; 2], line: InLine, at: Mono) {
        let going_on = self.stroke.filter(|(_, last)| at.nanos_since(*last) <= STROKE);
        let first = going_on.map_or(at, |(first, _)| first);
        self.stroke = Some((first, at));
        if going_on.is_none() {
            if let Some(what) = STROKES.get(self.begun) {
                let wave =
                    |line: InLine, active| Wave { line: format!("{}, {what}", line.name()), active, edges: Vec::new() };
                self.strokes.push([wave(InLine::DomeClosed, closed), wave(InLine::DomeOpen, open)]);
            }
            self.begun = self.begun.saturating_add(1);
        }
        // What comes after both is not asked for.
        if self.begun > STROKES.len() {
            return;
        }
        let wave = self.strokes.last_mut().and_then(|stroke| stroke.get_mut(usize::from(line == InLine::DomeOpen)));
        if let Some(wave) = wave.filter(|wave| wave.edges.len() < Wave::KEPT) {
            wave.edges.push(i64::try_from(at.nanos_since(first) / 1000).unwrap_or(i64::MAX));
        }
    }

    pub(super) fn plots(&self) -> Plots {
        let waves = self.strokes.iter().flatten().cloned().collect();
        Plots { waves, ..Plots::default() }
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

    /// Whether it was seen open.
    #[must_use]
    pub const fn was_lifted(&self) -> bool {
        self.lifted
    }

    /// What a person is to do.
    #[must_use]
    pub const fn prompt(&self) -> &'static str {
        if self.lifted { "put the dome back" } else { "lift the dome" }
    }

    /// The contacts that are not as they are with the dome where it is asked to be.
    #[must_use]
    pub fn missing(&self) -> String {
        let [closed, open] = self.levels.unwrap_or_default();
        let (away, comes, how) = if self.lifted {
            ((InLine::DomeOpen, open), (InLine::DomeClosed, closed), "put back")
        } else {
            ((InLine::DomeClosed, closed), (InLine::DomeOpen, open), "lifted")
        };
        let stays = away.1.then(|| format!("{} did not come off", away.0.name()));
        let stayed = (!comes.1).then(|| format!("{} did not come on", comes.0.name()));
        let which: Vec<String> = [stays, stayed].into_iter().flatten().collect();
        let which = if which.is_empty() { "the contacts did not stay".to_owned() } else { which.join(" and ") };
        format!("{which}: the dome was not seen {how}")
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

    /// faults.md dome.bounce: the travel is the gap between the contacts, the bounce is measured apart.
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
        // A third stroke is nobody's.
        dome.edge(InLine::DomeClosed, false, ms(9000));
        let wave = |line: &str, active, edges: &[i64]| Wave { line: line.into(), active, edges: edges.to_vec() };
        assert_eq!(
            dome.plots().waves,
            [
                wave("dome_closed, lifted", true, &[0, 10_000, 25_000]),
                wave("dome_open, lifted", false, &[145_000]),
                wave("dome_closed, put back", false, &[0]),
                wave("dome_open, put back", true, &[7_000]),
            ]
        );
    }
}
