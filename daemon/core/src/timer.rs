//! The table's deadlines: one slot a timer, so that setting one again replaces it.

use crate::line::{InLine, OutLine};
use crate::prelude::*;
use crate::units::{Millis, Mono};
use serde::{Deserialize, Serialize};

/// Everything that the table waits for by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Timer {
    /// A contact has been in its new level for its debounce time.
    Debounce(InLine),
    /// An output must have read back as driven by now.
    Readback(OutLine),
    /// A dealer's button, or the key switch, has been held too long.
    Held(InLine),
    /// The supervisor's key privilege lapses.
    KeyLapse,
    /// The supervisor's key has been off for as long as it takes to turn it back.
    KeyBack,
    /// Both or neither of the dome's contacts have been made for longer than the dome travels.
    DomeTravel,
    /// The next edge of the dead-man line is due.
    Alive,
    /// The motor has been on without progress of the cam.
    Stall,
    /// A full tumble has taken longer than a healthy one may.
    Period,
    /// The spin has lasted as long as a spin may.
    SpinLimit,
    /// The cam has not moved for as long as standstill takes.
    Standstill,
    /// The shaft has turned on after motor off for as long as it may.
    Coast,
    /// A guard line has been away for longer than a flicker.
    Flicker,
    /// The dice should have come to rest.
    SettleLimit,
    /// A transaction on the field bus is due.
    Bus,
    /// The outstanding transaction was never answered by the shell.
    BusGuard,
    /// A unit of the field bus has not replied for too long; by its place in the schedule.
    UnitLost(u8),
    /// Lamps should do as they are told by now.
    LampVerify,
    /// The display should show what it was told by now.
    DisplayVerify,
    /// What was keyed wrongly while wagers are settled has been seen: the display shows the result again.
    ResultBack,
    /// A key of the terminal has been held too long.
    TerminalHeld,
    /// No temperature has been read for too long.
    TemperatureStale,
    /// Records have waited for company long enough.
    Linger,
    /// The records of one moment have waited for each other long enough.
    Gather,
    /// The bell's stroke ends.
    BellOff,
    /// The step of a test in progress is looked at again.
    TestStep,
}

/// Slots: the two families by line come first, then units, then the rest.
const LINES: usize = InLine::ALL.len();
const OUTS: usize = OutLine::ALL.len();
/// Most units on the field bus: terminal, reader, and boards for 256 lamps.
pub const UNITS: usize = 6;
const SLOTS: usize = LINES * 2 + OUTS + UNITS + 22;
const NEVER: u64 = u64::MAX;

impl Timer {
    const fn slot(self) -> usize {
        const REST: usize = LINES * 2 + OUTS + UNITS;
        match self {
            Self::Debounce(line) => line.index(),
            Self::Held(line) => LINES + line.index(),
            Self::Readback(line) => LINES * 2 + line.index(),
            Self::UnitLost(unit) => LINES * 2 + OUTS + (unit as usize) % UNITS,
            Self::KeyLapse => REST,
            Self::DomeTravel => REST + 1,
            Self::Alive => REST + 2,
            Self::Stall => REST + 3,
            Self::Period => REST + 4,
            Self::SpinLimit => REST + 5,
            Self::Standstill => REST + 6,
            Self::Coast => REST + 7,
            Self::Flicker => REST + 8,
            Self::SettleLimit => REST + 9,
            Self::Bus => REST + 10,
            Self::BusGuard => REST + 11,
            Self::LampVerify => REST + 12,
            Self::DisplayVerify => REST + 13,
            Self::TerminalHeld => REST + 14,
            Self::TemperatureStale => REST + 15,
            Self::Linger => REST + 16,
            Self::BellOff => REST + 17,
            Self::TestStep => REST + 18,
            Self::ResultBack => REST + 19,
            Self::Gather => REST + 20,
            Self::KeyBack => REST + 21,
        }
    }

    /// Whether it waits for the daemon's own actions: polls, readbacks, steps. What the kernel timestamps, or what depends only on
    /// the clock, reaches a suspended daemon late but complete.
    const fn is_own_doing(self) -> bool {
        matches!(
            self,
            Self::Readback(_)
                | Self::SettleLimit
                | Self::Bus
                | Self::BusGuard
                | Self::UnitLost(_)
                | Self::LampVerify
                | Self::DisplayVerify
                | Self::TerminalHeld
                | Self::TemperatureStale
                | Self::TestStep
        )
    }
}

/// The deadlines that are set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timers {
    set: Vec<(u64, Timer)>,
    next: u64,
    /// When the daemon last went on after it stood still.
    woken: Mono,
}

impl Default for Timers {
    fn default() -> Self {
        Self { set: vec![(NEVER, Timer::Bus); SLOTS], next: NEVER, woken: Mono(0) }
    }
}

impl Timers {
    /// Sets `timer` to fire at `at`, replacing when it would have fired.
    pub fn set(&mut self, timer: Timer, at: Mono) {
        if let Some(slot) = self.set.get_mut(timer.slot()) {
            let was = slot.0;
            *slot = (at.0.min(NEVER - 1), timer);
            if at.0 < self.next {
                self.next = at.0;
            } else if was == self.next {
                self.find_next();
            }
        }
    }

