//! What came of a hardware test, as it is recorded and drawn.

use super::limits::Verdict;
use super::measurement::Measurement;
use super::test::HardwareTest;
use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// What came of a hardware test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// Which test.
    pub test: HardwareTest,
    /// Who ran it.
    pub by: String,
    /// The worst of what was measured; `fail` also where the test could not be ended.
    pub verdict: Verdict,
    /// What ended the test early, what a person found wrong, and which buttons are out of order or were pressed by mistake.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub found: String,
    /// What a person looked at and found right: `bell`, `seal`, `areas`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub seen: Vec<String>,
    /// What was measured.
    pub measurements: Vec<Measurement>,
    /// What a report draws.
    #[serde(skip_serializing_if = "Plots::is_empty", default)]
    pub plots: Plots,
}

/// What was seen during a test, to be drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Plots {
    /// Each tumble's period, in microseconds, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<i64>,
    /// Levels of wires over time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waves: Vec<Wave>,
    /// Id of the layout whose lamps were tested.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub layout: String,
    /// Ids of the areas that stayed dark.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dark: Vec<String>,
    /// Ids of the areas that were lit untold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untold: Vec<String>,
}

impl Plots {
    /// Whether nothing is to be drawn.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A wire's level over time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wave {
    /// The wire.
    pub line: String,
    /// Its level at the beginning.
    pub active: bool,
    /// When it changed, in microseconds from the beginning: at most [`Wave::KEPT`] times.
    pub edges: Vec<i64>,
}

impl Wave {
    /// Most edges that are kept of a wire: a spin of 20 tumbles has 40, and a sensor that bounces is seen to within the first.
    pub const KEPT: usize = 256;
}
