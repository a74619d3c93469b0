//! The schedule of the field bus: which transaction is next, and which device its answer is for.
//!
//! What people wait for goes first (lamps of a result, their proof, the display, the faces), then the poll that is
//! most overdue, then acknowledgements. Polling is driven by need: fast where a key, a die or a lamp matters now.

use super::bus::{Job, Unit, UnitState};
use super::devices::Devices;
use super::{lamps, reader, terminal};
use crate::context::Context;
use crate::input::{BusFailure, BusReply};
use crate::timer::Timer;
use crate::units::{Millis, Mono};

/// The shell bounds every transaction well below this; an answer that never comes must not end the polling.
pub(crate) const UNANSWERED: Millis = Millis(3_000);

/// What is needed of the field bus now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    /// Keys are waited for.
    pub(crate) terminal: bool,
    /// How the dice lie is waited for, until they are at rest.
    pub(crate) dice: bool,
    /// A test looks at the reader closely.
    pub(crate) reader: bool,
    /// A test looks at the lamps closely: lamps that flicker must not pass it.
    pub(crate) boards: bool,
    /// What may be known of the keys.
    pub(crate) keys: Keys,
    /// Whether faces may be seen.
    pub(crate) faces: bool,
}

/// What may be known of the terminal's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// They may neither be shown nor told nor kept.
    Secret,
    /// The dice may be seen: only presses from before that stay unknown.
    Open,
    /// A test asks for each of them.
    Tested,
}

/// What an answer says, from the device that it is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Report {
    /// Nobody waits for it.
    Stray,
    /// There is no valid answer. Nothing is decided on it.
    Failed,
    /// The terminal's.
    Terminal(terminal::Report),
    /// The reader's.
    Reader(reader::Report),
    /// A lamp board's.
    Lamps(lamps::Report),
}

impl Devices {
    /// Every unit has its time to reply from now on, and the first transaction is due.
    pub(crate) fn start_bus(&self, ctx: &mut Context) {
        for (unit, _) in self.bus.fitted() {
            ctx.after(Timer::UnitLost(unit.index()), Millis(ctx.p().unit_lost));
        }
        ctx.fire_at(Timer::Bus, ctx.at());
    }

    /// Starts the next transaction, if none is outstanding and one is due; gives whether it did.
    pub(crate) fn ask_next(&mut self, needs: Needs, ctx: &mut Context) -> bool {
        if self.bus.is_busy() {
            return false;
        }
        let Some(job) = self.next_job(needs, ctx) else {
            if let Some(due) = self.bus.next_due() {
                ctx.fire_at(Timer::Bus, due.max(Mono(ctx.at().0.saturating_add(1))));
            }
            return false;
        };
        ctx.clear(Timer::Bus);
        ctx.after(Timer::BusGuard, UNANSWERED);
        if job.is_poll() {
            let every = if self.is_urgent(job.unit(), needs, ctx) { ctx.p().poll_fast } else { ctx.p().poll_slow };
            self.bus.schedule(job.unit(), ctx.at().after(Millis(every)));
        }
        let id = self.bus.begin(job);
        let op = match job {
            Job::Terminal(request) => request.op(),
            Job::Reader(request) => request.op(),
            Job::Board(board, request) => self.lamps.op(board, request),
        };
        ctx.ask(id, job.unit().address(), op);
        true
    }

    fn next_job(&self, needs: Needs, ctx: &Context) -> Option<Job> {
        let at = ctx.at();
        let boards = || (0u8..).take(self.lamps.boards()).filter(|board| self.bus.answers(Unit::Board(*board), at));
        let write = boards().find_map(|board| Some(Job::Board(board, self.lamps.write_due_on(board)?)));
        let sense = || {
            let due = boards().find(|board| ctx.is_set(Timer::LampVerify) && self.lamps.sense_due_on(*board));
            due.map(|board| Job::poll(Unit::Board(board), false))
        };
        let terminal = self.bus.answers(Unit::Terminal, at);
        let display = || self.terminal.display_due().filter(|_| terminal).map(Job::Terminal);
        // Faces stay secret until they may be seen: looked at here once more, whatever asked for them.
        let may_read = needs.faces && self.reader.faces_next() && self.bus.answers(Unit::Reader, at);
        let faces = || may_read.then_some(Job::Reader(reader::Request::Faces));
        let poll = || self.bus.most_overdue(at).map(|unit| Job::poll(unit, self.hides_keys(needs)));
        let acknowledge = || self.terminal.acknowledge_due().filter(|_| terminal).map(Job::Terminal);
        write.or_else(sense).or_else(display).or_else(faces).or_else(poll).or_else(acknowledge)
    }

    /// Whether a unit matters now.
    fn is_urgent(&self, unit: Unit, needs: Needs, ctx: &Context) -> bool {
        !self.bus.unit(unit).is_lost()
            && match unit {
                Unit::Terminal => needs.terminal || ctx.is_set(Timer::DisplayVerify),
                Unit::Reader => needs.reader || !self.tumbler.is_still() || needs.dice && !self.reader.is_at_rest(),
                Unit::Board(_) => needs.boards || ctx.is_set(Timer::LampVerify),
            }
    }

    /// Whether the keys of the next poll may neither be shown nor told nor kept.
    fn hides_keys(&self, needs: Needs) -> bool {
        match needs.keys {
            Keys::Secret => true,
            Keys::Open => self.terminal.hides_keys(),
            Keys::Tested => false,
        }
    }

