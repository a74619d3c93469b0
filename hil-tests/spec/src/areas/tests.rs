use super::*;
use std::collections::BTreeSet;

fn ids(layout: &str, dice: [u8; 3]) -> BTreeSet<String> {
    Layout::named(layout).unwrap().winning(dice).into_iter().map(|(area, _)| area.to_string()).collect()
}

fn set(ids: &str) -> BTreeSet<String> {
    ids.split(' ').map(str::to_owned).collect()
}

fn all_dice() -> Vec<[u8; 3]> {
    let mut all = Vec::new();
    for a in 1..=6 {
        for b in a..=6 {
            all.extend((b..=6).map(|c| [a, b, c]));
        }
    }
    all
}

#[test]
fn every_layout_has_as_many_areas_as_its_source() {
    let counted: Vec<usize> = LAYOUTS.iter().map(|l| l.areas().len()).collect();
    assert_eq!(counted, [50, 50, 106, 50, 104, 107, 50, 104, 50, 104]);
}

#[test]
fn an_area_is_known_by_its_id_only() {
    for layout in LAYOUTS {
        for area in layout.areas() {
            assert_eq!(area.to_string().parse(), Ok(area));
        }
    }
    for id in ["single-7", "single-03", "pair-5-2", "total-3", "combo-2-2-2", "four-1-2-2-3", "", "tiny", "pair-1"] {
        assert!(id.parse::<Area>().is_err(), "{id}");
    }
}

#[test]
fn nz9_4_1_d_a_triple_lights_its_double_once() {
    assert_eq!(ids("nz-1998", [2, 2, 2]), set("triple-2 any-triple double-2 single-2 total-6"));
}

#[test]
fn sgv6_3_10_only_five_bets_win_on_a_triple() {
    assert_eq!(ids("sg-v6-2", [5, 5, 5]), set("triple-5 any-triple double-5 single-5 total-15"));
    assert_eq!(ids("sg-v6-3", [5, 5, 5]), set("triple-5 any-triple single-5 total-15"));
    assert_eq!(ids("sg-v6-2", [1, 1, 1]), set("triple-1 any-triple double-1 single-1"));
}

#[test]
fn nz9_4_1_i_has_both_ends_that_singapore_lacks() {
    assert!(ids("nz-div9-2", [1, 1, 2]).contains("combo-1-1-2"));
    assert!(ids("nz-div9-2", [5, 6, 6]).contains("combo-5-6-6"));
    assert!(!ids("sg-v6-2", [1, 1, 2]).contains("combo-1-1-2"));
    assert!(!ids("sg-open-2", [5, 6, 6]).contains("combo-5-6-6"));
    assert!(ids("sg-open-early-2", [5, 5, 6]).contains("combo-5-5-6"));
}

#[test]
fn nz9_4_1_j_three_different_of_four() {
    assert_eq!(
        ids("nz-div9-2", [3, 4, 5]),
        set(
            "big even single-3 single-4 single-5 total-12 pair-3-4 pair-3-5 pair-4-5 combo-3-4-5 four-3-4-5-6 four-2-3-4-5"
        )
    );
    assert!(!ids("nz-div9-2", [3, 3, 4]).iter().any(|id| id.starts_with("four")));
    assert_eq!(ids("sg-v6-3", [1, 2, 6]).iter().filter(|id| id.starts_with("four")).count(), 3);
}

#[test]
fn odds_are_those_of_the_pay_tables() {
    let pays = |layout: &str, dice, id: &str| {
        let layout = Layout::named(layout).unwrap();
        id.parse::<Area>().unwrap().pays(dice, layout.family)
    };
    assert_eq!(pays("nz-div9-2", [1, 1, 3], "combo-1-1-3"), Some(60));
    assert_eq!(pays("sg-v6-2", [1, 1, 3], "combo-1-1-3"), Some(50));
    assert_eq!(pays("sg-v6-2", [1, 2, 3], "combo-1-2-3"), Some(30));
    assert_eq!(pays("nz-1998", [4, 4, 4], "single-4"), Some(12));
    assert_eq!(pays("nz-1998", [4, 4, 1], "single-4"), Some(2));
    assert_eq!(pays("nz-1998", [4, 4, 1], "single-5"), None);
    let totals: Vec<u16> = (4..=17_u8)
        .map(|t| {
            let dice = all_dice().into_iter().find(|d| total(*d) == t).unwrap();
            Area::Total(t).pays(dice, Family::Singapore).unwrap()
        })
        .collect();
    assert_eq!(totals, [62, 31, 18, 12, 8, 7, 6, 6, 7, 8, 12, 18, 31, 62]);
}

#[test]
fn each_of_the_56_results_lights_a_set_of_its_own() {
    for layout in LAYOUTS {
        let sets: BTreeSet<Vec<(Area, u16)>> = all_dice().into_iter().map(|d| layout.winning(d)).collect();
        assert_eq!(sets.len(), 56, "{}", layout.id);
    }
}
