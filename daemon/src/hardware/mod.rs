//! The wires of the table. The control thread reads and drives them itself, with no thread between.

pub mod cdev;
pub mod chip;
pub mod pins;
mod retry;
pub mod rppal;
pub mod thermometer;
pub mod virtual_wire;

use crate::run::inbox::Arrival;
use std::task::{Context, Poll};
use tumbler_core::line::OutLine;
use tumbler_core::units::Mono;

/// The lines of one table, however they are wired.
///
/// Only the control thread touches them, so none of this needs to be `Send`.
pub trait Lines {
    /// Ready when [`Lines::drain`] has something to give.
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()>;

    /// Appends what has come since the last call, a bounded amount of it; nothing in it is later than `now()`
    /// called afterwards. Loss and return of the lines come this way as inputs too.
    fn drain(&mut self, out: &mut Vec<Arrival>);

    /// Drives an output. A failure comes back as [`tumbler_core::input::Input::LinesLost`].
    fn set(&mut self, line: OutLine, active: bool);

    /// Motor off, sign on, bell off; no edge on the dead-man line. Called when the daemon ends.
    fn make_safe(&mut self) {
        self.set(OutLine::MotorEnable, false);
        self.set(OutLine::OutOfService, true);
        self.set(OutLine::Bell, false);
    }

    /// Name of the backend, as in the configuration.
    fn backend(&self) -> &'static str;
}

/// Opens the lines on the control thread itself.
pub type OpenLines = Box<dyn FnOnce() -> std::io::Result<Box<dyn Lines>> + Send>;

/// What an output is driven to, while nothing else is said: motor off, sign on, bell off. `None` is not driven at all:
/// an edge on the dead-man line would give a motor that a killed predecessor left enabled another 100 ms.
#[must_use]
pub const fn safe_level(line: OutLine) -> Option<bool> {
    match line {
        OutLine::MotorEnable | OutLine::Bell => Some(false),
        OutLine::MotorAlive => None,
        OutLine::OutOfService => Some(true),
    }
}

/// The moment `at` held between two others.
pub(crate) fn clamp(at: Mono, not_before: Mono, not_after: Mono) -> Mono {
    at.max(not_before).min(not_after)
}
