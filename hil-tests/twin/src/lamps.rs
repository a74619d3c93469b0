//! The lamp boards: coils command, discrete inputs sense the current, and what shines is a third thing.

use super::fault::{Fault, Faults, LampFault};
use tumbler_core::effect::BusOp;
use tumbler_core::input::{BusFailure, BusReply};

/// Outputs on a board.
const OUTPUTS: u16 = 64;
/// The outputs behind the second fuse: every second one.
const SECOND: u64 = 0xAAAA_AAAA_AAAA_AAAA;
/// The current sensor's filter: what it says is 5 ms old after a change.
const SENSE_NANOS: u64 = 5_000_000;

/// One board.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Board {
    coils: u64,
    before: u64,
    changed: u64,
    shine: u64,
}

fn mask(address: u16, count: u16) -> Option<u64> {
    let end = address.checked_add(count)?;
    if count == 0 || end > OUTPUTS {
        return None;
    }
    let ones = if count == 64 { u64::MAX } else { (1_u64 << count) - 1 };
    Some(ones << address)
}

impl Board {
    pub(super) const fn shine(&self) -> u64 {
        self.shine
    }

    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// What is sensed, and what shines, when these coils are on.
    fn current(board: u8, coils: u64, powered: bool, faults: &Faults, mut bite: impl FnMut(Fault)) -> (u64, u64) {
        if !powered {
            return (0, 0);
        }
        let (mut sensed, mut shine) = (coils, coils);
        let bit_of = |lamp: u16| (usize::from(lamp) / 64 == usize::from(board)).then(|| 1_u64 << (lamp % 64));
        for fault in faults.iter() {
            match fault {
                Fault::Lamp { kind, lamp } => {
                    let Some(bit) = bit_of(lamp) else { continue };
                    match kind {
                        LampFault::StuckOn => {
                            if coils & bit == 0 {
                                bite(fault);
                            }
                            sensed |= bit;
                            shine |= bit;
                        }
                        LampFault::Open | LampFault::Short | LampFault::StuckOff => {
                            if coils & bit != 0 {
                                bite(fault);
                            }
                            sensed &= !bit;
                            shine &= !bit;
                        }
                    }
                }
                Fault::LampsSwapped(a, b) => {
                    if let (Some(a), Some(b)) = (bit_of(a), bit_of(b)) {
                        let (on_a, on_b) = (coils & a != 0, coils & b != 0);
                        if on_a != on_b {
                            bite(fault);
                            shine ^= a | b;
                        }
                    }
                }
                Fault::LampsPartial => {
                    if coils & SECOND != 0 {
                        bite(fault);
                    }
                    sensed &= !SECOND;
                    shine &= !SECOND;
                }
                _ => {}
            }
        }
        (sensed, shine)
    }

    /// Works out again what shines; tells whether it changed.
    pub(super) fn refresh(&mut self, board: u8, powered: bool, faults: &mut Faults) -> bool {
        let mut held = Vec::new();
        let (_, shine) = Self::current(board, self.coils, powered, faults, |fault| held.push(fault));
        held.into_iter().for_each(|fault| faults.note_hold(fault));
        core::mem::replace(&mut self.shine, shine) != shine
    }

    /// Whether any lamp is commanded on.
    pub(super) const fn commanded(&self) -> bool {
        self.coils != 0
    }

