//! The units of the field bus: at most one transaction is outstanding, and a unit without a valid reply for too long is lost.

use super::{lamps, reader, terminal};
use crate::prelude::*;
use crate::timer::UNITS;
use crate::units::{Millis, Mono};
use crate::wire::registers;
use serde::{Deserialize, Serialize};

/// A unit's place in the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// The entry terminal.
    Terminal,
    /// The dice reader.
    Reader,
    /// A lamp board, counted from 0.
    Board(u8),
}

impl Unit {
    /// Place in the schedule.
    #[must_use]
    pub const fn index(self) -> u8 {
        match self {
            Self::Terminal => 0,
            Self::Reader => 1,
            Self::Board(board) => 2 + board,
        }
    }
    /// The unit at this place.
    #[must_use]
    pub const fn at(index: u8) -> Self {
        match index {
            0 => Self::Terminal,
            1 => Self::Reader,
            board => Self::Board(board - 2),
        }
    }
    /// Modbus unit address.
    #[must_use]
    pub const fn address(self) -> u8 {
        match self {
            Self::Terminal => registers::terminal::UNIT,
            Self::Reader => registers::reader::UNIT,
            Self::Board(board) => registers::lamps::FIRST_UNIT + board,
        }
    }
    /// What a finding calls it: its name, and where it is found.
    #[must_use]
    pub fn called(self) -> String {
        match self {
            Self::Terminal => "the entry terminal".to_owned(),
            Self::Reader => "the dice reader".to_owned(),
            Self::Board(_) => format!("lamp board {}", self.address()),
        }
    }
    /// What people call the unit with this address: `terminal`, `reader`, or `board-` with the address.
    #[must_use]
    pub fn name_of(address: u8) -> String {
        match address {
            registers::terminal::UNIT => "terminal".to_owned(),
            registers::reader::UNIT => "reader".to_owned(),
            board => format!("board-{board}"),
        }
    }
}

/// What is asked of which unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Job {
    /// The terminal.
    Terminal(terminal::Request),
    /// The dice reader.
    Reader(reader::Request),
    /// A lamp board.
    Board(u8, lamps::Request),
}

impl Job {
    /// A unit's poll; `hidden`: keys may not be known.
    #[must_use]
    pub const fn poll(unit: Unit, hidden: bool) -> Self {
        match unit {
            Unit::Terminal => Self::Terminal(terminal::Request::Poll { hidden }),
            Unit::Reader => Self::Reader(reader::Request::Look),
            Unit::Board(board) => Self::Board(board, lamps::Request::Sense),
        }
    }

    /// Whether it is a unit's poll.
    #[must_use]
    pub fn is_poll(self) -> bool {
        [false, true].into_iter().any(|hidden| self == Self::poll(self.unit(), hidden))
    }

    /// The unit that is asked.
    #[must_use]
    pub const fn unit(self) -> Unit {
        match self {
            Self::Terminal(_) => Unit::Terminal,
            Self::Reader(_) => Unit::Reader,
            Self::Board(board, _) => Unit::Board(board),
        }
    }
}

/// What the schedule knows of one unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitState {
    /// Whether it is fitted.
    fitted: bool,
    /// No valid reply for too long.
    lost: bool,
    /// A valid reply came since the start.
    heard: bool,
    /// Valid replies in a row.
    good: u32,
    /// When its next poll is due.
    due: Mono,
    /// Not to be asked before this: it just failed.
    not_before: Mono,
}

impl UnitState {
    /// Whether there was no valid reply for too long.
    #[must_use]
    pub const fn is_lost(self) -> bool {
        self.lost
    }

    /// Whether a valid reply came since the start.
    #[must_use]
    pub const fn is_heard(self) -> bool {
        self.heard
    }

    /// When its next poll is due.
    #[must_use]
    pub const fn due(self) -> Mono {
        self.due
    }

    /// Before when it is not asked: it just failed.
    #[must_use]
    pub const fn not_before(self) -> Mono {
        self.not_before
    }

    /// Valid replies in a row.
    #[must_use]
    pub const fn replies(self) -> u32 {
        self.good
    }
}

/// The schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bus {
    next_id: u32,
    outstanding: Option<(u32, Job)>,
    units: [UnitState; UNITS],
}

impl Bus {
    /// A bus with a terminal, this many boards, and perhaps a reader.
    #[must_use]
    pub fn new(boards: usize, reader: bool) -> Self {
        let mut bus = Self::default();
        for (index, unit) in bus.units.iter_mut().enumerate() {
            unit.fitted = match index {
                0 => true,
                1 => reader,
                board => board - 2 < boards,
            };
        }
        bus
    }

