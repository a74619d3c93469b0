//! Winning and paying by the words of the rules, on every ordered roll.

use super::{LAYOUTS, of, pays, rolls, winners};
use crate::prelude::*;
use crate::units::Dice;
use alloc::collections::BTreeSet;

/// What the rules say of the area `id` on this roll: what it pays to 1, or `None` if it loses. NZ9 4.1 and 4.10, the pay
/// tables of Singapore; only a double with a single pays by the rule set.
fn by_the_words(rules: &str, id: &str, roll: [u8; 3]) -> Option<u32> {
    let [a, b, c] = roll;
    let total = a + b + c;
    let triple = a == b && b == c;
    let shown = |n: u8| roll.iter().filter(|d| **d == n).count();
    let numbers: Vec<u8> = id.split('-').filter_map(|part| part.parse().ok()).collect();
    let kind = id.split('-').next().unwrap();
    match (kind, numbers.as_slice()) {
        ("small", []) => ([4, 5, 6, 7, 8, 9, 10].contains(&total) && !triple).then_some(1),
        ("big", []) => ([11, 12, 13, 14, 15, 16, 17].contains(&total) && !triple).then_some(1),
        ("odd", []) => ([5, 7, 9, 11, 13, 15, 17].contains(&total) && !triple).then_some(1),
        ("even", []) => ([4, 6, 8, 10, 12, 14, 16].contains(&total) && !triple).then_some(1),
        ("single", [n]) => match shown(*n) {
            1 => Some(1),
            2 => Some(2),
            3 => Some(12),
            _ => None,
        },
        ("double", [n]) => (shown(*n) >= 2).then_some(11),
        ("triple", [n]) => (roll == [*n, *n, *n]).then_some(180),
        ("any", []) => triple.then_some(31),
        ("total", [t]) => (total == *t).then_some(match t {
            4 | 17 => 62,
            5 | 16 => 31,
            6 | 15 => 18,
            7 | 14 => 12,
            8 | 13 => 8,
            9 | 12 => 7,
            10 | 11 => 6,
            _ => panic!("{id}: no total of the rules"),
        }),
        ("pair", [x, y]) => (x != y && shown(*x) > 0 && shown(*y) > 0).then_some(6),
        ("combo", [x, y, z]) => {
            let orders = [[*x, *y, *z], [*x, *z, *y], [*y, *x, *z], [*y, *z, *x], [*z, *x, *y], [*z, *y, *x]];
            let different = x != y && y != z && x != z;
            let odds = match (different, rules.starts_with("nz")) {
                (true, _) => 30,
                (false, true) => 60,
                (false, false) => 50,
            };
            orders.contains(&roll).then_some(odds)
        }
        ("four", four @ [_, _, _, _]) => (four.iter().filter(|n| shown(**n) > 0).count() == 3).then_some(7),
        _ => panic!("{id}: no wager of the rules"),
    }
}

/// NZ9 4.1 with 4.10, SGV6 4.1, SGOC 4.1: every area of every layout on every one of the 216 rolls wins when the words say so
/// and pays what they say; what wins is what lights.
#[test]
fn every_area_wins_and_pays_by_the_words_on_all_216_rolls() {
    for (id, rules, _) in LAYOUTS {
        let layout = of(id);
        for roll in rolls() {
            let dice = Dice::from_pips(roll).unwrap();
            let expected: Vec<(&str, u32)> = layout
                .areas
                .iter()
                .filter_map(|area| by_the_words(rules, &area.id, roll).map(|odds| (area.id.as_str(), odds)))
                .collect();
            let winning = layout.winning(dice);
            let found: Vec<(&str, u32)> = winning.iter().map(|w| (w.id.as_str(), w.odds)).collect();
            assert_eq!(found, expected, "{id} {roll:?}");
            let lit: Vec<&str> = layout.lit(dice).map(|i| layout.areas[i].id.as_str()).collect();
            let winners: Vec<&str> = expected.iter().map(|(area, _)| *area).collect();
            assert_eq!(lit, winners, "{id} {roll:?}: what lights is what wins");
        }
    }
}

/// SGV6 3.10: on a triple only the specific triple, any triple, the double, the single and a total of 6, 9, 12 or 15 win.
/// NZ9 4.1(d)(ii): the double once only. NZ9 4.1(a), (b), (k), (l): small, big, odd and even lose.
#[test]
fn sgv6_3_10_a_triple_lights_these_and_nothing_else() {
    for (id, _, _) in LAYOUTS {
        for n in 1..=6_u8 {
            let mut expected: BTreeSet<String> =
                [format!("triple-{n}"), "any-triple".into(), format!("single-{n}")].into();
            if id != "sg-v6-3" {
                expected.insert(format!("double-{n}"));
            }
            if [6, 9, 12, 15].contains(&(3 * n)) {
                expected.insert(format!("total-{}", 3 * n));
            }
            assert_eq!(winners(of(id), [n, n, n]), expected, "{id} triple {n}");
        }
    }
    assert_eq!(pays("nz-div9-2", "double-4", [4, 4, 4]), Some(11));
}

