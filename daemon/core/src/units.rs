//! The quantities that the table reckons in, each a type of its own so that none is mistaken for another.

use core::fmt;
use serde::{Deserialize, Serialize};

/// A moment on the machine's monotonic clock, in nanoseconds. Never wall time: a clock step must not fire a timer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Mono(pub u64);

impl Mono {
    /// The moment `ms` milliseconds after the clock's zero.
    #[must_use]
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms.saturating_mul(1_000_000))
    }
    /// The moment `span` later; saturates at the clock's end.
    #[must_use]
    pub const fn after(self, span: Millis) -> Self {
        Self(self.0.saturating_add(span.as_nanos()))
    }
    /// Nanoseconds from `earlier` to this moment; zero if `earlier` is later.
    #[must_use]
    pub const fn nanos_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
    /// Whether at least `span` has passed since `earlier`.
    #[must_use]
    pub const fn reached(self, earlier: Self, span: Millis) -> bool {
        self.nanos_since(earlier) >= span.as_nanos()
    }
}

impl fmt::Debug for Mono {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}ms", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// A span of time in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u32);

impl Millis {
    /// This span in nanoseconds.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0 as u64 * 1_000_000
    }
}

/// Full turns of the tumbler: one full quadrature cycle of the cam each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Tumbles(pub u32);

/// A motor temperature in thousandths of a degree Celsius.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct MilliCelsius(pub i32);

/// The number of a round on this table, counted from 1 over the journal's whole life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct RoundId(pub u64);

/// The number of a journal record, counted from 1 without gaps over the journal's whole life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Seq(pub u64);

impl Seq {
    /// The number that follows this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// A face of a die, 1 to 6.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = 6)))]
#[serde(try_from = "u8", into = "u8")]
pub struct DieFace(u8);

/// Not a face of a die: only 1 to 6 are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is no face of a die: a face is 1 to 6")]
pub struct NoFace(pub u8);

impl DieFace {
    /// All six faces, lowest first.
    pub const ALL: [Self; 6] = [Self(1), Self(2), Self(3), Self(4), Self(5), Self(6)];

    /// The face with this many pips, 1 to 6.
    ///
    /// # Errors
    /// [`NoFace`] for every other number.
    pub const fn new(pips: u8) -> Result<Self, NoFace> {
        if pips >= 1 && pips <= 6 { Ok(Self(pips)) } else { Err(NoFace(pips)) }
    }
    /// The number of pips, 1 to 6.
    #[must_use]
    pub const fn pips(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for DieFace {
    type Error = NoFace;
    fn try_from(pips: u8) -> Result<Self, NoFace> {
        Self::new(pips)
    }
}

impl From<DieFace> for u8 {
    fn from(face: DieFace) -> Self {
        face.0
    }
}

impl fmt::Debug for DieFace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for DieFace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The uppermost faces of the three dice, kept lowest first (NZ 6.3: called "in order from the lowest number to the highest").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "[DieFace; 3]", into = "[DieFace; 3]")]
pub struct Dice([DieFace; 3]);

impl Dice {
    /// Three dice in any order.
    #[must_use]
    pub fn new(mut faces: [DieFace; 3]) -> Self {
        faces.sort_unstable();
        Self(faces)
    }
    /// Three dice from their pips.
    ///
    /// # Errors
    /// [`NoFace`] for the first number outside 1 to 6.
    pub fn from_pips(pips: [u8; 3]) -> Result<Self, NoFace> {
        let [a, b, c] = pips;
        Ok(Self::new([DieFace::new(a)?, DieFace::new(b)?, DieFace::new(c)?]))
    }
    /// The faces, lowest first.
    #[must_use]
    pub const fn faces(self) -> [DieFace; 3] {
        self.0
    }
    /// The pips, lowest first.
    #[must_use]
    pub fn pips(self) -> [u8; 3] {
        self.0.map(DieFace::pips)
    }
    /// The total of the three uppermost faces, 3 to 18 (NZ 1.0, SGV6 1.8).
    #[must_use]
    pub fn total(self) -> u8 {
        self.0.iter().map(|f| f.0).sum()
    }
    /// All 56 results that three dice can show.
    pub fn all() -> impl Iterator<Item = Self> {
        DieFace::ALL.into_iter().flat_map(|a| {
            DieFace::ALL
                .into_iter()
                .filter(move |b| *b >= a)
                .flat_map(move |b| DieFace::ALL.into_iter().filter(move |c| *c >= b).map(move |c| Self([a, b, c])))
        })
    }
}

impl From<[DieFace; 3]> for Dice {
    fn from(faces: [DieFace; 3]) -> Self {
        Self::new(faces)
    }
}

impl From<Dice> for [DieFace; 3] {
    fn from(dice: Dice) -> Self {
        dice.0
    }
}
