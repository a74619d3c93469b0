//! What was so at an earlier moment. A record carries the time of its decision and is seen when it is durable, so that it has to be
//! explained by the world as it was then.

use crate::observation::{Line, Observation, Seen, Truth};
use serde_json::Value;
use std::collections::VecDeque;

/// How far back it is remembered: a disk that fails for minutes writes what it took before.
const KEPT_NS: u64 = 300_000_000_000;
/// How many changes are remembered at most.
const MOST: usize = 512;

/// The values that something had, each with the time from which it had it.
#[derive(Clone, Debug)]
pub(crate) struct Track<T> {
    changes: VecDeque<(u64, T)>,
}

impl<T> Default for Track<T> {
    fn default() -> Self {
        Self { changes: VecDeque::new() }
    }
}

impl<T: PartialEq> Track<T> {
    /// It has this value from now on.
    fn take(&mut self, now_ns: u64, value: T) {
        if self.changes.back().is_some_and(|(_, last)| *last == value) {
            return;
        }
        self.note(now_ns, value);
    }
}

impl<T> Track<T> {
    /// This happened now.
    fn note(&mut self, now_ns: u64, value: T) {
        // The value at the beginning of what is remembered is kept.
        while self.changes.len() >= MOST || self.changes.get(1).is_some_and(|(at, _)| at + KEPT_NS < now_ns) {
            self.changes.pop_front();
        }
        self.changes.push_back((now_ns, value));
    }

    /// The value at this moment, and since when it had been so. What changed at this very moment has changed.
    pub(crate) fn at(&self, at_ns: u64) -> Option<(u64, &T)> {
        self.changes.iter().rev().find(|(since, _)| *since <= at_ns).map(|(since, value)| (*since, value))
    }

    /// The value just before this moment, and since when it had been so.
    pub(crate) fn before(&self, at_ns: u64) -> Option<(u64, &T)> {
        self.changes.iter().rev().find(|(since, _)| *since < at_ns).map(|(since, value)| (*since, value))
    }

    /// The last value by this moment that lasted for so long, or the first one.
    pub(crate) fn settled(&self, for_ns: u64, at_ns: u64) -> Option<&T> {
        let mut until_ns = at_ns;
        let mut changes = self.changes.iter().rev().skip_while(|(since, _)| *since > at_ns);
        let lasted =
            changes.find(|(since, _)| since.saturating_add(for_ns) <= core::mem::replace(&mut until_ns, *since));
        lasted.or_else(|| self.changes.front().filter(|(since, _)| *since <= at_ns)).map(|(_, value)| value)
    }

    /// The last value.
    pub(crate) fn last(&self) -> Option<(u64, &T)> {
        self.changes.back().map(|(since, value)| (*since, value))
    }

    /// What changed from one moment to another, both included, the latest first.
    pub(crate) fn within(&self, from_ns: u64, to_ns: u64) -> impl Iterator<Item = (u64, &T)> + Clone {
        let changes = self.changes.iter().rev().skip_while(move |(at, _)| *at > to_ns);
        changes.take_while(move |(at, _)| *at >= from_ns).map(|(at, value)| (*at, value))
    }
}

/// Remembers one more, and no more than the last so many.
pub(crate) fn remember<T>(all: &mut VecDeque<T>, most: usize, one: T) {
    if all.len() >= most {
        all.pop_front();
    }
    all.push_back(one);
}

/// A command that a person gave.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    pub(crate) request: u64,
    pub(crate) command: String,
    pub(crate) with: Value,
}

/// The past of all that the table does not decide.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    lines: [Track<bool>; Line::COUNT],
    pub(crate) readings: Track<Option<i32>>,
    pub(crate) asked: Track<Asked>,
    pub(crate) shaft: Track<i64>,
    pub(crate) power: Track<bool>,
    /// `None` while they move.
    pub(crate) dice: Track<Option<([u8; 3], [bool; 3])>>,
}

impl Past {
    pub(crate) fn take(&mut self, seen: &Observation) {
        let now_ns = seen.at_ns;
        match &seen.what {
            Seen::Wire { line: Line::MotorAlive, .. } => {}
            Seen::Wire { line, active, .. } => {
                if let Some(track) = self.lines.get_mut(*line as usize) {
                    track.take(now_ns, *active);
                }
            }
            Seen::Temperature { milli_celsius } => self.readings.note(now_ns, *milli_celsius),
            Seen::ConsoleCommand { request, command, with } => {
                let asked = Asked { request: *request, command: command.clone(), with: with.clone() };
                self.asked.note(now_ns, asked);
            }
            Seen::Truth(truth) => self.truth(*truth, now_ns),
            _ => {}
        }
    }

    fn truth(&mut self, truth: Truth, now_ns: u64) {
        match truth {
            Truth::Shaft { quarters } => self.shaft.take(now_ns, quarters),
            Truth::MotorPower { on } => self.power.take(now_ns, on),
            Truth::DiceMoved => self.dice.take(now_ns, None),
            Truth::Dice { faces, flat } => self.dice.take(now_ns, Some((faces, flat))),
            _ => {}
        }
    }

    /// The levels of a line.
    pub(crate) fn line(&self, line: Line) -> &Track<bool> {
        // Every line has a place.
        self.lines.get(line as usize).unwrap_or(&EMPTY)
    }

    /// Whether the line had this level all the time from so long before this moment on, the moment itself left out.
    pub(crate) fn lasted(&self, line: Line, active: bool, for_ns: u64, at_ns: u64) -> bool {
        let level = self.line(line).before(at_ns);
        level.is_some_and(|(since, is)| *is == active && since.saturating_add(for_ns) <= at_ns)
    }

    /// The edge to this level after which the line kept it for so long, if that time was over just now: at most `late_ns` before this
    /// moment. So a debounced contact explains what is decided at this moment.
    pub(crate) fn debounced(&self, line: Line, active: bool, for_ns: u64, late_ns: u64, at_ns: u64) -> Option<u64> {
        let from_ns = at_ns.saturating_sub(for_ns + late_ns);
        let edges = self.line(line).within(from_ns, at_ns.saturating_sub(for_ns));
        let kept = |edge: u64| self.line(line).within(edge + 1, edge + for_ns - 1).next().is_none();
        edges.filter(|(edge, is)| **is == active && kept(*edge)).map(|(edge, _)| edge).next()
    }
}

static EMPTY: Track<bool> = Track { changes: VecDeque::new() };
