//! The field bus: what is needed of it now, and what follows from its answers.

use super::Table;
use crate::device::bus::Unit;
use crate::device::lamps::{self, Constancy};
use crate::device::schedule::{Keys, Needs, Report};
use crate::device::{reader, terminal};
use crate::hardware_test::Signal;
use crate::input::{BusFailure, BusReply};
use crate::latch::Code;
use crate::prelude::*;
use crate::record::Event;
use crate::round::Round;

impl Table {
    /// Starts the next transaction, if none is outstanding and one is due.
    pub(super) fn run_bus(&mut self) {
        if !self.service.is_stopping() && self.devices.ask_next(self.needs(), &mut self.ctx) {
            self.tap(Signal::Asked);
        }
    }

    /// What is needed of the bus now.
    fn needs(&self) -> Needs {
        let round = self.round.as_ref();
        Needs {
            terminal: self.probes_bus(Unit::Terminal)
                || self.asks_for_keys()
                || round.is_some_and(|r| r.bets_closed() && r.has_valid_spin()),
            dice: round.is_some_and(Round::awaits_dice),
            reader: self.probes_bus(Unit::Reader),
            boards: self.is_testing(),
            // In maintenance there is no round whose keys would be secret, and a test of the terminal asks for each of them.
            keys: if self.probes_keys() || self.asks_for_keys() {
                Keys::Tested
            } else if round.is_some_and(|r| r.revealed().is_some()) {
                Keys::Open
            } else {
                Keys::Secret
            },
            faces: round.is_some_and(Round::shows_faces),
        }
    }

    /// Whether the answer that is awaited holds keys that may not be kept.
    #[must_use]
    pub fn next_poll_is_hidden(&self) -> bool {
        self.devices.awaits_hidden_keys(self.needs())
    }

    /// The bus answered.
    pub(super) fn bus_answer(&mut self, id: u32, reply: &Result<BusReply, BusFailure>) {
        let asked = self.devices.bus.outstanding().map(|(_, job)| job.unit());
        let report = self.devices.answer(id, reply, self.needs(), &mut self.ctx);
        match report {
            Report::Stray => return,
            Report::Failed => {}
            Report::Terminal(report) => self.terminal_reports(report),
            Report::Reader(report) => self.reader_reports(report),
            Report::Lamps(report) => self.lamps_report(report),
        }
        if let Some(unit) = asked {
            self.tap(Signal::Answered(unit, !matches!(report, Report::Failed)));
        }
    }

    /// The shell never answered: the transaction is given up so that the others go on.
    pub(super) fn bus_unanswered(&mut self) {
        if let Some((id, _)) = self.devices.bus.outstanding() {
            self.bus_answer(id, &Err(BusFailure::Timeout));
        }
    }

    fn terminal_reports(&mut self, report: terminal::Report) {
        match report {
            terminal::Report::Polled(presses) => {
                let (held, bounced) = (self.devices.terminal.is_held(), self.devices.terminal.bounced());
                self.tap(Signal::Polled { held, bounced });
                for key in presses.iter() {
                    self.key(key);
                }
            }
            terminal::Report::Displayed | terminal::Report::Acknowledged => {}
        }
    }

    fn reader_reports(&mut self, report: reader::Report) {
        match report {
            reader::Report::Moved if self.reader_in_service() => self.dice_moved(),
            reader::Report::Looked | reader::Report::Moved | reader::Report::Faces(None) => {}
            reader::Report::Faces(Some(dice)) => {
                self.record(Event::FacesRead { dice });
                self.sequence.gather();
            }
        }
    }

    fn lamps_report(&mut self, report: lamps::Report) {
        let lamps::Report::Sensed(constancy) = report else { return };
        match constancy {
            Constancy::Steady => {}
            Constancy::Relapsed => self.test_failed("lamps that were lit went out by themselves"),
            Constancy::Flickers => {
                self.lamps_failed();
                self.latch(Code::Lamps, "the lamps flicker".into());
            }
        }
        let (proved, at) = (self.devices.lamps.is_proved(), self.ctx.at());
        if proved && self.round.as_mut().is_some_and(|round| round.prove_areas(at)) {
            self.record(Event::LampsVerified);
        }
    }

    /// A unit has not replied validly for too long.
    pub(super) fn unit_lost(&mut self, index: u8) {
        let unit = Unit::at(index);
        // A daemon that was told to stop asks no unit any more, however long its last record takes.
        if self.service.is_stopping() || !self.devices.lose(unit, &mut self.ctx) {
            return;
        }
        match unit {
            Unit::Terminal => self.latch(Code::Terminal, format!("{} does not reply", unit.called())),
            Unit::Reader => self.latch(Code::Reader, format!("{} does not reply", unit.called())),
            Unit::Board(_) => {
                // What was proved of its areas says nothing of them now. When it is back they are lit and proved again.
                if let Some(round) = &mut self.round {
                    round.doubt_areas();
                }
                self.latch(Code::Lamps, format!("{} does not reply", unit.called()));
            }
        }
    }

    /// Lamps do not do as they were told.
    pub(super) fn lamps_wrong(&mut self) {
        if self.devices.lamps_are_wrong() {
            self.lamps_failed();
            let wrong = self.areas(self.devices.lamps.wrong());
            self.latch(Code::Lamps, format!("lamps do not do as they were told: {}", wrong.join(", ")));
        }
    }

    /// Lamps that were proved have failed by themselves: in this round they prove nothing any more, however often they come back.
    fn lamps_failed(&mut self) {
        if let Some(round) = &mut self.round {
            round.fail_areas();
        }
    }

    /// The display does not show what it was told.
    pub(super) fn display_wrong(&mut self) {
        if self.devices.display_is_wrong() {
            self.latch(Code::Terminal, format!("the display shows \"{}\" instead", self.devices.terminal.shown()));
        }
    }

    /// Ids of these areas of the layout.
    pub(super) fn areas(&self, bits: u128) -> Vec<String> {
        self.layout().map(|layout| layout.ids(bits)).unwrap_or_default()
    }
}
