//! The context that every part gets with every call: the time, the settings, the deadlines, and the pins that it drives.

pub(crate) mod outputs;
mod transaction;

pub use outputs::{Drive, Outputs};
pub use transaction::{Coils, Transaction};

use crate::effect::{BusRequest, Effect, KeyTold};
use crate::line::OutLine;
use crate::prelude::*;
use crate::record::Record;
use crate::sequence::durable::Durable;
use crate::settings::{Parameters, Settings};
use crate::timer::{Timer, Timers};
use crate::units::{Millis, Mono, Seq};
use crate::wire::console::Answer;
use serde::{Deserialize, Serialize};

/// The context of the current step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Context {
    settings: Settings,
    at: Mono,
    stamp: Mono,
    read: Mono,
    timers: Timers,
    pins: Outputs,
    /// What is to be done outside, in order.
    #[serde(skip)]
    effects: Vec<Effect>,
    changed: bool,
}

impl Context {
    /// The context of a table that starts at `now`.
    #[must_use]
    pub fn new(settings: Settings, now: Mono) -> Self {
        let (timers, pins) = (Timers::default(), Outputs::default());
        Self { settings, at: now, stamp: now, read: now, timers, pins, effects: Vec::new(), changed: false }
    }

    /// Sets the time at which inputs are handed in. It never goes back.
    pub fn hand_in(&mut self, now: Mono) {
        self.read = self.read.max(now);
    }

    /// Advances the time to be judged to this one, unless a later one was judged already.
    pub fn advance(&mut self, to: Mono) {
        self.at = self.at.max(to);
    }

    /// Sets when the current input happened, which may be earlier than the time that was judged already.
    pub fn take(&mut self, stamp: Mono) {
        self.stamp = stamp;
        self.advance(stamp);
    }

    /// The time that is being judged.
    #[must_use]
    pub const fn at(&self) -> Mono {
        self.at
    }

    /// When the current input happened, by its own timestamp.
    #[must_use]
    pub const fn stamp(&self) -> Mono {
        self.stamp
    }

    /// When the current input was handed in.
    #[must_use]
    pub const fn read(&self) -> Mono {
        self.read
    }

    /// Whether `span` has passed since `since`.
    #[must_use]
    pub const fn reached(&self, since: Mono, span: Millis) -> bool {
        self.at.reached(since, span)
    }

    /// The settings of the table.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Timings and limits.
    #[must_use]
    pub const fn p(&self) -> &Parameters {
        &self.settings.parameters
    }

    /// Sets `timer` to fire `span` after the time that is being judged.
    pub fn after(&mut self, timer: Timer, span: Millis) {
        self.timers.after(timer, self.at, span);
    }

    /// Sets `timer` to fire `span` after `from`.
    pub fn after_from(&mut self, timer: Timer, from: Mono, span: Millis) {
        self.timers.after(timer, from, span);
    }

    /// Sets `timer` to fire at `at`.
    pub fn fire_at(&mut self, timer: Timer, at: Mono) {
        self.timers.set(timer, at);
    }

    /// Takes the earliest deadline that is due at `now`, and advances to its time.
    pub fn pop(&mut self, now: Mono) -> Option<Timer> {
        let (deadline, timer) = self.timers.pop(now)?;
        self.advance(deadline);
        Some(timer)
    }

    /// The earliest deadline.
    #[must_use]
    pub const fn next_deadline(&self) -> Option<Mono> {
        self.timers.next()
    }

    /// Adjusts the timers: the daemon was suspended for this many nanoseconds and goes on at `now`.
    pub fn wake(&mut self, now: Mono, stood: u64) {
        self.timers.wake(now, stood);
    }

    /// Clears `timer`.
    pub fn clear(&mut self, timer: Timer) {
        self.timers.clear(timer);
    }

    /// Whether `timer` is set.
    #[must_use]
    pub fn is_set(&self, timer: Timer) -> bool {
        self.timers.is_set(timer)
    }

    /// The output pins, with commanded levels and readbacks.
    #[must_use]
    pub const fn pins(&self) -> &Outputs {
        &self.pins
    }

