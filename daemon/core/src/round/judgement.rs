//! What the facts of a round amount to by its rule set. Facts in, a verdict out: the table carries it out.

mod entry;
mod void;

pub(crate) use entry::{Amendment, EntryVerdict, Reading};
pub(crate) use void::{FaultVerdict, VoidVerdict, damage_voids, stands};

use super::call::Call;
use super::question::{Doubt, Finding};
use super::spin::SpinEnd;
use super::state::Round;
use super::{Reveal, Spin};
use crate::device::reader::Verdict;
use crate::device::tumbler::Stop;
use crate::refusal::Refusal;
use crate::round::ending::Ground;
use crate::rules::RuleSet;
use crate::units::Tumbles;

/// What is known of a spin whose shaft stands still.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stood {
    /// What took its power away.
    pub(crate) stop: Stop,
    /// Full tumbles that were counted.
    pub(crate) tumbles: Tumbles,
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
        SpinEnd::Heat if stood.slow => SpinEnd::Slow,
        how => how,
    };
    let misoperated = slow || matches!(stood.stop, Stop::Defect(_));
    let valid = how.proves_three(stood.tumbles) && !(misoperated && voids(rules, Ground::Misoperation));
    let void = match how {
        // NZ 7.1: the dealer announces "No spin" where the tumbler does not operate correctly, which no sensor need see.
        _ if valid => (stood.stop == Stop::NoSpin && announces_no_spin(rules)).then_some(SpinVoid::Declared),
        SpinEnd::Supply => Some(SpinVoid::Supply),
        SpinEnd::Heat => Some(SpinVoid::Heat),
        _ if stood.unreliable => Some(SpinVoid::Unreliable),
        _ if misoperated => Some(SpinVoid::Misoperated),
        _ => Some(SpinVoid::TooFew),
    };
    SpinVerdict { how, valid, slow, void }
}

