//! A layout as it lies on the table: its areas in bands, from the dealer's side to the players'. One arrangement for all ten, for
//! each has its areas in the same bands; the panel and the hardware tests' report draw by it.

use std::collections::BTreeSet;
use tumbler_core::rules::{Area, Layout};

/// Bands from the dealer's side, each with the kinds of its areas from left to right; a band that a layout has no area of is left
/// out.
const BANDS: &[&[&str]] = &[
    &["small", "odd", "double", "triple", "any", "even", "big"],
    &["total"],
    &["four"],
    &["combo2"],
    &["combo"],
    &["pair"],
    &["single"],
];
/// No more areas in a row than can be read.
const MOST: usize = 15;

/// The kind of an area: the first word of its id, and `combo2` for a combination with a double in it.
fn kind(id: &str) -> &str {
    let mut words = id.split('-');
    let kind = words.next().unwrap_or_default();
    let faces: BTreeSet<&str> = words.collect();
    if kind == "combo" && faces.len() < 3 { "combo2" } else { kind }
}

/// The rows of a layout, each with its areas from left to right.
#[must_use]
pub fn rows(layout: &Layout) -> Vec<Vec<&Area>> {
    let mut rows = Vec::new();
    for kinds in BANDS {
        let place = |area: &&Area| kinds.iter().position(|k| *k == kind(&area.id));
        let mut here: Vec<&Area> = layout.areas.iter().filter(|area| place(area).is_some()).collect();
        here.sort_by_key(place);
        // As many rows as are needed, and all of them equally long.
        let count = here.len().div_ceil(MOST).max(1);
        rows.extend(here.chunks(here.len().div_ceil(count).max(1)).map(<[&Area]>::to_vec));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::rules;

    #[test]
    fn every_area_of_every_layout_has_one_place() {
        for layout in rules::layouts() {
            let rows = rows(layout);
            let placed: Vec<&str> = rows.iter().flatten().map(|area| area.id.as_str()).collect();
            let once: BTreeSet<&str> = placed.iter().copied().collect();
            assert_eq!(once, layout.areas.iter().map(|area| area.id.as_str()).collect(), "{}", layout.id);
            assert_eq!(placed.len(), once.len(), "{}", layout.id);
            assert!(rows.iter().all(|row| (1..=MOST).contains(&row.len())), "{}", layout.id);
            let big = placed.iter().position(|id| *id == "big");
            let total = placed.iter().position(|id| id.starts_with("total-"));
            assert!(placed.first() == Some(&"small") && big < total, "the dealer's side comes first: {placed:?}");
        }
    }
}
