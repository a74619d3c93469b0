//! The life of a round, from its first call or spin to its ending.
//!
//! ```text
//!           NZ                    SGV6                      Open Cover
//! begins    tumble                place bets                place bets
//! spin      before no-more-bets   before or after it        after no-more-bets
//! reveal    dome away after no-more-bets, spin over         spin over
//! then      dice flat -> established -> result -> lamps -> all paid: settled
//! void      from any state before "established", by the rule set's clauses; damaged dice also after it
//! ```

use super::{RunsFor, Table};
use crate::device::bus::Job;
use crate::device::dome::Place;
use crate::device::reader::Verdict;
use crate::device::tumbler::Stop;
use crate::effect::{Effect, OutLine};
use crate::latch::Code;
use crate::record::{Event, FlatBy, Reveal, remember};
use crate::round::call::Call;
use crate::round::ending::{Void, VoidReason};
use crate::round::{Past, Round, Spin};
use crate::rules;
use crate::sequence::Action;
use crate::timer::Timer;
use crate::units::{Millis, RoundId, Tumbles};

/// The rules' least number of tumbles (NZ 6.1, SGV6 3.7, SGOC 3.7, SGOC-early 3.4).
pub(super) const LEAST_TUMBLES: Tumbles = Tumbles(3);

impl Table {
    /// Begins a round, if a game may start; otherwise says what stands in the way.
    fn begin_round(&mut self) -> Result<(), String> {
        self.may_play()?;
        let (Some(rules), Some(layout)) = (rules::rule_set(&self.settings.rules), rules::layout(&self.settings.layout))
        else {
            return Err("no rule set is in force".into());
        };
        let id = RoundId(self.last_round.0.saturating_add(1));
        self.last_round = id;
        self.last_void = false;
        self.order = rules.order;
        self.round = Some(Round::begin(id, rules, layout));
        self.clear_terminal();
        self.record(Event::RoundBegan { rules: rules.id.clone(), layout: layout.id.clone() });
        // A round that a power cut could forget would never be voided (SGV6 5.4.2).
        self.sequence.hurry();
        Ok(())
    }

    pub(super) fn refuse(&mut self, what: &str, why: String) {
        self.record(Event::Refused { what: what.to_owned(), why });
    }

    /// The dealer asks for a spin: a request, refused where the rules forbid motion.
    pub(super) fn ask_for_spin(&mut self) {
        if let Err(why) = self.grant_spin() {
            self.refuse("tumble", why);
        }
    }

    fn grant_spin(&mut self) -> Result<(), String> {
        match &self.round {
            Some(round) => round.may_spin()?,
            None if !self.order.spin_begins_round => {
                self.may_play()?;
                return Err("the round begins with \"Place your bets\"".into());
            }
            None => self.may_play()?,
        }
        self.motor_may_run(false)?;
        if self.round.is_none() {
            self.begin_round()?;
        }
        let Some(round) = &mut self.round else { return Err("no round is in progress".into()) };
        round.spin = Spin::Asked;
        let id = round.id;
        self.record(Event::SpinBegan);
        self.sequence.hold(Action::Spin(id));
        Ok(())
    }

    /// Whether the motor may run, as far as equipment goes; otherwise why not. No procedure waives any of it.
    pub(super) fn motor_may_run(&self, in_test: bool) -> Result<(), String> {
        if self.stopping || !self.lines_up {
            return Err("the wires are not watched".into());
        }
        if let Some(m) = self.latched.iter().find(|m| !in_test && m.code.inhibits_motor()) {
            return Err(format!("malfunction {}: {}", m.code, m.cause));
        }
        if self.order.covered && !self.dome.covers() {
            return Err("the dome is not down".into());
        }
        if !self.guards_are_good() {
            return Err("seal, supply or motor driver do not allow it".into());
        }
        if !self.tumbler.is_still() {
            return Err("the tumbler does not stand still".into());
        }
        if self.out.told(OutLine::MotorEnable) || self.out.read(OutLine::MotorEnable) == Some(true) {
            return Err("the motor does not read back as off".into());
        }
        if self.settings.temperature && !self.temperature.is_good(&self.settings.parameters) {
            return Err("the motor's temperature does not allow it".into());
        }
        Ok(())
    }

