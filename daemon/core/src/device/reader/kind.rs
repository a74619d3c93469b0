//! The kinds of dice readers: what each is asked on the bus, and what its answers mean. What follows from that is the same
//! for all of them.
//!
//! Another kind is a file beside this one and a line in [`super::KIND`].

use super::Pose;
use crate::context::Transaction;

/// One look at the dice, in the table's own terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// The reader's counter of measurements. If it does not advance, the reader does not see.
    pub(super) measured: u16,
    /// How many dice it sees.
    pub(super) seen: u16,
    /// How they lie.
    pub(super) poses: [Pose; 3],
    /// Which dice they are; 0 for one that it cannot identify.
    pub(super) identities: [u16; 3],
    /// Its count of motions that it has seen.
    pub(super) motion: u16,
}

/// A kind of reader. An answer that cannot be one is `None`: nothing is decided on it.
pub(super) trait Kind: Sync {
    /// Asks how the dice lie. It may not tell their faces.
    fn look(&self) -> Transaction;
    /// How they lie.
    fn read_look(&self, words: &[u16]) -> Option<Look>;
    /// Asks for the faces.
    fn faces(&self) -> Transaction;
    /// The faces, 1 to 6; 0 for one that it cannot say.
    fn read_faces(&self, words: &[u16]) -> Option<[u16; 3]>;
}
