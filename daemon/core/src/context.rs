//! What a part is handed with every call: the time, the settings, the deadlines, and the pins that it drives.

use crate::device::outputs::Outputs;
use crate::effect::Effect;
use crate::line::OutLine;
use crate::prelude::*;
use crate::sequence::durable::Durable;
use crate::settings::{Parameters, Settings};
use crate::timer::{Timer, Timers};
use crate::units::{Millis, Mono};
use serde::{Deserialize, Serialize};

/// The context of the step in hand.
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

    /// What is handed in from here on is handed in at `now`; it does not run back.
    pub fn hand_in(&mut self, now: Mono) {
        self.read = self.read.max(now);
    }

    /// Goes on to this moment, unless a later one was judged already.
    pub fn advance(&mut self, to: Mono) {
        self.at = self.at.max(to);
    }

    /// The input in hand happened at `stamp`, which may lie before what was judged already.
    pub fn take(&mut self, stamp: Mono) {
        self.stamp = stamp;
        self.advance(stamp);
    }

    /// The moment that is being judged.
    #[must_use]
    pub const fn at(&self) -> Mono {
        self.at
    }

    /// When the input in hand happened, by its own stamp.
    #[must_use]
    pub const fn stamp(&self) -> Mono {
        self.stamp
    }

    /// When the input in hand was handed in.
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

    /// Sets `timer` to fire `span` after the moment that is being judged.
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

    /// Takes the earliest deadline that is due at `now`, and goes on to it.
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

    /// The daemon stood still for so many nanoseconds and goes on at `now`.
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

    /// The output pins, as they were told and as they read back.
    #[must_use]
    pub const fn pins(&self) -> &Outputs {
        &self.pins
    }

    /// Gives power to what an output switches, which must read back within its time from `from` on.
    pub fn energise(&mut self, line: OutLine, from: Mono, _by: Durable) {
        self.set(line, true, from);
    }

    /// Takes power away from what an output switches. A safe call at any time.
    pub fn rest(&mut self, line: OutLine) {
        self.rest_from(line, self.at);
    }

    /// The same; it must read back within its time from `from` on.
    pub fn rest_from(&mut self, line: OutLine, from: Mono) {
        self.set(line, false, from);
    }

    /// The next edge of the dead-man line, which moves nothing by itself.
    pub fn beat(&mut self, level: bool, from: Mono) {
        self.set(OutLine::MotorAlive, level, from);
    }

    /// Lights the sign "no games", or puts it out.
    pub fn sign(&mut self, closed: bool) {
        self.set(OutLine::OutOfService, closed, self.at);
    }

    /// Tells an output again what it was told last.
    pub fn tell_again(&mut self, line: OutLine) {
        self.set(line, self.pins.told(line), self.at);
    }

    fn set(&mut self, line: OutLine, active: bool, from: Mono) {
        self.pins.set(line, active, from, &self.settings.parameters, &mut self.timers);
    }

    /// Takes a reading of an output.
    pub fn read_back(&mut self, line: OutLine, active: bool) {
        self.pins.read_back(line, active, self.at, &self.settings.parameters, &mut self.timers);
    }

    /// The wires are no longer there: nothing reads back.
    pub fn forget_pins(&mut self) {
        self.pins.forget(&mut self.timers);
    }

    /// Queues an effect.
    pub fn push(&mut self, effect: Effect) {
        self.pins.push(effect);
    }

    /// Moves the effects of the step to `out`, in their order.
    pub fn drain(&mut self, out: &mut Vec<Effect>) {
        self.pins.drain(out);
    }

    /// Something has changed that people see.
    pub const fn show(&mut self) {
        self.changed = true;
    }

    /// Whether something has changed that people have not seen.
    #[must_use]
    pub const fn has_changed(&self) -> bool {
        self.changed
    }

    /// People see the table as it is.
    pub const fn shown(&mut self) {
        self.changed = false;
    }
}
