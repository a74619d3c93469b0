//! The three dice, and the reader that looks at them from below.

use super::fault::{Fault, Faults};
use super::rng::Rng;
use tumbler_core::effect::BusOp;
use tumbler_core::input::{BusFailure, BusReply};

/// The reader measures twenty times a second.
const MEASURE_NANOS: u64 = 50_000_000;
const FLAT: u16 = 1;
const NOT_FLAT: u16 = 2;
const MOVING: u16 = 3;
const MISSING: u16 = 4;
/// First register and length of the pose block and of the face block.
const POSES: (u16, u16) = (0x10, 9);
const FACES: (u16, u16) = (0x100, 4);

/// The dice on the tumbler's platform.
#[derive(Clone, Debug)]
pub(super) struct Dice {
    pub faces: [u8; 3],
    pub flat: [bool; 3],
    identity: [u16; 3],
    /// Faces that the scenario wants at every rest, until it says otherwise.
    dictated: Option<[u8; 3]>,
    moving: bool,
    /// Counts the plans to come to rest.
    pub plan: u32,
    /// Motion counter of the reader: measurements in which a die moved.
    motions: u64,
    since: u64,
    /// The blocks that a stale reader repeats.
    stale_poses: Option<[u16; 9]>,
    stale_faces: Option<[u16; 4]>,
}

impl Dice {
    pub(super) fn new(rng: &mut Rng) -> Self {
        let first = 100 + rng.range(0, 900) as u16;
        Self {
            faces: [rng.face(), rng.face(), rng.face()],
            flat: [true; 3],
            identity: [first, first + 1, first + 2],
            dictated: None,
            moving: false,
            plan: 0,
            motions: 0,
            since: 0,
            stale_poses: None,
            stale_faces: None,
        }
    }

    pub(super) const fn dictate(&mut self, faces: Option<[u8; 3]>) {
        self.dictated = faces;
    }

    pub(super) const fn moving(&self) -> bool {
        self.moving
    }

    /// The dice begin to move; tells whether they lay still before.
    pub(super) const fn shake(&mut self, at: u64) -> bool {
        self.plan = self.plan.wrapping_add(1);
        if self.moving {
            return false;
        }
        self.moving = true;
        self.since = at;
        true
    }

    /// The dice come to rest. `thrown`: they were really tumbled, so that they show something new.
    pub(super) fn rest(&mut self, at: u64, thrown: bool, faults: &mut Faults, rng: &mut Rng) {
        if !faults.has(Fault::DiceNotTumbled) {
            self.motions += at.saturating_sub(self.since) / MEASURE_NANOS + 1;
        }
        self.moving = false;
        if !thrown {
            return;
        }
        let fallen = [rng.face(), rng.face(), rng.face()];
        self.faces = self.dictated.unwrap_or(fallen);
        self.flat = [true; 3];
        for cocked in 1..=3 {
            if faults.takes_effect(Fault::DiceCocked(cocked)) {
                self.flat.iter_mut().take(usize::from(cocked)).for_each(|flat| *flat = false);
            }
        }
    }

    /// A hand lays a die; tells whether there is such a die.
    pub(super) fn lay(&mut self, die: u8, face: u8, flat: bool) -> bool {
        match (self.faces.get_mut(usize::from(die)), self.flat.get_mut(usize::from(die))) {
            (Some(shown), Some(lies)) => {
                *shown = face;
                *lies = flat;
                true
            }
            _ => false,
        }
    }

    fn poses(&self, at: u64, faults: &mut Faults) -> [u16; 9] {
        let measurement = (at / MEASURE_NANOS) as u16;
        if faults.takes_effect(Fault::ReaderGarbage) {
            return [measurement, 77, 9, 9, 9, 0xFFFF, 0xFFFF, 0xFFFF, 0];
        }
        let shaken = self.moving && !faults.takes_effect(Fault::DiceNotTumbled);
        let restless = !shaken && faults.takes_effect(Fault::DiceMoving);
        let mut poses = self.flat.map(|flat| if flat { FLAT } else { NOT_FLAT });
        let mut identity = self.identity;
        let mut seen = 3;
        if shaken || restless {
            poses = [MOVING; 3];
        } else {
            for (fault, said) in [(Fault::ReaderSaysFlat, FLAT), (Fault::ReaderSaysNotFlat, NOT_FLAT)] {
                if poses != [said; 3] && faults.takes_effect(fault) {
                    poses = [said; 3];
                }
            }
        }
        if faults.takes_effect(Fault::DiceMissing) {
            seen = 2;
            poses[2] = MISSING;
            identity[2] = 0;
        }
        if faults.takes_effect(Fault::DiceExtra) {
            seen = 4;
        }
        if faults.takes_effect(Fault::DiceForeign) {
            identity[0] = 9999;
        }
        if faults.takes_effect(Fault::DiceTwins) {
            identity[1] = identity[0];
        }
        let now = if shaken { at.saturating_sub(self.since) / MEASURE_NANOS + 1 } else { 0 };
        let motions = (self.motions + now) as u16;
        let ([a, b, c], [x, y, z]) = (poses, identity);
        [measurement, seen, a, b, c, x, y, z, motions]
    }