    /// Sets `timer` to fire `span` after `from`.
    pub fn after(&mut self, timer: Timer, from: Mono, span: Millis) {
        let from = if timer.is_own_doing() { from.max(self.woken) } else { from };
        self.set(timer, from.after(span));
    }

    /// The daemon was suspended for this many nanoseconds and goes on at `now`: timers that wait for the daemon's own actions get
    /// that time again, and timers that are set by inputs from meanwhile begin now.
    pub fn wake(&mut self, now: Mono, stood: u64) {
        self.woken = now;
        for (at, timer) in &mut self.set {
            if *at != NEVER && timer.is_own_doing() {
                *at = at.saturating_add(stood).min(NEVER - 1);
            }
        }
        self.find_next();
    }

    /// Clears `timer`.
    pub fn clear(&mut self, timer: Timer) {
        if let Some(slot) = self.set.get_mut(timer.slot()) {
            let was = slot.0;
            slot.0 = NEVER;
            if was == self.next && was != NEVER {
                self.find_next();
            }
        }
    }

    /// Whether `timer` is set.
    #[must_use]
    pub fn is_set(&self, timer: Timer) -> bool {
        self.set.get(timer.slot()).is_some_and(|(at, _)| *at != NEVER)
    }

    /// The earliest deadline.
    #[must_use]
    pub const fn next(&self) -> Option<Mono> {
        if self.next == NEVER { None } else { Some(Mono(self.next)) }
    }

    /// Takes the earliest timer that is due at `now`, with its deadline. Ties go by slot, so the order is always the same.
    pub fn pop(&mut self, now: Mono) -> Option<(Mono, Timer)> {
        if self.next > now.0 {
            return None;
        }
        let due = self.next;
        let slot = self.set.iter_mut().find(|(at, _)| *at == due)?;
        let timer = slot.1;
        slot.0 = NEVER;
        self.find_next();
        Some((Mono(due), timer))
    }

    fn find_next(&mut self) {
        self.next = self.set.iter().map(|(at, _)| *at).min().unwrap_or(NEVER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_timer_has_a_slot_of_its_own() {
        let mut all = vec![
            Timer::KeyLapse,
            Timer::KeyBack,
            Timer::DomeTravel,
            Timer::Alive,
            Timer::Stall,
            Timer::Period,
            Timer::SpinLimit,
            Timer::Standstill,
            Timer::Coast,
            Timer::Flicker,
            Timer::SettleLimit,
            Timer::Bus,
            Timer::BusGuard,
            Timer::LampVerify,
            Timer::DisplayVerify,
            Timer::TerminalHeld,
            Timer::TemperatureStale,
            Timer::Linger,
            Timer::Gather,
            Timer::BellOff,
            Timer::TestStep,
            Timer::ResultBack,
        ];
        all.extend(InLine::ALL.map(Timer::Debounce));
        all.extend(InLine::ALL.map(Timer::Held));
        all.extend(OutLine::ALL.map(Timer::Readback));
        all.extend((0..6).map(Timer::UnitLost));
        let slots: alloc::collections::BTreeSet<usize> = all.iter().map(|t| t.slot()).collect();
        assert_eq!(slots.len(), all.len());
        assert_eq!(slots.last(), Some(&(SLOTS - 1)));
    }

    #[test]
    fn after_a_standstill_what_the_daemon_has_to_do_itself_gets_its_time_again() {
        let mut timers = Timers::default();
        timers.set(Timer::UnitLost(0), Mono(100));
        timers.set(Timer::KeyLapse, Mono(100));
        timers.wake(Mono(1_000_000), 999_000);
        assert_eq!(timers.pop(Mono(100)), Some((Mono(100), Timer::KeyLapse)));
        assert_eq!(timers.next(), Some(Mono(999_100)));
        // An input from meanwhile makes the table ask for something now.
        timers.after(Timer::LampVerify, Mono(500), Millis(1));
        timers.after(Timer::Coast, Mono(500), Millis(1));
        assert_eq!(timers.pop(Mono(1_000_500)), Some((Mono(999_100), Timer::UnitLost(0))));
        assert_eq!(timers.pop(Mono(1_000_500)), Some((Mono(1_000_500), Timer::Coast)));
        assert_eq!(timers.next(), Some(Mono(2_000_000)));
    }

    #[test]
    fn the_earliest_fires_first_and_a_cleared_one_never() {
        let mut timers = Timers::default();
        timers.set(Timer::Stall, Mono(50));
        timers.set(Timer::Alive, Mono(20));
        timers.set(Timer::Coast, Mono(10));
        timers.clear(Timer::Coast);
        assert_eq!(timers.next(), Some(Mono(20)));
        assert_eq!(timers.pop(Mono(19)), None);
        assert_eq!(timers.pop(Mono(100)), Some((Mono(20), Timer::Alive)));
        timers.set(Timer::Stall, Mono(200));
        assert_eq!(timers.pop(Mono(100)), None);
        assert_eq!(timers.next(), Some(Mono(200)));
    }
}
