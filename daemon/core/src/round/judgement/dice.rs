//! What the dice amount to: by the reader, and by what people find of them.

use super::{is_left_to_manager, voids};
use crate::device::reader::Verdict;
use crate::refusal::Refusal;
use crate::round::Reveal;
use crate::round::ending::Ground;
use crate::round::question::{Doubt, Finding};
use crate::round::state::Round;
use crate::rules::RuleSet;

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
    /// They are not the table's dice, for which no text has a clause of its own (SGV6, SGOC 5.14).
    Wrong(&'static str),
}

/// Judges dice at rest: whether a person is `asked` already, whether they `tumbled`, and how the reader sees them.
pub(crate) fn dice(asked: bool, tumbled: Option<bool>, seen: Verdict, rules: Option<&RuleSet>) -> DiceVerdict {
    match seen {
        // NZ 7.1(a) asks how a die lies, and not why: it answers a knock by itself.
        Verdict::NotFlat(dice) if asked && voids(rules, Ground::Misoperation) => DiceVerdict::NotFlat(dice),
        _ if asked => DiceVerdict::Open,
        _ if tumbled == Some(false) => DiceVerdict::NotTumbled,
        Verdict::NotFlat(dice) => DiceVerdict::NotFlat(dice),
        Verdict::Wrong(what) => DiceVerdict::Wrong(what),
        Verdict::Unknown => DiceVerdict::Open,
        Verdict::Flat => DiceVerdict::Flat,
    }
}

/// What dice come to that should lie at rest and be known by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnrestVerdict {
    /// Nothing: they are known, a person is asked, or the reader does not decide.
    Nothing,
    /// They lie at rest, and the reader cannot say how.
    Unseen,
    /// They do not come to rest (NZ 7.1(a), SGV6 5.5.2).
    NeverAtRest,
}

/// What it comes to that dice moved which lay at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MovedVerdict {
    /// Nothing: they may move, or their result is entered.
    Nothing,
    /// Somebody interfered. Their faces were read before, and stand as the dice as first seen.
    Noted,
    /// Somebody interfered, and nothing else tells what they showed: a person is asked.
    Asked,
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
    Decision {
        /// Whether that is the shift manager or above.
        left_to_manager: bool,
    },
}

/// What follows from what is known of it.
impl Round {
    /// Whether the dice of a valid spin lie there, and nobody has said yet how.
    pub(crate) const fn awaits_dice(&self) -> bool {
        self.has_valid_spin() && self.established().is_none()
    }

    /// What its dice come to at the limit for settling; `reader`: it is in service, and sees them so.
    pub(crate) fn judge_unrest(&self, reader: bool, at_rest: bool, seen: Verdict) -> UnrestVerdict {
        if !self.awaits_dice() || !reader || self.asked().is_some() {
            return UnrestVerdict::Nothing;
        }
        match seen {
            _ if !at_rest => UnrestVerdict::NeverAtRest,
            Verdict::Unknown => UnrestVerdict::Unseen,
            _ => UnrestVerdict::Nothing,
        }
    }

    /// What it comes to that its dice moved; `still`: the shaft stands; `faces_due`: the faces are not read yet.
    ///
    /// A shaft that turns moves them, and is judged for itself. But faces that it changed before they were read are not the outcome.
    pub(crate) fn judge_moved(&self, still: bool, faces_due: bool) -> MovedVerdict {
        let unread = self.established().is_some() && faces_due;
        if !self.has_valid_spin() || self.result().is_some() || !still && !unread {
            MovedVerdict::Nothing
        } else if self.established().is_some() && !faces_due {
            MovedVerdict::Noted
        } else {
            MovedVerdict::Asked
        }
    }

    /// Whether a supervisor may say that the dome is off although its contacts do not; otherwise why not. `still`: the shaft stands;
    /// `open`: the contacts say that it is off.
    pub(crate) fn may_be_confirmed(&self, still: bool, open: bool) -> Result<(), Refusal> {
        if !self.order().covered {
            Err(Refusal::NoDomeToConfirm)
        } else if !self.bets_closed() || !self.has_valid_spin() || !still {
            Err(Refusal::NotToBeSeenYet)
        } else if self.revealed().is_some() || open {
            Err(Refusal::ContactsSaySo)
        } else {
            Ok(())
        }
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

    /// Whether a dome that is open now exposes dice before "No more bets" (NZ 7.1(c), SGV6 5.5.3).
    pub(crate) const fn is_exposed_by_dome(&self) -> bool {
        self.order().covered && self.has_spun() && !self.bets_closed()
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
            Finding::NotFlat | Finding::CannotTell => {
                FindingVerdict::Decision { left_to_manager: is_left_to_manager(rules) }
            }
        })
    }

    /// Whether anybody can have found this; otherwise why not. `covers`: the dome is on.
    pub(crate) fn may_find(&self, finding: Finding, covers: bool) -> Result<(), Refusal> {
        let covered = self.order().covered && self.revealed().is_none();
        Err(match (finding, self.asked()) {
            (Finding::CannotTell, _) => return Ok(()),
            (_, Some(Doubt::Dice)) => Refusal::DiceNotEnrolled,
            (_, Some(Doubt::SpinLost)) => Refusal::NobodyCounted,
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
