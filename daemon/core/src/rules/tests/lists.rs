//! Which areas a layout has, against the lists as the texts print them.

use super::{LAYOUTS, of, rolls, winners};
use crate::prelude::*;
use alloc::collections::BTreeSet;

/// SGV6 4.1.2 and 4.1.3, "Double Numbers With Single Dice Combination Bet".
const SG_DOUBLE_WITH_SINGLE: &str = "1 1 3, 1 1 4, 1 1 5, 1 1 6, 2 2 1, 2 2 3, 2 2 4, 2 2 5, 2 2 6, 3 3 1, 3 3 2, 3 3 4, 3 3 5, \
    3 3 6, 4 4 1, 4 4 2, 4 4 3, 4 4 5, 4 4 6, 5 5 1, 5 5 2, 5 5 3, 5 5 4, 5 5 6, 6 6 1, 6 6 2, 6 6 3, 6 6 4";

/// SGV6 4.1.2 and 4.1.3, "Three Single Dice Combination Bet".
const SG_THREE_SINGLE: &str = "1 2 6, 1 3 5, 2 3 4, 2 5 6, 3 4 6, 1 2 3, 1 3 6, 1 4 5, 2 3 5, 3 5 6, 1 2 4, 1 4 6, 2 3 6, 2 4 5, \
    4 5 6, 1 2 5, 1 3 4, 1 5 6, 2 4 6, 3 4 5";

/// SGV6 4.1.1, "Domino Combination Bet".
const SG_DOMINO: &str = "1 4, 1 2, 2 4, 1 3, 2 3, 3 4, 2 5, 2 6, 3 5, 4 5, 3 6, 1 5, 1 6, 4 6, 5 6";

/// SGV6 4.1.2 and NZ9 4.1(j), the four-number combinations.
const FOUR: &str = "6 5 4 3, 6 5 3 2, 5 4 3 2, 4 3 2 1";

/// SGV6 4.1.3, the four-number combinations.
const FOUR_TABLE_3: &str = "6 5 4 3, 6 5 4 2, 6 5 3 2, 6 4 3 2, 5 4 3 2, 6 5 4 1, 6 5 3 1, 6 4 3 1, 5 4 3 1, 6 5 2 1, 6 4 2 1, \
    5 4 2 1, 6 3 2 1, 5 3 2 1, 4 3 2 1";

/// NZ9 4.1(i): each line before the colon goes with each number after it. "2,5 or 6" is read as 2,5 and 6, as 4.10 has it.
const NZ_THREE: [&str; 16] = [
    "1 1: 2 3 4 5 6",
    "2 2: 1 3 4 5 6",
    "3 3: 1 2 4 5 6",
    "4 4: 1 2 3 5 6",
    "5 5: 1 2 3 4 6",
    "6 6: 1 2 3 4 5",
    "1 2: 3 4 5 6",
    "1 3: 4 5 6",
    "1 4: 5 6",
    "1 5: 6",
    "2 3: 4 5 6",
    "2 4: 5 6",
    "2 5: 6",
    "3 4: 5 6",
    "3 5: 6",
    "4 5: 6",
];

fn id(kind: &str, numbers: &str) -> String {
    let mut numbers: Vec<&str> = numbers.split_whitespace().collect();
    numbers.sort_unstable();
    format!("{kind}-{}", numbers.join("-"))
}

fn ids(kind: &str, list: &str) -> BTreeSet<String> {
    list.split(',').map(|numbers| id(kind, numbers)).collect()
}

fn areas(layout: &str, kind: &str) -> BTreeSet<String> {
    of(layout).areas.iter().map(|a| a.id.clone()).filter(|a| a.split('-').next() == Some(kind)).collect()
}

fn sg_combinations() -> BTreeSet<String> {
    &ids("combo", SG_DOUBLE_WITH_SINGLE) | &ids("combo", SG_THREE_SINGLE)
}

