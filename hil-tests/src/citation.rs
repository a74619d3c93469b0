//! What expectations cite: clauses of the rule texts, as people write them ("NZ 3.3(b), 6.5: the winning areas light").

use serde::Deserialize;
use std::sync::OnceLock;
use tumbler_judges::areas::Family;
use tumbler_judges::config::Rules;

/// The rule texts that a name in a citation means: `NZ` means both of New Zealand. None if no text has the name.
pub(crate) fn named_by(name: &str) -> Vec<&'static str> {
    let means = |rules: &Rules| rules.text() == name || name == "NZ" && rules.family() == Family::NewZealand;
    Rules::ALL.into_iter().filter(means).map(Rules::text).collect()
}

/// One requirement of the rules.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// The requirement in our own words.
    pub about: String,
    /// The clause of each text that asks for it, such as `NZ9 7.1(a)`.
    #[serde(rename = "in")]
    pub within: Vec<String>,
    /// Judges that prove it if they had something to judge: the judge's name and the rule.
    #[serde(default)]
    pub judges: Vec<String>,
    /// Scenarios that prove it, by the names of their files.
    #[serde(default)]
    pub scenarios: Vec<String>,
    /// Faults whose cells prove it, by their ids in the catalogue.
    #[serde(default)]
    pub faults: Vec<String>,
    /// Tests that prove it, as `FILE: NAME`.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Only cells on this layout prove it.
    #[serde(default)]
    pub layout: Option<String>,
    /// Why no machine can prove it.
    #[serde(default)]
    pub untestable: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    clause: Vec<Clause>,
}

/// All clauses; a part of the program, so that a report needs no other file.
#[must_use]
pub fn all() -> &'static [Clause] {
    static ALL: OnceLock<Vec<Clause>> = OnceLock::new();
    ALL.get_or_init(|| {
        // A test checks the list, so it cannot be bad here; if it were, reports would show no clauses.
        toml::from_str::<File>(include_str!("../../fixtures/clauses.toml")).map(|f| f.clause).unwrap_or_default()
    })
}

/// The clauses that a citation names, such as `NZ98 7.1(b)` and `NZ9 7.1(b)` for "NZ 7.1(b): why".
#[must_use]
pub fn read(citation: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut texts: Vec<&str> = Vec::new();
    let (mut named, mut last) = (false, String::new());
    for word in citation.split_whitespace() {
        let bare = word.trim_end_matches([',', ':', ';', '.']);
        let means = named_by(bare);
        if !means.is_empty() {
            // `NZ98 and NZ9 6.3` means both.
            if named {
                texts.clear();
            }
            named = false;
            texts.extend(means);
        } else if bare.starts_with(|c: char| c.is_ascii_digit()) && !texts.is_empty() {
            named = true;
            bare.clone_into(&mut last);
            found.extend(texts.iter().map(|text| format!("{text} {bare}")));
        } else if let (Some(to), Some((stem, from))) = (letter(bare), last.rsplit_once('(')) {
            // `5(a) to (d)` means all four.
            let from = letter(&format!("({from}")).unwrap_or(to);
            for between in from..=to {
                found.extend(texts.iter().map(|text| format!("{text} {stem}({})", char::from(between))));
            }
        } else if !["and", "to", "with", "or"].contains(&bare) {
            texts.clear();
        }
        if word.ends_with(':') {
            texts.clear();
        }
    }
    found
}

/// The letter of `(d)`.
fn letter(word: &str) -> Option<u8> {
    match *word.as_bytes() {
        [b'(', letter @ b'a'..=b'z', b')'] => Some(letter),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_are_read_as_people_write_them() {
        assert_eq!(read("NZ98 and NZ9 6.3"), ["NZ98 6.3", "NZ9 6.3"]);
        assert_eq!(read("NZ 6.2, SGV6 3.6: the bell, 7 times"), ["NZ98 6.2", "NZ9 6.2", "SGV6 3.6"]);
        assert_eq!(read("NZ9 6.1 with 7.1(b)"), ["NZ9 6.1", "NZ9 7.1(b)"]);
        assert_eq!(read("faults.md motor.stall, NZ 7.1(b), 7.4").len(), 4);
        assert!(read("NZ 5(a) to (d): tests").contains(&"NZ9 5(c)".to_owned()));
        assert_eq!(read("design.md, Verdicts: 3 ways"), Vec::<String>::new());
    }
}
