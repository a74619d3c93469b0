//! Planned events of the twin, in order of time; ties in the order of planning.

use super::fault::Noise;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tumbler_core::line::InLine;

/// Something planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PlannedEvent {
    /// A contact or sensor takes this level, unless a newer `plan` replaced this one.
    Contact { line: InLine, active: bool, plan: u32 },
    /// A hand releases this button, or turns the key back; its contact is on that line.
    Release { hand: InLine, line: InLine },
    /// A key of the terminal is released.
    KeyUp(u8),
    /// A chattering key makes contact again.
    KeyAgain(u8),
    /// The dome has reached its end position.
    DomeArrived { plan: u32 },
    /// The dice come to rest.
    DiceRest { plan: u32 },
    /// The temperature sensor is read.
    Temperature,
    /// The supply's reserve is used up.
    SupplyGone { plan: u32 },
    /// The dip of the supply is over.
    DipOver,
    /// The next disturbance of a noisy line.
    Noise(Noise),
    /// The lamps' supply is back after a break.
    LampsBack,
    /// A slipping drive grips, or slips again.
    Slip,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    at: u64,
    order: u64,
    due: PlannedEvent,
}

/// The queue.
#[derive(Clone, Debug, Default)]
pub(super) struct EventQueue {
    heap: BinaryHeap<Reverse<Entry>>,
    order: u64,
}

impl EventQueue {
    pub(super) fn plan(&mut self, at: u64, due: PlannedEvent) {
        self.order += 1;
        self.heap.push(Reverse(Entry { at, order: self.order, due }));
    }

    pub(super) fn next(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse(entry)| entry.at)
    }

    pub(super) fn pop(&mut self) -> Option<(u64, PlannedEvent)> {
        self.heap.pop().map(|Reverse(entry)| (entry.at, entry.due))
    }
}
