//! One area of a layout: what it is a wager on, when it wins and what it pays.

use crate::prelude::*;
use crate::units::Dice;
use serde::{Deserialize, Serialize};

/// One lampable area of a layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// Its id, such as `small`, `double-3`, `pair-1-2`, `combo-1-1-3`, `four-3-4-5-6`.
    pub id: String,
    /// What it is a wager on; parsed from the id when the data is loaded.
    pub wager: Wager,
    /// Odds, x to 1. Three values for a single: on one, two and three dice.
    pub odds: Vec<u32>,
    /// The clause or pay table that names it.
    pub clause: String,
}

/// What an area is a wager on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wager {
    /// Totals 4 to 10, no triple.
    Small,
    /// Totals 11 to 17, no triple.
    Big,
    /// Odd totals, no triple.
    Odd,
    /// Even totals, no triple.
    Even,
    /// One number, on one or more dice.
    Single(u8),
    /// A number on two or more dice.
    Double(u8),
    /// A number on all three dice.
    Triple(u8),
    /// Any number on all three dice.
    AnyTriple,
    /// A total, 4 to 17.
    Total(u8),
    /// Two different numbers, each on a die.
    Pair(u8, u8),
    /// Exactly these three faces.
    Combo([u8; 3]),
    /// Three different faces out of these four.
    Four([u8; 4]),
}

impl Area {
    /// What this area pays on this result, x to 1; `None` if it loses.
    #[must_use]
    pub fn pays(&self, dice: Dice) -> Option<u32> {
        if !self.wager.wins(dice) {
            return None;
        }
        let dice_showing = match self.wager {
            Wager::Single(n) => count(dice, n),
            _ => 1,
        };
        self.odds.get(dice_showing.checked_sub(1)?).copied()
    }
}

impl Wager {
    /// The wager that an area's id names.
    ///
    /// # Errors
    /// What is wrong with the id: no such kind, a number out of range, or numbers that are not in ascending order.
    pub fn from_id(id: &str) -> Result<Self, String> {
        let (kind, rest) = match id {
            "small" => return Ok(Self::Small),
            "big" => return Ok(Self::Big),
            "odd" => return Ok(Self::Odd),
            "even" => return Ok(Self::Even),
            "any-triple" => return Ok(Self::AnyTriple),
            _ => id.split_once('-').ok_or_else(|| format!("`{id}` names no wager"))?,
        };
        let numbers = rest
            .split('-')
            .map(|n| number(n).ok_or_else(|| format!("`{id}`: `{n}` is not a number from 1 to 17")))
            .collect::<Result<Vec<u8>, String>>()?;
        let wager = match (kind, numbers.as_slice()) {
            ("single", &[n]) => Self::Single(n),
            ("double", &[n]) => Self::Double(n),
            ("triple", &[n]) => Self::Triple(n),
            ("total", &[t]) if (4..=17).contains(&t) => return Ok(Self::Total(t)),
            ("total", _) => return Err(format!("`{id}`: a total is 4 to 17")),
            ("pair", &[x, y]) if x < y => Self::Pair(x, y),
            // A triple is no combination: it has areas of its own.
            ("combo", &[a, b, c]) if a <= b && b <= c && a < c => Self::Combo([a, b, c]),
            ("four", &[a, b, c, d]) if a < b && b < c && c < d => Self::Four([a, b, c, d]),
            _ => return Err(format!("`{id}` names no wager, or its numbers are not in ascending order")),
        };
        match numbers.iter().find(|n| **n > 6) {
            Some(n) => Err(format!("`{id}`: {n} is no face of a die")),
            None => Ok(wager),
        }
    }

    /// How many odds an area of this wager states: three for a single (on one, two and three dice), otherwise one.
    #[must_use]
    pub const fn odds_stated(self) -> usize {
        if matches!(self, Self::Single(_)) { 3 } else { 1 }
    }

    /// Whether the wager wins on this result (NZ 4.1, the pay tables of Singapore).
    #[must_use]
    pub fn wins(self, dice: Dice) -> bool {
        let total = dice.total();
        let [low, middle, high] = dice.pips();
        // The faces are in order, so equal ends mean three equal faces.
        let triple = low == high;
        match self {
            Self::Small => !triple && total <= 10,
            Self::Big => !triple && total >= 11,
            Self::Odd => !triple && total % 2 == 1,
            Self::Even => !triple && total % 2 == 0,
            Self::Single(n) => count(dice, n) >= 1,
            Self::Double(n) => count(dice, n) >= 2,
            Self::Triple(n) => count(dice, n) == 3,
            Self::AnyTriple => triple,
            Self::Total(t) => total == t,
            Self::Pair(x, y) => count(dice, x) >= 1 && count(dice, y) >= 1,
            Self::Combo(faces) => faces == [low, middle, high],
            Self::Four(four) => low < middle && middle < high && dice.pips().iter().all(|f| four.contains(f)),
        }
    }
}

/// On how many of the dice the number shows.
fn count(dice: Dice, number: u8) -> usize {
    dice.pips().iter().filter(|face| **face == number).count()
}

/// A number of an id: 1 to 17, without sign or leading zero.
fn number(text: &str) -> Option<u8> {
    let n: u8 = text.parse().ok()?;
    ((1..=17).contains(&n) && n.to_string() == text).then_some(n)
}