    /// The record of the spin is durable: the guards are looked at a second time, then the motor starts.
    pub(super) fn start_spin(&mut self, id: RoundId) {
        let Some(round) = self.round.as_mut().filter(|r| r.id == id && r.spin == Spin::Asked) else { return };
        round.spin = Spin::None;
        let granted = round.may_spin().map_err(str::to_owned).and_then(|()| self.motor_may_run(false));
        match granted {
            Err(why) => {
                self.refuse("tumble", why);
                self.never_activated();
            }
            Ok(()) => {
                if let Some(round) = &mut self.round {
                    round.spin = Spin::Running;
                }
                self.runs_for = Some(RunsFor::Round(id));
                self.reader.begin_spin();
                self.shown = true;
                let (at, p) = (self.at, self.settings.parameters);
                self.tumbler.run(p.target_tumbles, at, &p, &mut self.timers, &mut self.out);
            }
        }
    }

    pub(super) fn call_place_bets(&mut self) {
        if self.round.is_none() && self.begin_round().is_err() {
            self.record(Event::Called { call: Call::PlaceBets, in_turn: false });
            return;
        }
        let Some(round) = &mut self.round else { return };
        let in_turn = !round.bets_opened && !round.bets_closed;
        round.bets_opened |= in_turn;
        self.record(Event::Called { call: Call::PlaceBets, in_turn });
    }

    pub(super) fn call_no_more_bets(&mut self) {
        let Some(round) = &mut self.round else {
            self.record(Event::Called { call: Call::NoMoreBets, in_turn: false });
            return;
        };
        let in_turn = !core::mem::replace(&mut round.bets_closed, true);
        let id = round.id;
        self.record(Event::Called { call: Call::NoMoreBets, in_turn });
        if in_turn {
            // NZ 6.2: "at the same time ringing the bell".
            self.sequence.hold(Action::Bell(id));
            self.never_activated();
        }
    }

    /// NZ 7.1(d): "No more bets" was called and the tumbler was not activated for the game.
    fn never_activated(&mut self) {
        let Some(round) = &self.round else { return };
        if round.bets_closed && !round.order.spin_after_no_more_bets && round.spin == Spin::None {
            self.void(VoidReason::NeverActivated, "\"No more bets\" was called without a spin");
        }
    }

    pub(super) fn call_no_spin(&mut self) {
        let Some(round) = &self.round else {
            self.record(Event::Called { call: Call::NoSpin, in_turn: false });
            return;
        };
        if round.established.is_some() {
            self.record(Event::Called { call: Call::NoSpin, in_turn: false });
            self.refuse("no-spin", "the outcome is established: only damaged dice void it, by the supervisor".into());
            return;
        }
        let (spin, seen) = (round.spin, round.revealed.is_some());
        self.record(Event::Called { call: Call::NoSpin, in_turn: true });
        match spin {
            Spin::Running => {
                self.halt_motor();
                let tumbles = self.tumbler.counted();
                let valid = tumbles >= LEAST_TUMBLES;
                self.record(Event::SpinEnded { tumbles, valid, how: "no-spin".into() });
                if valid {
                    self.void(VoidReason::Declared, "the dealer announced \"No spin\" while the tumbler ran");
                } else {
                    self.void(
                        VoidReason::FewerThanThree,
                        &format!("{} full tumbles, stopped by \"No spin\"", tumbles.0),
                    );
                }
            }
            Spin::Valid { .. } if seen => self.void(VoidReason::NotFlat, "the dealer saw a die that does not lie flat"),
            _ => self.void(VoidReason::Declared, "the dealer announced \"No spin\""),
        }
    }

