//! The proof that a record is durable.

use crate::units::Seq;
use serde::{Deserialize, Serialize};

/// A record that was made and may not be durable yet: [`super::Sequence::confirm`] says when it is. Nobody makes one up from a number.
/// The table keeps some, and its keyframes with it.
///
/// ```compile_fail,E0423
/// use tumbler_core::{sequence::Pending, units::Seq};
/// let made_up = Pending(Seq(1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending(Seq);

impl Pending {
    pub(super) const fn of(record: Seq) -> Self {
        Self(record)
    }

    pub(super) const fn record(&self) -> Seq {
        self.0
    }
}

/// The proof that a record is durable now. Only [`super::Sequence`] has any, nothing energises without one, and each energises once:
/// it can be neither copied nor written down.
///
/// ```compile_fail,E0423
/// use tumbler_core::{sequence::Durable, units::Seq};
/// let made_up = Durable(Seq(1));
/// ```
///
/// ```compile_fail,E0277
/// fn copied<T: Clone>() {}
/// copied::<tumbler_core::sequence::Durable>();
/// ```
///
/// ```compile_fail,E0277
/// let read: tumbler_core::sequence::Durable = serde_json::from_str("1").unwrap();
/// ```
#[derive(Debug)]
pub struct Durable(Seq);

impl Durable {
    pub(super) const fn of(record: Seq) -> Self {
        Self(record)
    }

    /// The record: whether it is still to be relied on is asked anew with it.
    #[must_use]
    pub const fn record(&self) -> Pending {
        Pending::of(self.0)
    }
}
