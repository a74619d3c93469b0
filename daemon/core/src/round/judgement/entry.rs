//! What numbers amount to that are keyed, amended or told, and when all are paid.

use crate::refusal::Refusal;
use crate::round::state::Round;
use crate::rules::RuleSet;
use crate::units::{Dice, DieFace, Millis, Mono};

/// What is known of the reader where numbers are judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// Whether it decides how the dice lie; otherwise the dealer's eye does.
    pub(crate) in_service: bool,
    /// Whether it does not reply.
    pub(crate) lost: bool,
    /// The faces it read: `None` until read, `Some(None)` where it could not say.
    pub(crate) faces: Option<Option<Dice>>,
}

impl Reading {
    /// The faces it read, if it could say.
    fn read(self) -> Option<Dice> {
        self.faces.flatten()
    }

    /// A reader in service says what the dice show before anybody's numbers are taken: what it says differently has to be seen.
    fn has_spoken(self) -> Result<(), Refusal> {
        if self.in_service && self.faces.is_none() { Err(Refusal::FacesNotRead) } else { Ok(()) }
    }
}

/// What Entry says as it is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pressed {
    /// Nothing: it is not its turn.
    Nothing,
    /// "All paid" (NZ 4.4).
    AllPaid,
    /// That the dice show these.
    Numbers(Dice),
}

/// What three numbers and Entry amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryVerdict {
    /// Nothing yet: the reader says first whether the dice lie flat, and which faces they show.
    Open,
    /// The reader sees these.
    Differs(Dice),
    /// They are the result.
    Result,
}

/// What an amendment by the supervisor comes to; `differs`: the reader sees other numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amendment {
    /// The numbers are upheld against the reader, and are the result.
    Upholds {
        /// See above.
        differs: bool,
    },
    /// They stand in the place of another result.
    Replaces {
        /// The other result.
        from: Dice,
        /// See above.
        differs: bool,
    },
}

/// What follows from what is known of it.
impl Round {
    /// Whether digits that are keyed count.
    pub(crate) const fn takes_digits(&self) -> bool {
        self.revealed().is_some() && self.entered().is_none() && self.asked().is_none() && !self.awaits_supervisor()
    }

    /// What Entry says after these digits; otherwise why it says nothing that counts.
    pub(crate) fn hear_entry(&self, digits: &[DieFace], rules: Option<&'static RuleSet>) -> Result<Pressed, Refusal> {
        if self.result().is_some() {
            return if digits.is_empty() { Ok(Pressed::AllPaid) } else { Err(Refusal::EnteredAlready) };
        }
        if self.revealed().is_none() || self.entered().is_some() {
            return Ok(Pressed::Nothing);
        }
        if let Some(why) = self.asked() {
            return Err(Refusal::AskedBeforeEntry(why));
        }
        if self.awaits_supervisor() {
            let clause = rules.map(|rules| rules.clause("amend")).unwrap_or_default();
            return Err(Refusal::AmendedUnderSupervisor { clause });
        }
        match digits {
            &[a, b, c] => Ok(Pressed::Numbers(Dice::new([a, b, c]))),
            _ => Err(Refusal::NotThreeNumbers(digits.len())),
        }
    }

    /// What these numbers amount to, which were entered.
    pub(crate) fn judge_entry(&self, entered: Dice, reading: Reading) -> EntryVerdict {
        let established = self.established().is_some();
        // The dice as they were first read stand, also where the reader was lost since.
        let read = established && reading.read().is_some();
        let looks = reading.in_service && !reading.lost;
        if !(looks || read) || self.is_upheld() {
            return EntryVerdict::Result;
        }
        match reading.faces.filter(|_| established) {
            None => EntryVerdict::Open,
            Some(Some(read)) if read != entered => EntryVerdict::Differs(read),
            Some(_) => EntryVerdict::Result,
        }
    }

    /// What an amendment to these numbers comes to; `uphold`: against the reader.
    pub(crate) fn judge_amendment(&self, dice: Dice, uphold: bool, reading: Reading) -> Result<Amendment, Refusal> {
        if self.revealed().is_none() {
            return Err(Refusal::NotRevealed);
        }
        if self.asked().is_some() {
            return Err(Refusal::AnswerFirst);
        }
        let differs = reading.read().is_some_and(|read| read != dice);
        if differs && !uphold {
            return Err(Refusal::ReaderDiffers);
        }
        match self.result() {
            Some(from) if from == dice => Err(Refusal::SameResult(dice)),
            Some(from) => Ok(Amendment::Replaces { from, differs }),
            None if !uphold => Err(Refusal::NothingEntered),
            None if self.established().is_none() && reading.in_service => Err(Refusal::NotFoundFlat),
            None => reading.has_spoken().map(|()| Amendment::Upholds { differs }),
        }
    }

    /// Whether the supervisor may say that the dice show these numbers, where no result was entered; otherwise why not.
    pub(crate) fn may_be_told(&self, dice: Dice, reading: Reading) -> Result<(), Refusal> {
        if self.revealed().is_none() {
            return Err(Refusal::NotRevealed);
        }
        if self.established().is_none() && reading.in_service {
            return Err(Refusal::NotFoundFlat);
        }
        reading.has_spoken()?;
        if reading.read().is_some_and(|read| read != dice) {
            return Err(Refusal::UpholdFirst);
        }
        if self.asked().is_some() { Err(Refusal::AnswerFirst) } else { Ok(()) }
    }

    /// Whether "all paid" counts that was said after this moment; otherwise why not. Losers are collected and winners paid once
    /// the areas are lit (NZ 6.5), which takes people seconds: `all_paid`. `provable`: the areas can be lit and proved.
    pub(crate) fn may_be_paid(&self, said_after: Mono, all_paid: Millis, provable: bool) -> Result<(), Refusal> {
        let proved_at = self.proved_at();
        let from = match proved_at {
            Some(at) => at,
            None if provable => return Err(Refusal::AreasNotLit),
            None => self.result_at(),
        };
        if said_after.reached(from, all_paid) {
            Ok(())
        } else {
            Err(Refusal::PaidTooEarly { after: all_paid, lit: proved_at.is_some() })
        }
    }
}
