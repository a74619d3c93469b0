//! What the facts of a round amount to by its rule set. Facts in, a verdict out: the table carries it out.

mod dice;
mod entry;
mod spin;
mod void;

pub(crate) use dice::{DiceVerdict, FindingVerdict, MovedVerdict, UnrestVerdict, dice};
pub(crate) use entry::{Amendment, EntryVerdict, Pressed, Reading};
pub(crate) use spin::{DefectVerdict, NoSpin, SpinVerdict, SpinVoid, Stood, announces_no_spin, spin};
pub(crate) use void::{FaultVerdict, VoidVerdict, damage_voids, stands};

use super::ending::Ground;
use crate::rules::RuleSet;

/// Whether the text leaves what it does not provide for to the shift manager or above (SGV6, SGOC 5.14).
fn is_left_to_manager(rules: Option<&RuleSet>) -> bool {
    voids(rules, Ground::Decision)
}

fn voids(rules: Option<&RuleSet>, ground: Ground) -> bool {
    rules.is_some_and(|rules| rules.voids(ground))
}

#[cfg(test)]
mod tests;
