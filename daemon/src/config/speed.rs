//! The motor's speed, where a hardware PWM sets it.

/// How fast the motor is to turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    /// The PWM's channel, 0 to 3.
    pub channel: u8,
    /// Its frequency in Hz.
    pub hz: u32,
    /// Duty cycle while the motor is enabled, in percent, 1 to 100.
    pub percent: u8,
}
