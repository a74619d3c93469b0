//! The field bus: which transaction is next, and what its answer means.
//!
//! What people wait for goes first (lamps of a result, their proof, the display, the faces), then the poll that is
//! most overdue, then acknowledgements. Polling is driven by need: fast where a key, a die or a lamp matters now.

use super::Table;
use crate::device::bus::{Job, Unit, UnitState};
use crate::device::lamps::{self, Constancy};
use crate::device::{reader, terminal};
use crate::hardware_test::Signal;
use crate::input::{BusFailure, BusReply};
use crate::latch::Code;
use crate::prelude::*;
use crate::record::Event;
use crate::timer::Timer;
use crate::units::{Millis, Mono};

/// The shell bounds every transaction well below this; an answer that never comes must not end the polling.
pub(super) const UNANSWERED: Millis = Millis(3_000);

impl Table {
    /// Starts the next transaction, if none is outstanding and one is due.
    pub(super) fn run_bus(&mut self) {
        if self.devices.bus.is_busy() || self.service.is_stopping() {
            return;
        }
        let Some(job) = self.next_job() else {
            if let Some(due) = self.next_due() {
                self.ctx.fire_at(Timer::Bus, due.max(Mono(self.ctx.at().0.saturating_add(1))));
            }
            return;
        };
        self.ctx.clear(Timer::Bus);
        self.ctx.after(Timer::BusGuard, UNANSWERED);
        self.schedule(job);
        let id = self.devices.bus.begin(job);
        let op = match job {
            Job::Terminal(request) => request.op(),
            Job::Reader(request) => request.op(),
            Job::Board(board, request) => self.devices.lamps.op(board, request),
        };
        self.tap(Signal::Asked);
        self.ctx.ask(id, job.unit().address(), op);
    }

    /// A unit's next poll is reckoned from now.
    fn schedule(&mut self, job: Job) {
        if job.is_poll() {
            let urgent = self.is_urgent(job.unit());
            let every = if urgent { self.ctx.p().poll_fast } else { self.ctx.p().poll_slow };
            self.devices.bus.schedule(job.unit(), self.ctx.at().after(Millis(every)));
        }
    }

    /// Whether a unit matters now.
    fn is_urgent(&self, unit: Unit) -> bool {
        if self.devices.bus.unit(unit).lost {
            return false;
        }
        if self.probes_bus(unit) {
            return true;
        }
        match unit {
            Unit::Terminal => {
                self.asks_for_keys()
                    || self.ctx.is_set(Timer::DisplayVerify)
                    || self.round.as_ref().is_some_and(|r| r.bets_closed() && r.has_valid_spin())
            }
            Unit::Reader => {
                !self.devices.tumbler.is_still()
                    || self.round.as_ref().is_some_and(|r| {
                        r.established().is_none() && r.has_valid_spin() && !self.devices.reader.is_at_rest()
                    })
            }
            // A test looks closely: lamps that flicker must not pass it.
            Unit::Board(_) => self.ctx.is_set(Timer::LampVerify) || self.is_testing(),
        }
    }

    /// Makes the polls of terminal and reader due now: keys and dice matter from here on.
    pub(super) fn poll_soon(&mut self) {
        self.devices.bus.poll_by(Unit::Terminal, self.ctx.at());
        self.devices.bus.poll_by(Unit::Reader, self.ctx.at());
    }

    fn may_ask(&self, unit: Unit) -> bool {
        let state = self.devices.bus.unit(unit);
        state.fitted && state.not_before <= self.ctx.at()
    }

