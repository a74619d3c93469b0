//! The output pins: what they were told, and what they read back. Published is what is, not what was asked for.

use crate::line::OutLine;
use crate::settings::Parameters;
use crate::timer::{Timer, Timers};
use crate::units::{Millis, Mono};
use serde::{Deserialize, Serialize};

/// An output, and the logical level that it is to have. Nobody else makes one: motor and bell are driven active by
/// [`crate::context::Context::energise`] alone, which takes a [`crate::sequence::Durable`].
///
/// ```compile_fail,E0451
/// use tumbler_core::context::Drive;
/// use tumbler_core::effect::Effect;
/// use tumbler_core::line::OutLine;
/// let started = Effect::Set(Drive { line: OutLine::MotorEnable, active: true });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Drive {
    line: OutLine,
    active: bool,
}

impl Drive {
    /// The output.
    #[must_use]
    pub const fn line(self) -> OutLine {
        self.line
    }

    /// The logical level.
    #[must_use]
    pub const fn is_active(self) -> bool {
        self.active
    }
}

/// One output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Pin {
    told: bool,
    read: Option<bool>,
}

/// The output pins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outputs {
    pins: [Pin; OutLine::ALL.len()],
}

/// How they are driven.
impl Outputs {
    /// Drives an output and waits for it to read back; the dead-man line is not read back (its edges are too many). Gives what is to
    /// be told to the wires.
    pub(super) fn drive(
        &mut self,
        line: OutLine,
        active: bool,
        at: Mono,
        p: &Parameters,
        timers: &mut Timers,
    ) -> Drive {
        if let Some(pin) = self.pins.get_mut(line.index()) {
            pin.told = active;
            if line != OutLine::MotorAlive {
                // Armed even where the last reading agrees: a quick change must be seen through to its end.
                timers.after(Timer::Readback(line), at, Millis(p.readback));
                pin.read = None;
            }
        }
        Drive { line, active }
    }

    /// Takes a reading of an output.
    pub(super) fn read_back(&mut self, line: OutLine, active: bool, at: Mono, p: &Parameters, timers: &mut Timers) {
        let Some(pin) = self.pins.get_mut(line.index()) else { return };
        pin.read = Some(active);
        if pin.told == active {
            timers.clear(Timer::Readback(line));
        } else if line != OutLine::MotorAlive && !timers.is_set(Timer::Readback(line)) {
            timers.after(Timer::Readback(line), at, Millis(p.readback));
        }
    }

    /// The wires are no longer there: nothing reads back.
    pub(super) fn forget(&mut self, timers: &mut Timers) {
        for (line, pin) in OutLine::ALL.into_iter().zip(self.pins.iter_mut()) {
            pin.read = None;
            timers.clear(Timer::Readback(line));
        }
    }
}

/// What is known of them.
impl Outputs {
    /// The level that an output was commanded to last.
    #[must_use]
    pub fn commanded(&self, line: OutLine) -> bool {
        self.pins.get(line.index()).is_some_and(|p| p.told)
    }

    /// What an output read last; `None` since it was driven.
    #[must_use]
    pub fn read(&self, line: OutLine) -> Option<bool> {
        self.pins.get(line.index()).and_then(|p| p.read)
    }
}
