//! What the truth table allows for a round that ended, for a rig that has expectations of its own.

use super::endings::Endings;
use super::table::Ending;
use crate::config::Rules;

/// A way in which the texts allow a round to end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AllowedEnding {
    /// Play goes on, to the settlement.
    GoesOn,
    /// Void by these clauses, each with the name of its text; none if the text is silent.
    Void(Vec<String>),
}

/// Everything that the truth table allows for one round that ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedEndings {
    /// Each once. Empty if the table does not list what happened.
    pub answers: Vec<AllowedEnding>,
    /// Clauses that its void may cite in addition, for what happened before it was recorded.
    pub besides: Vec<String>,
}

impl AllowedEndings {
    pub(super) fn of(rules: Rules, possible: &Endings, besides: Vec<String>) -> Self {
        let answer = |ending: Ending, numbers: &[String]| match ending {
            Ending::Void => {
                Some(AllowedEnding::Void(numbers.iter().map(|number| format!("{} {number}", rules.text())).collect()))
            }
            // If it was ended for certain, or a person is asked, play does not go on.
            Ending::Stands | Ending::Continues => possible.due.is_none().then_some(AllowedEnding::GoesOn),
            Ending::Asked => None,
        };
        let says = possible.admitted.iter().map(|admitted| admitted.says);
        let mut answers: Vec<AllowedEnding> = says.filter_map(|says| answer(says.ending, &says.clauses)).collect();
        answers.sort();
        answers.dedup();
        Self { answers, besides }
    }
}