    fn face_block(&self, at: u64, faults: &mut Faults) -> [u16; 4] {
        let measurement = (at / MEASURE_NANOS) as u16;
        let mut faces = self.faces.map(u16::from);
        if self.moving {
            faces = [0; 3];
        }
        for (face, flat) in faces.iter_mut().zip(self.flat) {
            if !flat {
                *face = 0;
            }
        }
        if faults.takes_effect(Fault::ReaderWrongFace) {
            faces[0] = faces[0] % 6 + 1;
        }
        let [a, b, c] = faces;
        [measurement, a, b, c]
    }

    /// One transaction with the reader.
    pub(super) fn bus(&mut self, at: u64, op: &BusOp, faults: &mut Faults) -> Result<BusReply, BusFailure> {
        let BusOp::ReadInput { address, count } = op else { return Err(BusFailure::Exception(1)) };
        let within = |(first, length): (u16, u16)| {
            let offset = address.checked_sub(first)?;
            (*count > 0 && offset + count.min(&64) <= length).then_some(usize::from(offset))
        };
        let take = |block: &[u16], offset: usize| {
            BusReply::Words(block.iter().skip(offset).take(usize::from(*count)).copied().collect())
        };
        if *address == 0 && *count <= 2 && *count > 0 {
            Ok(take(&[1, 0x0201], 0))
        } else if let Some(offset) = within(POSES) {
            let poses = self.poses(at, faults);
            Ok(take(&stale(&mut self.stale_poses, poses, faults), offset))
        } else if let Some(offset) = within(FACES) {
            let faces = self.face_block(at, faults);
            Ok(take(&stale(&mut self.stale_faces, faces, faults), offset))
        } else {
            Err(BusFailure::Exception(2))
        }
    }
}

/// What a reader says whose present measurement is `now`: that, or what it said when it last measured.
fn stale<const N: usize>(last: &mut Option<[u16; N]>, now: [u16; N], faults: &mut Faults) -> [u16; N] {
    match *last {
        Some(last) if faults.has(Fault::ReaderStale) => {
            if last != now {
                faults.note_hold(Fault::ReaderStale);
            }
            last
        }
        _ => *last.insert(now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(dice: &mut Dice, at: u64, address: u16, count: u16, faults: &mut Faults) -> Vec<u16> {
        match dice.bus(at, &BusOp::ReadInput { address, count }, faults) {
            Ok(BusReply::Words(words)) => words,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn poses_and_faces_are_read_apart() {
        let mut rng = Rng::new(3);
        let mut dice = Dice::new(&mut rng);
        let mut faults = Faults::default();
        dice.dictate(Some([1, 3, 6]));
        assert!(dice.shake(0));
        assert_eq!(read(&mut dice, 0, 0x10, 9, &mut faults)[2..5], [MOVING; 3]);
        dice.rest(1_000_000_000, true, &mut faults, &mut rng);
        let poses = read(&mut dice, 2_000_000_000, 0x10, 9, &mut faults);
        assert_eq!(poses[..5], [40, 3, FLAT, FLAT, FLAT]);
        assert!(poses[8] >= 20, "a second of motion, measured twenty times a second");
        assert_eq!(read(&mut dice, 2_000_000_000, 0x100, 4, &mut faults)[1..], [1, 3, 6]);
        let across = BusOp::ReadInput { address: 0x10, count: 10 };
        assert_eq!(dice.bus(0, &across, &mut faults), Err(BusFailure::Exception(2)));
    }

    #[test]
    fn one_two_or_three_dice_come_to_rest_cocked() {
        for cocked in 1..=3_u8 {
            let mut rng = Rng::new(3);
            let mut dice = Dice::new(&mut rng);
            let mut faults = Faults::default();
            faults.set(Fault::DiceCocked(cocked));
            dice.shake(0);
            dice.rest(1, true, &mut faults, &mut rng);
            let lying = read(&mut dice, 0, 0x10, 9, &mut faults)[2..5].iter().filter(|p| **p == NOT_FLAT).count();
            assert_eq!(lying, usize::from(cocked));
            assert!(faults.took_effect(Fault::DiceCocked(cocked)));
        }
    }

    #[test]
    fn a_stale_reader_repeats_what_it_said_last_with_its_counter() {
        let mut rng = Rng::new(3);
        let mut dice = Dice::new(&mut rng);
        let mut faults = Faults::default();
        let before = read(&mut dice, 0, 0x10, 9, &mut faults);
        faults.set(Fault::ReaderStale);
        assert_eq!(read(&mut dice, 1, 0x10, 9, &mut faults), before);
        assert!(!faults.took_effect(Fault::ReaderStale), "within one measurement it says what is so");
        dice.shake(1_000_000_000);
        assert_eq!(read(&mut dice, 1_100_000_000, 0x10, 9, &mut faults), before);
        assert!(faults.took_effect(Fault::ReaderStale));
        faults.heal(Fault::ReaderStale);
        let after = read(&mut dice, 1_100_000_000, 0x10, 9, &mut faults);
        assert_eq!((after[0], after[2]), (22, MOVING));
    }

    #[test]
    fn a_reader_that_says_flat_of_flat_dice_is_not_wrong_yet() {
        let mut rng = Rng::new(3);
        let mut dice = Dice::new(&mut rng);
        let mut faults = Faults::default();
        faults.set(Fault::ReaderSaysFlat);
        read(&mut dice, 0, 0x10, 9, &mut faults);
        assert!(!faults.took_effect(Fault::ReaderSaysFlat));
        dice.lay(1, 4, false);
        assert_eq!(read(&mut dice, 0, 0x10, 9, &mut faults)[2..5], [FLAT; 3]);
        assert!(faults.took_effect(Fault::ReaderSaysFlat));
    }
}
