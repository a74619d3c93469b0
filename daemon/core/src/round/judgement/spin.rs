//! What a spin amounts to, and what is called before and after it.

use super::voids;
use crate::device::tumbler::{Defect, Stop};
use crate::refusal::Refusal;
use crate::round::call::Call;
use crate::round::ending::Ground;
use crate::round::spin::{Spin, SpinEnd};
use crate::round::state::Round;
use crate::rules::RuleSet;
use crate::units::Tumbles;

/// What is known of a spin whose shaft stands still.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stood {
    /// What took its power away.
    pub(crate) stop: Stop,
    /// Full tumbles that were counted.
    pub(crate) tumbles: Tumbles,
    /// Whether three of them are on record, whatever the shaft did then.
    pub(crate) made: bool,
    /// Whether a full tumble took longer than a healthy one may.
    pub(crate) slow: bool,
    /// Whether a guard flickered again and again.
    pub(crate) unreliable: bool,
}

/// What a spin amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpinVerdict {
    /// What ended it, for the record.
    pub(crate) how: SpinEnd,
    /// Whether it is a valid spin.
    pub(crate) valid: bool,
    /// Whether the tumbler is too slow: a malfunction.
    pub(crate) slow: bool,
    /// Why it voids the round, if it does.
    pub(crate) void: Option<SpinVoid>,
}

/// Why a spin voids its round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpinVoid {
    /// The dealer announced "No spin" while the tumbler ran.
    Declared,
    /// The supply dipped.
    Supply,
    /// The motor was too hot, or its sensor cannot be believed.
    Heat,
    /// A guard flickered again and again: equipment that failed, as one that breaks for good (SGV6 5.4.2).
    Unreliable,
    /// The tumbler does not operate as it should.
    Misoperated,
    /// Fewer than three tumbles, by somebody's act or by a guard.
    TooFew,
}

/// Judges a spin whose shaft stands still.
pub(crate) fn spin(stood: Stood, rules: Option<&RuleSet>) -> SpinVerdict {
    let slow = stood.slow || stood.stop == Stop::TimeLimit;
    let how = match stood.stop.spin_end() {
        // A tumbler that turns heavily heats its motor: what was found first is what is wrong.
        SpinEnd::Heat if stood.slow => SpinEnd::Slow,
        how => how,
    };
    let misoperated = slow || matches!(stood.stop, Stop::Defect(_));
    let valid = (stood.made || how.proves_three(stood.tumbles)) && !(misoperated && voids(rules, Ground::Misoperation));
    let void = match how {
        // NZ 7.1: the dealer announces "No spin" where the tumbler does not operate correctly, which no sensor need see.
        _ if valid => (stood.stop == Stop::NoSpin && announces_no_spin(rules)).then_some(SpinVoid::Declared),
        _ if stood.unreliable => Some(SpinVoid::Unreliable),
        SpinEnd::Supply => Some(SpinVoid::Supply),
        SpinEnd::Heat => Some(SpinVoid::Heat),
        _ if misoperated => Some(SpinVoid::Misoperated),
        _ => Some(SpinVoid::TooFew),
    };
    SpinVerdict { how, valid, slow, void }
}

/// What a defect of the tumbler comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefectVerdict {
    /// The tumbler turned before "No more bets" under Open Cover (SGOC 5.5.3).
    ActivatedEarly,
    /// Three tumbles are proved and the text asks for no more: the spin is judged as the shaft comes to a stand.
    JudgedAtStandstill,
    /// The tumbler does not operate correctly: [`Round::judge_tumbler`] says what that comes to.
    Misoperated,
}

/// What "No spin" amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoSpin {
    /// It comes too late: the outcome is established.
    TooLate,
    /// It is not its turn.
    OutOfTurn,
    /// NZ 7.1(d): the tumbler is not activated for this game.
    NeverActivated,
    /// The spin that was granted does not start.
    Drops,
    /// The spin that runs is stopped, and judged as the shaft comes to a stand.
    Stops,
    /// The dealer's eye sees a die that does not lie flat.
    NotFlat,
    /// NZ 7.1(b): the tumbler did not operate correctly, for what no sensor sees.
    Declared,
}

