//! What the facts of a round amount to: the spin judged at standstill, the reveal, the dice judged at rest, and the
//! outcome established.

use super::play::LEAST_TUMBLES;
use super::{RunsFor, Table};
use crate::device::bus::Job;
use crate::device::dome::Place;
use crate::device::reader::Verdict;
use crate::device::tumbler::Stop;
use crate::latch::Code;
use crate::record::Event;
use crate::round::ending::VoidReason;
use crate::round::{FlatBy, Reveal, Spin};
use crate::timer::Timer;
use crate::units::Millis;

impl Table {
    /// A defect ended the spin.
    pub(super) fn end_spin_badly(&mut self, how: &str) {
        let Some(round) = self.round.as_mut().filter(|r| r.spin == Spin::Running) else { return };
        round.spin = Spin::None;
        self.runs_for = None;
        let tumbles = self.tumbler.counted();
        self.record(Event::SpinEnded { tumbles, valid: false, how: how.to_owned() });
    }

    /// The shaft stands still after the round's run: judges the spin.
    fn judge_spin(&mut self) {
        let Some(stop) = self.tumbler.stopped_by() else { return };
        let by_dome = matches!(stop, Stop::Guard(line) if line.name().starts_with("dome"));
        if by_dome && self.order.covered && matches!(self.dome.place(), Place::Travelling | Place::Unknown) {
            return;
        }
        self.tumbler.clear_stop();
        self.runs_for = None;
        let Some(round) = self.round.as_mut().filter(|r| r.spin == Spin::Running) else { return };
        let (tumbles, slow) = (self.tumbler.counted(), round.slow);
        let broken = slow || stop == Stop::TimeLimit;
        let how = match stop {
            Stop::Target => "standstill".to_owned(),
            Stop::TimeLimit => "time-limit".to_owned(),
            Stop::Guard(line) => format!("guard {}", line.name()),
            Stop::Halt | Stop::Defect(_) => "halted".to_owned(),
        };
        let enough = tumbles >= LEAST_TUMBLES;
        let valid = enough && !(broken && self.tumbler_voids());
        if let Some(round) = &mut self.round {
            round.spin = if valid { Spin::Valid { tumbles } } else { Spin::None };
        }
        self.record(Event::SpinEnded { tumbles, valid, how });
        if valid {
            let (at, p) = (self.at, self.settings.parameters);
            self.reader.end_spin();
            self.timers.after(Timer::SettleLimit, at, Millis(p.settle_limit));
        }
        let found = format!("{} full tumbles", tumbles.0);
        if broken {
            self.latch(Code::Tumbler, format!("the tumbler is slow: {found} within the time allowed"));
        }
        if valid {
            return;
        }
        let temperature = self.is_latched(Code::Temperature);
        match stop {
            _ if broken => self.void_for_tumbler(&format!("the tumbler is slow: {found} within the time allowed")),
            Stop::Guard(crate::input::InLine::PowerGood) => {
                self.void(VoidReason::Interruption, "the supply dipped during the spin");
            }
            Stop::Halt if temperature => self.void(VoidReason::Equipment, "the motor was too hot to go on"),
            _ => self.void(VoidReason::FewerThanThree, &found),
        }
    }

    /// Lets the facts of the round lead to what follows from them.
    pub(super) fn consider(&mut self) {
        if self.tumbler.is_still()
            && self.tumbler.stopped_by().is_some()
            && matches!(self.runs_for, Some(RunsFor::Round(_)))
        {
            self.judge_spin();
        }
        let Some(round) = &self.round else {
            if let Some(by) = self.closing.take() {
                self.close(&by);
            }
            return;
        };
        let spun = matches!(round.spin, Spin::Valid { .. });
        if round.revealed.is_none() && round.bets_closed && spun {
            if !round.order.covered {
                self.reveal(Reveal::SpinEnded);
            } else if self.dome.place() == Place::Open {
                self.reveal(Reveal::Dome);
            }
        }
        if spun && self.round.as_ref().is_some_and(|r| r.established.is_none()) {
            self.judge_dice();
        }
        if self.round.as_ref().is_some_and(|r| r.entered.is_some() && r.result.is_none()) {
            self.judge_entry();
        }
    }

    /// The dice may be seen from here on.
    pub(super) fn reveal(&mut self, how: Reveal) {
        let Some(round) = &mut self.round else { return };
        round.revealed = Some(how);
        self.record(Event::Revealed { how });
        // A poll that is under way, and the next one, may still bring keys from before the reveal.
        self.hidden_polls = 1 + u8::from(matches!(self.bus.outstanding(), Some((_, Job::Poll { .. }))));
        self.clear_terminal();
        self.poll_soon();
    }

    /// Whether the reader's poses decide, or the dealer's eye does.
    pub(super) fn reader_in_service(&self) -> bool {
        self.settings.reader && self.is_in_service(Code::Reader)
    }

    /// The dice are at rest: judges them by the reader.
    fn judge_dice(&mut self) {
        if !self.reader_in_service() || !self.reader.is_settled() {
            return;
        }
        if self.reader.tumbled() == Some(false) {
            self.latch(Code::Tumbler, "the reader saw no motion of the dice during the spin".into());
            self.void_for_tumbler("the reader saw no motion of the dice during the spin");
            return;
        }
        match self.reader.verdict(self.enrolled) {
            Verdict::NotFlat(dice) => self.void(VoidReason::NotFlat, &format!("{dice} of the dice not lying flat")),
            Verdict::Wrong(what) => {
                self.latch(Code::Dice, format!("the reader sees {what}"));
                self.void(VoidReason::Equipment, &format!("the reader sees {what}"));
            }
            // Given up by the limit for settling.
            Verdict::Unknown => {}
            Verdict::Flat => {
                self.timers.clear(Timer::SettleLimit);
                if self.round.as_ref().is_some_and(|r| r.revealed.is_some()) {
                    self.establish(FlatBy::Reader);
                }
            }
        }
    }

    /// The dice should have come to rest by now.
    pub(super) fn never_settled(&mut self) {
        let waiting =
            self.round.as_ref().is_some_and(|r| r.established.is_none() && matches!(r.spin, Spin::Valid { .. }));
        if !waiting || !self.reader_in_service() {
            return;
        }
        if self.reader.is_settled() {
            if self.reader.verdict(self.enrolled) == Verdict::Unknown {
                self.latch(Code::Reader, "the reader cannot say how the dice lie".into());
            }
        } else {
            self.void(VoidReason::NotFlat, "the dice do not come to rest");
        }
    }

    /// The outcome is established: nothing but damaged dice voids the round from here on.
    pub(super) fn establish(&mut self, flat: FlatBy) {
        let Some(round) = &mut self.round else { return };
        round.established = Some(flat);
        // Not before: the faces of dice that do not lie flat are nobody's business.
        if self.reader_in_service() {
            self.reader.want_faces();
        }
        self.timers.clear(Timer::SettleLimit);
        self.record(Event::Established { flat });
        self.sequence.hurry();
    }

    /// Settled dice moved although nothing may move them.
    pub(super) fn dice_moved(&mut self) {
        let Some(round) = &self.round else { return };
        if !matches!(round.spin, Spin::Valid { .. }) || round.result.is_some() || !self.tumbler.is_still() {
            return;
        }
        self.latch(Code::Interference, "the dice moved after they had settled".into());
        self.void_unless_established(VoidReason::Equipment, "the dice moved after they had settled");
    }
}
