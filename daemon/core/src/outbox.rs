//! The relay's outbox is the journal itself; this is how far the broker has acknowledged it.

use crate::units::Seq;
use serde::{Deserialize, Serialize};

/// The relay's cursor. It rides on the next commit, so a crash may send some events twice and never loses one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outbox {
    acknowledged: Seq,
}

impl Outbox {
    /// An outbox whose events up to and with this one are acknowledged.
    #[must_use]
    pub const fn from(acknowledged: Seq) -> Self {
        Self { acknowledged }
    }
    /// The last acknowledged event.
    #[must_use]
    pub const fn cursor(self) -> Seq {
        self.acknowledged
    }
    /// Takes an acknowledgement. What was never durable was never sent, and a cursor does not run backwards: such
    /// an acknowledgement is ignored.
    pub fn acknowledge(&mut self, seq: Seq, durable: Seq) {
        if seq > self.acknowledged && seq <= durable {
            self.acknowledged = seq;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_neither_runs_ahead_nor_back() {
        let mut outbox = Outbox::from(Seq(5));
        outbox.acknowledge(Seq(9), Seq(8));
        assert_eq!(outbox.cursor(), Seq(5));
        outbox.acknowledge(Seq(8), Seq(8));
        outbox.acknowledge(Seq(6), Seq(8));
        assert_eq!(outbox.cursor(), Seq(8));
    }
}
