//! The judges' own reading of the pay tables: which areas a layout has, which of them win on three dice, and what they pay.
//!
//! Sources: NZ98 4.1 and 4.10, NZ9 4.1 and 4.10, SGV6 4.1.1 to 4.1.3, SGOC 4.1.1 and 4.1.2, SGOC-early 4.1.1 and 4.1.2
//! (which names the bets and odds; the combinations are SGOC's).

use core::fmt;
use core::str::FromStr;

/// An area of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Area {
    /// Totals 4 to 10, no triple.
    Small,
    /// Totals 11 to 17, no triple.
    Big,
    /// Odd totals, no triple.
    Odd,
    /// Even totals, no triple.
    Even,
    /// This face on one or more dice.
    Single(u8),
    /// This face on two or more dice.
    Double(u8),
    /// This face on all dice.
    Triple(u8),
    /// The same face on all dice.
    AnyTriple,
    /// This total; 3 and 18 cannot be bet on.
    Total(u8),
    /// These two different faces (NZ "Dice Combinations", Singapore "Domino Combination"), lower first.
    Pair(u8, u8),
    /// Exactly these three dice, lowest first: three different faces, or a double with a single.
    Combo(u8, u8, u8),
    /// Three different faces of these four, ascending.
    Four(u8, u8, u8, u8),
}

/// Not an area's id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no area: ids are such as `small`, `single-3`, `total-12`, `pair-2-5`, `combo-1-1-3`, `four-3-4-5-6`")]
pub struct NoArea(String);

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Small => f.write_str("small"),
            Self::Big => f.write_str("big"),
            Self::Odd => f.write_str("odd"),
            Self::Even => f.write_str("even"),
            Self::AnyTriple => f.write_str("any-triple"),
            Self::Single(n) => write!(f, "single-{n}"),
            Self::Double(n) => write!(f, "double-{n}"),
            Self::Triple(n) => write!(f, "triple-{n}"),
            Self::Total(t) => write!(f, "total-{t}"),
            Self::Pair(x, y) => write!(f, "pair-{x}-{y}"),
            Self::Combo(a, b, c) => write!(f, "combo-{a}-{b}-{c}"),
            Self::Four(a, b, c, d) => write!(f, "four-{a}-{b}-{c}-{d}"),
        }
    }
}

impl FromStr for Area {
    type Err = NoArea;
    fn from_str(id: &str) -> Result<Self, NoArea> {
        let no_area = || NoArea(id.to_owned());
        let numbers = |text: &str| -> Option<Vec<u8>> { text.split('-').map(|n| n.parse().ok()).collect() };
        let face = |n: u8| (1..=6).contains(&n);
        let found = match id {
            "small" => Some(Self::Small),
            "big" => Some(Self::Big),
            "odd" => Some(Self::Odd),
            "even" => Some(Self::Even),
            "any-triple" => Some(Self::AnyTriple),
            _ => id.split_once('-').and_then(|(kind, rest)| {
                let numbers = numbers(rest)?;
                match (kind, numbers.as_slice()) {
                    ("single", &[n]) if face(n) => Some(Self::Single(n)),
                    ("double", &[n]) if face(n) => Some(Self::Double(n)),
                    ("triple", &[n]) if face(n) => Some(Self::Triple(n)),
                    ("total", &[t]) if (4..=17).contains(&t) => Some(Self::Total(t)),
                    ("pair", &[x, y]) if face(x) && face(y) && x < y => Some(Self::Pair(x, y)),
                    ("combo", &[a, b, c]) if face(a) && face(c) && a <= b && b <= c && a < c => {
                        Some(Self::Combo(a, b, c))
                    }
                    ("four", &[a, b, c, d]) if face(a) && face(d) && a < b && b < c && c < d => {
                        Some(Self::Four(a, b, c, d))
                    }
                    _ => None,
                }
            }),
        };
        // An id has only one spelling: `single-03` is none.
        found.filter(|area| area.to_string() == id).ok_or_else(no_area)
    }
}

/// Three dice, lowest first.
#[must_use]
pub fn sorted(mut dice: [u8; 3]) -> [u8; 3] {
    dice.sort_unstable();
    dice
}

