//! Output pins that are a register's bits.

use super::speed::{MotorPwm, SpeedError};
use embedded_hal::digital::{self, ErrorKind, ErrorType, InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;
use gpiocdev::Request;
use rppal::gpio;
use tumbler_core::line::OutLine;

/// An output pin. High is active: which level that is at the pin, it knows itself.
#[derive(Debug)]
pub struct RppalPin {
    pub(super) line: OutLine,
    /// Before the hold, so that it is an input again before anybody else can have it.
    pub(super) output: gpio::OutputPin,
    pub(super) active_low: bool,
    /// The motor's speed in percent, with the PWM that sets it, at the pin that enables it.
    pub(super) speed: Option<(MotorPwm, u8)>,
    /// Keeps the line from everybody else.
    pub(super) _hold: Request,
}

/// A pin could not be driven.
#[derive(Debug, thiserror::Error)]
#[error("`{}` cannot be driven: {source}", line.name())]
pub struct PinError {
    line: OutLine,
    source: SpeedError,
}

impl digital::Error for PinError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Other
    }
}

impl ErrorType for RppalPin {
    type Error = PinError;
}

impl RppalPin {
    fn drive(&mut self, active: bool) {
        // A write to a register cannot fail; that it took effect shows at the readback.
        if active == self.active_low { self.output.set_low() } else { self.output.set_high() }
    }

    fn turn(&mut self, percent: Option<u8>) -> Result<(), PinError> {
        let Some((pwm, speed)) = &mut self.speed else { return Ok(()) };
        let set = pwm.set_duty_cycle_percent(percent.unwrap_or(*speed));
        set.map_err(|source| PinError { line: self.line, source })
    }
}

impl OutputPin for RppalPin {
    /// The pin before the speed: it stops the motor by itself.
    fn set_low(&mut self) -> Result<(), PinError> {
        self.drive(false);
        self.turn(Some(0))
    }

    /// The speed before the pin: a motor whose speed cannot be set is not enabled.
    fn set_high(&mut self) -> Result<(), PinError> {
        self.turn(None)?;
        self.drive(true);
        Ok(())
    }
}

impl InputPin for RppalPin {
    /// The level at the pin, not the one that was written.
    fn is_high(&mut self) -> Result<bool, PinError> {
        Ok(self.output.is_set_high() != self.active_low)
    }
    fn is_low(&mut self) -> Result<bool, PinError> {
        self.is_high().map(|high| !high)
    }
}
