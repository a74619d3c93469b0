//! A layout: which lamps light on a result, what they pay, and which results prove all of them.

use super::area::Area;
use crate::prelude::*;
use crate::units::Dice;
use serde::{Deserialize, Serialize};

/// A layout: its areas in the order in which lamps are wired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Id, such as `sg-v6-3`.
    pub id: String,
    /// Id of the rule set it belongs to.
    pub rules: String,
    /// Where the texts describe it.
    pub source: String,
    /// The lampable areas.
    pub areas: Vec<Area>,
    /// For every ordered roll, a bit for every area that wins, the first area lowest. Reckoned once: simulations ask a million times.
    winners: Vec<u128>,
}

/// An area that wins, with what it pays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Winning {
    /// The area's id.
    pub id: String,
    /// What it pays, x to 1, on this result.
    pub odds: u32,
}

impl Layout {
    /// The most areas a layout can have: one bit each.
    pub const MOST_AREAS: usize = 128;

    /// A layout of these areas; at most [`Self::MOST_AREAS`] of them, which the loader checks.
    pub(super) fn new(id: String, rules: String, source: String, areas: Vec<Area>) -> Self {
        let mut winners = vec![0; 216];
        for dice in Dice::all() {
            if let Some(bits) = winners.get_mut(roll(dice)) {
                *bits = areas.iter().rev().fold(0, |bits, area| bits << 1 | u128::from(area.wager.wins(dice)));
            }
        }
        Self { id, rules, source, areas, winners }
    }

    /// The areas that win on this result, in the layout's order, with what they pay.
    #[must_use]
    pub fn winning(&self, dice: Dice) -> Vec<Winning> {
        self.areas.iter().filter_map(|area| area.pays(dice).map(|odds| Winning { id: area.id.clone(), odds })).collect()
    }

    /// The areas that win on this result, a bit for each, the first area lowest.
    #[must_use]
    pub fn lit_bits(&self, dice: Dice) -> u128 {
        self.winners.get(roll(dice)).copied().unwrap_or(0)
    }

    /// Ids of these areas, a bit for each, the first area lowest.
    #[must_use]
    pub fn ids(&self, bits: u128) -> Vec<String> {
        let lit = self.areas.iter().enumerate().filter(|(i, _)| bits >> (i % 128) & 1 == 1);
        lit.map(|(_, area)| area.id.clone()).collect()
    }

    /// Indices of the areas that win on this result: the lamps to light, ascending.
    pub fn lit(&self, dice: Dice) -> impl Iterator<Item = usize> + use<> {
        let mut left = self.lit_bits(dice);
        core::iter::from_fn(move || {
            let index = left.trailing_zeros();
            // Clears the lowest bit that is set; nothing is set once the count reaches the width.
            left &= left.wrapping_sub(1);
            (index < u128::BITS).then_some(index as usize)
        })
    }

    /// The result on which exactly these areas are lit, the first area lowest; `None` if no result lights just these.
    #[must_use]
    pub fn result_of(&self, lit: u128) -> Option<Dice> {
        Dice::all().find(|dice| self.lit_bits(*dice) == lit)
    }

    /// Results that together light every area, as few as a greedy choice finds: the test runs of the opening (NZ 5(b)).
    ///
    /// 17 for the layouts of 50 areas, which is the least there is; 56 for the larger ones, where every result has an area
    /// that lights on it alone.
    #[must_use]
    pub fn covering(&self) -> Vec<Dice> {
        let mut unlit = Dice::all().fold(0, |all, dice| all | self.lit_bits(dice));
        let mut rarest_first: Vec<usize> = (0..self.areas.len()).collect();
        // The sort keeps equals in the layout's order, so that the choice is the same every time.
        rarest_first.sort_by_key(|i| Dice::all().filter(|dice| self.lit_bits(*dice) >> i & 1 == 1).count());
        let mut results = Vec::new();
        for area in rarest_first.into_iter().map(|i| 1_u128 << i) {
            if unlit & area == 0 {
                continue;
            }
            // The hardest area to light is lit by the result that lights most else; the lowest of equals.
            let most = Dice::all()
                .filter(|dice| self.lit_bits(*dice) & area != 0)
                .min_by_key(|dice| u128::BITS - (self.lit_bits(*dice) & unlit).count_ones());
            if let Some(dice) = most {
                unlit &= !self.lit_bits(dice);
                results.push(dice);
            }
        }
        results
    }
}

/// The place of a result among the 216 ordered rolls.
fn roll(dice: Dice) -> usize {
    dice.pips().into_iter().fold(0, |place, face| place * 6 + usize::from(face.saturating_sub(1)))
}
