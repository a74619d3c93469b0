//! The proof that a record is durable.

use crate::units::Seq;
use serde::{Deserialize, Serialize};

/// A record that is durable. Only [`super::Sequence`] knows of one, and nothing energises without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Durable(Seq);

impl Durable {
    pub(super) const fn of(record: Seq) -> Self {
        Self(record)
    }
}
