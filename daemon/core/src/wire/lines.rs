//! The virtual wire: JSON lines over a Unix stream socket on which the bench listens.
//! `daemon/docs/virtual-wire.md` is the page for builders of benches.

use crate::effect::OutLine;
use crate::input::InLine;
use crate::units::MilliCelsius;
use serde::{Deserialize, Serialize};

/// A line in either direction, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Line {
    /// One that the table watches.
    In(InLine),
    /// One that the table drives: the bench reports what it reads at the pin.
    Out(OutLine),
}

/// What the bench sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FromBench {
    /// A level of a line. `seq` 0 is the level at connection; edges count from 1 per line without gaps.
    Line(LineMessage),
    /// A reading of the motor's temperature; `null` when the sensor does not answer.
    Temperature(TemperatureMessage),
}

/// A line's level: `{"line":"dome_closed","active":true,"at_ns":123,"seq":7}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemperatureMessage {
    /// Thousandths of a degree Celsius, or `null`.
    pub motor_temperature_mc: Option<MilliCelsius>,
    /// When, on the machine's monotonic clock.
    pub at_ns: u64,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_the_contract() {
        let edge: FromBench =
            serde_json::from_str(r#"{"line":"dome_closed","active":true,"at_ns":123,"seq":7}"#).unwrap();
        assert_eq!(
            edge,
            FromBench::Line(LineMessage { line: Line::In(InLine::DomeClosed), active: true, at_ns: 123, seq: 7 })
        );
        let out = ToBench { line: OutLine::MotorEnable, active: true };
        assert_eq!(serde_json::to_string(&out).unwrap(), r#"{"line":"motor_enable","active":true}"#);
    }

    #[test]
    fn every_line_is_known_by_its_name() {
        for line in InLine::ALL {
            assert_eq!(serde_json::to_value(line).unwrap(), line.name());
        }
        for line in OutLine::ALL {
            assert_eq!(serde_json::to_value(line).unwrap(), line.name());
        }
    }
}
