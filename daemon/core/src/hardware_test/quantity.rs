//! What is measured: each quantity with its unit, its limits and where they come from, and what to do about it.

use super::Limits;
use crate::settings::Parameters;
use serde::{Deserialize, Serialize};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// From motor on to the cam's first edge. At most `stall` (FAULTS motor.stall); marginal above the 450 ms that are three
    /// quarter turns of a healthy tumbler, where at most one is needed.
    StartTime,
    /// Full tumbles of the spin. At least `target_tumbles` (NZ 6.1, SGV6 3.7 and one more).
    Tumbles,
    /// Mean period of a tumble under power, the first one left out for its start. At most `tumble_period`, which is 2.5
    /// times a healthy one; marginal above 1.5 times. At least half a healthy one, marginal below three quarters: faster is a
    /// cam that counts double, or a motor without its gear.
    PeriodMean,
    /// Shortest of these periods; limits as of the mean.
    PeriodLeast,
    /// Longest of these periods, also of one that a slow shaft did not end; limits as of the mean.
    PeriodGreatest,
    /// Longest of these periods less the shortest, in thousandths of the mean. At most 80: by then a shaft under power
    /// cannot be told from one that slows down without it, and the proof of the dead-man relay no longer holds. Marginal
    /// above 40, which is what motors of this kind differ by.
    PeriodSpread,
    /// From the last dead-man edge to the cam's last edge. At most `deadman_drop` and `coast_limit` together (FAULTS
    /// motor.coast); marginal above a quarter of `coast_limit` after the drop: a healthy shaft needs a tumble at most.
    CoastTime,
    /// Longest time from a cam edge to the last bounce after it. At most `flicker`, which is how long vibration breaks a
    /// contact; marginal above a third of it. A Hall sensor in order bounces some tenths of a millisecond.
    CamBounce,
    /// Most bounces after one edge of the cam. At most 8; marginal above the 2 of a sensor in order. Harmless to the count
    /// (FAULTS cam.bounce), a sign of a loose sensor or magnet.
    CamBounces,
    /// Edges of a cam sensor that repeated its level: their partners were lost. None may be (FAULTS cam.lost_edges).
    CamRepeats,
    /// Angle of the shaft between the two sensors' edges. 90 degrees (DESIGN, the wires), 45 either way: beyond, the order
    /// of the edges hangs on less than the sensors' own width; marginal beyond 25 either way.
    CamAngle,
    /// Greatest difference of one quarter's share between tumbles under power, in thousandths of a tumble. At most 80 and
    /// marginal above 40, as of the spread of periods: an even shaft with a firm magnet has less.
    CamJitter,
}

/// A millisecond in microseconds.
const MS: i64 = 1000;

impl Quantity {
    /// The name in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::StartTime => "start time",
            Self::Tumbles => "tumbles",
            Self::PeriodMean => "period, mean",
            Self::PeriodLeast => "period, shortest",
            Self::PeriodGreatest => "period, longest",
            Self::PeriodSpread => "period, spread",
            Self::CoastTime => "coast time",
            Self::CamBounce => "bounce time",
            Self::CamBounces => "bounces an edge",
            Self::CamRepeats => "lost edges",
            Self::CamAngle => "sensor angle",
            Self::CamJitter => "edge jitter",
        }
    }

    /// The unit of its values.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::StartTime
            | Self::PeriodMean
            | Self::PeriodLeast
            | Self::PeriodGreatest
            | Self::CoastTime
            | Self::CamBounce => "us",
            Self::Tumbles => "tumbles",
            Self::PeriodSpread | Self::CamJitter => "permille",
            Self::CamBounces | Self::CamRepeats => "edges",
            Self::CamAngle => "degrees",
        }
    }

    /// What it may be at a table with these parameters.
    #[must_use]
    pub fn limits(self, p: &Parameters) -> Limits {
        let of = |ms: u32| i64::from(ms) * MS;
        match self {
            Self::StartTime => Limits::at_most(of(p.stall), of(p.stall.min(450))),
            Self::Tumbles => Limits::at_least(i64::from(p.target_tumbles), i64::from(p.target_tumbles)),
            Self::PeriodMean | Self::PeriodLeast | Self::PeriodGreatest => {
                let period = of(p.tumble_period);
                Limits::at_most(period, period * 3 / 5).and(Limits::at_least(period / 5, period * 3 / 10))
            }
            Self::PeriodSpread | Self::CamJitter => Limits::at_most(80, 40),
            Self::CoastTime => {
                let (drop, coast) = (of(p.deadman_drop), of(p.coast_limit));
                Limits::at_most(drop + coast, drop + coast / 4)
            }
            Self::CamBounce => Limits::at_most(of(p.flicker), of(p.flicker) / 3),
            Self::CamBounces => Limits::at_most(8, 2),
            Self::CamRepeats => Limits::at_most(0, 0),
            Self::CamAngle => Limits::at_most(135, 115).and(Limits::at_least(45, 65)),
        }
    }

    /// What a person does about a value that is marginal or out of limits.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::StartTime => {
                "Turn the shaft by hand with motor power off: if it binds, clean and oil its bearings; if it turns freely, check the motor's brushes and supply voltage."
            }
            Self::Tumbles => "Look for what ended the spin: dome, seal, supply, motor driver; then repeat the test.",
            Self::PeriodMean | Self::PeriodLeast | Self::PeriodGreatest => {
                "Slow: measure the motor's supply under load, oil the bearings, look for what rubs. Fast: check the motor's gear, and that each cam sensor sees one magnet a turn."
            }
            Self::PeriodSpread => {
                "Look for a belt that slips, a gear with a broken tooth, or something that rubs once a turn."
            }
            Self::CoastTime => {
                "Check the brake or the gear's friction, and that the dead-man relay drops: replace what is worn."
            }
            Self::CamBounce | Self::CamBounces => {
                "Fasten the cam sensor and its magnet (1 mm gap), check the connector and the cable's screen, then replace the sensor."
            }
            Self::CamRepeats => "Check the cam sensor's cable and the input board: edges are lost on their way.",
            Self::CamAngle => "Set the two cam sensors 90 degrees apart again and fasten them.",
            Self::CamJitter => "Fasten the cam on the shaft, and look for play in the bearings.",
        }
    }
}
