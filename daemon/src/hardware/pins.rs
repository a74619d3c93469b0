//! The output pins behind `embedded_hal`, whatever they are made of.

use embedded_hal::digital::{OutputPin, PinState};
use std::convert::Infallible;
use tumbler_core::line::OutLine;

/// The table's outputs, each on a pin.
#[derive(Debug)]
pub struct Outputs<P> {
    motor_enable: P,
    motor_alive: P,
    out_of_service: P,
    bell: P,
}

impl<P: OutputPin> Outputs<P> {
    /// Takes a pin for each output from `pin`, in the order of [`OutLine::ALL`]. Drives nothing yet.
    pub fn new(mut pin: impl FnMut(OutLine) -> P) -> Self {
        let Ok(outputs) = Self::try_new(|line| Ok::<_, Infallible>(pin(line)));
        outputs
    }

    /// The same of pins that may not be had.
    ///
    /// # Errors
    /// That of the first pin that was not had.
    pub fn try_new<E>(mut pin: impl FnMut(OutLine) -> Result<P, E>) -> Result<Self, E> {
        Ok(Self {
            motor_enable: pin(OutLine::MotorEnable)?,
            motor_alive: pin(OutLine::MotorAlive)?,
            out_of_service: pin(OutLine::OutOfService)?,
            bell: pin(OutLine::Bell)?,
        })
    }

    /// The pin of an output.
    pub fn pin(&mut self, line: OutLine) -> &mut P {
        match line {
            OutLine::MotorEnable => &mut self.motor_enable,
            OutLine::MotorAlive => &mut self.motor_alive,
            OutLine::OutOfService => &mut self.out_of_service,
            OutLine::Bell => &mut self.bell,
        }
    }

    /// Drives an output to a logical level.
    ///
    /// # Errors
    /// What the pin says.
    pub fn set(&mut self, line: OutLine, active: bool) -> Result<(), P::Error> {
        self.pin(line).set_state(PinState::from(active))
    }
}
