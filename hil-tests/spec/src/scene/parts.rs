//! Which parts are broken, and which were broken before.

use crate::observation::Part;

/// All parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    broken: [bool; Part::COUNT],
    /// When each was last mended.
    mended_ns: [Option<u64>; Part::COUNT],
}

impl Parts {
    pub(super) const SOUND: Self = Self { broken: [false; Part::COUNT], mended_ns: [None; Part::COUNT] };

    pub(super) fn is_broken(&self, part: Part) -> bool {
        self.broken.get(part as usize).copied().unwrap_or(false)
    }

    /// The part broke or was mended.
    pub(super) fn take(&mut self, part: Part, broken: bool, now_ns: u64) {
        if let Some(is) = self.broken.get_mut(part as usize) {
            *is = broken;
        }
        if let (Some(mended), false) = (self.mended_ns.get_mut(part as usize), broken) {
            *mended = Some(now_ns);
        }
    }

    /// When the part was last mended, if it ever was.
    pub(super) fn mended(&self, part: Part) -> Option<u64> {
        self.mended_ns.get(part as usize).copied().flatten()
    }

    /// What has been broken at any time since then.
    pub(super) fn broken_since(&self, at_ns: u64) -> [bool; Part::COUNT] {
        let mut broken = self.broken;
        for (is, mended) in broken.iter_mut().zip(self.mended_ns) {
            *is |= mended.is_some_and(|mended| mended >= at_ns);
        }
        broken
    }
}
