//! What is known of a round that ended, or that an interruption cut off.

use super::ending::Ground;
use super::spin::{LEAST_TUMBLES, SpinEnd, Spun};
use super::{Reveal, ending};
use crate::device::cam::steps_for;
use crate::prelude::*;
use crate::round::question::Doubt;
use crate::units::{Dice, RoundId, Tumbles};
use serde::{Deserialize, Serialize};

/// The id of a rule set or of a layout, where one is on record. Where none is, records have the empty text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct OnRecord(Option<String>);

impl OnRecord {
    /// The id, if it is on record.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl From<String> for OnRecord {
    fn from(id: String) -> Self {
        Self(Some(id).filter(|id| !id.is_empty()))
    }
}

impl From<&str> for OnRecord {
    fn from(id: &str) -> Self {
        id.to_owned().into()
    }
}

impl From<OnRecord> for String {
    fn from(OnRecord(id): OnRecord) -> Self {
        id.unwrap_or_default()
    }
}

/// Where a round stood when the daemon stopped, as far as it is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interrupted {
    /// The round.
    pub id: RoundId,
    /// Its rule set.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub rules: OnRecord,
    /// Its layout.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub layout: OnRecord,
    /// Whether the outcome was established.
    pub established: bool,
    /// Whether its spin began.
    #[serde(default)]
    pub began: bool,
    /// Three full tumbles of it are on record, whatever came of it afterwards.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub made: bool,
    /// How its spin ended, if it did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub spun: Option<Spun>,
    /// "Place your bets" was called.
    #[serde(default)]
    pub bets_opened: bool,
    /// "No more bets" was called.
    #[serde(default)]
    pub bets_closed: bool,
    /// How the dice were revealed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub revealed: Option<Reveal>,
    /// Why a person is asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asked: Option<Doubt>,
    /// Wrong numbers wait to be amended under the game supervisor.
    #[serde(skip_serializing_if = "core::ops::Not::not", default)]
    pub supervise: bool,
    /// Full tumbles of its valid spin.
    pub tumbles: Tumbles,
    /// What the reader first said that the dice show, if it did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub read: Option<Dice>,
    /// The result entered, if one was.
    pub result: Option<Dice>,
}

impl Interrupted {
    /// The spin that ended with the controller, after three full tumbles were on record: as many are known.
    pub(crate) fn made_spin(&self) -> Option<Spun> {
        let made = Spun { valid: true, steps: steps_for(LEAST_TUMBLES.0), how: SpinEnd::Interruption };
        (self.made && self.spun.is_none()).then_some(made)
    }

    /// The fact that voids it where it has no valid spin, besides the interruption; `None` before a spin, and after a valid one.
    pub(crate) fn ground(&self) -> Option<Ground> {
        match self.spun {
            Some(spun) if spun.valid => None,
            Some(spun) if !spun.how.is_counted() || spun.steps < steps_for(LEAST_TUMBLES.0) => {
                Some(Ground::FewerThanThree)
            }
            // Three tumbles, and yet no valid spin: the tumbler did not operate correctly (NZ 7.1(b)).
            Some(_) => Some(Ground::Misoperation),
            None if self.made => None,
            // What nobody counted is not fewer than three.
            None => self.began.then_some(Ground::Uncounted),
        }
    }
}

/// A round that ended, for the results display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Past {
    /// The round.
    pub id: RoundId,
    /// Its rule set; empty in what version 1 kept.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub rules: String,
    /// What the dice showed; `None` for a void round.
    pub dice: Option<Dice>,
    /// Why it was void.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub void: Option<ending::VoidReason>,
    /// Why it was found affected after it had ended (SG 5.6), as it was first found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub affected: Option<String>,
}

impl Past {
    /// How many endings are kept for the results display.
    pub const KEPT: usize = 20;

    /// A round that has just ended: with these dice, or void.
    #[must_use]
    pub fn of(id: RoundId, rules: &str, dice: Option<Dice>, void: Option<ending::VoidReason>) -> Self {
        Self { id, rules: rules.to_owned(), dice, void, affected: None }
    }
}

/// Adds an ending to the latest ones.
pub fn remember(recent: &mut Vec<Past>, past: Past) {
    if recent.len() >= Past::KEPT {
        recent.remove(0);
    }
    recent.push(past);
}

/// A round that has ended was found affected (SG 5.6); the first finding stays.
pub fn affect(recent: &mut [Past], round: RoundId, reason: &str) {
    if let Some(past) = recent.iter_mut().find(|past| past.id == round) {
        past.affected.get_or_insert_with(|| reason.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records of before keep their form: the empty text is no id.
    #[test]
    fn what_is_not_on_record_is_written_as_an_empty_text() {
        for (id, written) in [(None, ""), (Some("sg-v6"), "sg-v6")] {
            let on_record = OnRecord::from(written);
            assert_eq!((on_record.id(), String::from(on_record.clone())), (id, written.to_owned()));
        }
        assert_eq!(OnRecord::default().id(), None);
    }

    /// NZ 6.1 with 7.1(b), SGV6 5.5.1: fewer than three tumbles, or three of a tumbler that did not operate correctly.
    #[test]
    fn an_interrupted_round_is_void_by_what_is_proved() {
        let ground = |began, spun: Option<(u32, SpinEnd)>| {
            let spun = spun.map(|(steps, how)| Spun { valid: false, steps, how });
            Interrupted { began, spun, ..Interrupted::default() }.ground()
        };
        assert_eq!(ground(false, None), None);
        assert_eq!(ground(true, None), Some(Ground::Uncounted));
        assert_eq!(ground(true, Some((12, SpinEnd::Seal))), Some(Ground::FewerThanThree));
        assert_eq!(ground(true, Some((13, SpinEnd::Stall))), Some(Ground::Misoperation));
        assert_eq!(ground(true, Some((13, SpinEnd::Reverse))), Some(Ground::FewerThanThree));
    }
}
