//! What the table admits for a round that ended, for whoever has expectations of his own.

use super::table::{Ending, short};
use super::verdict::Verdict;
use crate::config::Rules;

/// One way in which the texts let a round end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// Play goes on, to the settlement.
    GoesOn,
    /// Void by these clauses, each with its text's name; none where the text is silent.
    Void(Vec<String>),
}

/// Everything that the truth table admits for one round that ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Admits {
    /// Each once. None: the table does not hold what happened.
    pub answers: Vec<Answer>,
    /// Clauses that its void may cite besides, for what happened before it was recorded.
    pub besides: Vec<String>,
}

impl Admits {
    pub(super) fn of(rules: Rules, verdict: &Verdict, besides: Vec<String>) -> Self {
        let answer = |ending: Ending, numbers: &[String]| match ending {
            Ending::Void => {
                Some(Answer::Void(numbers.iter().map(|number| format!("{} {number}", short(rules))).collect()))
            }
            // What certainly ended it, or is asked of a person, lets no play go on.
            Ending::Stands | Ending::Continues => verdict.due.is_none().then_some(Answer::GoesOn),
            Ending::Asked => None,
        };
        let says = verdict.admitted.iter().map(|admitted| admitted.says);
        let mut answers: Vec<Answer> = says.filter_map(|says| answer(says.ending, &says.clauses)).collect();
        answers.sort();
        answers.dedup();
        Self { answers, besides }
    }
}
