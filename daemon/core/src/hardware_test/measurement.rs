//! A measurement against its limits.

use super::limits::{Limits, Verdict};
use super::quantity::Quantity;
use crate::settings::Parameters;
use serde::{Deserialize, Serialize};

/// One quantity as it was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measurement {
    /// What was measured.
    pub quantity: Quantity,
    /// The value, in the quantity's unit.
    pub value: i64,
    /// The limits that held at this table then, in the same unit.
    pub limits: Limits,
    /// What the value is by these limits.
    pub verdict: Verdict,
}

impl Measurement {
    /// Judges a value by the limits that hold at a table with these parameters.
    #[must_use]
    pub fn new(quantity: Quantity, value: i64, p: &Parameters) -> Self {
        let limits = quantity.limits(p);
        Self { quantity, value, limits, verdict: limits.judge(value) }
    }
}
