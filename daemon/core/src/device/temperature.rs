//! The motor's temperature: too hot, or a sensor that cannot be believed, is a malfunction.

use crate::context::Context;
use crate::prelude::*;
use crate::units::{MilliCelsius, Millis, Mono};
use serde::{Deserialize, Serialize};

/// The measuring range of the TMP105 and LM75 types of sensor: -55 to 127.9375 C (TI SBOS324, "Temperature register").
const RANGE: core::ops::RangeInclusive<i32> = -55_000..=127_938;

/// What a register of zeros alone or of ones alone says, which is 0 or one step below it, and the coarsest step is 0.5 K: so a sensor reads
/// behind a data line that is stuck, or that nobody drives.
const STUCK: core::ops::RangeInclusive<i32> = -500..=0;
/// So long such a value is believed where nothing else is read in between. These sensors are within 2 to 3 K of the truth and resolve 0.5 K
/// (TI SBOS324, NXP PCT2075): one that works, beside a motor and in a room with people, leaves such a step sooner, if it ever reads it.
const STUCK_FOR: Millis = Millis(600_000);

/// The sensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Temperature {
    last: Option<MilliCelsius>,
    /// Readings in a row with which nothing was wrong.
    good: u32,
    /// Since when it has read one and the same of [`STUCK`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    stuck: Option<Mono>,
}

/// Readings in a row that prove the sensor and the motor good: one alone hides a sensor that jumps.
const PROOF: u32 = 3;

impl Temperature {
    /// The last believable reading.
    #[must_use]
    pub const fn last(&self) -> Option<MilliCelsius> {
        self.last
    }

    /// Takes a reading; returns what is wrong with it or with the motor.
    pub fn read(&mut self, reading: MilliCelsius, ctx: &Context) -> Option<String> {
        let wrong = self.judge(reading, ctx);
        self.good = if wrong.is_some() { 0 } else { self.good.saturating_add(1) };
        wrong
    }

    fn judge(&mut self, reading: MilliCelsius, ctx: &Context) -> Option<String> {
        if !RANGE.contains(&reading.0) {
            self.last = None;
            return Some(format!("the sensor reads {}, which it cannot measure", celsius(reading)));
        }
        let before = self.last.replace(reading);
        self.stuck = match self.stuck {
            _ if !STUCK.contains(&reading.0) => None,
            Some(since) if before == Some(reading) => Some(since),
            _ => Some(ctx.at()),
        };
        let jump = i64::from(ctx.p().temperature_jump) * 1000;
        if let Some(before) = before {
            if (i64::from(reading.0) - i64::from(before.0)).abs() > jump {
                return Some(format!("the sensor jumped from {} to {}", celsius(before), celsius(reading)));
            }
        }
        if i64::from(reading.0) > i64::from(ctx.p().temperature_limit) * 1000 {
            return Some(format!(
                "the motor has {}, above the limit of {} C",
                celsius(reading),
                ctx.p().temperature_limit
            ));
        }
        if self.stuck.is_some_and(|since| ctx.reached(since, STUCK_FOR)) {
            return Some(format!(
                "the sensor has read {:?} C and nothing else for {} min, as behind a data line that is stuck",
                f64::from(reading.0) / 1000.0,
                STUCK_FOR.0 / 60_000
            ));
        }
        None
    }

    /// No reading came for too long.
    pub fn lose(&mut self) {
        self.last = None;
        self.good = 0;
        self.stuck = None;
    }

    /// Whether enough readings in a row were good.
    #[must_use]
    pub const fn is_proved(&self) -> bool {
        self.good >= PROOF
    }

    /// Whether the motor may run by its temperature.
    #[must_use]
    pub fn is_good(&self, ctx: &Context) -> bool {
        self.last.is_some_and(|t| i64::from(t.0) <= i64::from(ctx.p().temperature_limit) * 1000)
    }
}

fn celsius(t: MilliCelsius) -> String {
    format!("{}{}.{} C", if t.0 < 0 { "-" } else { "" }, (t.0 / 1000).abs(), (t.0 % 1000).abs() / 100)
}
