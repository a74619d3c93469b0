//! Which clause voids a round for which reason. Where a rule set is silent the clause is empty.

use crate::config::Rules;

/// How a rule set is cited.
const fn short(rules: Rules) -> &'static str {
    match rules {
        Rules::Nz1998 => "NZ98",
        Rules::NzDiv9 => "NZ9",
        Rules::SgV6 => "SGV6",
        Rules::SgOpen => "SGOC",
        Rules::SgOpenEarly => "SGOC-early",
    }
}

/// The clauses that may be cited for this reason, without the rule set's name; `None` where the rule set has no such reason.
fn cited(rules: Rules, reason: &str) -> Option<&'static [&'static str]> {
    use Rules::{Nz1998, NzDiv9, SgOpen, SgOpenEarly, SgV6};
    Some(match (reason, rules) {
        ("fewer-than-three", Nz1998 | NzDiv9) => &["6.1 with 7.1(b)"],
        ("fewer-than-three", SgV6 | SgOpen) => &["5.5.1"],
        ("fewer-than-three", SgOpenEarly) => &["5.1.2"],
        ("not-flat", Nz1998 | NzDiv9) => &["7.1(a)"],
        ("not-flat", SgV6 | SgOpen) => &["5.5.2"],
        ("not-flat", SgOpenEarly) => &["5.1.3"],
        // The tumbler that does not operate; other equipment is not in the text.
        ("equipment", Nz1998 | NzDiv9) => &["7.1(b)", ""],
        ("equipment", SgV6 | SgOpen | SgOpenEarly) => &[""],
        ("exposed", Nz1998 | NzDiv9) => &["7.1(c)"],
        ("exposed", SgV6) => &["5.5.3"],
        ("activated-early", SgOpen) => &["5.5.3"],
        ("activated-early", SgOpenEarly) => &["5.1.4"],
        ("never-activated", Nz1998 | NzDiv9) => &["7.1(d)"],
        ("damaged-dice", SgV6 | SgOpen) => &["5.6"],
        ("damaged-dice", SgOpenEarly) => &["5.1.1"],
        ("damaged-dice", Nz1998 | NzDiv9) => &[""],
        ("interruption", SgV6 | SgOpen) => &["5.4.2"],
        ("interruption", Nz1998 | NzDiv9 | SgOpenEarly) => &[""],
        // "The dealer shall announce": the announcement itself is only in New Zealand's text.
        ("declared", Nz1998 | NzDiv9) => &["7.1", ""],
        ("declared", SgV6 | SgOpen | SgOpenEarly) => &[""],
        ("supervisor", SgV6 | SgOpen) => &["5.14", ""],
        ("supervisor", Nz1998 | NzDiv9 | SgOpenEarly) => &[""],
        _ => return None,
    })
}

/// Whether this rule set voids a round for this reason with this clause.
///
/// # Errors
/// What the rule set has instead.
pub(super) fn allowed(rules: Rules, reason: &str, clause: &str) -> Result<(), String> {
    let Some(cited) = cited(rules, reason) else {
        return Err(format!("{} voids no round for `{reason}`", short(rules)));
    };
    let fits = |number: &&str| match clause.strip_prefix(short(rules)) {
        Some(rest) => !number.is_empty() && rest.strip_prefix(' ') == Some(*number),
        None => clause.is_empty() && number.is_empty(),
    };
    if cited.iter().any(fits) {
        Ok(())
    } else {
        Err(format!("`{reason}` cites `{clause}`; {} has {cited:?}", short(rules)))
    }
}
