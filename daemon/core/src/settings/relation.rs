//! What parameters must be to each other: each within its range, and yet a table that cannot play or latches what is well.

use super::{BadSetting, Parameters};
use crate::prelude::*;
use core::fmt;

/// Parameters, multiplied with one another and with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// The number.
    pub by: u32,
    /// Names of parameters.
    pub of: &'static [&'static str],
}

/// A product that may not be more than another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The one that may not be more.
    pub smaller: Product,
    /// What it may not exceed.
    pub limit: Product,
    /// Why.
    pub why: &'static str,
}

/// `by` times one parameter.
const fn times(by: u32, of: &'static [&'static str]) -> Product {
    Product { by, of }
}

impl Relation {
    /// Every relation that must hold.
    pub const ALL: &'static [Self] = &[
        Self {
            smaller: times(1, &["target_tumbles", "tumble_period"]),
            limit: times(1, &["spin_limit"]),
            why: "a shaft that is as slow as it may be still reaches its target; with a shorter limit every such spin ends early",
        },
        Self {
            smaller: times(1, &["tumble_period"]),
            limit: times(4, &["stall"]),
            why: "the cam has four edges a tumble: a shaft that is as slow as it may be does not stand still between two of them",
        },
        Self {
            smaller: times(1, &["standstill"]),
            limit: times(1, &["stall"]),
            why: "what still turns with the motor on is not at rest without it",
        },
        Self {
            smaller: times(3, &["edge_late"]),
            limit: times(1, &["stall"]),
            why: "an edge that is believed later than a third of `stall` tells nothing of what the shaft does now",
        },
        Self {
            smaller: times(1, &["dome_debounce"]),
            limit: times(1, &["dome_travel"]),
            why: "a dome that bounces has not stopped on its way",
        },
        Self {
            smaller: times(1, &["stall"]),
            limit: times(1, &["coast_limit"]),
            why: "a shaft that creeps is given `stall` to stop in; with a shorter limit it counts as one that coasts on",
        },
        Self {
            smaller: times(1, &["readback"]),
            limit: times(1, &["stall"]),
            why: "a motor whose pin does not come on is told as that, and not as a shaft that is blocked",
        },
        Self {
            smaller: times(1, &["readback"]),
            limit: times(1, &["bell"]),
            why: "a bell whose pin does not come on is found before its stroke is over",
        },
        Self {
            smaller: times(1, &["flicker"]),
            limit: times(1, &["seal_debounce"]),
            why: "a break after which the same spin goes on is no broken seal",
        },
        Self {
            smaller: times(1, &["flicker"]),
            limit: times(1, &["dome_debounce"]),
            why: "a break after which the same spin goes on is no lifted dome",
        },
        Self {
            smaller: times(1, &["key_privilege"]),
            limit: times(1, &["key_stuck"]),
            why: "a key that stays turned for as long as its privilege lasts is not stuck",
        },
        Self {
            smaller: times(1, &["settle"]),
            limit: times(1, &["settle_limit"]),
            why: "dice that lie still are settled before they count as never settling",
        },
        Self {
            smaller: times(1, &["poll_fast"]),
            limit: times(1, &["poll_slow"]),
            why: "what matters now is asked more often than what does not",
        },
        Self {
            smaller: times(2, &["poll_fast"]),
            limit: times(1, &["settle"]),
            why: "dice that lie still were seen more than once",
        },
        Self {
            smaller: times(2, &["poll_fast"]),
            limit: times(1, &["display_verify"]),
            why: "a display that is read too early is read again before it counts as wrong",
        },
        Self {
            smaller: times(2, &["poll_fast"]),
            limit: times(1, &["lamp_verify"]),
            why: "lamps take a moment: a board that is asked too early is asked again before they count as wrong",
        },
        Self {
            smaller: times(1, &["display_verify"]),
            limit: times(1, &["result_back"]),
            why: "what the display is told stays for as long as it may take to show it",
        },
        Self {
            smaller: times(2, &["poll_slow"]),
            limit: times(1, &["unit_lost"]),
            why: "a unit that is asked slowly is not lost with a single reply",
        },
    ];

    /// Whether it holds.
    ///
    /// # Errors
    /// What is wrong, with the numbers.
    pub fn check(&self, parameters: &Parameters) -> Result<(), BadSetting> {
        let (smaller, limit) = (self.smaller.value(parameters), self.limit.value(parameters));
        if smaller <= limit {
            return Ok(());
        }
        // The defaults agree: who set one of them otherwise is told of that one.
        let changed = |name: &&str| {
            let row = Parameters::TABLE.iter().find(|row| row.name == *name);
            row.is_some_and(|row| parameters.get(name) != Some(row.default))
        };
        let name = self.smaller.of.iter().chain(self.limit.of).copied().find(changed).unwrap_or_default();
        Err(BadSetting {
            path: format!("parameters.{name}"),
            problem: format!("{} is {smaller}, and {} is {limit}: {}", self.smaller, self.limit, self.why),
            allowed: self.to_string(),
        })
    }
}

impl Product {
    fn value(&self, parameters: &Parameters) -> u64 {
        let factors = self.of.iter().filter_map(|name| parameters.get(name));
        factors.fold(u64::from(self.by), |product, factor| product.saturating_mul(u64::from(factor)))
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.by != 1 {
            write!(f, "{} × ", self.by)?;
        }
        f.write_str(&self.of.join(" × "))
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ≤ {}", self.smaller, self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name with a typo would leave its factor out.
    #[test]
    fn every_name_is_a_parameter() {
        for relation in Relation::ALL {
            for name in [relation.smaller, relation.limit].iter().flat_map(|product| product.of) {
                assert!(Parameters::default().get(name).is_some(), "{relation}: {name}");
            }
        }
    }

    #[test]
    fn the_defaults_keep_every_relation_and_each_can_be_broken_within_the_ranges() {
        for relation in Relation::ALL {
            assert_eq!(relation.check(&Parameters::default()), Ok(()), "{relation}");
            let mut extreme = Parameters::default();
            let mut set = |name: &str, most: bool| {
                let row = Parameters::TABLE.iter().find(|row| row.name == name).unwrap();
                let value = if most { row.max } else { row.min };
                let mut json = serde_json::to_value(extreme).unwrap();
                json[name] = value.into();
                extreme = serde_json::from_value(json).unwrap();
            };
            relation.smaller.of.iter().for_each(|name| set(name, true));
            relation.limit.of.iter().for_each(|name| set(name, false));
            let bad = relation.check(&extreme).unwrap_err();
            assert!(bad.to_string().contains(relation.why) && bad.allowed == relation.to_string(), "{bad}");
        }
    }

    #[test]
    fn what_is_told_of_is_the_parameter_that_was_changed() {
        let relation = &Relation::ALL[0];
        assert_eq!(relation.to_string(), "target_tumbles × tumble_period ≤ spin_limit");
        let row = |name: &str| Parameters::TABLE.iter().find(|row| row.name == name).unwrap();
        for (name, value) in [("tumble_period", row("tumble_period").max), ("spin_limit", row("spin_limit").min)] {
            let mut json = serde_json::to_value(Parameters::default()).unwrap();
            json[name] = value.into();
            let bad = relation.check(&serde_json::from_value(json).unwrap()).unwrap_err();
            assert_eq!(bad.path, format!("parameters.{name}"));
        }
    }
}
