//! What people are asked to do now: in a test, or in a round that waits for a person's word.

use super::Table;
use crate::prelude::*;
use crate::prompt::{Prompt, PromptId};
use crate::round::{Doubt, Finding};

impl Table {
    /// What people are asked to do now.
    pub(super) fn prompt(&self) -> Option<Prompt> {
        match &self.test {
            Some(test) => test.prompt(&self.facts(), self.ctx.p()).or_else(|| self.prompt_of_round()),
            None => self.prompt_of_round(),
        }
    }

    fn prompt_of_round(&self) -> Option<Prompt> {
        if let Some(question) = self.question() {
            let id = match question.why {
                Doubt::Interrupted => PromptId::Interrupted,
                Doubt::Knocked => PromptId::Knocked,
                Doubt::Dice => PromptId::Dice,
                Doubt::SpinLost => PromptId::SpinLost,
            };
            let of = question.answers.into_iter().map(Finding::name).map(str::to_owned).collect();
            return Some(Prompt { id, of, text: question.text });
        }
        let waits = self.round.as_ref().is_some_and(|round| round.awaits_supervisor());
        let text = "Wrong numbers were entered: the game supervisor comes to see them amended.".to_owned();
        waits.then_some(Prompt { id: PromptId::Supervise, of: Vec::new(), text })
    }
}
