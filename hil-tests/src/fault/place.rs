//! The moments at which something breaks: the phases that people see, and two moments within them from the orders of play.

use crate::scenario::order;

/// When something breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Opening tests pending.
    Closed,
    /// Open, no round, the dome away where there is one.
    Ready,
    /// Open, no round, the dome over the dice.
    Covered,
    /// "Place your bets" was called.
    Betting,
    /// The tumbler turns.
    Tumbling,
    /// The tumbler and the dice have come to rest.
    Spun,
    /// "No more bets" was called, and the dice are not revealed.
    BetsClosed,
    /// The outcome is established.
    Revealed,
    /// The result is entered and its lamps are verified.
    Settling,
    /// The last round ended void.
    Void,
    /// Another malfunction is latched, its cause is gone.
    Blocked,
    /// A technician has the table.
    Maintenance,
}

impl Place {
    /// All places with their names, in the order of a round.
    pub const ALL: [(&'static str, Self); 12] = [
        ("closed", Self::Closed),
        ("ready", Self::Ready),
        ("covered", Self::Covered),
        ("betting", Self::Betting),
        ("tumbling", Self::Tumbling),
        ("spun", Self::Spun),
        ("bets-closed", Self::BetsClosed),
        ("revealed", Self::Revealed),
        ("settling", Self::Settling),
        ("void", Self::Void),
        ("blocked", Self::Blocked),
        ("maintenance", Self::Maintenance),
    ];

    /// Groups of places that an expectation may name; what some of them contain depends on the rule set.
    pub const GROUPS: [&'static str; 7] =
        ["*", "unopened", "idle", "before-spin", "after-spin", "in-round", "established"];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, place)| *place == self).map_or("", |(name, _)| name)
    }

    /// Whether the order of play under this rule set has it: covering the dice needs a dome.
    #[must_use]
    pub fn exists(self, rules: &str) -> bool {
        self != Self::Covered || order::covered(rules)
    }

    /// Whether a round is in progress whose outcome is not yet established.
    #[must_use]
    pub const fn in_round(self) -> bool {
        matches!(self, Self::Betting | Self::Tumbling | Self::Spun | Self::BetsClosed)
    }

    /// Whether the place is the one of this name, or in the group of this name.
    #[must_use]
    pub fn is_in(self, group: &str, rules: &str) -> bool {
        let idle = matches!(self, Self::Ready | Self::Covered | Self::Void | Self::Blocked);
        let established = matches!(self, Self::Revealed | Self::Settling);
        // The orders of play: New Zealand spins first, Singapore's covered game after "Place your bets", Open Cover
        // after "No more bets".
        let nz = rules.starts_with("nz");
        let waits_for_spin = match self {
            Self::Betting => !nz,
            Self::BetsClosed => !order::covered(rules),
            _ => false,
        };
        match group {
            "*" => true,
            "unopened" => matches!(self, Self::Closed | Self::Maintenance),
            "idle" => idle,
            "established" => established,
            "in-round" => self.in_round(),
            "before-spin" => idle || waits_for_spin,
            "after-spin" => {
                established || self == Self::Spun || matches!(self, Self::Betting | Self::BetsClosed) && !waits_for_spin
            }
            name => self.name() == name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumbler_core::snapshot::Phase;

    /// In none of them a person is asked at first; the scenarios `interrupted*` test the faults that lead to a question.
    #[test]
    fn every_phase_is_a_place() {
        for phase in Phase::ALL.into_iter().filter(|phase| *phase != Phase::Interrupted) {
            assert!(Place::ALL.iter().any(|(name, _)| *name == phase.name()), "{}", phase.name());
        }
    }

    #[test]
    fn before_and_after_the_spin_depend_on_the_order_of_play() {
        for (rules, place, before) in [
            ("nz-1998", Place::Betting, false),
            ("sg-v6", Place::Betting, true),
            ("sg-v6", Place::BetsClosed, false),
            ("sg-open", Place::BetsClosed, true),
            ("sg-open", Place::Spun, false),
        ] {
            assert_eq!(place.is_in("before-spin", rules), before, "{rules} {}", place.name());
            assert_eq!(place.is_in("after-spin", rules), !before, "{rules} {}", place.name());
        }
        for rules in ["nz-1998", "sg-v6", "sg-open"] {
            for (name, place) in Place::ALL.into_iter().filter(|(_, place)| place.exists(rules)) {
                let all = ["unopened", "tumbling", "before-spin", "after-spin"];
                let held = all.iter().filter(|group| place.is_in(group, rules)).count();
                assert_eq!(held, 1, "{name} under {rules}: the four groups leave nothing out and do not overlap");
            }
        }
    }
}
