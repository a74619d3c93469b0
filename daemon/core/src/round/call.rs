//! What the dealer calls, and how a result is worded.

use crate::prelude::*;
use crate::units::Dice;
use serde::{Deserialize, Serialize};

/// A call by the dealer, made with a button. A fact: recorded and judged, never refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Call {
    /// "Place your bets" (NZ 6.1, SGV6 3.2).
    PlaceBets,
    /// "No more bets" (NZ 6.2, SGV6 3.6).
    NoMoreBets,
    /// "No spin" (NZ 7.1).
    NoSpin,
}

/// The call of a result, worded as NZ 6.3 has it: `1, 3, 6, total 10`, `double 3, 4, total 10`, `triple 5, total 15`.
#[must_use]
pub fn result(dice: Dice) -> String {
    let [a, b, c] = dice.faces();
    let total = dice.total();
    if a == c {
        format!("triple {a}, total {total}")
    } else if a == b {
        format!("double {a}, {c}, total {total}")
    } else if b == c {
        format!("{a}, double {b}, total {total}")
    } else {
        format!("{a}, {b}, {c}, total {total}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(pips: [u8; 3]) -> String {
        result(Dice::from_pips(pips).unwrap())
    }

    /// NZ9 6.3 gives these three as its examples.
    #[test]
    fn calls_are_worded_as_the_rules_have_them() {
        assert_eq!(called([6, 3, 1]), "1, 3, 6, total 10");
        assert_eq!(called([3, 4, 3]), "double 3, 4, total 10");
        assert_eq!(called([5, 5, 5]), "triple 5, total 15");
    }

    /// NZ9 6.3: "in order from the lowest number to the highest", doubles "in a similar fashion".
    #[test]
    fn a_double_above_a_single_comes_after_it() {
        assert_eq!(called([5, 2, 5]), "2, double 5, total 12");
    }
}