/// What dice at rest amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiceVerdict {
    /// Nothing yet: the reader cannot say, or a person is asked.
    Open,
    /// They lie flat.
    Flat,
    /// So many of them do not.
    NotFlat(usize),
    /// The shaft turned, and they did not tumble.
    NotTumbled,
    /// They are not the table's dice: void.
    Wrong(&'static str),
    /// They are not the table's dice, which the rules leave to a person (SGV6, SGOC 5.14).
    LeftToManager(&'static str),
}

/// Judges dice at rest: whether a person is `asked` already, whether they `tumbled`, and how the reader sees them.
pub(crate) fn dice(asked: bool, tumbled: Option<bool>, seen: Verdict, rules: Option<&RuleSet>) -> DiceVerdict {
    match seen {
        // NZ 7.1(a) asks how a die lies, and not why: it answers a knock by itself.
        Verdict::NotFlat(dice) if asked && voids(rules, Ground::Misoperation) => DiceVerdict::NotFlat(dice),
        _ if asked => DiceVerdict::Open,
        _ if tumbled == Some(false) => DiceVerdict::NotTumbled,
        Verdict::NotFlat(dice) => DiceVerdict::NotFlat(dice),
        Verdict::Wrong(what) if voids(rules, Ground::Decision) => DiceVerdict::LeftToManager(what),
        Verdict::Wrong(what) => DiceVerdict::Wrong(what),
        Verdict::Unknown => DiceVerdict::Open,
        Verdict::Flat => DiceVerdict::Flat,
    }
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

/// What comes of what a person found of the dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FindingVerdict {
    /// They lie as they fell, and play goes on where it stood.
    GoesOn {
        /// Whether that establishes the outcome.
        establishes: bool,
    },
    /// The text voids the round: a die does not lie flat.
    NotFlat,
    /// The text is silent: a named person decides, and the round is void.
    Decision,
}

/// What follows from what is known of it.
impl Round {
    /// Whether its spin is not valid whatever is counted of it (NZ 7.1(b)).
    pub(crate) fn spoils_spin(&self, rules: Option<&RuleSet>) -> bool {
        let has = |ground| self.grounds().contains(&ground);
        let misoperated = self.is_slow() || has(Ground::Misoperation);
        has(Ground::FewerThanThree) || misoperated && voids(rules, Ground::Misoperation)
    }

    /// Whether the dice of a valid spin lie there, and nobody has said yet how.
    pub(crate) const fn awaits_dice(&self) -> bool {
        self.has_valid_spin() && self.established().is_none()
    }

    /// Whether the faces may be seen and are still wanted.
    pub(crate) const fn shows_faces(&self) -> bool {
        self.revealed().is_some() && self.established().is_some() && self.result().is_none() && self.asked().is_none()
    }

    /// How the dice come to be seen now, if they do.
    pub(crate) fn reveals(&self, dome_open: bool) -> Option<Reveal> {
        if self.revealed().is_some() || !self.bets_closed() || !self.has_valid_spin() {
            return None;
        }
        if self.order().covered {
            return dome_open.then_some(Reveal::Dome);
        }
        // After a restart nothing has seen the shaft stand: people who are asked see it.
        self.asked().is_none().then_some(Reveal::SpinEnded)
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

    /// Whether a dome that is open now exposes dice before "No more bets" (NZ 7.1(c), SGV6 5.5.3).
    pub(crate) const fn is_exposed_by_dome(&self) -> bool {
        self.order().covered && self.has_spun() && !self.bets_closed()
    }

    /// What "No spin" amounts to now; `reader`: it is in service, and judges dice that lie open.
    pub(crate) fn no_spin(&self, reader: bool, rules: Option<&RuleSet>) -> NoSpin {
        let (seen, announces) = (self.revealed().is_some(), announces_no_spin(rules));
        match self.spin() {
            _ if self.established().is_some() => NoSpin::TooLate,
            _ if self.asked().is_some() => NoSpin::OutOfTurn,
            Spin::None if announces => NoSpin::NeverActivated,
            Spin::Asked => NoSpin::Drops,
            Spin::Running => NoSpin::Stops,
            // Dice that lie open are judged by the reader in service; where there is none the call says what only the dealer's eye
            // can see.
            Spin::Valid { .. } if seen && !reader => NoSpin::NotFlat,
            Spin::Valid { .. } if !seen && announces => NoSpin::Declared,
            Spin::None | Spin::Valid { .. } => NoSpin::OutOfTurn,
        }
    }

    /// What comes of a finding; otherwise why it is no finding. `reader`: it is in service; `covers`: the dome is on.
    pub(crate) fn judge_finding(
        &self,
        finding: Finding,
        reader: bool,
        covers: bool,
        rules: Option<&RuleSet>,
    ) -> Result<FindingVerdict, Refusal> {
        // Dice that lie open, and that no reader tells of, are people's to tell without a question.
        if self.asked().is_none() && (reader || !self.lies_open()) {
            return Err(Refusal::NobodyAsked);
        }
        self.may_find(finding, covers)?;
        // A die that lay flat and was knocked has not failed to come to rest flat; NZ 7.1(a) asks only how it lies.
        let by_text = matches!(self.asked(), None | Some(Doubt::Interrupted)) || voids(rules, Ground::Misoperation);
        Ok(match finding {
            Finding::Undisturbed => {
                let establishes = self.revealed().is_some() && self.established().is_none();
                FindingVerdict::GoesOn { establishes }
            }
            Finding::NotFlat if by_text => FindingVerdict::NotFlat,
            Finding::NotFlat | Finding::CannotTell => FindingVerdict::Decision,
        })
    }

    /// Whether anybody can have found this; otherwise why not. `covers`: the dome is on.
    pub(crate) fn may_find(&self, finding: Finding, covers: bool) -> Result<(), Refusal> {
        let covered = self.order().covered && self.revealed().is_none();
        Err(match (finding, self.asked()) {
            (Finding::CannotTell, _) => return Ok(()),
            (_, Some(Doubt::Dice)) => Refusal::DiceNotEnrolled,
            (Finding::Undisturbed, None) => Refusal::DealerKeys,
            (Finding::Undisturbed, Some(Doubt::Knocked)) if self.order().covered && self.established().is_none() => {
                Refusal::MovedUnseen
            }
            (Finding::NotFlat, _) if covered && !self.bets_closed() => Refusal::CoveredWhileBetting,
            (Finding::NotFlat, _) if covered && covers => Refusal::DomeOn,
            (Finding::Undisturbed | Finding::NotFlat, _) => return Ok(()),
        })
    }
}

fn voids(rules: Option<&RuleSet>, ground: Ground) -> bool {
    rules.is_some_and(|rules| rules.voids(ground))
}

fn announces_no_spin(rules: Option<&RuleSet>) -> bool {
    rules.is_some_and(|rules| rules.duties.dealer_announces_no_spin)
}

#[cfg(test)]
mod tests;
