//! A record that is durable, for tests of parts: nothing energises without one.

use tumbler_core::sequence::{Durable, Sequence};
use tumbler_core::units::Seq;

pub(crate) fn durable() -> Durable {
    Sequence::new(Seq(1), Seq(1), true).confirm(Seq(1)).unwrap()
}
