//! Two transcriptions of the rules, by different hands: the judges' predicates against the core's data.

use std::collections::BTreeMap;
use tumbler_core::rules;
use tumbler_core::units::Dice;
use tumbler_spec::areas::Layout;

/// daemon/core/rules: ten layouts, and each of the 56 results lights the same areas, at the same odds, by both.
#[test]
fn core_and_judges_light_and_pay_the_same_for_all_ten_layouts_and_56_results() {
    assert_eq!(rules::layouts().count(), 10);
    for layout in rules::layouts() {
        let theirs = Layout::named(&layout.id).expect("the judges know the layout");
        let mut results = 0;
        for dice in Dice::all() {
            let core: BTreeMap<String, u32> = layout.winning(dice).into_iter().map(|w| (w.id, w.odds)).collect();
            let judges: BTreeMap<String, u32> =
                theirs.winning(dice.pips()).into_iter().map(|(area, odds)| (area.to_string(), odds.into())).collect();
            assert_eq!(core, judges, "{} on {:?}", layout.id, dice.pips());
            assert!(!core.is_empty());
            results += 1;
        }
        assert_eq!(results, 56);
    }
}

/// design.md trap 9: every one of the 56 results lights a different set of areas.
#[test]
fn every_result_lights_another_set_of_areas() {
    for layout in rules::layouts() {
        let sets: std::collections::BTreeSet<Vec<usize>> = Dice::all().map(|dice| layout.lit(dice).collect()).collect();
        assert_eq!(sets.len(), 56, "{}", layout.id);
    }
}
