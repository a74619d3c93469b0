//! The lines of a GPIO chip, through the kernel's character device (uAPI v2): all of them for backend `cdev`, the inputs for
//! backend `rppal`, which drives the outputs by itself.
//!
//! The kernel stamps every edge with `CLOCK_MONOTONIC` and numbers it for its line. A missing number is a fault that the
//! table is told of, and the level is taken again. A chip that is missing or goes, a line that somebody else holds and a
//! write that fails are all the same to the table: its lines are lost, and they are tried again with back-off.

mod edges;
mod find;
mod persist;

pub use find::{LabelledChip, OpenError};

use crate::config::{Pin, Pins};
use crate::hardware::pins::Outputs;
use crate::hardware::retry::Retry;
use crate::hardware::{Lines, safe_level};
use crate::run::clock;
use crate::run::inbox::Arrival;
use edges::Edges;
use embedded_hal::digital::{InputPin, OutputPin};
use persist::warn_of_persistent_outputs;
use std::fmt::Display;
use std::task::{Context, Poll};
use std::time::Duration;
use tumbler_core::input::Input;
use tumbler_core::line::OutLine;
use tumbler_core::units::Mono;

/// What drives the outputs: all that tells one backend on a chip from another.
pub trait Driver {
    /// An output pin. High is active, whatever level that is at the pin; what it reads is the level at the pin.
    type Pin: OutputPin<Error: Display> + InputPin;

    /// Name of the backend, as in the configuration.
    fn name(&self) -> &'static str;

    /// Labels of the chips that it may be: the first one that there is.
    fn labels(&self) -> Vec<String>;

    /// Before each attempt to have the lines.
    ///
    /// # Errors
    /// There is no use in trying.
    fn begin(&mut self) -> Result<(), OpenError> {
        Ok(())
    }

    /// Takes an output, driven to this level at once.
    ///
    /// # Errors
    /// It cannot be had.
    fn output(&mut self, chip: &LabelledChip, line: OutLine, pin: &Pin, active: bool) -> Result<Self::Pin, OpenError>;
}

/// The lines of a table on a GPIO chip.
#[derive(Debug)]
pub struct ChipLines<D: Driver> {
    driver: D,
    pins: Box<Pins>,
    held: Option<Held<D::Pin>>,
    /// Inputs that wait to be drained: loss, return, levels and readbacks.
    pending: Vec<Arrival>,
    retry: Retry,
    /// The sign as last set; everything else is driven inactive after a loss.
    sign: bool,
    /// Whether the chip has been found before.
    found: bool,
}

/// Lines that the kernel has given out.
#[derive(Debug)]
struct Held<P> {
    label: String,
    since: Mono,
    edges: Edges,
    outputs: Outputs<P>,
}

impl<D: Driver> ChipLines<D> {
    /// Lines of the driver's chip. One that cannot be had yet is tried again for ever.
    #[must_use]
    pub fn open(driver: D, pins: Box<Pins>) -> Self {
        let mut lines =
            Self { driver, pins, held: None, pending: Vec::new(), retry: Retry::new(), sign: true, found: false };
        if let Err(error) = lines.take() {
            lines.lose(error.to_string());
        }
        lines
    }

    /// Asks the kernel for the lines. Every output comes at its safe level, and `motor_enable` before the dead-man line:
    /// so that an edge on that line finds no motor enabled.
    fn take(&mut self) -> Result<(), OpenError> {
        self.driver.begin()?;
        let chip = LabelledChip::by_label(self.driver.labels())?;
        if !std::mem::replace(&mut self.found, true) {
            warn_of_persistent_outputs(chip.label());
        }
        chip.check(&self.pins)?;
        let outputs = Outputs::try_new(|line| {
            let level = if line == OutLine::OutOfService { self.sign } else { safe_level(line).unwrap_or(false) };
            self.driver.output(&chip, line, self.pins.output(line), level)
        })?;
        let edges = Edges::watch(&chip, &self.pins, &mut self.pending)?;
        let label = chip.label().to_owned();
        tracing::info!(chip = label, "holding the lines of the GPIO chip");
        self.held = Some(Held { label, since: clock::now(), edges, outputs });
        for line in OutLine::ALL {
            self.read_back(line);
        }
        Ok(())
    }

    /// Lets go of the lines, tells the table and plans the next attempt.
    fn lose(&mut self, reason: String) {
        let now = clock::now();
        let there = self.held.take().map_or(0, |held| now.nanos_since(held.since));
        if self.retry.lost(&reason, Duration::from_nanos(there)) {
            tracing::warn!(%reason, "lines lost; trying again");
        }
        self.pending.push(Arrival { at: now, input: Input::LinesLost { reason } });
    }

    fn try_again(&mut self) {
        if !self.retry.is_due() {
            return;
        }
        let before = self.pending.len();
        match self.take() {
            // Before the levels that came with them.
            Ok(()) => self.pending.insert(before, Arrival { at: clock::now(), input: Input::LinesBack }),
            Err(error) => {
                self.pending.truncate(before);
                // After one obstacle is removed, the next one must be reported.
                if self.retry.lost(&error.to_string(), Duration::ZERO) {
                    tracing::warn!(reason = %error, "the lines are still away; trying again");
                }
            }
        }
    }

    /// Reads the level at the pin. The dead-man line is not read: the monostable outside judges it.
    fn read_back(&mut self, line: OutLine) {
        if line == OutLine::MotorAlive {
            return;
        }
        let Some(held) = &mut self.held else { return };
        match held.outputs.pin(line).is_high() {
            Ok(active) => self.pending.push(Arrival { at: clock::now(), input: Input::Readback { line, active } }),
            Err(error) => self.lose(error.to_string()),
        }
    }
}

impl<D: Driver> Lines for ChipLines<D> {
    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.pending.is_empty() {
            return Poll::Ready(());
        }
        match &mut self.held {
            Some(held) => held.edges.poll_ready(cx),
            None => self.retry.poll(cx),
        }
    }

    fn drain(&mut self, out: &mut Vec<Arrival>) {
        match &mut self.held {
            Some(held) => {
                if let Err(error) = held.edges.drain(&mut self.pending) {
                    let reason = format!("the edges of `{}` cannot be read: {error}", held.label);
                    self.lose(reason);
                }
            }
            None => self.try_again(),
        }
        out.append(&mut self.pending);
    }

    fn set(&mut self, line: OutLine, active: bool) {
        if line == OutLine::OutOfService {
            self.sign = active;
        }
        let Some(held) = &mut self.held else { return };
        match held.outputs.set(line, active) {
            Ok(()) => self.read_back(line),
            Err(error) => self.lose(error.to_string()),
        }
    }

    fn backend(&self) -> &'static str {
        self.driver.name()
    }
}

#[cfg(test)]
mod tests;