/// Whether three numbers are faces of dice.
#[must_use]
pub fn faces(dice: [u8; 3]) -> bool {
    dice.iter().all(|face| (1..=6).contains(face))
}

/// The total of three dice.
#[must_use]
pub fn total(dice: [u8; 3]) -> u8 {
    dice.iter().fold(0, |sum: u8, face| sum.saturating_add(*face))
}

impl Area {
    /// Whether this area wins on these dice.
    #[must_use]
    pub fn wins(self, dice: [u8; 3]) -> bool {
        let [a, b, c] = sorted(dice);
        let triple = a == c;
        let total = total(dice);
        let shown = |face: u8| dice.iter().filter(|d| **d == face).count();
        match self {
            // NZ 4.1(a), (b); SG "except Triple".
            Self::Small => !triple && (4..=10).contains(&total),
            Self::Big => !triple && (11..=17).contains(&total),
            // NZ9 4.1(k), (l).
            Self::Odd => !triple && total % 2 == 1,
            Self::Even => !triple && total % 2 == 0,
            Self::Single(n) => shown(n) >= 1,
            // NZ 4.1(d): also, and once only, on a triple of that number.
            Self::Double(n) => shown(n) >= 2,
            Self::Triple(n) => shown(n) == 3,
            Self::AnyTriple => triple,
            Self::Total(t) => total == t,
            Self::Pair(x, y) => shown(x) >= 1 && shown(y) >= 1,
            Self::Combo(x, y, z) => [a, b, c] == [x, y, z],
            // Three of the four numbers: three different faces, all among them.
            Self::Four(w, x, y, z) => a < b && b < c && [a, b, c].iter().all(|face| [w, x, y, z].contains(face)),
        }
    }

    /// What a win pays, to one. `None` if the area does not win on these dice.
    #[must_use]
    pub fn pays(self, dice: [u8; 3], family: Family) -> Option<u16> {
        if !self.wins(dice) {
            return None;
        }
        Some(match self {
            Self::Small | Self::Big | Self::Odd | Self::Even => 1,
            Self::Single(n) => match dice.iter().filter(|d| **d == n).count() {
                1 => 1,
                2 => 2,
                _ => 12,
            },
            Self::Double(_) => 11,
            Self::Triple(_) => 180,
            Self::AnyTriple => 31,
            Self::Total(4 | 17) => 62,
            Self::Total(5 | 16) => 31,
            Self::Total(6 | 15) => 18,
            Self::Total(7 | 14) => 12,
            Self::Total(8 | 13) => 8,
            Self::Total(9 | 12) => 7,
            Self::Total(_) => 6,
            Self::Pair(..) => 6,
            Self::Combo(x, y, z) if x < y && y < z => 30,
            Self::Combo(..) => match family {
                Family::NewZealand => 60,
                Family::Singapore => 50,
            },
            Self::Four(..) => 7,
        })
    }
}

/// The country whose rules these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// New Zealand's.
    NewZealand,
    /// Singapore's.
    Singapore,
}

/// A layout of one rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Its id.
    pub id: &'static str,
    /// Its rule set's id.
    pub rules: &'static str,
    /// The country whose odds it has.
    pub family: Family,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The fifty areas of every small table.
    Fifty,
    /// NZ9 appendix 2.
    NewZealandLarge,
    /// SGV6 pay table 2, SGOC table 2.
    SingaporeLarge,
    /// SGV6 pay table 3.
    SingaporeThird,
}

/// The ten layouts.
pub const LAYOUTS: [Layout; 10] = [
    layout("nz-1998", "nz-1998", Family::NewZealand, Kind::Fifty),
    layout("nz-div9-1", "nz-div9", Family::NewZealand, Kind::Fifty),
    layout("nz-div9-2", "nz-div9", Family::NewZealand, Kind::NewZealandLarge),
    layout("sg-v6-1", "sg-v6", Family::Singapore, Kind::Fifty),
    layout("sg-v6-2", "sg-v6", Family::Singapore, Kind::SingaporeLarge),
    layout("sg-v6-3", "sg-v6", Family::Singapore, Kind::SingaporeThird),
    layout("sg-open-1", "sg-open", Family::Singapore, Kind::Fifty),
    layout("sg-open-2", "sg-open", Family::Singapore, Kind::SingaporeLarge),
    layout("sg-open-early-1", "sg-open-early", Family::Singapore, Kind::Fifty),
    layout("sg-open-early-2", "sg-open-early", Family::Singapore, Kind::SingaporeLarge),
];