    /// What is known of a unit.
    #[must_use]
    pub fn unit(&self, unit: Unit) -> UnitState {
        self.units.get(usize::from(unit.index())).copied().unwrap_or_default()
    }

    fn unit_mut(&mut self, unit: Unit) -> Option<&mut UnitState> {
        self.units.get_mut(usize::from(unit.index())).filter(|u| u.fitted)
    }

    /// A unit's next poll is due then.
    pub fn schedule(&mut self, unit: Unit, due: Mono) {
        if let Some(state) = self.unit_mut(unit) {
            state.due = due;
        }
    }

    /// A unit's next poll is due by then, if not earlier.
    pub fn poll_by(&mut self, unit: Unit, due: Mono) {
        if let Some(state) = self.unit_mut(unit) {
            state.due = state.due.min(due);
        }
    }

    /// A unit is not to be asked before this.
    pub fn rest(&mut self, unit: Unit, until: Mono) {
        if let Some(state) = self.unit_mut(unit) {
            state.not_before = until;
        }
    }

    /// All fitted units.
    pub fn fitted(&self) -> impl Iterator<Item = (Unit, UnitState)> + '_ {
        (0u8..).zip(self.units.iter()).filter(|(_, u)| u.fitted).map(|(i, u)| (Unit::at(i), *u))
    }

    /// Whether a unit may be asked now that is expected to answer.
    #[must_use]
    pub fn answers(&self, unit: Unit, at: Mono) -> bool {
        let state = self.unit(unit);
        state.fitted && !state.lost && state.not_before <= at
    }

    /// The unit whose poll has been due for longest, if one may be asked now.
    #[must_use]
    pub fn most_overdue(&self, at: Mono) -> Option<Unit> {
        let due = self.fitted().filter(|(_, state)| state.due <= at && state.not_before <= at);
        due.min_by_key(|(_, state)| state.due).map(|(unit, _)| unit)
    }

    /// When the next poll is due.
    #[must_use]
    pub fn next_due(&self) -> Option<Mono> {
        self.fitted().map(|(_, state)| state.due.max(state.not_before)).min()
    }

    /// Whether a transaction is outstanding.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.outstanding.is_some()
    }

    /// The job of the outstanding transaction.
    #[must_use]
    pub fn outstanding(&self) -> Option<(u32, Job)> {
        self.outstanding
    }

    /// Begins a transaction and numbers it.
    pub fn begin(&mut self, job: Job) -> u32 {
        self.next_id = self.next_id.wrapping_add(1);
        self.outstanding = Some((self.next_id, job));
        self.next_id
    }

    /// Ends the transaction with this number; `None` for an answer that nobody waits for.
    pub fn end(&mut self, id: u32) -> Option<Job> {
        let (waiting, job) = self.outstanding?;
        if waiting != id {
            return None;
        }
        self.outstanding = None;
        Some(job)
    }

    /// A valid reply came. Returns whether the unit was lost until now.
    pub fn reply(&mut self, unit: Unit) -> bool {
        let Some(state) = self.unit_mut(unit) else { return false };
        state.good = state.good.saturating_add(1);
        state.heard = true;
        core::mem::take(&mut state.lost)
    }

    /// A transaction failed: the unit rests before it is asked again.
    pub fn fail(&mut self, unit: Unit, at: Mono, rest: Millis) {
        if let Some(state) = self.unit_mut(unit) {
            state.good = 0;
            state.not_before = at.after(rest);
            // Tried again at once, so that bad frames are hidden by retries; one that is lost may wait its turn.
            if !state.lost {
                state.due = state.due.min(state.not_before);
            }
        }
    }

    /// No valid reply came for too long. Returns whether that is news.
    pub fn lose(&mut self, unit: Unit) -> bool {
        self.unit_mut(unit).is_some_and(|state| {
            state.good = 0;
            !core::mem::replace(&mut state.lost, true)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// faults.md bus.noise_1pct: retries hide bad frames. A unit that is lost waits its turn instead.
    #[test]
    fn a_unit_whose_transaction_failed_is_asked_again_soon_until_it_is_lost() {
        let mut bus = Bus::new(1, true);
        let (now, slow) = (Mono::from_millis(100), Mono::from_millis(350));
        for (lost, due) in [(false, Mono::from_millis(120)), (true, slow)] {
            bus.schedule(Unit::Terminal, slow);
            bus.fail(Unit::Terminal, now, Millis(20));
            assert_eq!(bus.unit(Unit::Terminal).due, due, "lost: {lost}");
            assert!(bus.lose(Unit::Terminal) || lost);
        }
    }
}
