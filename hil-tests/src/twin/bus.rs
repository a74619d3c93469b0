//! The field bus of the twin, at register level: usable by a bench in one process and behind a Modbus server.

use super::fault::Fault;
use super::wire::{Truth, Wire};
use super::{Twin, lamps};
use tumbler_core::effect::BusOp;
use tumbler_core::input::{BusFailure, BusReply};

/// Unit of the entry terminal.
const TERMINAL: u8 = 1;
/// Unit of the first lamp board.
const BOARDS: u8 = 2;
/// Unit of the dice reader.
const READER: u8 = 10;

impl Twin {
    /// One transaction: what the unit answers at `at`. [`BusFailure::Timeout`] says that it stays silent,
    /// [`BusFailure::Corrupt`] that its reply is hit, [`BusFailure::Exception`] that it refuses in Modbus' own words.
    ///
    /// # Errors
    /// As above.
    pub fn bus(&mut self, at: u64, unit: u8, op: &BusOp, out: &mut Vec<Wire>) -> Result<BusReply, BusFailure> {
        self.advance(at, out);
        if !self.supply || self.faults.bites(Fault::BusCut) || self.faults.bites(Fault::UnitSilent(unit)) {
            return Err(BusFailure::Timeout);
        }
        for percent in [1, 30] {
            let noise = Fault::BusNoise(percent);
            if self.faults.has(noise) && self.rng.chance(u32::from(percent) * 10) {
                self.faults.bit(noise);
                return Err(BusFailure::Corrupt);
            }
        }
        match unit {
            TERMINAL => {
                let reply = self.terminal.bus(op, &mut self.faults);
                if matches!(op, BusOp::WriteHolding { .. }) {
                    self.watch_display(at, out);
                }
                reply
            }
            READER if self.config.reader => self.dice.bus(at, op, &mut self.faults),
            BOARDS.. => {
                let number = unit - BOARDS;
                let Some(board) = self.boards.get_mut(usize::from(number)) else { return Err(BusFailure::Timeout) };
                let reply = lamps::Board::bus(board, at, number, op, &self.faults);
                if matches!(op, BusOp::WriteCoils { .. }) {
                    self.shine(at, number, out);
                }
                reply
            }
            0 => Err(BusFailure::Timeout),
        }
    }

    fn watch_display(&mut self, at: u64, out: &mut Vec<Wire>) {
        let mut shown = self.terminal.display();
        if self.faults.bites(Fault::DisplayWrong) {
            shown ^= 0x0010;
        }
        if shown != self.display_seen {
            self.display_seen = shown;
            out.push(Wire::Truth { at, truth: Truth::Display(shown) });
        }
    }

    /// Tells what shines on a board, if it changed.
    pub(super) fn shine(&mut self, at: u64, number: u8, out: &mut Vec<Wire>) {
        if let Some(board) = self.boards.get_mut(usize::from(number)) {
            if board.refresh(number, self.supply, &mut self.faults) {
                out.push(Wire::Truth { at, truth: Truth::Lamps { board: number, shine: board.shine() } });
            }
        }
    }
}