    /// Whether the answer that is awaited holds keys that may not be kept.
    pub(crate) fn awaits_hidden_keys(&self, needs: Needs) -> bool {
        let Some((_, Job::Terminal(terminal::Request::Poll { hidden }))) = self.bus.outstanding() else {
            return false;
        };
        hidden || self.hides_keys(needs)
    }

    /// Takes the answer to the transaction with this number, and hands it to its device.
    pub(crate) fn answer(
        &mut self,
        id: u32,
        reply: &Result<BusReply, BusFailure>,
        needs: Needs,
        ctx: &mut Context,
    ) -> Report {
        let hidden = self.awaits_hidden_keys(needs);
        let Some(job) = self.bus.end(id) else { return Report::Stray };
        ctx.clear(Timer::BusGuard);
        let report = reply.as_ref().ok().and_then(|reply| match job {
            Job::Terminal(request) => self.terminal.answer(request, reply, hidden, ctx).map(Report::Terminal),
            Job::Reader(request) => self.reader.answer(request, reply, ctx).map(Report::Reader),
            Job::Board(board, request) => self.lamps.answer(board, request, reply, ctx).map(Report::Lamps),
        });
        let unit = job.unit();
        let Some(report) = report else {
            let gone = matches!(reply, Err(BusFailure::PortGone));
            let rest = if gone { ctx.p().poll_slow } else { ctx.p().poll_fast };
            self.bus.fail(unit, ctx.at(), Millis(rest));
            return Report::Failed;
        };
        self.ask_again(unit, report, ctx);
        // A reply that is in order and tells nothing new proves nothing of the reader, nor is it a failure (faults.md reader.stale).
        let is_news = match job {
            Job::Reader(request) => request == reader::Request::Look && !self.reader.repeats(),
            Job::Terminal(_) | Job::Board(..) => true,
        };
        if is_news {
            self.hear(unit, ctx);
        }
        report
    }

    /// What an answer says of when its unit is asked next.
    fn ask_again(&mut self, unit: Unit, report: Report, ctx: &Context) {
        match (report, unit) {
            // Its readback is what counts: look soon.
            (Report::Terminal(terminal::Report::Displayed), _) => self.poll_soon(ctx),
            (Report::Reader(reader::Report::Faces(_)), _) if self.reader.faces_due() => {
                self.bus.rest(unit, ctx.at().after(Millis(ctx.p().poll_slow)));
            }
            // Lamps take a moment; asking again at once would only keep the bus busy.
            (Report::Lamps(lamps::Report::Sensed(_)), Unit::Board(board)) if self.lamps.sense_due_on(board) => {
                self.bus.rest(unit, ctx.at().after(Millis(ctx.p().poll_fast)));
            }
            _ => {}
        }
    }

    /// A unit has answered.
    fn hear(&mut self, unit: Unit, ctx: &mut Context) {
        ctx.after(Timer::UnitLost(unit.index()), Millis(ctx.p().unit_lost));
        if matches!(unit, Unit::Board(_)) && !self.bus.unit(unit).is_heard() && !self.lamps.is_proved() {
            // After a start its lamps have their time from when the bus has come up.
            ctx.after(Timer::LampVerify, Millis(ctx.p().lamp_verify));
        }
        if self.bus.reply(unit) {
            ctx.note_change();
        }
    }

    /// The dice may be seen: keys count from here on.
    pub(crate) fn await_keys(&mut self, ctx: &mut Context) {
        // A poll that is under way, and the next one, may still bring keys from before the reveal.
        let under_way = self.bus.outstanding().is_some_and(|(_, job)| job.unit() == Unit::Terminal && job.is_poll());
        self.terminal.hide_polls(1 + u8::from(under_way));
        self.terminal.clear(ctx);
        self.poll_soon(ctx);
    }

    /// Makes the polls of terminal and reader due now.
    fn poll_soon(&mut self, ctx: &Context) {
        self.bus.poll_by(Unit::Terminal, ctx.at());
        self.bus.poll_by(Unit::Reader, ctx.at());
    }

    /// A unit has not replied validly for too long. Gives whether that is news.
    pub(crate) fn lose(&mut self, unit: Unit, ctx: &mut Context) -> bool {
        let news = self.bus.lose(unit);
        if news {
            ctx.note_change();
            match unit {
                Unit::Terminal => self.terminal.lose(ctx),
                Unit::Reader => self.reader.lose(),
                Unit::Board(board) => self.lamps.lose(usize::from(board)),
            }
        }
        news
    }

    /// The time for a proof of the lamps is over. Gives whether they do not do as they were told; a board that was not heard of yet is
    /// not wrong: it is lost where its silence goes on.
    pub(crate) fn lamps_are_wrong(&mut self) -> bool {
        self.lamps.verified();
        let silent =
            |(unit, state): (Unit, UnitState)| matches!(unit, Unit::Board(_)) && (state.is_lost() || !state.is_heard());
        !self.lamps.is_proved() && !self.bus.fitted().any(silent)
    }

    /// Whether the display does not show what it was told.
    pub(crate) fn display_is_wrong(&self) -> bool {
        !self.terminal.shows() && !self.bus.unit(Unit::Terminal).is_lost()
    }

    /// The daemon has stood still: every unit gets its whole time to reply from `now` on.
    pub(crate) fn grant_replies(&self, now: Mono, ctx: &mut Context) {
        let limit = Millis(ctx.p().unit_lost);
        for (unit, _) in self.bus.fitted() {
            if ctx.is_set(Timer::UnitLost(unit.index())) {
                ctx.after_from(Timer::UnitLost(unit.index()), now, limit);
            }
        }
    }
}
