//! What is read again and again for a while: the reader after a spin, the seal's loop, the motor's temperature.

use super::Quantity;
use crate::prelude::*;
use crate::units::{MilliCelsius, Mono};
use serde::{Deserialize, Serialize};

/// Readings of a temperature test.
pub const READINGS: usize = 5;

fn micros(from: Mono, to: Mono) -> i64 {
    i64::try_from(to.nanos_since(from) / 1000).unwrap_or(i64::MAX)
}

/// The dice as the reader sees them come to rest after a spin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settling {
    turned: bool,
    still: Option<Mono>,
    settled: Option<Mono>,
}

impl Settling {
    /// The table as it is now: whether the motor runs for the test, the shaft stands, and the reader finds the dice at rest.
    pub fn look(&mut self, runs: bool, stands: bool, rest: bool, at: Mono) {
        self.turned |= runs;
        if self.turned && stands {
            // What it said before it looked again belongs to no spin.
            if self.still.is_some() && rest {
                self.settled.get_or_insert(at);
            }
            self.still.get_or_insert(at);
        }
    }

    /// Whether the dice were found at rest.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.settled.is_some()
    }

    pub(super) fn found(&self, now: Mono) -> Vec<(Quantity, i64)> {
        let Some(still) = self.still else { return Vec::new() };
        vec![(Quantity::SettleTime, micros(still, self.settled.unwrap_or(now)))]
    }
}

/// The seal's loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    breaks: i64,
}

impl Loop {
    /// A raw edge.
    pub fn edge(&mut self, active: bool) {
        self.breaks += i64::from(!active);
    }

    pub(super) fn found(self) -> Vec<(Quantity, i64)> {
        vec![(Quantity::SealBreaks, self.breaks)]
    }
}

/// The motor's temperature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thermometer {
    readings: Vec<(Mono, i64)>,
}

impl Thermometer {
    /// A reading.
    pub fn read(&mut self, reading: MilliCelsius, at: Mono) {
        if !self.is_done() {
            self.readings.push((at, i64::from(reading.0)));
        }
    }

    /// Whether there are enough.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.readings.len() >= READINGS
    }

    pub(super) fn found(&self) -> Vec<(Quantity, i64)> {
        let values = || self.readings.iter().map(|(_, value)| *value);
        let (Some(least), Some(greatest)) = (values().min(), values().max()) else { return Vec::new() };
        let mut found = vec![(Quantity::Temperature, greatest), (Quantity::TemperatureSpread, greatest - least)];
        let apart = self.readings.iter().zip(self.readings.iter().skip(1)).map(|((a, _), (b, _))| micros(*a, *b));
        found.extend(apart.max().map(|apart| (Quantity::TemperatureInterval, apart)));
        found
    }
}
