//! The rule sets against the texts. What is expected is written from the words of the rules and reckoned on all 216 ordered
//! rolls, without the code that is tested.

mod citations;
mod clauses;
mod data;
mod lists;
mod play;
mod words;

use super::{Layout, layout};
use crate::prelude::*;
use crate::units::Dice;
use alloc::collections::BTreeSet;

/// Every layout: its id, its rule set's id, and how many areas the rule's appendix or pay table has.
const LAYOUTS: [(&str, &str, usize); 10] = [
    ("nz-1998", "nz-1998", 50),
    ("nz-div9-1", "nz-div9", 50),
    ("nz-div9-2", "nz-div9", 106),
    ("sg-v6-1", "sg-v6", 50),
    ("sg-v6-2", "sg-v6", 104),
    ("sg-v6-3", "sg-v6", 107),
    ("sg-open-1", "sg-open", 50),
    ("sg-open-2", "sg-open", 104),
    ("sg-open-early-1", "sg-open-early", 50),
    ("sg-open-early-2", "sg-open-early", 104),
];

/// All 216 ordered rolls.
fn rolls() -> impl Iterator<Item = [u8; 3]> {
    (1..=6).flat_map(|a| (1..=6).flat_map(move |b| (1..=6).map(move |c| [a, b, c])))
}

/// The layout with this id.
fn of(id: &str) -> &'static Layout {
    layout(id).unwrap()
}

/// Ids of the areas that a layout says win on this roll.
fn winners(layout: &Layout, roll: [u8; 3]) -> BTreeSet<String> {
    layout.winning(Dice::from_pips(roll).unwrap()).into_iter().map(|w| w.id).collect()
}

/// What an area pays on this roll; `None` if it loses or is not on the layout.
fn pays(id: &str, area: &str, roll: [u8; 3]) -> Option<u32> {
    of(id).winning(Dice::from_pips(roll).unwrap()).into_iter().find(|w| w.id == area).map(|w| w.odds)
}
