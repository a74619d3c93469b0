//! A clause, as people read it.

use core::fmt;

/// A clause of the text, for people and records; it shows as nothing where the text is silent.
///
/// Nobody can ask it whether it says anything, so that no citation decides play: what a rule set does is in its
/// [`Order`](super::Order), its [`Duties`](super::Duties) and the grounds that void a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clause<'a>(&'a str);

impl<'a> Clause<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self(text)
    }
}

impl fmt::Display for Clause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
