//! Which clauses a void record may cite at all. Whether they fit what happened is for the judge `truth` to say.

use crate::config::Rules;
use crate::truth;

/// Whether this rule set voids rounds with these clauses. A record that cites no clause has to say who decided instead.
///
/// # Errors
/// What is wrong with the record.
pub(super) fn allowed(rules: Rules, clauses: &[String], silent: Option<&str>) -> Result<(), String> {
    if clauses.iter().any(|clause| clause.trim().is_empty()) {
        return Err("an empty text is no clause".into());
    }
    let says_who = silent.is_some_and(|who| !who.trim().is_empty());
    if clauses.is_empty() && !says_who {
        return Err("no clause, and nobody who stands in".into());
    }
    if !clauses.is_empty() && silent.is_some() {
        return Err(format!("{clauses:?}, and yet the text is said to be silent"));
    }
    if truth::may_void(rules, clauses) {
        Ok(())
    } else {
        Err(format!("`{}` voids no round with {clauses:?}", rules.id()))
    }
}
