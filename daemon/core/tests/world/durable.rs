//! A record that is durable, for tests of parts: nothing energises without one.

use tumbler_core::context::Context;
use tumbler_core::record::Event;
use tumbler_core::sequence::{Durable, Sequence};
use tumbler_core::units::{Mono, Seq};

pub(crate) fn durable() -> Durable {
    let mut sequence = Sequence::new(Seq(0), Seq(0), true);
    let record = sequence.record(Mono(0), None, Vec::new(), None, Event::KeyTurned);
    sequence.hurry();
    sequence.flush(false, &mut Context::default());
    sequence.durable(Seq(1));
    sequence.confirm(&record).unwrap()
}