    fn next_job(&self) -> Option<Job> {
        for board in (0u8..).take(self.devices.lamps.boards()) {
            let state = self.devices.bus.unit(Unit::Board(board));
            if state.lost || !self.may_ask(Unit::Board(board)) {
                continue;
            }
            if let Some(light) = self.devices.lamps.write_due_on(board) {
                return Some(Job::Board(board, light));
            }
        }
        for board in (0u8..).take(self.devices.lamps.boards()) {
            let state = self.devices.bus.unit(Unit::Board(board));
            let pending = self.ctx.is_set(Timer::LampVerify) && self.devices.lamps.sense_due_on(board);
            if pending && !state.lost && self.may_ask(Unit::Board(board)) {
                return Some(Job::poll(Unit::Board(board), false));
            }
        }
        if self.may_ask(Unit::Terminal) && !self.devices.bus.unit(Unit::Terminal).lost {
            if let Some(display) = self.devices.terminal.display_due() {
                return Some(Job::Terminal(display));
            }
        }
        if self.may_ask(Unit::Reader) && !self.devices.bus.unit(Unit::Reader).lost && self.faces_may_be_read() {
            return Some(Job::Reader(reader::Request::Faces));
        }
        let overdue = self
            .devices
            .bus
            .fitted()
            .filter(|(_, state)| state.due <= self.ctx.at() && state.not_before <= self.ctx.at())
            .min_by_key(|(_, state)| state.due);
        if let Some((unit, _)) = overdue {
            return Some(Job::poll(unit, self.keys_are_hidden()));
        }
        let acknowledge = self.devices.terminal.acknowledge_due().filter(|_| self.may_ask(Unit::Terminal));
        acknowledge.map(Job::Terminal)
    }

    /// Faces stay secret until they may be seen: looked at here once more, whatever asked for them.
    fn faces_may_be_read(&self) -> bool {
        self.devices.reader.faces_next()
            && self.round.as_ref().is_some_and(|r| {
                r.revealed().is_some() && r.established().is_some() && r.result().is_none() && r.asked().is_none()
            })
    }

    fn next_due(&self) -> Option<Mono> {
        self.devices.bus.fitted().map(|(_, state)| state.due.max(state.not_before)).min()
    }

    /// Whether keys may neither be shown nor told nor kept.
    fn keys_are_hidden(&self) -> bool {
        // In maintenance there is no round whose keys would be secret, and a test of the terminal asks for each of them.
        !self.probes_keys()
            && !self.asks_for_keys()
            && (self.devices.terminal.hides_keys() || self.round.as_ref().is_none_or(|r| r.revealed().is_none()))
    }

    /// Whether the answer that is awaited holds keys that may not be kept.
    pub(super) fn next_poll_is_hidden(&self) -> bool {
        let Some((_, Job::Terminal(terminal::Request::Poll { hidden }))) = self.devices.bus.outstanding() else {
            return false;
        };
        hidden || self.keys_are_hidden()
    }

    /// The bus answered.
    pub(super) fn bus_answer(&mut self, id: u32, reply: &Result<BusReply, BusFailure>) {
        let hidden = self.next_poll_is_hidden();
        let Some(job) = self.devices.bus.end(id) else { return };
        self.ctx.clear(Timer::BusGuard);
        let unit = job.unit();
        let good = reply.as_ref().is_ok_and(|reply| match job {
            Job::Terminal(request) => {
                let report = self.devices.terminal.answer(request, reply, hidden, &mut self.ctx);
                report.map(|report| self.terminal_reports(report)).is_some()
            }
            Job::Reader(request) => {
                let report = self.devices.reader.answer(request, reply, &mut self.ctx);
                report.map(|report| self.reader_reports(report)).is_some()
            }
            Job::Board(board, request) => {
                let report = self.devices.lamps.answer(board, request, reply, &mut self.ctx);
                report.map(|report| self.lamps_report(board, report)).is_some()
            }
        });
        self.tap(Signal::Answered(good));
        let p = *self.ctx.p();
        // A reply that is in order and tells nothing new proves nothing of the reader, nor is it a failure.
        let stale = good && job == Job::Reader(reader::Request::Look) && self.devices.reader.repeats();
        if stale {
            return;
        }
        if good {
            self.ctx.after(Timer::UnitLost(unit.index()), Millis(p.unit_lost));
            if matches!(unit, Unit::Board(_)) && !self.devices.bus.unit(unit).heard && !self.devices.lamps.is_proved() {
                // After a start its lamps have their time from when the bus has come up.
                self.ctx.after(Timer::LampVerify, Millis(p.lamp_verify));
            }
            if self.devices.bus.reply(unit) {
                self.ctx.note_change();
            }
        } else {
            let rest = if matches!(reply, Err(BusFailure::PortGone)) { p.poll_slow } else { p.poll_fast };
            self.devices.bus.fail(unit, self.ctx.at(), Millis(rest));
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
            // Its readback is what counts: look soon.
            terminal::Report::Displayed => self.poll_soon(),
            terminal::Report::Acknowledged => {}
        }
    }

