//! The table: composes its devices, the round and the latch into one machine that inputs go into and effects come out of.
//!
//! `start.rs` is a restart, `wires.rs` takes edges in, `field.rs` says what is needed of the field bus and takes its answers, `stillness.rs`
//! is a daemon that stood still. `play.rs` is the life of a round, `verdict.rs` what its facts lead to, `entry.rs` the result, `question.rs`
//! what people are asked, `ending.rs` the end. `block.rs` is the latch and the permission, `commands.rs` the console, `proof.rs` the devices'
//! tests, `show.rs` and `prompting.rs` the picture, `evidence.rs` the clauses of a record.

mod block;
mod commands;
mod ending;
mod entry;
mod evidence;
mod field;
mod play;
mod prompting;
mod proof;
mod question;
mod show;
mod start;
mod stillness;
mod verdict;
mod wires;

use crate::access::Callers;
use crate::prelude::*;
use show::Picture;
pub use start::{Found, Start};

use crate::context::Context;
use crate::device::Devices;
use crate::effect::Effect;
use crate::input::{BusReply, Input};
use crate::latch::Code;
use crate::ledger::Ledger;
use crate::line::OutLine;
use crate::proof::Test;
use crate::record::Event;
use crate::round::{History, Round, SpinEnd};
use crate::rules::{self, Clause, Layout, Order, RuleSet};
use crate::sequence::{Action, Durable, Pending, Sequence};
use crate::service::Service;
use crate::timer::Timer;
use crate::units::{Mono, Seq};
use crate::wire::console::Who;
use serde::{Deserialize, Serialize};

/// A Tai-Sai table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    ctx: Context,
    /// Order of play of new rounds; the round in progress keeps its own ([`Table::order`]).
    #[serde(rename = "order")]
    order_of_new: Order,
    boot: String,
    #[serde(flatten)]
    devices: Devices,
    sequence: Sequence,
    service: Service,
    ledger: Ledger,
    history: History,
    round: Option<Round>,
    test: Option<Test>,
    /// Whose command is carried out now, or whose test ends.
    #[serde(skip)]
    asker: Option<Who>,
    picture: Picture,
    #[serde(default, skip_serializing_if = "Callers::is_empty")]
    refusals: Callers,
    #[serde(default, skip_serializing_if = "Callers::is_empty")]
    recordings: Callers,
}

impl Table {
    /// Takes an input in: first fires the deadlines before `at`, then judges the input, and appends what is to be done to `out`.
    ///
    /// `now` must not decrease from call to call; `at` may lie before it. Only [`Input::Tick`] fires the deadlines
    /// between `at` and `now`, so hand it in once nothing else waits.
    pub fn handle(&mut self, at: Mono, now: Mono, input: &Input, out: &mut Vec<Effect>) {
        self.wake(now);
        let due = if matches!(input, Input::Tick) { now } else { Mono(at.min(now).0.saturating_sub(1)) };
        while let Some(timer) = self.ctx.pop(due) {
            self.fire(timer);
            self.follow_up();
        }
        self.ctx.take(at.min(now));
        self.take(input);
        self.follow_up();
        self.publish(matches!(input, Input::Durable { .. }));
        self.sequence.send_answers(&mut self.ctx);
        self.ctx.drain(out);
    }

