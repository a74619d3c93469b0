//! Backend `cdev`: outputs through the kernel's GPIO character device, like the inputs.

use super::chip::{Driver, LabelledChip, OpenError};
use crate::config::Pin;
use embedded_hal::digital::{self, ErrorKind, ErrorType, InputPin, OutputPin};
use gpiocdev::Request;
use gpiocdev::line::{Offset, Value};
use tumbler_core::line::OutLine;

/// Outputs of the chip with this label.
#[derive(Debug)]
pub struct Cdev {
    /// The label, as `gpiodetect` shows it in brackets.
    pub label: String,
}

impl Driver for Cdev {
    type Pin = CdevPin;

    fn name(&self) -> &'static str {
        "cdev"
    }

    fn labels(&self) -> Vec<String> {
        vec![self.label.clone()]
    }

    fn output(&mut self, chip: &LabelledChip, line: OutLine, pin: &Pin, active: bool) -> Result<CdevPin, OpenError> {
        let (request, offset) = chip.output(line, pin, active)?;
        Ok(CdevPin { line, request, offset })
    }
}

/// An output pin. High is active: the kernel knows which level that is at the pin.
#[derive(Debug)]
pub struct CdevPin {
    line: OutLine,
    request: Request,
    offset: Offset,
}

/// A pin could not be driven, or read back.
#[derive(Debug, thiserror::Error)]
#[error("`{}` cannot be {what}: {source}", line.name())]
pub struct PinError {
    line: OutLine,
    what: &'static str,
    source: gpiocdev::Error,
}

impl digital::Error for PinError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Other
    }
}

impl CdevPin {
    fn failed(&self, what: &'static str, source: gpiocdev::Error) -> PinError {
        PinError { line: self.line, what, source }
    }

    fn drive(&mut self, value: Value) -> Result<(), PinError> {
        self.request.set_value(self.offset, value).map(|_| ()).map_err(|error| self.failed("driven", error))
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

impl InputPin for CdevPin {
    /// The level at the pin, not the one that was asked for.
    fn is_high(&mut self) -> Result<bool, PinError> {
        let value = self.request.value(self.offset).map_err(|error| self.failed("read back", error))?;
        Ok(value == Value::Active)
    }
    fn is_low(&mut self) -> Result<bool, PinError> {
        self.is_high().map(|high| !high)
    }
}
