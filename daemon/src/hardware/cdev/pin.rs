//! Output pins that are lines of the chip.

use embedded_hal::digital::{self, ErrorKind, ErrorType, OutputPin};
use gpiocdev::Request;
use gpiocdev::line::{Offset, Value};
use tumbler_core::effect::OutLine;

/// An output pin. The kernel knows which level is the active one.
#[derive(Debug)]
pub(super) struct CdevPin {
    pub(super) line: OutLine,
    pub(super) request: Request,
    pub(super) offset: Offset,
}

/// A pin could not be driven.
#[derive(Debug, thiserror::Error)]
#[error("`{}` cannot be driven: {source}", line.name())]
pub(super) struct PinError {
    line: OutLine,
    source: gpiocdev::Error,
}

impl digital::Error for PinError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Other
    }
}

impl CdevPin {
    /// Whether the level at the pin is the active one.
    pub(super) fn read(&self) -> Result<bool, gpiocdev::Error> {
        self.request.value(self.offset).map(|value| value == Value::Active)
    }

    fn drive(&mut self, value: Value) -> Result<(), PinError> {
        self.request.set_value(self.offset, value).map(|_| ()).map_err(|source| PinError { line: self.line, source })
    }
}

impl ErrorType for CdevPin {
    type Error = PinError;
}

impl OutputPin for CdevPin {
    fn set_low(&mut self) -> Result<(), PinError> {
        self.drive(Value::Inactive)
    }
    fn set_high(&mut self) -> Result<(), PinError> {
        self.drive(Value::Active)
    }
}
