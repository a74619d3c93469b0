//! What voids a round: a fault, a decision, damaged dice.

use super::{is_left_to_manager, voids};
use crate::refusal::Refusal;
use crate::round::ending::{Ground, VoidReason};
use crate::round::state::Round;
use crate::round::{Doubt, FlatBy};
use crate::rules::RuleSet;

/// What a fact comes to that makes the outcome doubtful.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultVerdict {
    /// The outcome is established: it is noted, and play goes on.
    Noted,
    /// The spin is still to come, and play goes on.
    GoesOn,
    /// The dice of a valid spin have fallen: people say how they lie.
    Asked,
    /// The round is void.
    Void,
}

/// What the void that a supervisor asks for comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VoidVerdict {
    /// A die does not lie flat.
    NotFlat {
        /// Whether the reader found it flat.
        disputed: bool,
    },
    /// A named person decides what the rules leave open.
    Decision {
        /// Whether that is the shift manager or above.
        left_to_manager: bool,
    },
}

/// Whether the text voids every round that damaged dice affected (SG 5.6, SGOC-early 5.1.1); New Zealand's is silent.
pub(crate) fn damage_voids(rules: Option<&RuleSet>) -> bool {
    voids(rules, Ground::DamagedDice)
}

/// Why an established outcome is not undone.
pub(crate) fn stands(rules: Option<&RuleSet>) -> Refusal {
    Refusal::OutcomeStands { damage_voids: damage_voids(rules) }
}

/// What follows from what is known of it.
impl Round {
    /// What a fact comes to that voids the round for this reason; `made`: a spin runs whose three tumbles are proved.
    pub(crate) fn judge_fault(&self, reason: VoidReason, made: bool, rules: Option<&RuleSet>) -> FaultVerdict {
        let equipment = matches!(reason, VoidReason::Equipment | VoidReason::Interruption);
        let lost = reason == VoidReason::Interruption;
        if self.established().is_some() {
            FaultVerdict::Noted
        } else if lost && !self.bets_closed() && voids(rules, Ground::Interruption) {
            // No bet has won or lost while bets are open (SGV6 5.4.2).
            FaultVerdict::Void
        } else if lost && !self.has_begun_spin() && !voids(rules, Ground::Interruption) {
            // The text has no void for it, and the spin is still to come.
            FaultVerdict::GoesOn
        } else if equipment && (self.has_valid_spin() || made) {
            // The dice of a valid spin have fallen, whatever fails then (SGV6 5.4.1).
            FaultVerdict::Asked
        } else {
            FaultVerdict::Void
        }
    }

    /// What a tumbler comes to that does not operate correctly (NZ 7.1(b); a technical interruption under SGV6 and SGOC 5.4.2).
    /// What turns under the dome moves the dice; what fails once people see them did not spoil them.
    pub(crate) fn judge_tumbler(&self, made: bool, rules: Option<&RuleSet>) -> FaultVerdict {
        // Where the reader saw the dice move, the shaft that moved them is noticed a moment later.
        let asked = self.asked().is_some_and(|why| why != Doubt::Knocked);
        if self.established().is_some() || asked || self.lies_open() {
            self.judge_fault(VoidReason::Equipment, made, rules)
        } else {
            FaultVerdict::Void
        }
    }

    /// What the void comes to that a supervisor asks for; otherwise why there is none. `not_flat`: because a die does not lie flat;
    /// `reader`: it is in service; `held`: something keeps the motor off, and without a spin only a person may end the round.
    pub(crate) fn may_be_voided(
        &self,
        not_flat: bool,
        reader: bool,
        held: bool,
        rules: Option<&'static RuleSet>,
    ) -> Result<VoidVerdict, Refusal> {
        if let (Some(why), false) = (self.asked(), not_flat) {
            return Err(Refusal::AnswerInstead(why));
        }
        let disputed = not_flat && self.established() == Some(FlatBy::Reader) && self.result().is_none();
        if self.established().is_some() && !disputed {
            return Err(stands(rules));
        }
        match (not_flat, self.revealed()) {
            // NZ 7.1(a) is about dice that were seen.
            (true, None) => Err(Refusal::NotRevealedToJudge),
            (true, Some(_)) => Ok(VoidVerdict::NotFlat { disputed }),
            (false, _) if self.lies_open() => Err(Refusal::DiceLieOpen { reader }),
            (false, _) => {
                match rules.filter(|rules| (!held || self.has_spun()) && rules.duties.dealer_announces_no_spin) {
                    // A supervisor's choice is none of the grounds (a) to (d) of NZ 7.1.
                    Some(rules) => Err(Refusal::NoGround { clause: rules.clause("no-spin") }),
                    None => Ok(VoidVerdict::Decision { left_to_manager: is_left_to_manager(rules) }),
                }
            }
        }
    }

    /// Whether its result stands although a die is damaged: established before, where the text is silent (NZ 4.9).
    pub(crate) fn outlives_damage(&self, rules: Option<&RuleSet>) -> bool {
        !damage_voids(rules) && (self.established().is_some() || self.lies_open())
    }
}
