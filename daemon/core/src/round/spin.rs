//! The spin of a round, and what ended it.

use crate::every::every;
use crate::prelude::*;
use crate::units::Tumbles;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// The rules' least number of tumbles (NZ 6.1, SGV6 3.7, SGOC 3.7, SGOC-early 3.4).
pub const LEAST_TUMBLES: Tumbles = Tumbles(3);

/// How far the spin of a round is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spin {
    /// Not asked for.
    #[default]
    None,
    /// Asked for and granted; the motor waits for the record to be durable.
    Asked,
    /// The motor was commanded on, and the shaft does not stand still yet.
    Running,
    /// Over and valid.
    Valid {
        /// Full tumbles.
        tumbles: Tumbles,
    },
}

/// What ended a spin: the first thing that did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr, VariantArray)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum SpinEnd {
    /// It reached its target and came to a stand.
    Target,
    /// The spin's time limit.
    TimeLimit,
    /// The dome's contacts: it was opened, or they broke.
    Dome,
    /// The seal's loop.
    Seal,
    /// The supply dipped.
    Supply,
    /// The motor driver reported a fault.
    Driver,
    /// The cam made no progress.
    Stall,
    /// The cam ran backwards.
    Reverse,
    /// The cam showed steps that a driven shaft does not make.
    Erratic,
    /// Edges of the cam were lost.
    LostEdges,
    /// The shaft turned on too long, or motor power stayed.
    RunsOn,
    /// A tumble took longer than a healthy one may.
    Slow,
    /// The motor was too hot, or its sensor cannot be believed.
    Heat,
    /// The dealer's button "No spin".
    NoSpin,
    /// The wires can no longer be watched or driven.
    Wires,
    /// The journal cannot be written.
    Journal,
    /// The daemon stood still, or was stopped.
    Interruption,
    /// A person voided the round.
    Decision,
    /// A record of version 1, which told it in words.
    Unknown,
}

impl SpinEnd {
    /// All of them.
    pub const ALL: [Self; Self::VARIANTS.len()] = every(Self::VARIANTS);

    /// Its name, as in records and documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether the steps counted until then can be believed.
    #[must_use]
    pub const fn is_counted(self) -> bool {
        !matches!(self, Self::Reverse | Self::Erratic | Self::LostEdges)
    }

    /// Whether these tumbles, counted until then, prove a spin, where they can be believed.
    #[must_use]
    pub fn proves_three(self, tumbles: Tumbles) -> bool {
        self.is_counted() && tumbles >= LEAST_TUMBLES
    }
}

impl<'de> Deserialize<'de> for SpinEnd {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(Self::ALL.into_iter().find(|end| end.name() == name).unwrap_or(Self::Unknown))
    }
}

/// How the spin of an interrupted round had ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spun {
    /// Whether it is a valid spin.
    pub valid: bool,
    /// Net steps of the cam that were counted.
    pub steps: u32,
    /// What ended it.
    pub how: SpinEnd,
}
