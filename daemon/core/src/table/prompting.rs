//! What people are asked to do now: in a test, or in a round that waits for a person's word.

use super::Table;
use super::steps::{Start, Step, key_name};
use crate::hardware_test::Probe;
use crate::prelude::*;
use crate::prompt::{Prompt, PromptId};
use crate::round::{Doubt, Finding};

impl Table {
    /// What people are asked to do now.
    pub(super) fn prompt(&self) -> Option<Prompt> {
        self.prompt_of_test().or_else(|| self.prompt_of_round())
    }

    fn prompt_of_round(&self) -> Option<Prompt> {
        if let Some(question) = self.question() {
            let id = match question.why {
                Doubt::Interrupted => PromptId::Interrupted,
                Doubt::Knocked => PromptId::Knocked,
                Doubt::Dice => PromptId::Dice,
            };
            let of = question.answers.into_iter().map(Finding::name).map(str::to_owned).collect();
            return Some(Prompt { id, of, text: question.text });
        }
        let waits = self.round.as_ref().is_some_and(|round| round.awaits_supervisor());
        let text = "Wrong numbers were entered: the game supervisor comes to see them amended.".to_owned();
        waits.then_some(Prompt { id: PromptId::Supervise, of: Vec::new(), text })
    }

    fn prompt_of_test(&self) -> Option<Prompt> {
        let text = self.test_shown()?;
        let test = self.test.as_ref()?;
        let (id, of) = match (test.step()?, test.probe()) {
            (Step::Keys { left }, _) => (PromptId::Keys, left.iter().map(|code| key(*code)).collect()),
            (Step::Witness { left }, _) => {
                (PromptId::Witness, left.iter().map(|item| item.name().to_owned()).collect())
            }
            (Step::Spin(start @ (Start::Unasked | Start::Asked(_))), _) => {
                let id = self.may_wait_for_press(*start).map_or(PromptId::ClearSpin, |()| PromptId::Tumble);
                (id, Vec::new())
            }
            (Step::Measure { .. }, Some(Probe::Dome(dome))) if dome.was_lifted() => (PromptId::CloseDome, Vec::new()),
            (Step::Measure { .. }, Some(Probe::Dome(_))) => (PromptId::LiftDome, Vec::new()),
            (Step::Measure { .. }, Some(Probe::Terminal(keys))) => (PromptId::Key, vec![key(keys.wanted())]),
            _ => return None,
        };
        Some(Prompt { id, of, text })
    }
}

/// A key of the terminal as programs know it.
fn key(code: u16) -> String {
    key_name(code, "entry")
}
