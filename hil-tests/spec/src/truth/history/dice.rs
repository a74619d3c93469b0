//! How the dice have lain since the spin (NZ 7.1(a), SGV6 5.5.2, SGOC 5.5.2, SGOC-early 5.1.3).

/// Dice that have lain for this long have come to rest for everybody who watches them.
const AT_REST_NS: u64 = 1_500_000_000;

/// Dice that lie still.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resting {
    pub(super) since_ns: u64,
    pub(super) faces: [u8; 3],
}

impl Resting {
    /// Whether the dice have lain long enough to have come to rest.
    pub(super) const fn at_rest(&self, now_ns: u64) -> bool {
        now_ns.saturating_sub(self.since_ns) > AT_REST_NS
    }

    /// Whether the dice stopped so recently that a change now is part of their fall.
    pub(super) const fn just_stopped(&self, now_ns: u64) -> bool {
        self.since_ns.saturating_add(AT_REST_NS) > now_ns
    }
}

/// The dice of the round's spin.
#[derive(Clone, Debug, Default)]
pub(super) struct Dice {
    /// Whether all lay flat when they first came to rest.
    pub(super) first_flat: Option<bool>,
    /// How they lie now; `None` while they roll.
    pub(super) now: Option<Resting>,
}

impl Dice {
    /// A spin throws them: how they lay before no longer matters.
    pub(super) fn thrown(&mut self) {
        *self = Self::default();
    }

    /// They come to rest. Returns how they lay before, if they had come to rest since the spin already.
    pub(super) fn rest(&mut self, since_ns: u64, faces: [u8; 3]) -> Option<Resting> {
        self.now.replace(Resting { since_ns, faces })
    }
}