    /// One transaction. `powered`: the lamps have their supply.
    pub(super) fn bus(
        &mut self,
        at: u64,
        board: u8,
        op: &BusOp,
        powered: bool,
        faults: &Faults,
    ) -> Result<BusReply, BusFailure> {
        match op {
            BusOp::WriteCoils { address, count, bits } => {
                let mask = mask(*address, *count).ok_or(BusFailure::Exception(2))?;
                let coils = (self.coils & !mask) | ((bits << address) & mask);
                if coils != self.coils {
                    self.before = self.coils;
                    self.changed = at;
                    self.coils = coils;
                }
                Ok(BusReply::Written)
            }
            BusOp::ReadDiscrete { address, count } => {
                let mask = mask(*address, *count).ok_or(BusFailure::Exception(2))?;
                let settled = at >= self.changed.saturating_add(SENSE_NANOS);
                let coils = if settled { self.coils } else { self.before };
                let (sensed, _) = Self::current(board, coils, powered, faults, |_| {});
                Ok(BusReply::Bits((sensed & mask) >> address))
            }
            _ => Err(BusFailure::Exception(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sensed(board: &mut Board, at: u64, faults: &Faults) -> u64 {
        match board.bus(at, 0, &BusOp::ReadDiscrete { address: 0, count: 64 }, true, faults) {
            Ok(BusReply::Bits(bits)) => bits,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn open_short_and_stuck_lamps_show_as_a_difference() {
        for (kind, coils, expected) in [
            (LampFault::Open, 0b11, 0b01),
            (LampFault::Short, 0b11, 0b01),
            (LampFault::StuckOff, 0b11, 0b01),
            (LampFault::StuckOn, 0b01, 0b11),
        ] {
            let mut faults = Faults::default();
            let fault = Fault::Lamp { kind, lamp: 1 };
            faults.set(fault);
            let mut board = Board::default();
            board.bus(0, 0, &BusOp::WriteCoils { address: 0, count: 64, bits: coils }, true, &faults).unwrap();
            board.refresh(0, true, &mut faults);
            assert_eq!(sensed(&mut board, 10_000_000, &faults), expected, "{kind:?}");
            assert!(faults.took_effect(fault), "{kind:?}");
            faults.heal(fault);
            assert_eq!(sensed(&mut board, 10_000_000, &faults), coils, "{kind:?} healed");
        }
    }

    #[test]
    fn swapped_lamps_look_right_to_the_sensor_and_wrong_to_a_person() {
        let mut faults = Faults::default();
        faults.set(Fault::LampsSwapped(0, 1));
        let mut board = Board::default();
        board.bus(0, 0, &BusOp::WriteCoils { address: 0, count: 64, bits: 0b01 }, true, &faults).unwrap();
        assert!(board.refresh(0, true, &mut faults));
        assert_eq!(sensed(&mut board, 10_000_000, &faults), 0b01);
        assert_eq!(board.shine(), 0b10);
    }

    #[test]
    fn the_current_is_sensed_a_little_later() {
        let faults = Faults::default();
        let mut board = Board::default();
        board.bus(1, 0, &BusOp::WriteCoils { address: 3, count: 1, bits: 1 }, true, &faults).unwrap();
        assert_eq!(sensed(&mut board, 1_000_000, &faults), 0);
        assert_eq!(sensed(&mut board, 6_000_000, &faults), 8);
    }

    #[test]
    fn a_fuse_that_is_gone_darkens_every_second_lamp_and_a_dead_supply_all() {
        let mut faults = Faults::default();
        let mut board = Board::default();
        let on = BusOp::WriteCoils { address: 0, count: 64, bits: 0b0111 };
        board.bus(0, 0, &on, true, &faults).unwrap();
        faults.set(Fault::LampsPartial);
        assert!(board.refresh(0, true, &mut faults));
        assert_eq!((board.shine(), sensed(&mut board, 10_000_000, &faults)), (0b0101, 0b0101));
        assert!(faults.took_effect(Fault::LampsPartial));
        faults.heal(Fault::LampsPartial);
        assert!(board.refresh(0, true, &mut faults));
        assert_eq!(board.shine(), 0b0111);
        assert!(board.refresh(0, false, &mut faults));
        let read = BusOp::ReadDiscrete { address: 0, count: 64 };
        assert_eq!((board.shine(), board.bus(1, 0, &read, false, &faults)), (0, Ok(BusReply::Bits(0))));
    }
}
