//! The lamps under the layout's areas: commanded by coils, proved by sensed current.

use crate::context::{Coils, Context, Transaction};
use crate::input::BusReply;
use crate::prelude::*;
use crate::sequence::Durable;
use crate::timer::Timer;
use crate::units::Millis;
use crate::wire::registers::lamps::PER_BOARD;
use serde::{Deserialize, Serialize};

/// What a board is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// To switch its lamps like this.
    Light(Coils),
    /// Through which of them current flows.
    Sense,
}

/// One board of up to 64 lamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Board {
    /// Lamps wired to it.
    lamps: u16,
    wanted: Coils,
    written: Option<Coils>,
    /// Sensed current, read after the last write.
    sensed: Option<u64>,
}

impl Board {
    /// Whether it was written, and current flows since through the lamps that are on and through no other.
    fn is_proved(&self) -> bool {
        self.written == Some(self.wanted) && self.sensed == Some(self.wanted.bits())
    }
}

/// All lamps of a layout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lamps {
    boards: Vec<Board>,
    /// Lamps that were proved went wrong by themselves, and are watched for doing so again.
    relapsed: bool,
}

/// What an answer of a board says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// Its lamps were switched. The current is what counts.
    Lit,
    /// The current was sensed.
    Sensed(Constancy),
}

/// What a reading of the lamps' currents says of lamps that were proved before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constancy {
    /// Nothing against them.
    Steady,
    /// They went wrong although nothing was commanded.
    Relapsed,
    /// They did so again within the time for a proof: they flicker.
    Flickers,
}

impl Lamps {
    /// The lamps of a layout with this many areas.
    #[must_use]
    pub fn new(areas: usize) -> Self {
        let mut boards = Vec::new();
        let mut left = areas;
        while left > 0 {
            let lamps = left.min(PER_BOARD);
            boards.push(Board { lamps: u16::try_from(lamps).unwrap_or(0), ..Board::default() });
            left -= lamps;
        }
        Self { boards, relapsed: false }
    }

    /// How many boards there are.
    #[must_use]
    pub fn boards(&self) -> usize {
        self.boards.len()
    }

    /// The transaction on the bus.
    #[must_use]
    pub fn op(&self, board: u8, request: Request) -> Transaction {
        let count = self.boards.get(usize::from(board)).map_or(0, |b| b.lamps);
        match request {
            Request::Light(coils) => Transaction::write_coils(0, count, coils),
            Request::Sense => Transaction::read_discrete(0, count),
        }
    }

    /// Takes an answer of a board. `None` for one that cannot be one.
    pub fn answer(&mut self, board: u8, request: Request, reply: &BusReply, ctx: &mut Context) -> Option<Report> {
        match (request, reply) {
            (Request::Light(coils), BusReply::Written) => {
                self.written(usize::from(board), coils);
                Some(Report::Lit)
            }
            (Request::Sense, BusReply::Bits(bits)) => {
                let before = (self.sensed(), self.is_proved());
                let constancy = self.sense(usize::from(board), *bits, ctx);
                if (self.sensed(), self.is_proved()) != before {
                    ctx.note_change();
                }
                Some(Report::Sensed(constancy))
            }
            _ => None,
        }
    }

    /// Commands exactly these areas on; bit 0 is the layout's first area.
    pub fn light(&mut self, areas: u128, by: Durable, ctx: &mut Context) {
        self.command(areas, |bits| Coils::lit(bits, &by), ctx);
    }

    /// Commands all areas off.
    pub fn darken(&mut self, ctx: &mut Context) {
        self.command(0, |_| Coils::OFF, ctx);
    }

    fn command(&mut self, areas: u128, coils: impl Fn(u64) -> Coils, ctx: &mut Context) {
        let mut changed = false;
        for (board, shift) in self.boards.iter_mut().zip((0u32..).step_by(PER_BOARD)) {
            // The cast takes the board's 64 bits out of the layout's 128.
            #[expect(clippy::cast_possible_truncation, reason = "a board has 64 lamps")]
            let wanted = coils(areas.checked_shr(shift).unwrap_or(0) as u64);
            changed |= board.wanted != wanted;
            board.wanted = wanted;
        }
        if changed {
            self.relapsed = false;
            ctx.after(Timer::LampVerify, Millis(ctx.p().lamp_verify));
        }
    }

    /// The areas commanded on.
    #[must_use]
    pub fn lit(&self) -> u128 {
        self.gather(|b| b.wanted.bits())
    }

    /// The areas through which current flows, when last sensed.
    #[must_use]
    pub fn sensed(&self) -> u128 {
        self.gather(|b| b.sensed.unwrap_or(0))
    }

    fn gather(&self, of: impl Fn(&Board) -> u64) -> u128 {
        self.boards.iter().rev().fold(0, |all, board| all << PER_BOARD | u128::from(of(board)))
    }

    /// What a board is to be told, if it is not told yet.
    #[must_use]
    pub fn write_due_on(&self, board: u8) -> Option<Request> {
        let board = self.boards.get(usize::from(board)).filter(|b| b.written != Some(b.wanted))?;
        Some(Request::Light(board.wanted))
    }

    /// Whether a board's sense is to be read at once: it was written and not proved since.
    #[must_use]
    pub fn sense_due_on(&self, board: u8) -> bool {
        self.boards.get(usize::from(board)).is_some_and(|b| b.written == Some(b.wanted) && !b.is_proved())
    }

