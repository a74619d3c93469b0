//! The orders of play.

use super::super::{Order, rule_set};

fn order(id: &str) -> Order {
    rule_set(id).unwrap().order
}

/// NZ 6.1-6.3: the spin begins the game, under the cover; then bets, "No more bets", uncovering.
#[test]
fn nz9_6_1_the_spin_begins_the_game_under_the_cover() {
    for id in ["nz-1998", "nz-div9"] {
        let expected = Order {
            covered: true,
            spin_begins_round: true,
            spin_before_no_more_bets: true,
            spin_after_no_more_bets: false,
        };
        assert_eq!(order(id), expected, "{id}");
    }
}

/// SGV6 1.7 and 3.7: "Place your Bets, please" begins the round; covered and activated, before or after "No more Bets".
#[test]
fn sgv6_1_7_place_bets_begins_the_round_and_the_spin_is_covered() {
    let expected = Order {
        covered: true,
        spin_begins_round: false,
        spin_before_no_more_bets: true,
        spin_after_no_more_bets: true,
    };
    assert_eq!(order("sg-v6"), expected);
}

/// SGOC 5.5.3 and SGOC-early 5.1.4: no cover, and no spin before "No more bets" (what NZ requires voids a round here).
#[test]
fn sgoc_5_5_3_the_spin_comes_after_no_more_bets_without_a_cover() {
    for id in ["sg-open", "sg-open-early"] {
        let expected = Order {
            covered: false,
            spin_begins_round: false,
            spin_before_no_more_bets: false,
            spin_after_no_more_bets: true,
        };
        assert_eq!(order(id), expected, "{id}");
    }
}
