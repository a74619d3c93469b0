//! The virtual wire: JSON lines over a Unix stream socket on which the bench listens.
//! `daemon/docs/virtual-wire.md` is the page for builders of benches.

use crate::line::{InLine, OutLine};
use crate::units::MilliCelsius;
use core::fmt;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A line in either direction, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Line {
    /// One that the table watches.
    In(InLine),
    /// One that the table drives: the bench reports what it reads at the pin.
    Out(OutLine),
}

impl Line {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::In(line) => line.name(),
            Self::Out(line) => line.name(),
        }
    }
}

/// What the bench sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum FromBench {
    /// A level of a line. `seq` 0 is the level at connection; edges count from 1 per line without gaps.
    Line(LineMessage),
    /// A reading of the motor's temperature; `null` when the sensor does not answer.
    Temperature(TemperatureMessage),
}

/// A line's level: `{"line":"dome_closed","active":true,"at_ns":123,"seq":7}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LineMessage {
    /// Name of the line.
    pub line: Line,
    /// Logical level.
    pub active: bool,
    /// When, on the machine's monotonic clock.
    pub at_ns: u64,
    /// Number of the edge on this line since the connection; 0 for the level at connection.
    pub seq: u64,
}

/// A temperature: `{"motor_temperature_mc":35500,"at_ns":123}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TemperatureMessage {
    /// Thousandths of a degree Celsius, or `null`.
    pub motor_temperature_mc: Option<MilliCelsius>,
    /// When, on the machine's monotonic clock.
    pub at_ns: u64,
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Line;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a line")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Line, E> {
                let input = InLine::ALL.into_iter().find(|line| line.name() == name).map(Line::In);
                let output = || OutLine::ALL.into_iter().find(|line| line.name() == name).map(Line::Out);
                input.or_else(output).ok_or_else(|| E::custom(format_args!("`{name}` is no line")))
            }
        }
        deserializer.deserialize_str(Name)
    }
}

/// Read in one pass and without an allocation: an edge that takes a guard away must not wait for its parser.
impl<'de> Deserialize<'de> for FromBench {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            line: Option<Line>,
            active: Option<bool>,
            at_ns: u64,
            seq: Option<u64>,
            #[serde(default, deserialize_with = "present")]
            motor_temperature_mc: Option<Option<MilliCelsius>>,
        }
        /// A value that is there, be it `null`.
        fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<MilliCelsius>>, D::Error> {
            Option::deserialize(from).map(Some)
        }
        let Fields { line, active, at_ns, seq, motor_temperature_mc } = Fields::deserialize(deserializer)?;
        match (line, active, seq, motor_temperature_mc) {
            (Some(line), Some(active), Some(seq), None) => Ok(Self::Line(LineMessage { line, active, at_ns, seq })),
            (None, None, None, Some(motor_temperature_mc)) => {
                Ok(Self::Temperature(TemperatureMessage { motor_temperature_mc, at_ns }))
            }
            _ => Err(D::Error::custom("needs line, active, at_ns and seq; or motor_temperature_mc and at_ns")),
        }
    }
}

/// What the daemon sends: `{"line":"motor_enable","active":true}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToBench {
    /// The output.
    pub line: OutLine,
    /// Logical level.
    pub active: bool,
}
