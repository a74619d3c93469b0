//! The entry terminal: key events in a queue that is read and acknowledged, a display, an LED.

use super::fault::{Fault, Faults};
use tumbler_core::effect::BusOp;
use tumbler_core::input::{BusFailure, BusReply};

/// Capacity of the queue of events.
const QUEUE: usize = 64;
/// Most events in one reply.
const WINDOW: u16 = 8;

/// The entry terminal, at register level.
#[derive(Clone, Debug)]
pub(super) struct Terminal {
    events: [u8; QUEUE],
    /// Number of the oldest event kept; numbers count presses since power-up, from 1, and wrap.
    first: u16,
    count: u16,
    held: u16,
    display: u16,
    led: u16,
}

impl Terminal {
    pub(super) const fn new() -> Self {
        Self { events: [0; QUEUE], first: 1, count: 0, held: 0, display: 0x0FFF, led: 0 }
    }

    /// Power-up: the queue is empty, the display blank.
    pub(super) fn reset(&mut self) {
        *self = Self::new();
    }

    pub(super) const fn display(&self) -> u16 {
        self.display
    }

    /// A key makes contact: an event. `false`: the queue is full, and the press is dropped.
    pub(super) fn event(&mut self, key: u8) -> bool {
        if usize::from(self.count) == QUEUE {
            return false;
        }
        let number = self.first.wrapping_add(self.count);
        if let Some(place) = self.events.get_mut(usize::from(number) % QUEUE) {
            *place = key;
        }
        self.count += 1;
        true
    }

    pub(super) fn hold(&mut self, key: u8, held: bool) {
        let bit = 1_u16.checked_shl(u32::from(key.saturating_sub(1))).unwrap_or(0);
        if held {
            self.held |= bit;
        } else {
            self.held &= !bit;
        }
    }

    fn input_register(&self, address: u16, faults: &mut Faults) -> Option<u16> {
        match address {
            0 => Some(1),
            1 => Some(0x0101),
            2 => {
                let mut held = self.held;
                for key in 1..=7_u8 {
                    if faults.takes_effect(Fault::KeyStuck(key)) {
                        held |= 1 << (key - 1);
                    }
                }
                Some(held)
            }
            3 => Some(self.first),
            4 => Some(self.count.min(WINDOW)),
            5..=12 => {
                let place = address - 5;
                let number = usize::from(self.first.wrapping_add(place));
                Some(if place < self.count { self.events.get(number % QUEUE).copied().map_or(0, u16::from) } else { 0 })
            }
            13 => Some(if faults.takes_effect(Fault::DisplayWrong) { self.display ^ 0x0010 } else { self.display }),
            _ => None,
        }
    }

    fn holding(&mut self, address: u16, value: u16) -> bool {
        match address {
            0 => {
                let gone = value.wrapping_sub(self.first);
                // A number from before the first event acknowledges nothing.
                if gone <= self.count {
                    self.first = value;
                    self.count -= gone;
                }
            }
            1 => self.display = value & 0x0FFF,
            2 => self.led = value & 1,
            _ => return false,
        }
        true
    }

    /// One transaction; tells with the reply whether the display may have changed.
    pub(super) fn bus(&mut self, op: &BusOp, faults: &mut Faults) -> Result<BusReply, BusFailure> {
        match op {
            BusOp::ReadInput { address, count } if *count > 0 && *count <= 32 => {
                let words: Option<Vec<u16>> =
                    (0..*count).map(|n| self.input_register(address.saturating_add(n), faults)).collect();
                words.map(BusReply::Words).ok_or(BusFailure::Exception(2))
            }
            BusOp::WriteHolding { address, values } => {
                for (value, address) in values.iter().zip(*address..) {
                    if !self.holding(address, *value) {
                        return Err(BusFailure::Exception(2));
                    }
                }
                Ok(BusReply::Written)
            }
            _ => Err(BusFailure::Exception(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poll(terminal: &mut Terminal) -> Vec<u16> {
        match terminal.bus(&BusOp::ReadInput { address: 2, count: 12 }, &mut Faults::default()) {
            Ok(BusReply::Words(words)) => words,
            other => panic!("{other:?}"),
        }
    }

    fn write(terminal: &mut Terminal, address: u16, value: u16) {
        let op = BusOp::WriteHolding { address, values: vec![value] };
        assert_eq!(terminal.bus(&op, &mut Faults::default()), Ok(BusReply::Written));
    }

    #[test]
    fn presses_between_polls_are_kept_until_acknowledged() {
        let mut terminal = Terminal::new();
        for key in [1, 3, 6, 7] {
            terminal.event(key);
        }
        assert_eq!(poll(&mut terminal)[1..7], [1, 4, 1, 3, 6, 7]);
        assert_eq!(poll(&mut terminal)[1..7], [1, 4, 1, 3, 6, 7], "reading alone forgets nothing");
        write(&mut terminal, 0, 3);
        assert_eq!(poll(&mut terminal)[1..5], [3, 2, 6, 7]);
        write(&mut terminal, 0, 2);
        assert_eq!(poll(&mut terminal)[1..5], [3, 2, 6, 7], "an old acknowledgement changes nothing");
    }

    #[test]
    fn a_full_queue_keeps_the_oldest_and_numbers_no_lost_press() {
        let mut terminal = Terminal::new();
        for n in 0..70_u8 {
            terminal.event(n % 6 + 1);
        }
        assert_eq!(poll(&mut terminal)[1..4], [1, 8, 1]);
        write(&mut terminal, 0, 65);
        assert_eq!(poll(&mut terminal)[1..3], [65, 0]);
        terminal.event(5);
        assert_eq!(poll(&mut terminal)[1..4], [65, 1, 5]);
    }

    #[test]
    fn the_display_reads_back_as_driven_and_addresses_outside_are_refused() {
        let mut terminal = Terminal::new();
        write(&mut terminal, 1, 0x0136);
        assert_eq!(poll(&mut terminal)[11], 0x0136);
        let beyond = BusOp::ReadInput { address: 2, count: 13 };
        assert_eq!(terminal.bus(&beyond, &mut Faults::default()), Err(BusFailure::Exception(2)));
    }
}