    /// A board's coils were written.
    pub fn written(&mut self, board: usize, coils: Coils) {
        if let Some(b) = self.boards.get_mut(board) {
            b.written = Some(coils);
            b.sensed = None;
        }
    }

    /// A board's sensed currents were read.
    pub fn sense(&mut self, board: usize, bits: u64, ctx: &mut Context) -> Constancy {
        let proved = self.is_proved();
        if let Some(b) = self.boards.get_mut(board) {
            b.sensed = Some(bits);
        }
        if self.is_proved() {
            // After a relapse the time runs on: one break may be anything, two are a flicker.
            if !self.relapsed {
                ctx.clear(Timer::LampVerify);
            }
            return Constancy::Steady;
        }
        if !ctx.is_set(Timer::LampVerify) {
            ctx.after(Timer::LampVerify, Millis(ctx.p().lamp_verify));
        }
        if !proved {
            return Constancy::Steady;
        }
        if core::mem::replace(&mut self.relapsed, true) { Constancy::Flickers } else { Constancy::Relapsed }
    }

    /// The time for the lamps' proof is over.
    pub fn verified(&mut self) {
        self.relapsed = false;
    }

    /// Whether every lamp does as it was told, and none else shines.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.boards.iter().all(Board::is_proved)
    }

    /// Areas that do not do as they were told, as far as sensed.
    #[must_use]
    pub fn wrong(&self) -> u128 {
        self.gather(|b| b.sensed.map_or(b.wanted.bits(), |sensed| sensed ^ b.wanted.bits()))
    }

    /// A board is lost: nothing of it is known, and it is written again when it is back.
    pub fn lose(&mut self, board: usize) {
        if let Some(b) = self.boards.get_mut(board) {
            b.written = None;
            b.sensed = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Event;
    use crate::sequence::Sequence;
    use crate::units::{Mono, Seq};

    fn coils(bits: u64) -> Coils {
        Coils::lit(bits, &durable())
    }

    fn durable() -> Durable {
        let (mut sequence, mut ctx) = (Sequence::new(Seq(0), Seq(0), true), Context::default());
        let record = sequence.record(Mono(0), None, Vec::new(), None, Event::KeyTurned);
        sequence.hurry();
        sequence.flush(false, &mut ctx);
        sequence.durable(Seq(1));
        sequence.confirm(&record).unwrap()
    }

    #[test]
    fn areas_hang_on_boards_of_64() {
        let mut lamps = Lamps::new(107);
        let mut ctx = Context::default();
        assert_eq!(lamps.boards(), 2);
        assert_eq!(lamps.op(0, Request::Sense), Transaction::read_discrete(0, 64));
        assert_eq!(lamps.op(1, Request::Sense), Transaction::read_discrete(0, 43));
        lamps.light(1 | 1 << 63 | 1 << 64 | 1 << 106, durable(), &mut ctx);
        assert_eq!(lamps.write_due_on(0), Some(Request::Light(coils(1 | 1 << 63))));
        assert_eq!(lamps.write_due_on(1), Some(Request::Light(coils(1 | 1 << 42))));
        assert_eq!(lamps.lit(), 1 | 1 << 63 | 1 << 64 | 1 << 106);
    }

    /// faults.md lamps.flicker.
    #[test]
    fn lamps_that_go_wrong_by_themselves_twice_within_the_time_for_a_proof_flicker() {
        let mut lamps = Lamps::new(50);
        let mut ctx = Context::default();
        lamps.light(1, durable(), &mut ctx);
        lamps.written(0, coils(1));
        assert_eq!(lamps.sense(0, 0, &mut ctx), Constancy::Steady, "not lit yet is no relapse");
        assert_eq!(lamps.sense(0, 1, &mut ctx), Constancy::Steady);
        assert_eq!(lamps.sense(0, 0, &mut ctx), Constancy::Relapsed);
        assert_eq!(lamps.sense(0, 1, &mut ctx), Constancy::Steady);
        assert!(ctx.is_set(Timer::LampVerify), "watched on");
        assert_eq!(lamps.sense(0, 0, &mut ctx), Constancy::Flickers);
        lamps.verified();
        lamps.sense(0, 1, &mut ctx);
        assert_eq!(lamps.sense(0, 0, &mut ctx), Constancy::Relapsed, "a single break long after");
    }

    #[test]
    fn a_lamp_is_proved_only_by_current_read_after_the_write() {
        let mut lamps = Lamps::new(50);
        let mut ctx = Context::default();
        lamps.written(0, Coils::OFF);
        lamps.sense(0, 0, &mut ctx);
        assert!(lamps.is_proved());
        lamps.light(0b101, durable(), &mut ctx);
        assert!(!lamps.is_proved());
        lamps.written(0, coils(0b101));
        assert!(!lamps.is_proved(), "written is not yet proved");
        lamps.sense(0, 0b001, &mut ctx);
        assert_eq!(lamps.wrong(), 0b100);
        assert!(ctx.is_set(Timer::LampVerify));
        lamps.sense(0, 0b101, &mut ctx);
        assert!(lamps.is_proved() && !ctx.is_set(Timer::LampVerify));
    }
}
