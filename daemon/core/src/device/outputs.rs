//! The output pins: what they were told, and what they read back. Published is what is, not what was asked for.

use crate::effect::Effect;
use crate::line::OutLine;
use crate::prelude::*;
use crate::settings::Parameters;
use crate::timer::{Timer, Timers};
use crate::units::{Millis, Mono};
use serde::{Deserialize, Serialize};

/// One output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Pin {
    told: bool,
    read: Option<bool>,
}

/// The output pins, and the queue of all effects of the current step in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outputs {
    pins: [Pin; OutLine::ALL.len()],
    #[serde(skip)]
    queue: Vec<Effect>,
}

impl Outputs {
    /// Queues an effect.
    pub fn push(&mut self, effect: Effect) {
        self.queue.push(effect);
    }

    /// Moves the queued effects to `out`.
    pub fn drain(&mut self, out: &mut Vec<Effect>) {
        out.append(&mut self.queue);
    }

    /// Drives an output and waits for it to read back; the dead-man line is not read back (its edges are too many).
    pub fn set(&mut self, line: OutLine, active: bool, at: Mono, p: &Parameters, timers: &mut Timers) {
        self.queue.push(Effect::Set { line, active });
        let Some(pin) = self.pins.get_mut(line.index()) else { return };
        pin.told = active;
        if line != OutLine::MotorAlive {
            // Armed even where the last reading agrees: a quick change must be seen through to its end.
            timers.after(Timer::Readback(line), at, Millis(p.readback));
            pin.read = None;
        }
    }

    /// Takes a reading of an output.
    pub fn read_back(&mut self, line: OutLine, active: bool, at: Mono, p: &Parameters, timers: &mut Timers) {
        let Some(pin) = self.pins.get_mut(line.index()) else { return };
        pin.read = Some(active);
        if pin.told == active {
            timers.clear(Timer::Readback(line));
        } else if line != OutLine::MotorAlive && !timers.is_set(Timer::Readback(line)) {
            timers.after(Timer::Readback(line), at, Millis(p.readback));
        }
    }

    /// What an output was told last.
    #[must_use]
    pub fn told(&self, line: OutLine) -> bool {
        self.pins.get(line.index()).is_some_and(|p| p.told)
    }

    /// What an output read last; `None` since it was driven.
    #[must_use]
    pub fn read(&self, line: OutLine) -> Option<bool> {
        self.pins.get(line.index()).and_then(|p| p.read)
    }

    /// The wires are no longer there: nothing reads back.
    pub fn forget(&mut self, timers: &mut Timers) {
        for (line, pin) in OutLine::ALL.into_iter().zip(self.pins.iter_mut()) {
            pin.read = None;
            timers.clear(Timer::Readback(line));
        }
    }
}
