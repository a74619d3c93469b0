//! What may be asked of the field bus: anything that reads, any register, and of coils only what a durable record stands behind.

use crate::effect::BusOp;
use crate::prelude::*;
use crate::sequence::durable::Durable;
use serde::{Deserialize, Serialize};

/// Coils of a lamp board. Those that light anything are made from a record that is durable.
///
/// ```compile_fail,E0423
/// use tumbler_core::context::Coils;
/// let made_up = Coils(1);
/// ```
///
/// ```compile_fail,E0061
/// use tumbler_core::context::Coils;
/// let unproved = Coils::lit(1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Coils(u64);

impl Coils {
    /// All off, which needs no record.
    pub const OFF: Self = Self(0);

    /// These on and all others off; bit 0 is the first coil.
    #[must_use]
    pub const fn lit(bits: u64, _by: &Durable) -> Self {
        Self(bits)
    }

    /// Which are on; bit 0 is the first coil.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }
}

/// A transaction that [`super::Context::ask`] takes. Nobody makes one of an operation that writes coils of his own.
///
/// ```compile_fail,E0423
/// use tumbler_core::{context::Transaction, effect::BusOp};
/// let lit = Transaction(BusOp::WriteCoils { address: 0, count: 50, bits: 1 });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction(BusOp);

impl Transaction {
    /// Reads `count` input registers, at most 32.
    #[must_use]
    pub const fn read_input(address: u16, count: u16) -> Self {
        Self(BusOp::ReadInput { address, count })
    }

    /// Reads `count` discrete inputs, at most 64.
    #[must_use]
    pub const fn read_discrete(address: u16, count: u16) -> Self {
        Self(BusOp::ReadDiscrete { address, count })
    }

    /// Writes a holding register.
    #[must_use]
    pub fn write_holding(address: u16, value: u16) -> Self {
        Self(BusOp::WriteHolding { address, values: vec![value] })
    }

    /// Writes `count` coils, at most 64.
    #[must_use]
    pub const fn write_coils(address: u16, count: u16, coils: Coils) -> Self {
        Self(BusOp::WriteCoils { address, count, bits: coils.bits() })
    }

    /// The operation in the protocol's terms.
    #[must_use]
    pub fn into_op(self) -> BusOp {
        self.0
    }
}
