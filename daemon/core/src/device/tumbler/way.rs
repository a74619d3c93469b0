//! The way of the shaft in one run, in steps of the cam: where it was, and whether it moves.

use serde::{Deserialize, Serialize};

/// The positions that the shaft had in this run, or since it came to rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Way {
    furthest: i64,
    least: i64,
    /// The lower and the upper of the positions between which one sensor that bounces swings.
    swing: (i64, i64),
}

impl Way {
    /// A way that begins here.
    pub(super) const fn from(position: i64) -> Self {
        Self { furthest: position, least: position, swing: (position, position) }
    }

    /// The furthest position.
    pub(super) const fn furthest(&self) -> i64 {
        self.furthest
    }

    /// The shaft came to this position, which is the furthest.
    pub(super) const fn go_on(&mut self, position: i64) {
        self.furthest = position;
        self.swing = (position - 1, position);
    }

    /// Takes the position of a shaft that should stop, and says whether that shows it moving, either way: it goes where it
    /// was not yet, or turns back over the way it came. A sensor that bounces turns nothing. Nor does noise on both: edges of it
    /// come too `fast` for any motor.
    pub(super) const fn moves(&mut self, position: i64, fast: bool) -> bool {
        let (lower, upper) = self.swing;
        if position < lower {
            self.swing = (position, position + 1);
        } else if position > upper {
            self.swing = (position - 1, position);
        } else {
            return false;
        }
        if position > self.furthest {
            self.furthest = position;
        } else if position < self.least {
            self.least = position;
        } else {
            return !fast;
        }
        true
    }
}
