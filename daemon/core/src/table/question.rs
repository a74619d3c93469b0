//! What only people can know, people are asked: for a fact, and not for a choice.
//!
//! ```text
//!  restart, valid spin, no outcome on record ──┐              ┌─ undisturbed ──> play goes on where it stood
//!  dice at rest were moved ────────────────────┼──> asked ────┼─ not flat ─────> void (SGV6 5.5.2, NZ 7.1(a))
//!  dice missing or foreign (SGV6, SGOC) ───────┘              └─ cannot tell ──> void by a named person (SGV6 5.14)
//! ```
//!
//! Under the dome the dealer's "No spin" ends it too where it is a claim (NZ 7.1(b)).
//! Unanswered it stays so, across restarts: the sign is on, no game starts, and nothing may move the dice.

use super::Table;
use crate::access;
use crate::device::reader::Verdict;
use crate::prelude::*;
use crate::record::Event;
use crate::refusal::Refusal;
use crate::round::ending::VoidReason;
use crate::round::judgement::FindingVerdict;
use crate::round::{Doubt, Finding, FlatBy};
use crate::snapshot::Question;

impl Table {
    /// Asks a person, unless somebody is asked already.
    pub(super) fn ask_person(&mut self, why: Doubt) {
        let Some(round) = self.round.as_mut().filter(|round| round.asked().is_none()) else { return };
        round.ask(why);
        self.record(Event::Asked { why });
        self.sequence.hurry();
    }

    /// Whether the round in progress waits for a person's word.
    pub(super) fn is_asked(&self) -> bool {
        self.round.as_ref().is_some_and(|round| round.asked().is_some())
    }

    /// The question that people see.
    pub(super) fn question(&self) -> Option<Question> {
        let round = self.round.as_ref()?;
        let why = round.asked()?;
        let answers = [Finding::Undisturbed, Finding::NotFlat, Finding::CannotTell];
        let covers = self.devices.dome.covers();
        let answers: Vec<Finding> =
            answers.into_iter().filter(|finding| round.may_find(*finding, covers).is_ok()).collect();
        Some(Question { round: round.id(), why, text: why.asks(&answers), answers })
    }

    /// A person says what became of the dice.
    pub(super) fn answer_question(
        &mut self,
        finding: Finding,
        reason: &str,
        name: &str,
        manager: bool,
    ) -> Result<String, Refusal> {
        let Some(round) = &self.round else { return Err(Refusal::NoRoundToAsk) };
        let (reader, covers) = (self.reader_in_service(), self.devices.dome.covers());
        match round.judge_finding(finding, reader, covers, self.rule_set())? {
            FindingVerdict::GoesOn { establishes } => {
                self.take_answer(finding, reason, name);
                if let Some(round) = &mut self.round {
                    round.answer();
                }
                if establishes {
                    self.establish(FlatBy::Supervisor);
                }
                Ok("the dice lie undisturbed: play goes on where it stood".into())
            }
            FindingVerdict::NotFlat => {
                self.take_answer(finding, reason, name);
                if reader && !covers && self.devices.reader.verdict() == Verdict::Flat {
                    self.dispute_reader();
                }
                self.void_by(VoidReason::NotFlat, "a person found a die that does not lie flat", name);
                Ok(self.void_done())
            }
            FindingVerdict::Decision { left_to_manager } => {
                access::may_decide(manager, left_to_manager)?;
                stated(reason)?;
                self.take_answer(finding, reason, name);
                self.void_by(VoidReason::Supervisor, reason, name);
                Ok(self.void_done())
            }
        }
    }

    fn take_answer(&mut self, finding: Finding, reason: &str, name: &str) {
        self.record(Event::Answered { finding, reason: reason.to_owned(), by: name.to_owned() });
        self.sequence.hurry();
    }
}

/// Whoever decides says why.
pub(super) fn stated(reason: &str) -> Result<(), Refusal> {
    if reason.trim().is_empty() { Err(Refusal::NoReason) } else { Ok(()) }
}
