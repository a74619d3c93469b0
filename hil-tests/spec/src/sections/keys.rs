//! The keys of the terminal, as its registers tell them.
//!
//! ```text
//!  unknown ── a reading with fewer than 8 events ──> known ── event not seen yet, no bounce ──> press
//!     ^                                                │
//!     └── the process starts, the terminal was lost or begins anew ──┘
//! ```

use crate::observation::{BusKind, Transaction};
use crate::registers::{EVENTS, HELD, TERMINAL};

/// The code of Entry.
pub(super) const ENTRY: u16 = 7;
/// A unit without a reply for so long is lost (parameter `unit_lost`).
const LOST_NS: u64 = 1_000_000_000;
/// Presses of one key within this time are one (faults.md terminal.chatter, parameter `key_repeat`).
const KEY_REPEAT_NS: u64 = 60_000_000;

/// A press that a reading of the terminal brought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Press {
    /// When the reading ended.
    pub(super) at_ns: u64,
    /// When the one before it began and ended.
    pub(super) before_ns: (u64, u64),
    pub(super) code: u16,
}

/// Follows the readings of one process.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    /// The number of the next event; `None` until the terminal was read.
    next: Option<u16>,
    /// When the last reading began and ended, and whether one failed since.
    read_ns: (u64, u64),
    failed: bool,
    /// When a press of each key last counted.
    last_ns: [u64; 8],
}

impl Keys {
    /// The presses that this reading brings, if it is one of the terminal.
    pub(super) fn read(&mut self, bus: &Transaction, now_ns: u64) -> Vec<Press> {
        if bus.unit != TERMINAL || bus.kind != BusKind::ReadInput {
            return Vec::new();
        }
        self.failed |= !bus.ok;
        let (true, Some(first), Some(count)) = (bus.ok, bus.word(HELD + 1), bus.word(EVENTS)) else {
            return Vec::new();
        };
        let events = (0..count.min(8)).map(|at| (first.wrapping_add(at), bus.word(EVENTS + 1 + at).unwrap_or(0)));
        // Nothing is decided on a block with another code, or with more than 8 events.
        if count > 8 || events.clone().any(|(_, code)| !(1..=ENTRY).contains(&code)) {
            return Vec::new();
        }
        let behind = |number: u16, next: u16| number.wrapping_sub(next) > u16::MAX / 2;
        let before_ns = core::mem::replace(&mut self.read_ns, (bus.begun_ns, now_ns));
        let lost = core::mem::take(&mut self.failed) && now_ns.saturating_sub(before_ns.1) > LOST_NS;
        let end = first.wrapping_add(count);
        let Some(next) = self.next.filter(|next| !lost && !behind(end, *next)) else {
            self.next = (count < 8).then_some(end);
            return Vec::new();
        };
        self.next = Some(end);
        events
            .filter(|(number, code)| !behind(*number, next) && !self.bounce(*code, before_ns.1, now_ns))
            .map(|(_, code)| Press { at_ns: now_ns, before_ns, code })
            .collect()
    }

    /// Whether a press that came after the reading that ended then may be bounce of the one before: however many readings failed since.
    fn bounce(&mut self, code: u16, after_ns: u64, now_ns: u64) -> bool {
        let Some(last_ns) = self.last_ns.get_mut(usize::from(code)) else { return false };
        let bounce = *last_ns != 0 && after_ns < last_ns.saturating_add(KEY_REPEAT_NS);
        if !bounce {
            *last_ns = now_ns;
        }
        bounce
    }
}