    /// The dome was found open.
    pub(super) fn dome_opened(&mut self) {
        let Some(round) = &self.round else { return };
        if round.order.covered && round.has_spun() && !round.bets_closed {
            self.halt_motor();
            self.void_unless_established(VoidReason::Exposed, "the dome was opened before \"No more bets\"");
        }
    }

    /// A full tumble took too long (NZ 7.1(b); under Singapore's rules it counts if three are completed in time).
    pub(super) fn spin_is_slow(&mut self) {
        let voids = self.tumbler_voids();
        let Some(round) = self.round.as_mut().filter(|r| r.spin == Spin::Running) else {
            self.test_failed("a full tumble took longer than a healthy one");
            return;
        };
        round.slow = true;
        if voids {
            self.halt_motor();
        }
    }

    /// Whether the rule set voids a spin whose tumbler does not operate correctly (NZ 7.1(b)).
    fn tumbler_voids(&self) -> bool {
        self.rule_set().is_some_and(|r| !r.void_clause(VoidReason::Equipment).is_empty())
    }

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

    /// A defect of the tumbler makes the outcome doubtful (NZ 7.1(b); elsewhere the rules are silent).
    pub(super) fn void_for_tumbler(&mut self, detail: &str) {
        let clause = self.rule_set().map_or("", |r| r.void_clause(VoidReason::Equipment)).to_owned();
        self.end_void_unless_established(VoidReason::Equipment, clause, detail);
    }

    /// Voids the round in progress, unless its outcome is established.
    pub(super) fn void_unless_established(&mut self, reason: VoidReason, detail: &str) {
        self.end_void_unless_established(reason, self.clause_of(reason), detail);
    }

    fn end_void_unless_established(&mut self, reason: VoidReason, clause: String, detail: &str) {
        match &self.round {
            None => {}
            Some(round) if round.established.is_some() => {
                self.record(Event::Noted { what: detail.to_owned() });
            }
            Some(_) => self.end_void(reason, clause, detail),
        }
    }

    /// Voids the round in progress.
    pub(super) fn void(&mut self, reason: VoidReason, detail: &str) {
        self.end_void(reason, self.clause_of(reason), detail);
    }

    /// The clause for a reason; of equipment, only the tumbler's misoperation has one.
    fn clause_of(&self, reason: VoidReason) -> String {
        if reason == VoidReason::Equipment {
            return String::new();
        }
        self.rule_set().map_or("", |r| r.void_clause(reason)).to_owned()
    }

    fn end_void(&mut self, reason: VoidReason, clause: String, detail: &str) {
        if self.round.is_none() {
            return;
        }
        self.end_spin_badly("void");
        self.halt_motor();
        self.record(Event::Voided(Void { reason, clause, detail: detail.to_owned() }));
        self.out.push(Effect::Dump { reason: "void".to_owned() });
        self.last_void = true;
        self.end_round(None, Some(reason));
    }

    /// The round is over: everything of it goes dark, and the table is as it was.
    pub(super) fn end_round(&mut self, dice: Option<crate::units::Dice>, void: Option<VoidReason>) {
        let Some(round) = self.round.take() else { return };
        remember(&mut self.recent, Past { id: round.id, dice, void });
        self.timers.clear(Timer::SettleLimit);
        self.hidden_polls = 0;
        self.reader.forget_faces();
        self.sequence.drop_held(|a| matches!(a, Action::Spin(_) | Action::Light(..)));
        self.darken();
        if let Some(rules) = rules::rule_set(&self.settings.rules) {
            self.order = rules.order;
        }
        let keyframe = Event::Keyframe(Box::new(self.standing()));
        self.record(keyframe);
        self.sequence.hurry();
    }

    /// Lamps off, display blank.
    pub(super) fn darken(&mut self) {
        let (at, p) = (self.at, self.settings.parameters);
        self.lamps.light(0, at, &p, &mut self.timers);
        self.clear_terminal();
    }

    pub(super) fn clear_terminal(&mut self) {
        let (at, p) = (self.at, self.settings.parameters);
        self.terminal.clear(at, &p, &mut self.timers);
    }
}
