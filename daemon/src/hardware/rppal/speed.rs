//! The motor's speed: a channel of the board's hardware PWM.

use crate::config::Speed;
use embedded_hal::pwm::{Error, ErrorKind, ErrorType, SetDutyCycle};
use rppal::pwm::{self, Channel, Polarity, Pwm};
use std::time::Duration;

/// The PWM could not be had or set.
#[derive(Debug, thiserror::Error)]
#[error(
    "PWM channel {channel} cannot be set: {source} (dtoverlay=pwm in /boot/firmware/config.txt, group gpio, and \
     the drop-in that `tumblerd --device-allow` prints: /usr/share/doc/tumblerd/html/daemon/docs/wiring.html)"
)]
pub(super) struct SpeedError {
    channel: u8,
    source: pwm::Error,
}

impl Error for SpeedError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Other
    }
}

/// The motor's PWM. It is off when it is let go.
#[derive(Debug)]
pub(super) struct MotorPwm {
    pwm: Pwm,
    channel: u8,
    period: Duration,
}

impl MotorPwm {
    /// Takes the channel, with a duty cycle of nothing.
    pub(super) fn open(speed: &Speed) -> Result<Self, SpeedError> {
        let channel = speed.channel;
        let refused = |source| SpeedError { channel, source };
        let period = period(speed.hz);
        let number = Channel::try_from(channel).map_err(refused)?;
        let pwm = Pwm::with_period(number, period, Duration::ZERO, Polarity::Normal, true).map_err(refused)?;
        Ok(Self { pwm, channel, period })
    }
}

/// The time of one cycle.
fn period(hz: u32) -> Duration {
    Duration::from_secs(1) / hz.max(1)
}

/// The pulse of a duty cycle in thousandths.
fn pulse(period: Duration, thousandths: u16) -> Duration {
    period * u32::from(thousandths) / 1000
}

impl ErrorType for MotorPwm {
    type Error = SpeedError;
}

impl SetDutyCycle for MotorPwm {
    fn max_duty_cycle(&self) -> u16 {
        1000
    }
    fn set_duty_cycle(&mut self, duty: u16) -> Result<(), SpeedError> {
        let width = pulse(self.period, duty.min(self.max_duty_cycle()));
        self.pwm.set_pulse_width(width).map_err(|source| SpeedError { channel: self.channel, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duty_cycle_is_its_part_of_the_period() {
        let whole = period(20_000);
        assert_eq!(whole, Duration::from_micros(50));
        assert_eq!([0, 600, 1000].map(|duty| pulse(whole, duty)), [0, 30, 50].map(Duration::from_micros));
    }
}
