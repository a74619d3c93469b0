//! What the table admits for a round that ended, for whoever has expectations of his own.

use super::endings::Endings;
use super::table::{Ending, short};
use crate::config::Rules;

/// One way in which the texts let a round end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AllowedEnding {
    /// Play goes on, to the settlement.
    GoesOn,
    /// Void by these clauses, each with its text's name; none where the text is silent.
    Void(Vec<String>),
}

/// Everything that the truth table admits for one round that ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedEndings {
    /// Each once. None: the table does not hold what happened.
    pub answers: Vec<AllowedEnding>,
    /// Clauses that its void may cite besides, for what happened before it was recorded.
    pub besides: Vec<String>,
}

impl AllowedEndings {
    pub(super) fn of(rules: Rules, verdict: &Endings, besides: Vec<String>) -> Self {
        let answer = |ending: Ending, numbers: &[String]| match ending {
            Ending::Void => {
                Some(AllowedEnding::Void(numbers.iter().map(|number| format!("{} {number}", short(rules))).collect()))
            }
            // What certainly ended it, or is asked of a person, lets no play go on.
            Ending::Stands | Ending::Continues => verdict.due.is_none().then_some(AllowedEnding::GoesOn),
            Ending::Asked => None,
        };
        let says = verdict.admitted.iter().map(|admitted| admitted.says);
        let mut answers: Vec<AllowedEnding> = says.filter_map(|says| answer(says.ending, &says.clauses)).collect();
        answers.sort();
        answers.dedup();
        Self { answers, besides }
    }
}
