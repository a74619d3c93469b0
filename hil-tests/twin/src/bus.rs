//! The field bus of the twin, at register level: usable by a bench in one process and behind a Modbus server.

use super::fault::{Fault, Garble};
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
/// Bytes that a babbling transmitter sends at a time.
const BABBLE: usize = 8;

/// What a unit did with a request, and what becomes of its reply on the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The unit's own reply. [`BusFailure::Timeout`] says that it stays silent, [`BusFailure::Exception`] that it
    /// refuses in Modbus' own words.
    pub reply: Result<BusReply, BusFailure>,
    /// What becomes of the reply on its way.
    pub garble: Option<Garble>,
}

impl Answer {
    const SILENCE: Self = Self { reply: Err(BusFailure::Timeout), garble: None };

    /// What a master makes of it that decides nothing on a bad frame.
    ///
    /// # Errors
    /// [`BusFailure::Timeout`] for a silent unit and for a late reply, [`BusFailure::Corrupt`] for one that was hit or
    /// carries another unit's address.
    pub fn heard(&self) -> Result<BusReply, BusFailure> {
        match (self.garble, &self.reply) {
            (_, Err(BusFailure::Timeout)) | (Some(Garble::Late), _) => Err(BusFailure::Timeout),
            (Some(Garble::Hit | Garble::OtherUnit), _) => Err(BusFailure::Corrupt),
            (Some(Garble::Twice) | None, reply) => reply.clone(),
        }
    }
}

impl Twin {
    /// One transaction as the master sees it, at `at`.
    ///
    /// # Errors
    /// As [`Answer::heard`] has them.
    pub fn bus(&mut self, at: u64, unit: u8, op: &BusOp, out: &mut Vec<Wire>) -> Result<BusReply, BusFailure> {
        self.answer(at, unit, op, out).heard()
    }

    /// One transaction: what the unit answers at `at`, and what becomes of that on the line.
    pub fn answer(&mut self, at: u64, unit: u8, op: &BusOp, out: &mut Vec<Wire>) -> Answer {
        self.advance(at, out);
        let mute = !self.supply
            || self.faults.takes_effect(Fault::BusCut)
            || self.faults.takes_effect(Fault::UnitSilent(unit));
        if mute || self.faults.takes_effect(Fault::BusBabble) {
            return Answer::SILENCE;
        }
        let garble = self.garble(unit);
        // What hits frames hits requests too, and such a request is no unit's.
        if garble == Some(Garble::Hit) && self.rng.chance(500) {
            return Answer::SILENCE;
        }
        Answer { reply: self.transact(at, unit, op, out), garble }
    }

    /// What becomes of this unit's next reply.
    fn garble(&mut self, unit: u8) -> Option<Garble> {
        let mut share = |fault: Fault| match fault {
            Fault::Frames { garble, percent } => self.rng.chance(u32::from(percent) * 10).then_some(garble),
            Fault::ReaderFrames(garble) => (unit == READER).then_some(garble),
            _ => None,
        };
        let (fault, garble) = self.faults.iter().find_map(|fault| share(fault).map(|garble| (fault, garble)))?;
        self.faults.note_hold(fault);
        Some(garble)
    }

    /// Random bytes, if a transmitter is stuck on.
    pub fn babble(&mut self) -> Option<[u8; BABBLE]> {
        self.faults.takes_effect(Fault::BusBabble).then(|| self.rng.bits().to_le_bytes())
    }

    fn transact(&mut self, at: u64, unit: u8, op: &BusOp, out: &mut Vec<Wire>) -> Result<BusReply, BusFailure> {
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
                let powered = self.lamps_powered();
                let number = unit - BOARDS;
                let Some(board) = self.boards.get_mut(usize::from(number)) else { return Err(BusFailure::Timeout) };
                let reply = lamps::Board::bus(board, at, number, op, powered, &self.faults);
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
        if self.faults.takes_effect(Fault::DisplayWrong) {
            shown ^= 0x0010;
        }
        if shown != self.display_seen {
            self.display_seen = shown;
            out.push(Wire::Truth { at, truth: Truth::Display(shown) });
        }
    }

    fn lamps_powered(&self) -> bool {
        self.supply && !self.lamps_dip && !self.faults.has(Fault::LampSupplyDead)
    }

    /// Tells what shines on all boards, where it changed.
    pub(super) fn shine_all(&mut self, at: u64, out: &mut Vec<Wire>) {
        for board in 0..self.config.boards {
            self.shine(at, board, out);
        }
    }

    /// Tells what shines on a board, if it changed.
    fn shine(&mut self, at: u64, number: u8, out: &mut Vec<Wire>) {
        let powered = self.lamps_powered();
        if let Some(board) = self.boards.get_mut(usize::from(number)) {
            if board.commanded() && self.supply {
                self.faults.takes_effect(Fault::LampSupplyDead);
            }
            if board.refresh(number, powered, &mut self.faults) {
                out.push(Wire::Truth { at, truth: Truth::Lamps { board: number, shine: board.shine() } });
            }
        }
    }
}
