//! The hardware tests by name.

use crate::every::every;
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
    /// The dealer's buttons and the supervisor's key: a person presses and turns each.
    Buttons,
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