    /// Energises an output, which must read back within its time limit, counted from `from`; by a record that is durable, and once.
    ///
    /// ```compile_fail,E0382
    /// use tumbler_core::{context::Context, line::OutLine, sequence::Durable, units::Mono};
    /// fn ring_twice(ctx: &mut Context, by: Durable) {
    ///     ctx.energise(OutLine::Bell, Mono(0), by);
    ///     ctx.energise(OutLine::Bell, Mono(9), by);
    /// }
    /// ```
    pub fn energise(&mut self, line: OutLine, from: Mono, by: Durable) {
        // One proof, one act: it is spent here.
        let _spent = by;
        self.drive(line, true, from);
    }

    /// De-energises an output. Safe at any time.
    pub fn rest(&mut self, line: OutLine) {
        self.rest_from(line, self.at);
    }

    /// De-energises an output, which must read back within its time limit, counted from `from`.
    pub fn rest_from(&mut self, line: OutLine, from: Mono) {
        self.drive(line, false, from);
    }

    /// Drives the next edge of the dead-man line, which alone does not run the motor.
    pub fn beat(&mut self, level: bool, from: Mono) {
        self.drive(OutLine::MotorAlive, level, from);
    }

    /// Switches the sign "no games" on or off.
    pub fn sign(&mut self, closed: bool) {
        self.drive(OutLine::OutOfService, closed, self.at);
    }

    /// Repeats an output's last command.
    pub fn repeat(&mut self, line: OutLine) {
        self.drive(line, self.pins.commanded(line), self.at);
    }

    fn drive(&mut self, line: OutLine, active: bool, from: Mono) {
        let drive = self.pins.drive(line, active, from, &self.settings.parameters, &mut self.timers);
        self.push(Effect::Set(drive));
    }

    /// Takes the readback of an output.
    pub fn read_back(&mut self, line: OutLine, active: bool) {
        self.pins.read_back(line, active, self.at, &self.settings.parameters, &mut self.timers);
    }

    /// The wires are lost, so there are no readbacks.
    pub fn forget_pins(&mut self) {
        self.pins.forget(&mut self.timers);
    }

    /// Commits these records, consecutive in `seq`, with the relay's cursor, and with the permission where it changes
    /// ([`Effect::Journal`]).
    pub fn commit(&mut self, records: Vec<Record>, relayed: Seq, permit: Option<bool>) {
        self.push(Effect::Journal { records, relayed, permit });
    }

    /// Asks the unit at this address of the field bus; the answer carries `id`.
    pub fn ask(&mut self, id: u32, unit: u8, transaction: Transaction) {
        self.push(Effect::Bus(BusRequest { id, unit, op: transaction.into_op() }));
    }

    /// Answers a console command.
    pub fn reply(&mut self, request: u64, answer: Answer) {
        self.push(Effect::Reply { request, answer });
    }

    /// Tells the relay of a key on the dealer's keypad.
    pub fn tell_key(&mut self, key: KeyTold) {
        self.push(Effect::Keypad(key));
    }

    /// Has the ring of raw inputs written out; `reason` is a short word for the file's name, and `request` the command that is answered
    /// when that is done.
    pub fn dump(&mut self, reason: &str, request: Option<u64>) {
        self.push(Effect::Dump { reason: reason.to_owned(), request });
    }

    /// Queues an effect. Nobody else does: whoever could might drive the motor past the disk.
    ///
    /// ```compile_fail,E0624
    /// use tumbler_core::{context::Context, effect::Effect};
    /// fn slip_past(ctx: &mut Context, effect: Effect) {
    ///     ctx.push(effect);
    /// }
    /// ```
    fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Moves the effects of the step to `out`, in order.
    pub fn drain(&mut self, out: &mut Vec<Effect>) {
        out.append(&mut self.effects);
    }

    /// Notes that something visible has changed.
    pub const fn note_change(&mut self) {
        self.changed = true;
    }

    /// Whether something visible has changed since the last [`Context::clear_change`].
    #[must_use]
    pub const fn has_changed(&self) -> bool {
        self.changed
    }

    /// Notes that people have seen the current state.
    pub const fn clear_change(&mut self) {
        self.changed = false;
    }
}
