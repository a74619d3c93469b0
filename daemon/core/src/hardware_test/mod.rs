//! Hardware tests: what a technician measures in maintenance, with the supervisor's key.
//!
//! A test is a run of the table's own steps ([`crate::table`]) under all guards; a [`Probe`] watches it and measures. Every
//! quantity has its unit, its limits with their source, and what to do ([`Quantity`]); the worst of them is the verdict.

mod dome;
mod fieldbus;
mod gauge;
mod limits;
mod measurement;
mod probe;
mod quantity;
mod spin;

pub use dome::Dome;
pub use fieldbus::{Keys, LampMap, TRANSACTIONS, Traffic};
pub use gauge::{Loop, READINGS, Settling, Thermometer};
pub use limits::{Limits, Verdict};
pub use measurement::Measurement;
pub use probe::{Probe, Signal};
pub use quantity::Quantity;
pub use spin::Spin;

use crate::every::every;
use crate::prelude::*;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// A hardware test, by what it tests.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum HardwareTest {
    /// The tumbler's motor: one spin, from start to standstill.
    Motor,
    /// The tumbler's two cam sensors: one spin.
    Cam,
    /// The dome's contacts: a person lifts it and puts it back.
    Dome,
    /// The bell: a person hears it.
    Bell,
    /// The entry terminal: its display, and each key in turn.
    Terminal,
    /// The lamps' currents, on and off, area by area; a person sees the areas.
    Lamps,
    /// The dice reader: how the dice come to rest after a spin.
    Reader,
    /// The seal's loop, and a person's look at the seal.
    Seal,
    /// The motor's temperature.
    Temperature,
    /// The field bus: errors and turnaround.
    Bus,
}

impl HardwareTest {
    /// All tests, in the order in which all of them are run.
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// The test's name on the console and in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl core::fmt::Display for HardwareTest {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

impl core::str::FromStr for HardwareTest {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|test| test.name() == name).ok_or_else(|| {
            let all: Vec<&str> = Self::ALL.iter().map(|test| test.name()).collect();
            format!("`{name}` is no hardware test; known are {}", all.join(", "))
        })
    }
}

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
    /// What ended the test early, or what a person found wrong.
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