    /// When the table wants an [`Input::Tick`], if nothing else comes before.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Mono> {
        self.ctx.next_deadline()
    }

    /// A number that changes whenever [`Table::snapshot`] has something new to show.
    #[must_use]
    pub const fn revision(&self) -> u64 {
        self.picture.revision()
    }

    /// The input as the ring of raw inputs may keep it: key codes that may not be seen yet are masked, and the table
    /// does the same with the masked input as with the real one. Call it before [`Table::handle`].
    #[must_use]
    pub fn redact(&self, mut input: Input) -> Input {
        if let Input::Bus { reply: Ok(BusReply::Words(words)), .. } = &mut input {
            if self.next_poll_is_hidden() {
                crate::device::terminal::mask(words);
            }
        }
        input
    }

    fn take(&mut self, input: &Input) {
        match input {
            Input::Tick => {}
            Input::Level { line, active } => self.level(*line, *active),
            Input::Edge { line, active } => self.edge(*line, *active),
            Input::LineGap { line } => self.gap(*line),
            Input::Readback { line, active } => {
                self.ctx.read_back(*line, *active);
                self.ctx.note_change();
            }
            Input::LinesLost { reason } => self.lose_lines(reason),
            Input::LinesBack => self.devices.inputs.watch(),
            Input::Bus { id, reply } => self.bus_answer(*id, reply),
            Input::Temperature { reading } => self.read_temperature(*reading),
            Input::Durable { seq } => self.durable(*seq),
            Input::JournalFailed { reason } => {
                self.sequence.fail();
                self.latch(Code::Journal, reason.clone());
                self.test_failed(reason);
                self.void_unless_established(
                    crate::round::ending::VoidReason::Interruption,
                    SpinEnd::Journal,
                    "the journal cannot be written",
                );
            }
            Input::Relayed { seq } => self.sequence.acknowledge(*seq),
            Input::Console { request, caller, command } => self.command(*request, caller, command),
            Input::Stop => self.stop(),
        }
    }

    fn fire(&mut self, timer: Timer) {
        match timer {
            Timer::Debounce(line) => self.debounced(line),
            Timer::Readback(line) => self.not_read_back(line),
            Timer::Held(line) => self.held(line),
            Timer::KeyLapse => {
                self.devices.key.lapse();
                self.ctx.note_change();
            }
            Timer::KeyBack => self.key_turned_back(),
            Timer::DomeTravel => {
                if let Some(place) = self.devices.dome.contradict() {
                    self.dome_moved(place);
                }
            }
            Timer::Alive
            | Timer::Stall
            | Timer::Period
            | Timer::SpinLimit
            | Timer::Standstill
            | Timer::Coast
            | Timer::Flicker => {
                if let Some(report) = self.devices.tumbler.timer(timer, &mut self.ctx) {
                    self.tumbler_reports(report);
                }
            }
            Timer::SettleLimit => self.never_at_rest(),
            Timer::Bus => {}
            Timer::BusGuard => self.bus_unanswered(),
            Timer::UnitLost(index) => self.unit_lost(index),
            Timer::LampVerify => self.lamps_wrong(),
            Timer::DisplayVerify => self.display_wrong(),
            Timer::ResultBack => self.show_result(),
            Timer::TerminalHeld => self.latch(Code::Terminal, "a key of the terminal is stuck".into()),
            Timer::TemperatureStale => {
                self.devices.temperature.lose();
                self.too_hot("no temperature was read for too long".into());
            }
            Timer::Linger | Timer::Gather => {
                self.sequence.flush(true, &mut self.ctx);
            }
            Timer::BellOff => {
                self.ctx.rest(OutLine::Bell);
            }
            Timer::TestStep => {}
        }
    }

    /// Lets what just became known lead to what follows from it.
    fn follow_up(&mut self) {
        self.consider();
        self.advance_test();
        self.sign();
        self.run_bus();
        self.sequence.flush(false, &mut self.ctx);
    }

    fn durable(&mut self, seq: Seq) {
        self.sequence.durable(seq);
        self.ctx.note_change();
        while let Some((action, by)) = self.sequence.release() {
            self.act(action, by);
        }
    }

    /// The record is durable: looks at the guards a second time, then energises.
    fn act(&mut self, action: Action, by: Durable) {
        match action {
            Action::Spin(round) => self.start_spin(round, by),
            Action::Bell(round) => {
                // The call that voids its own round (NZ 7.1(d)) rings, too; in the next round it would ring for another call.
                if self.round.as_ref().is_none_or(|r| r.id() == round)
                    && self.devices.inputs.is_watched()
                    && !self.service.is_stopping()
                {
                    Devices::strike_bell(by, &mut self.ctx);
                }
            }
            Action::Show(round, dice) => {
                if self.round.as_ref().is_some_and(|r| r.id() == round && r.result() == Some(dice)) {
                    self.show_result();
                }
            }
            Action::Light(round, dice) => {
                let now = self.round.as_mut().filter(|r| r.id() == round && r.result() == Some(dice));
                if let Some(now) = now {
                    now.light();
                    let areas = self.layout().map_or(0, |l| l.lit_bits(dice));
                    self.devices.lamps.light(areas, by, &mut self.ctx);
                }
            }
        }
    }

    fn record(&mut self, event: Event) -> Pending {
        self.record_by(evidence::keys(&event), event)
    }

    /// Records what goes by the clauses with these keys.
    fn record_by(&mut self, keys: &[&str], event: Event) -> Pending {
        self.ctx.note_change();
        let round = self.round.as_ref().map(|r| r.id());
        let rules = match &event {
            // What is found afterwards goes by the rules of its own round.
            Event::Corrected { round, .. } | Event::VoidedAfterwards { round, .. } => self.history.rules_of(*round),
            _ => self.rule_set(),
        };
        let clauses = rules.map(|rules| evidence::clauses(rules, &event, keys)).unwrap_or_default();
        self.sequence.record(self.ctx.at(), round, clauses, self.asker.clone(), event)
    }

    /// The rule set in force: the round's own, else the one for new rounds.
    fn rule_set(&self) -> Option<&'static RuleSet> {
        rules::rule_set(self.round.as_ref().map_or(&self.ctx.settings().rules, |r| r.rules()))
    }

    /// The order of play in force: the round's own, else that of new rounds.
    fn order(&self) -> Order {
        self.round.as_ref().map_or(self.order_of_new, Round::order)
    }

    /// The clause in force that has this key.
    fn clause(&self, key: &str) -> Clause<'static> {
        self.rule_set().map(|rules| rules.clause(key)).unwrap_or_default()
    }

    /// The layout in force.
    fn layout(&self) -> Option<&'static Layout> {
        rules::layout(self.round.as_ref().map_or(&self.ctx.settings().layout, |r| r.layout()))
    }

    fn stop(&mut self) {
        self.service.stop();
        // What was counted until now is on record for what a restart decides.
        self.interrupt_spin();
        self.halt_motor();
        self.ctx.rest(OutLine::MotorEnable);
        self.ctx.rest(OutLine::Bell);
        self.sequence.drop_held(|_| true);
        self.record(Event::Stopped);
        self.sequence.hurry();
    }
}