/// NZ9 4.1(g): a wager on two different numbers, so that no triple wins it; a double with a single wins one.
#[test]
fn nz9_4_1_g_no_triple_lights_a_pair() {
    for (id, _, _) in LAYOUTS {
        for roll in rolls() {
            let pairs = winners(of(id), roll).iter().filter(|a| a.starts_with("pair-")).count();
            let different: BTreeSet<u8> = roll.into();
            assert_eq!(pairs, [0, 0, 1, 3][different.len()], "{id} {roll:?}");
        }
    }
}

/// NZ9 4.1(j), SGV6 4.1.2: three of the four numbers must show, so that two equal dice light no four-number area.
#[test]
fn nz9_4_1_j_a_four_number_area_needs_three_different_faces() {
    assert_eq!(pays("nz-div9-2", "four-3-4-5-6", [3, 4, 4]), None);
    assert_eq!(pays("nz-div9-2", "four-3-4-5-6", [6, 3, 4]), Some(7));
    // 4.1.3: with all 15 areas, each three different faces lie in three of them.
    for roll in rolls() {
        let fours = winners(of("sg-v6-3"), roll).iter().filter(|a| a.starts_with("four-")).count();
        let different: BTreeSet<u8> = roll.into();
        assert_eq!(fours, if different.len() == 3 { 3 } else { 0 }, "{roll:?}");
    }
}

/// The lamps alone tell the result: each of the 56 lights a different set, and the set leads back to the result.
#[test]
fn each_of_the_56_results_lights_a_different_set() {
    for (id, _, _) in LAYOUTS {
        let layout = of(id);
        let sets: BTreeSet<u128> = Dice::all().map(|dice| layout.lit_bits(dice)).collect();
        assert_eq!(sets.len(), 56, "{id}");
        for dice in Dice::all() {
            assert_eq!(layout.result_of(layout.lit_bits(dice)), Some(dice), "{id}");
        }
        assert_eq!(layout.result_of(0), None, "{id}: no result lights nothing");
    }
}

/// NZ9 5(b): the test runs light all of the areas; 17 are the fewest on the layouts of 50, all 56 on the larger ones.
#[test]
fn nz9_5_b_the_test_runs_light_every_area() {
    for (id, _, areas) in LAYOUTS {
        let results = of(id).covering();
        let lit: BTreeSet<String> = results.iter().flat_map(|dice| winners(of(id), dice.pips())).collect();
        assert_eq!(lit.len(), areas, "{id}");
        assert_eq!(results.len(), if areas == 50 { 17 } else { 56 }, "{id}");
        assert_eq!(results.iter().collect::<BTreeSet<_>>().len(), results.len(), "{id}: no result twice");
        assert_eq!(results, of(id).covering(), "{id}: the same every time");
    }
}

/// Whether at most `runs` of these results light all of `unlit`: a full search, the area that fewest results light first.
fn can_be_lit(unlit: u128, runs: usize, results: &[u128]) -> bool {
    let lighting = |area: u32| results.iter().filter(move |lit| **lit >> area & 1 == 1);
    let Some(hardest) = (0..u128::BITS).filter(|i| unlit >> i & 1 == 1).min_by_key(|i| lighting(*i).count()) else {
        return true;
    };
    runs > 0 && lighting(hardest).any(|lit| can_be_lit(unlit & !lit, runs - 1, results))
}

/// NZ9 5(b): 17 test runs are the fewest. The six triples are needed for their own areas; of the others, each has one total,
/// so that ten more are needed for the ten totals that no triple has, and those ten do not do.
#[test]
fn nz9_5_b_sixteen_test_runs_do_not_light_every_area() {
    let layout = of("nz-1998");
    let triples: Vec<Dice> = (1..=6).map(|n| Dice::from_pips([n; 3]).unwrap()).collect();
    let others: Vec<u128> = Dice::all().filter(|d| !triples.contains(d)).map(|d| layout.lit_bits(d)).collect();
    let unlit = triples.iter().fold((1 << 50) - 1, |unlit, dice| unlit & !layout.lit_bits(*dice));
    assert!(!can_be_lit(unlit, 10, &others));
    assert!(can_be_lit(unlit, 11, &others));
}

/// What the field will be asked for first: `odds --layout sg-v6-3 --dice 1,1,3`.
#[test]
fn sgv6_4_1_3_one_one_three() {
    let winning = of("sg-v6-3").winning(Dice::from_pips([1, 1, 3]).unwrap());
    let found: BTreeSet<(&str, u32)> = winning.iter().map(|w| (w.id.as_str(), w.odds)).collect();
    let expected =
        [("small", 1), ("total-5", 31), ("pair-1-3", 6), ("single-1", 2), ("single-3", 1), ("combo-1-1-3", 50)];
    assert_eq!(found, expected.into());
}
