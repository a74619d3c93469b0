//! Hardware tests: what a technician measures in maintenance, with the supervisor's key.
//!
//! A test is a run of the table's own steps ([`crate::table`]) under all guards; a [`Probe`] watches it and measures. Every
//! quantity has its unit, its limits with their source, and what to do ([`Quantity`]); the worst of them is the verdict.

mod measurement;
mod quantity;
mod spin;

pub use measurement::{Limits, Measurement, Verdict};
pub use quantity::Quantity;
pub use spin::Spin;

use crate::settings::Parameters;
use crate::units::Mono;
use serde::{Deserialize, Serialize};

/// A hardware test, by what it tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HardwareTest {
    /// The tumbler's motor: one spin, from start to standstill.
    Motor,
    /// The tumbler's two cam sensors: one spin.
    Cam,
}

impl HardwareTest {
    /// All tests, in the order in which all of them are run.
    pub const ALL: [Self; 2] = [Self::Motor, Self::Cam];

    /// The test's name on the console and in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Motor => "motor",
            Self::Cam => "cam",
        }
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
}

impl Plots {
    /// Whether nothing is to be drawn.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.periods.is_empty() && self.waves.is_empty()
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

/// What watches a test and measures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Probe {
    /// A spin.
    Spin(HardwareTest, Spin),
}

impl Probe {
    /// The probe of this test.
    #[must_use]
    pub fn new(test: HardwareTest) -> Self {
        Self::Spin(test, Spin::default())
    }

    /// What is measured by `now`: of a test in progress, as far as it is known.
    #[must_use]
    pub fn measurements(&self, now: Mono, p: &Parameters) -> Vec<Measurement> {
        let values = match self {
            Self::Spin(HardwareTest::Cam, spin) => spin.cam(),
            Self::Spin(_, spin) => spin.motor(now),
        };
        values.into_iter().map(|(quantity, value)| Measurement::new(quantity, value, p)).collect()
    }

    /// What was seen.
    #[must_use]
    pub fn plots(&self) -> Plots {
        match self {
            Self::Spin(_, spin) => spin.plots(),
        }
    }
}