/// What follows from what is known of it.
impl Round {
    /// What a defect of the tumbler comes to that has counted so many tumbles.
    pub(crate) fn judge_defect(&self, defect: Defect, tumbles: Tumbles, rules: Option<&RuleSet>) -> DefectVerdict {
        if defect == Defect::Uncommanded && !self.order().covered && !self.bets_closed() {
            DefectVerdict::ActivatedEarly
        } else if self.has_three(defect.spin_end(), tumbles) && !voids(rules, Ground::Misoperation) {
            DefectVerdict::JudgedAtStandstill
        } else {
            DefectVerdict::Misoperated
        }
    }

    /// Whether a spin runs that so many tumbles make, ended by `how`: three are proved, and nothing is known that voids it (NZ 7.1(b)).
    pub(crate) fn is_made(&self, how: SpinEnd, tumbles: Tumbles, rules: Option<&RuleSet>) -> bool {
        self.has_three(how, tumbles) && !self.spoils_spin(rules)
    }

    fn has_three(&self, how: SpinEnd, tumbles: Tumbles) -> bool {
        self.spin() == Spin::Running && self.proves_three(how, tumbles)
    }

    /// Whether these tumbles, counted until then, or what is on record prove three.
    pub(crate) fn proves_three(&self, how: SpinEnd, tumbles: Tumbles) -> bool {
        self.has_made_spin() || how.proves_three(tumbles)
    }

    /// Whether its spin is not valid whatever is counted of it (NZ 7.1(b)).
    pub(crate) fn spoils_spin(&self, rules: Option<&RuleSet>) -> bool {
        let has = |ground| self.grounds().contains(&ground);
        let misoperated = self.is_slow() || has(Ground::Misoperation);
        has(Ground::FewerThanThree) || misoperated && voids(rules, Ground::Misoperation)
    }

    /// What is out of order about a call whose turn it is, in words (NZ 6.1: the tumble, then "Place your bets").
    pub(crate) fn out_of_order(&self, call: Call) -> Option<&'static str> {
        match call {
            Call::PlaceBets if self.order().spin_begins_round && self.spin() == Spin::None => {
                Some("before the tumbler was activated")
            }
            Call::NoMoreBets if !self.bets_opened() => Some("without \"Place your bets\""),
            _ => None,
        }
    }

    /// NZ 7.1(d): whether "No more bets" was called and the tumbler was not activated for the game.
    pub(crate) fn was_never_activated(&self) -> bool {
        self.bets_closed() && !self.order().spin_after_no_more_bets && self.spin() == Spin::None
    }

    /// Whether the table may be opened in it, as a reboot has closed it: its spin is still to come, and the tests, which turn the tumbler,
    /// are not its activation before "No more bets" (SGOC-early 5.1.4).
    pub(crate) fn may_be_opened_in(&self) -> Result<(), Refusal> {
        if self.spin() != Spin::None || self.has_begun_spin() || self.asked().is_some() {
            Err(Refusal::RoundInProgress(self.id()))
        } else if !self.order().covered && !self.bets_closed() {
            Err(Refusal::BetsOpen)
        } else {
            Ok(())
        }
    }

    /// What "No spin" amounts to now; `reader`: it is in service, and judges dice that lie open.
    pub(crate) fn no_spin(&self, reader: bool, rules: Option<&RuleSet>) -> NoSpin {
        let (seen, announces) = (self.revealed().is_some(), announces_no_spin(rules));
        match self.spin() {
            _ if self.established().is_some() => NoSpin::TooLate,
            // Under the dome the call is the claim 7.1(b), whatever people are asked meanwhile.
            Spin::Valid { .. } if !seen && announces => NoSpin::Declared,
            _ if self.asked().is_some() => NoSpin::OutOfTurn,
            Spin::None if announces => NoSpin::NeverActivated,
            Spin::Asked => NoSpin::Drops,
            Spin::Running => NoSpin::Stops,
            // Dice that lie open are judged by the reader in service; where there is none the call says what only the dealer's eye
            // can see.
            Spin::Valid { .. } if seen && !reader => NoSpin::NotFlat,
            Spin::None | Spin::Valid { .. } => NoSpin::OutOfTurn,
        }
    }
}

/// Whether the dealer's "No spin" claims that the tumbler did not operate correctly (NZ 7.1).
pub(crate) fn announces_no_spin(rules: Option<&RuleSet>) -> bool {
    rules.is_some_and(|rules| rules.duties.dealer_announces_no_spin)
}