/// Small, big, totals, pairs, singles, any triple and triples are on every layout; doubles on all but `sg-v6-3`.
#[test]
fn nz9_4_1_and_sgv6_4_1_1_what_every_layout_has() {
    for (layout, _, _) in LAYOUTS {
        assert_eq!(areas(layout, "small").len() + areas(layout, "big").len(), 2, "{layout}");
        assert_eq!(areas(layout, "pair"), ids("pair", SG_DOMINO), "{layout}");
        assert_eq!(areas(layout, "total"), (4..=17).map(|t| format!("total-{t}")).collect(), "{layout}");
        assert_eq!(areas(layout, "any"), ["any-triple".to_owned()].into(), "{layout}");
        let each = |kind: &str| (1..=6).map(|n| format!("{kind}-{n}")).collect::<BTreeSet<String>>();
        assert_eq!(areas(layout, "single"), each("single"), "{layout}");
        assert_eq!(areas(layout, "triple"), each("triple"), "{layout}");
        let doubles = if layout == "sg-v6-3" { BTreeSet::new() } else { each("double") };
        assert_eq!(areas(layout, "double"), doubles, "{layout}");
    }
}

/// NZ9 4.1(i): 50 combinations, 30 of them a double with a single.
#[test]
fn nz9_4_1_i_three_dice_combinations() {
    let expected: BTreeSet<String> = NZ_THREE
        .iter()
        .flat_map(|line| {
            let (first, last) = line.split_once(':').unwrap();
            last.split_whitespace().map(|n| id("combo", &format!("{first} {n}"))).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(expected.len(), 50);
    assert_eq!(areas("nz-div9-2", "combo"), expected);
    let only_in_nz: BTreeSet<String> = &expected - &sg_combinations();
    assert_eq!(only_in_nz, ["combo-1-1-2".to_owned(), "combo-5-6-6".to_owned()].into());
}

/// SGV6 4.1.2 and 4.1.3: 28 doubles with a single, without 1-1-2 and 6-6-5, and 20 of three different faces.
#[test]
fn sgv6_4_1_2_double_numbers_with_single_are_28() {
    assert_eq!(ids("combo", SG_DOUBLE_WITH_SINGLE).len(), 28);
    assert_eq!(sg_combinations().len(), 48);
    for layout in ["sg-v6-2", "sg-v6-3", "sg-open-2", "sg-open-early-2"] {
        assert_eq!(areas(layout, "combo"), sg_combinations(), "{layout}");
        for roll in [[1, 1, 2], [6, 5, 6]] {
            assert!(!winners(of(layout), roll).iter().any(|a| a.starts_with("combo-")), "{layout} {roll:?}");
        }
    }
}

/// SGV6 4.1.3: no odd, even or doubles, and all 15 four-number areas; elsewhere four of them.
#[test]
fn sgv6_4_1_3_has_15_four_number_areas_and_no_odd_even_or_doubles() {
    for kind in ["odd", "even", "double"] {
        assert_eq!(areas("sg-v6-3", kind), BTreeSet::new(), "{kind}");
    }
    assert_eq!(areas("sg-v6-3", "four"), ids("four", FOUR_TABLE_3));
    assert_eq!(ids("four", FOUR_TABLE_3).len(), 15);
    for layout in ["nz-div9-2", "sg-v6-2", "sg-open-2", "sg-open-early-2"] {
        assert_eq!(areas(layout, "four"), ids("four", FOUR), "{layout}");
        assert_eq!(areas(layout, "odd").len() + areas(layout, "even").len(), 2, "{layout}");
    }
}

/// NZ98 4.1, NZ9 4.1(a)-(h), SGV6 4.1.1: the small layouts have none of the alternative layout's wagers.
#[test]
fn nz98_4_1_the_layouts_of_50_have_no_further_areas() {
    for (layout, _, _) in LAYOUTS.iter().filter(|(_, _, count)| *count == 50) {
        for kind in ["odd", "even", "four", "combo"] {
            assert_eq!(areas(layout, kind), BTreeSet::new(), "{layout} {kind}");
        }
    }
}

/// Counts, ids and odds of all ten; every area wins on at least one roll and loses on another.
#[test]
fn every_area_is_listed_once_and_can_win_and_lose() {
    for (layout, _, count) in LAYOUTS {
        let all: BTreeSet<&str> = of(layout).areas.iter().map(|a| a.id.as_str()).collect();
        assert_eq!((of(layout).areas.len(), all.len()), (count, count), "{layout}");
        let won: Vec<BTreeSet<String>> = rolls().map(|roll| winners(of(layout), roll)).collect();
        for area in &of(layout).areas {
            assert!(area.odds.iter().all(|odds| *odds > 0), "{layout} {}", area.id);
            let wins = won.iter().filter(|ids| ids.contains(&area.id)).count();
            assert!(wins > 0 && wins < 216, "{layout} {} wins on {wins} of 216", area.id);
        }
    }
}
