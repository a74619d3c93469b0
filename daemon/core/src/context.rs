//! The context that every part gets with every call: the time, the settings, the deadlines, and the pins that it drives.

use crate::device::outputs::Outputs;
use crate::effect::Effect;
use crate::line::OutLine;
use crate::prelude::*;
use crate::sequence::durable::Durable;
use crate::settings::{Parameters, Settings};
use crate::timer::{Timer, Timers};
use crate::units::{Millis, Mono};
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
    changed: bool,
}

impl Context {
    /// The context of a table that starts at `now`.
    #[must_use]
    pub fn new(settings: Settings, now: Mono) -> Self {
        let (timers, pins) = (Timers::default(), Outputs::default());
        Self { settings, at: now, stamp: now, read: now, timers, pins, changed: false }
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

    /// Energises an output, which must read back within its time limit, counted from `from`.
    pub fn energise(&mut self, line: OutLine, from: Mono, _by: Durable) {
        self.set(line, true, from);
    }

    /// De-energises an output. Safe at any time.
    pub fn rest(&mut self, line: OutLine) {
        self.rest_from(line, self.at);
    }

    /// De-energises an output, which must read back within its time limit, counted from `from`.
    pub fn rest_from(&mut self, line: OutLine, from: Mono) {
        self.set(line, false, from);
    }

    /// Drives the next edge of the dead-man line, which alone does not run the motor.
    pub fn beat(&mut self, level: bool, from: Mono) {
        self.set(OutLine::MotorAlive, level, from);
    }

    /// Switches the sign "no games" on or off.
    pub fn sign(&mut self, closed: bool) {
        self.set(OutLine::OutOfService, closed, self.at);
    }

    /// Repeats an output's last command.
    pub fn tell_again(&mut self, line: OutLine) {
        self.set(line, self.pins.told(line), self.at);
    }

    fn set(&mut self, line: OutLine, active: bool, from: Mono) {
        self.pins.set(line, active, from, &self.settings.parameters, &mut self.timers);
    }

    /// Takes the readback of an output.
    pub fn read_back(&mut self, line: OutLine, active: bool) {
        self.pins.read_back(line, active, self.at, &self.settings.parameters, &mut self.timers);
    }

    /// The wires are lost, so there are no readbacks.
    pub fn forget_pins(&mut self) {
        self.pins.forget(&mut self.timers);
    }

    /// Queues an effect.
    pub fn push(&mut self, effect: Effect) {
        self.pins.push(effect);
    }

    /// Moves the effects of the step to `out`, in order.
    pub fn drain(&mut self, out: &mut Vec<Effect>) {
        self.pins.drain(out);
    }

    /// Notes that something visible has changed.
    pub const fn show(&mut self) {
        self.changed = true;
    }

    /// Whether something visible has changed since the last [`Context::shown`].
    #[must_use]
    pub const fn has_changed(&self) -> bool {
        self.changed
    }

    /// Notes that people have seen the current state.
    pub const fn shown(&mut self) {
        self.changed = false;
    }
}
