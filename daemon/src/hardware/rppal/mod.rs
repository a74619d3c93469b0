//! Backend `rppal`: outputs through a Raspberry Pi's registers, and its hardware PWM for the motor's speed.
//!
//! rppal writes registers whatever the kernel thinks of them. So each output's line is held at the character device too, as
//! it is and driven by nobody there: nobody else can have it, one that somebody has is told and not overwritten, and when the
//! process dies the kernel makes the pin an input again where outputs do not persist. Inputs are the character device's own,
//! as for backend `cdev`: the kernel's numbers show an edge that was lost, and rppal has no edges but the kernel's either.

mod pin;
mod speed;

use super::chip::{Driver, LabelledChip, OpenError};
use crate::config::{HEADER_CHIPS, Pin, Speed};
use pin::RppalPin;
use rppal::gpio::{self, Gpio};
use rppal::system::DeviceInfo;
use speed::MotorPwm;
use std::io::ErrorKind;
use tumbler_core::line::OutLine;

/// Outputs through a Raspberry Pi's registers.
#[derive(Debug)]
pub struct Rppal {
    gpio: Option<Gpio>,
    speed: Option<Speed>,
}

impl Rppal {
    /// Outputs of the board that this is; with a speed for the motor where it has one.
    #[must_use]
    pub const fn new(speed: Option<Speed>) -> Self {
        Self { gpio: None, speed }
    }
}

impl Driver for Rppal {
    type Pin = RppalPin;

    fn name(&self) -> &'static str {
        "rppal"
    }

    /// rppal takes the same ones.
    fn labels(&self) -> Vec<String> {
        HEADER_CHIPS.map(str::to_owned).into()
    }

    /// The registers first: on what is no Raspberry Pi that is the error to tell.
    fn begin(&mut self) -> Result<(), OpenError> {
        self.gpio = Some(Gpio::new().map_err(|error| OpenError::Board(refusal(&error)))?);
        Ok(())
    }

    fn output(&mut self, chip: &LabelledChip, line: OutLine, pin: &Pin, active: bool) -> Result<RppalPin, OpenError> {
        let gpio = self.gpio.as_ref().ok_or_else(|| OpenError::Board("the registers are not open".into()))?;
        let (hold, offset) = chip.hold(line, pin)?;
        let refused = |what: String| OpenError::Board(format!("`{}`: {what}", line.name()));
        let number = u8::try_from(offset).map_err(|_| refused(format!("there is no pin {offset}")))?;
        let taken = gpio.get(number).map_err(|error| refused(refusal(&error)))?;
        // The motor's speed before its pin: a channel that cannot be had leaves the motor where it is, off.
        let speed = match &self.speed {
            Some(speed) if line == OutLine::MotorEnable => {
                Some((MotorPwm::open(speed).map_err(|error| refused(error.to_string()))?, speed.percent))
            }
            _ => None,
        };
        // At this level from the first moment on: rppal writes it before the pin is an output.
        let high = active != pin.active_low;
        let output = if high { taken.into_output_high() } else { taken.into_output_low() };
        Ok(RppalPin { line, output, active_low: pin.active_low, speed, _hold: hold })
    }
}

/// Why the registers cannot be had, and what to do about it.
fn refusal(error: &gpio::Error) -> String {
    match error {
        gpio::Error::UnknownModel => {
            "this is no Raspberry Pi that backend \"rppal\" knows; take backend \"cdev\", which needs none".into()
        }
        gpio::Error::PermissionDenied(path) => {
            format!("{path} may not be opened; the daemon's account must be in group `gpio` (usermod -aG gpio tumblerd)")
        }
        gpio::Error::Io(error) if error.kind() == ErrorKind::NotFound => {
            "there is no /dev/gpiomem, /dev/mem cannot be used, or no GPIO chip can be found; take a Raspberry Pi's own kernel, or \
             backend \"cdev\""
                .into()
        }
        gpio::Error::PinNotAvailable(pin) => format!("this board has no pin {pin}"),
        other => format!("the registers cannot be had: {other}"),
    }
}

/// The board's model, if it is a Raspberry Pi.
#[must_use]
pub fn board() -> Option<String> {
    DeviceInfo::new().ok().map(|info| info.model().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_told_with_its_remedy() {
        let told = |error| refusal(&error);
        assert!(told(gpio::Error::UnknownModel).ends_with("take backend \"cdev\", which needs none"));
        let denied = told(gpio::Error::PermissionDenied("/dev/gpiomem".into()));
        assert!(denied.starts_with("/dev/gpiomem may not be opened") && denied.contains("group `gpio`"), "{denied}");
        let missing = told(gpio::Error::Io(ErrorKind::NotFound.into()));
        assert!(missing.starts_with("there is no /dev/gpiomem"), "{missing}");
        assert_eq!(told(gpio::Error::PinNotAvailable(99)), "this board has no pin 99");
    }
}