    fn reader_reports(&mut self, report: reader::Report) {
        match report {
            reader::Report::Moved if self.reader_in_service() => self.dice_moved(),
            reader::Report::Looked | reader::Report::Moved => {}
            reader::Report::Faces(_) if self.devices.reader.faces_due() => {
                self.devices.bus.rest(Unit::Reader, self.ctx.at().after(Millis(self.ctx.p().poll_slow)));
            }
            reader::Report::Faces(None) => {}
            reader::Report::Faces(Some(dice)) => {
                self.record(Event::FacesRead { dice });
                self.sequence.hurry();
            }
        }
    }

    fn lamps_report(&mut self, board: u8, report: lamps::Report) {
        let lamps::Report::Sensed(constancy) = report else { return };
        match constancy {
            Constancy::Steady => {}
            Constancy::Relapsed => self.test_failed("lamps that were lit went out by themselves"),
            Constancy::Flickers => {
                self.lamps_failed();
                self.latch(Code::Lamps, "the lamps flicker".into());
            }
        }
        let proved = self.devices.lamps.is_proved();
        if !proved && self.devices.lamps.sense_due_on(board) {
            // Lamps take a moment; asking again at once would only keep the bus busy.
            self.devices.bus.rest(Unit::Board(board), self.ctx.at().after(Millis(self.ctx.p().poll_fast)));
        }
        let at = self.ctx.at();
        if proved && self.round.as_mut().is_some_and(|round| round.prove_areas(at)) {
            self.record(Event::LampsVerified);
        }
    }

    /// A unit has not replied validly for too long.
    pub(super) fn unit_lost(&mut self, index: u8) {
        let unit = Unit::at(index);
        if !self.devices.bus.lose(unit) {
            return;
        }
        self.ctx.note_change();
        match unit {
            Unit::Terminal => {
                self.devices.terminal.lose(&mut self.ctx);
                self.latch(Code::Terminal, "the entry terminal does not reply".into());
            }
            Unit::Reader => {
                self.devices.reader.lose();
                self.latch(Code::Reader, "the dice reader does not reply".into());
            }
            Unit::Board(board) => {
                self.devices.lamps.lose(usize::from(board));
                // What was proved of its areas says nothing of them now. When it is back they are lit and proved again.
                if let Some(round) = &mut self.round {
                    round.doubt_areas();
                }
                self.latch(Code::Lamps, format!("lamp board {} does not reply", unit.address()));
            }
        }
    }

    /// Lamps do not do as they were told.
    pub(super) fn lamps_wrong(&mut self) {
        self.devices.lamps.verified();
        // A board that was not heard of yet is not wrong: it is lost where its silence goes on.
        let silent = |(unit, state): (Unit, UnitState)| matches!(unit, Unit::Board(_)) && (state.lost || !state.heard);
        if self.devices.lamps.is_proved() || self.devices.bus.fitted().any(silent) {
            return;
        }
        self.lamps_failed();
        let wrong = self.areas(self.devices.lamps.wrong());
        self.latch(Code::Lamps, format!("lamps do not do as they were told: {}", wrong.join(", ")));
    }

    /// Lamps that were proved have failed by themselves: in this round they prove nothing any more, however often they come back.
    fn lamps_failed(&mut self) {
        if let Some(round) = &mut self.round {
            round.fail_areas();
        }
    }

    /// The display does not show what it was told.
    pub(super) fn display_wrong(&mut self) {
        if !self.devices.terminal.shows() && !self.devices.bus.unit(Unit::Terminal).lost {
            self.latch(Code::Terminal, format!("the display shows \"{}\" instead", self.devices.terminal.shown()));
        }
    }

    /// Ids of these areas of the layout.
    pub(super) fn areas(&self, bits: u128) -> Vec<String> {
        self.layout().map(|layout| layout.ids(bits)).unwrap_or_default()
    }
}
