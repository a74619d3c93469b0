//! A small seeded generator: the same seed gives the same table on every machine.

/// `SplitMix64` (Steele, Lea, Flood 2014): one multiply-and-shift chain a number, period 2^64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(u64);

impl Rng {
    /// A generator whose whole sequence follows from `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from `low` up to, but not including, `high`; `low` where the range is empty.
    pub const fn range(&mut self, low: u64, high: u64) -> u64 {
        let drawn = self.bits();
        // Widening multiplication: no division, and a bias far below anything that a bench could see.
        let span = high.saturating_sub(low) as u128;
        low + ((drawn as u128 * span) >> 64) as u64
    }

    /// Whether something happens that does so `per_mille` times in a thousand.
    pub const fn chance(&mut self, per_mille: u32) -> bool {
        self.range(0, 1000) < per_mille as u64
    }

    /// The face of a fair die, 1 to 6.
    pub const fn face(&mut self) -> u8 {
        self.range(1, 7) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_sequence() {
        let (mut a, mut b) = (Rng::new(7), Rng::new(7));
        assert!((0..100).all(|_| a.bits() == b.bits()));
        assert_ne!(Rng::new(7).bits(), Rng::new(8).bits());
    }

    #[test]
    fn faces_are_one_to_six_and_all_occur() {
        let mut rng = Rng::new(1);
        let mut seen = [0_u32; 7];
        for _ in 0..6000 {
            seen[usize::from(rng.face())] += 1;
        }
        assert_eq!(seen[0], 0);
        assert!(seen[1..].iter().all(|n| (800..1200).contains(n)), "{seen:?}");
    }
}
