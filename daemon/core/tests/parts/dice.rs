//! Faces, and three of them.

use std::collections::BTreeSet;
use tumbler_core::units::{Dice, DieFace, NoFace};

#[test]
fn three_dice_show_56_different_results() {
    let all: BTreeSet<Dice> = Dice::all().collect();
    assert_eq!(all.len(), 56);
    assert_eq!(Dice::all().count(), 56);
}

#[test]
fn a_face_is_one_to_six() {
    assert_eq!(DieFace::new(0), Err(NoFace(0)));
    assert_eq!(DieFace::new(7), Err(NoFace(7)));
    assert!(serde_json::from_str::<Dice>("[1,7,2]").is_err());
}

#[test]
fn dice_are_kept_lowest_first() {
    assert_eq!(Dice::from_pips([6, 1, 3]).map(Dice::pips), Ok([1, 3, 6]));
}