const fn layout(id: &'static str, rules: &'static str, family: Family, kind: Kind) -> Layout {
    Layout { id, rules, family, kind }
}

/// Singapore's "Double Numbers With Single Dice" bets, as printed: the double first. 1 1 2 and 6 6 5 are not among them.
const SINGAPORE_DOUBLES: [[u8; 2]; 28] = [
    [1, 3],
    [1, 4],
    [1, 5],
    [1, 6],
    [2, 1],
    [2, 3],
    [2, 4],
    [2, 5],
    [2, 6],
    [3, 1],
    [3, 2],
    [3, 4],
    [3, 5],
    [3, 6],
    [4, 1],
    [4, 2],
    [4, 3],
    [4, 5],
    [4, 6],
    [5, 1],
    [5, 2],
    [5, 3],
    [5, 4],
    [5, 6],
    [6, 1],
    [6, 2],
    [6, 3],
    [6, 4],
];

impl Layout {
    /// The layout with this id.
    #[must_use]
    pub fn named(id: &str) -> Option<Self> {
        LAYOUTS.into_iter().find(|layout| layout.id == id)
    }

    /// Whether this layout has this area.
    #[must_use]
    pub fn has(self, area: Area) -> bool {
        let large = self.kind != Kind::Fifty;
        match area {
            Area::Small
            | Area::Big
            | Area::Single(_)
            | Area::Triple(_)
            | Area::AnyTriple
            | Area::Total(_)
            | Area::Pair(..) => true,
            Area::Double(_) => self.kind != Kind::SingaporeThird,
            Area::Odd | Area::Even => large && self.kind != Kind::SingaporeThird,
            Area::Combo(x, y, z) if x < y && y < z => large,
            Area::Combo(x, y, z) => match self.kind {
                Kind::Fifty => false,
                Kind::NewZealandLarge => true,
                Kind::SingaporeLarge | Kind::SingaporeThird => {
                    let (double, single) = if x == y { (x, z) } else { (z, x) };
                    SINGAPORE_DOUBLES.contains(&[double, single])
                }
            },
            Area::Four(..) => match self.kind {
                Kind::Fifty => false,
                Kind::SingaporeThird => true,
                // 6543, 6532, 5432, 4321.
                Kind::NewZealandLarge | Kind::SingaporeLarge => matches!(
                    area,
                    Area::Four(3, 4, 5, 6) | Area::Four(2, 3, 5, 6) | Area::Four(2, 3, 4, 5) | Area::Four(1, 2, 3, 4)
                ),
            },
        }
    }

    /// All areas of this layout, in an order of the judges' own.
    #[must_use]
    pub fn areas(self) -> Vec<Area> {
        let mut all = vec![Area::Small, Area::Big, Area::Odd, Area::Even, Area::AnyTriple];
        all.extend((4..=17).map(Area::Total));
        for a in 1..=6 {
            all.extend([Area::Single(a), Area::Double(a), Area::Triple(a)]);
            for b in a..=6 {
                if a < b {
                    all.push(Area::Pair(a, b));
                }
                for c in b..=6 {
                    if a < c {
                        all.push(Area::Combo(a, b, c));
                    }
                    if a < b && b < c {
                        all.extend((c + 1..=6).map(|d| Area::Four(a, b, c, d)));
                    }
                }
            }
        }
        all.retain(|area| self.has(*area));
        all
    }

    /// The areas that light on these dice, with what they pay.
    #[must_use]
    pub fn winning(self, dice: [u8; 3]) -> Vec<(Area, u16)> {
        self.areas().into_iter().filter_map(|area| Some((area, area.pays(dice, self.family)?))).collect()
    }
}

#[cfg(test)]
mod tests;
