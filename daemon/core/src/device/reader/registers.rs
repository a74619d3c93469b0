//! The dice reader with a block of poses and a block of faces: `daemon/docs/registers.md`.

use super::kind::{Kind, Look};
use super::{FACES, Pose};
use crate::context::Transaction;
use crate::wire::registers::reader as map;

/// The kind that the documentation's register map describes.
pub(super) struct Registers;

impl Kind for Registers {
    fn look(&self) -> Transaction {
        Transaction::read_input(map::POSE, map::POSE_COUNT)
    }

    fn read_look(&self, words: &[u16]) -> Option<Look> {
        let &[measured, seen, p0, p1, p2, i0, i1, i2, motion] = words else { return None };
        Some(Look { measured, seen, poses: [pose(p0)?, pose(p1)?, pose(p2)?], identities: [i0, i1, i2], motion })
    }

    fn faces(&self) -> Transaction {
        Transaction::read_input(map::FACES, map::FACES_COUNT)
    }

    fn read_faces(&self, words: &[u16]) -> Option<[u16; 3]> {
        let &[_, a, b, c] = words else { return None };
        [a, b, c].iter().all(|face| *face <= FACES).then_some([a, b, c])
    }
}

const fn pose(word: u16) -> Option<Pose> {
    match word {
        map::UNKNOWN => Some(Pose::Unknown),
        map::FLAT => Some(Pose::Flat),
        map::NOT_FLAT => Some(Pose::NotFlat),
        map::MOVING => Some(Pose::Moving),
        map::MISSING => Some(Pose::Missing),
        _ => None,
    }
}
