//! The grounds of voids with their clauses, written from the five rule texts and not from the core's data.

use crate::citation;
use tumbler_bench::Wrong;
use tumbler_spec::config::Rules;

/// A ground with its clauses in the order of [`Rules::ALL`], without the text's name; empty where a text is silent.
type Row = (&'static str, [&'static [&'static str]; 5]);

const GROUNDS: [Row; 11] = [
    // NZ 6.1: "so that the dice are spun at least 3 times"; 7.1(b): the tumbler "does not operate correctly".
    ("fewer-than-three", [&["7.1(b)", "6.1"], &["7.1(b)", "6.1"], &["5.5.1"], &["5.5.1"], &["5.1.2"]]),
    // The controller died in the spin: NZ 7.1(b) without 6.1, SGV6 and SGOC 3.7 "to constitute a valid tumble".
    ("uncounted", [&["7.1(b)"], &["7.1(b)"], &["3.7"], &["3.7"], &[]]),
    // SGV6 and SGOC 5.5.1 speak of the dice tumbler, SGOC-early 5.1.2 and NZ 6.1 of the dice.
    ("dice-not-tumbled", [&["7.1(b)", "6.1"], &["7.1(b)", "6.1"], &[], &[], &["5.1.2"]]),
    ("misoperation", [&["7.1(b)"], &["7.1(b)"], &[], &[], &[]]),
    ("not-flat", [&["7.1(a)"], &["7.1(a)"], &["5.5.2"], &["5.5.2"], &["5.1.3"]]),
    ("exposed", [&["7.1(c)"], &["7.1(c)"], &["5.5.3"], &[], &[]]),
    ("activated-early", [&[], &[], &[], &["5.5.3"], &["5.1.4"]]),
    ("never-activated", [&["7.1(d)"], &["7.1(d)"], &[], &[], &[]]),
    ("damaged-dice", [&[], &[], &["5.6"], &["5.6"], &["5.1.1"]]),
    ("interruption", [&[], &[], &["5.4.2"], &["5.4.2"], &[]]),
    ("decision", [&[], &[], &["5.14"], &["5.14"], &[]]),
];

/// The words for grounds.
pub fn names() -> impl Iterator<Item = &'static str> {
    GROUNDS.into_iter().map(|(name, _)| name)
}

/// The place of a clause in a void: SG 5.5 and 5.6 (5.1 of the earlier edition), then 5.4.2 and 3.7, then 5.14; NZ 7.1, then 6.1.
fn place(clause: &str) -> usize {
    ["6.1", "5.4.2", "3.7", "5.14"].iter().position(|late| *late == clause).map_or(0, |place| place + 1)
}

/// Every clause of a rule set about one of these grounds, in one line, in the order in which a void cites them; empty if the
/// text is silent.
///
/// # Errors
/// An unknown ground, with the known ones.
pub fn clauses(rules: &str, grounds: &[&str]) -> Result<String, Wrong> {
    let known = Rules::ALL.into_iter().enumerate().find(|(_, known)| known.id() == rules);
    let (place_of_text, text) = known.ok_or_else(|| Wrong::unknown("rule set", rules, Rules::ALL.map(Rules::id)))?;
    let mut cited: Vec<&str> = Vec::new();
    for ground in grounds {
        let Some((_, by_text)) = GROUNDS.iter().find(|(name, _)| name == ground) else {
            return Err(Wrong::unknown("ground", ground, GROUNDS.map(|(name, _)| name)));
        };
        cited.extend(by_text.get(place_of_text).into_iter().copied().flatten());
    }
    cited.sort_unstable_by_key(|clause| (place(clause), *clause));
    cited.dedup();
    Ok(cited.iter().map(|clause| format!("{} {clause}", text.text())).collect::<Vec<_>>().join(", "))
}

/// The clauses of `by GROUND and GROUND`, or of each alternative in `by A or by B`; returns clauses that are written out unchanged.
///
/// # Errors
/// As [`clauses`], or a clause that is in no text.
pub fn expand(rules: &str, words: &str) -> Result<String, Wrong> {
    if !words.starts_with("by ") {
        for clause in words.split(" | ").flat_map(|all| all.split(", ")).filter(|clause| !clause.is_empty()) {
            let read = citation::read(clause)?;
            if read != [clause] {
                return Err(Wrong::new(
                    clause,
                    format!("`{clause}` is no clause"),
                    "clauses such as `NZ9 7.1(a), NZ9 6.1`",
                ));
            }
        }
        return Ok(words.to_owned());
    }
    let parts = words.split(" or ").map(|part| {
        let grounds: Vec<&str> = part.trim_start_matches("by ").split(" and ").map(str::trim).collect();
        clauses(rules, &grounds)
    });
    Ok(parts.collect::<Result<Vec<_>, _>>()?.join(" | "))
}

/// Whether a void with these clauses is one of the expected ones.
#[must_use]
pub fn admits(wanted: &str, cited: &str) -> bool {
    wanted.split(" | ").any(|wanted| wanted.trim() == cited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clause_that_applies_is_cited_in_order() {
        let of = |rules: &str, words: &str| expand(rules, words).unwrap();
        assert_eq!(of("nz-div9", "by interruption and fewer-than-three"), "NZ9 7.1(b), NZ9 6.1");
        assert_eq!(of("sg-v6", "by interruption and fewer-than-three"), "SGV6 5.5.1, SGV6 5.4.2");
        assert_eq!(of("sg-open-early", "by interruption"), "");
        assert_eq!(of("sg-open", "by decision or by damaged-dice"), "SGOC 5.14 | SGOC 5.6");
        assert_eq!(of("sg-open", "SGOC 5.6"), "SGOC 5.6");
        assert!(expand("sg-v6", "by luck").unwrap_err().allowed.contains("never-activated"));
        assert!(admits("SGOC 5.14 | ", "") && !admits("SGOC 5.14", ""));
    }
}
