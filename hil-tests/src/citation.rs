//! What expectations cite: clauses of the rule texts, and pages of this repository, as people write it: "NZ 3.3(b), 6.5: the winning areas
//! light", "faults.md motor.stall, NZ 7.1(b)", "design.md, Latch: it survives". Whoever cites neither says `silent: WHY`.

use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use tumbler_bench::Wrong;
use tumbler_spec::areas::Family;
use tumbler_spec::config::Rules;

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
        // A test checks the list, so it cannot be bad here; if it were, no citation would be right.
        toml::from_str::<File>(include_str!("../../fixtures/clauses.toml")).map(|f| f.clause).unwrap_or_default()
    })
}

/// The pages that are cited.
const PAGES: [(&str, &str); 7] = [
    ("design.md", include_str!("../../daemon/docs/design.md")),
    ("faults.md", include_str!("../../daemon/docs/faults.md")),
    ("table.md", include_str!("../../daemon/docs/table.md")),
    ("console.md", include_str!("../../daemon/docs/console.md")),
    ("mqtt.md", include_str!("../../daemon/docs/mqtt.md")),
    ("hardware-tests.md", include_str!("../../daemon/docs/hardware-tests.md")),
    ("virtual-wire.md", include_str!("../../daemon/docs/virtual-wire.md")),
];

/// The text of a page that is cited; empty where none has the name.
pub(crate) fn page(name: &str) -> &'static str {
    PAGES.iter().find(|(page, _)| *page == name).map_or("", |(_, text)| text)
}

/// The ids of the faults that the page of the faults describes: those in the first column of its tables.
pub fn faults() -> &'static BTreeSet<&'static str> {
    static FAULTS: OnceLock<BTreeSet<&'static str>> = OnceLock::new();
    FAULTS.get_or_init(|| {
        let cells = page("faults.md").lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
        cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).filter(|id| id.contains('.')).collect()
    })
}

/// The rule texts that a name in a citation means: `NZ` means both of New Zealand, or the one of them among these. None if no text has
/// the name.
fn named_by(name: &str, among: &[&str]) -> Vec<&'static str> {
    let means = |rules: &Rules| rules.text() == name || name == "NZ" && rules.family() == Family::NewZealand;
    let mut texts: Vec<&str> = Rules::ALL.into_iter().filter(means).map(Rules::text).collect();
    if texts.iter().any(|text| among.contains(text)) {
        texts.retain(|text| among.contains(text));
    }
    texts
}

/// The numbers of a text's clauses.
fn numbers(text: &str) -> impl Iterator<Item = &'static str> + Clone {
    let within = all().iter().flat_map(|clause| &clause.within);
    within.filter_map(move |id| id.split_once(' ').filter(|(of, _)| *of == text).map(|(_, number)| number))
}

/// Words between clauses.
const BETWEEN: [&str; 4] = ["and", "to", "with", "or"];

/// The clauses that a citation names, such as `NZ98 7.1(b)` and `NZ9 7.1(b)` for "NZ 7.1(b): why".
///
/// # Errors
/// What it cites that there is not, or that it cites nothing. What follows a colon is free.
pub fn read(citation: &str) -> Result<Vec<String>, Wrong> {
    read_among(citation, &[])
}

/// The same where rule sets with these texts are played.
fn read_among(citation: &str, among: &[&str]) -> Result<Vec<String>, Wrong> {
    if citation.strip_prefix("silent:").is_some_and(|why| !why.trim().is_empty()) {
        return Ok(Vec::new());
    }
    let mut reader =
        Reader { rest: citation, among, texts: Vec::new(), named: true, last: String::new(), found: Vec::new() };
    let mut cited = false;
    while let Some(word) = reader.next() {
        cited |= reader.take(word)?;
        if word.ends_with(':') {
            break;
        }
    }
    if cited && reader.named {
        return Ok(reader.found);
    }
    let word = citation.split_whitespace().next().unwrap_or_default();
    Err(Wrong::new(word, format!("`{citation}` cites neither a clause nor a page"), ALLOWED))
}

/// The rule texts that a citation names, as they are cited, where rule sets with the texts `among` are played: `NZ98` and `NZ9` for
/// "NZ 7.1(b): why", where both or none of them are.
///
/// # Errors
/// As [`read`].
pub fn texts(citation: &str, among: &[&str]) -> Result<Vec<&'static str>, Wrong> {
    let clauses = read_among(citation, among)?;
    let of = |rules: &Rules| clauses.iter().any(|clause| clause.split(' ').next() == Some(rules.text()));
    Ok(Rules::ALL.into_iter().filter(of).map(Rules::text).collect())
}

const ALLOWED: &str = "clauses such as `NZ9 7.1(a)`, pages such as `design.md, Latch` or `faults.md motor.stall`, then a colon and words of your \
    own; or `silent: WHY` where the rules and the pages say nothing";

struct Reader<'c> {
    /// What is not read yet.
    rest: &'c str,
    among: &'c [&'c str],
    /// The texts that the next numbers are of.
    texts: Vec<&'static str>,
    /// Whether a number has followed the latest text.
    named: bool,
    last: String,
    found: Vec<String>,
}

impl<'c> Reader<'c> {
    fn next(&mut self) -> Option<&'c str> {
        self.rest = self.rest.trim_start();
        let (word, rest) = self.rest.split_at(self.rest.find(char::is_whitespace).unwrap_or(self.rest.len()));
        self.rest = rest;
        Some(word).filter(|word| !word.is_empty())
    }

    /// Takes a word in, with those that belong to it. Returns whether it cites.
    fn take(&mut self, word: &'c str) -> Result<bool, Wrong> {
        let bare = word.trim_end_matches([',', ':', ';', '.']);
        let means = named_by(bare, self.among);
        if !means.is_empty() {
            // `NZ98 and NZ9 6.3` means both.
            if self.named {
                self.texts.clear();
            }
            self.named = false;
            self.texts.extend(means);
            return Ok(false);
        }
        if bare.starts_with(|c: char| c.is_ascii_digit()) && !self.texts.is_empty() {
            self.named = true;
            bare.clone_into(&mut self.last);
            return self.clauses(bare, bare).map(|()| true);
        }
        if let (Some(to), Some((stem, from))) = (letter(bare), self.last.clone().rsplit_once('(')) {
            // `5(a) to (d)` means all four.
            let from = letter(&format!("({from}")).unwrap_or(to);
            for between in from..=to {
                self.clauses(bare, &format!("{stem}({})", char::from(between)))?;
            }
            return Ok(true);
        }
        if bare.ends_with(".md") {
            return self.page(word, bare).map(|()| true);
        }
        if BETWEEN.contains(&bare) {
            return Ok(false);
        }
        if word == "silent:" {
            return Err(Wrong::new(word, "`silent:` says not why", "silent: WHY"));
        }
        let known = Rules::ALL.map(Rules::text).into_iter().chain(["NZ", "silent:"]).chain(PAGES.map(|(name, _)| name));
        let wrong = Wrong::unknown("clause, page or text", bare, known.chain(BETWEEN));
        Err(if wrong.near.is_some() { wrong } else { Wrong { allowed: ALLOWED.into(), ..wrong } })
    }

    /// A clause of the latest texts.
    fn clauses(&mut self, word: &str, number: &str) -> Result<(), Wrong> {
        for text in &self.texts {
            if !numbers(text).any(|known| known == number) {
                return Err(Wrong::unknown(&format!("clause of {text}"), word, numbers(text)));
            }
            self.found.push(format!("{text} {number}"));
        }
        Ok(())
    }

    /// What is cited of a page.
    fn page(&mut self, word: &str, name: &str) -> Result<(), Wrong> {
        self.texts.clear();
        let Some((_, text)) = PAGES.iter().find(|(page, _)| *page == name) else {
            return Err(Wrong::unknown("page", name, PAGES.map(|(name, _)| name)));
        };
        if word.ends_with(',') {
            return self.heading(text);
        }
        if name == "faults.md" {
            return self.ids(word);
        }
        let under = match self.next() {
            Some("rule" | "rules") => "Rules of the house",
            Some("trap") => "Traps in the rule texts",
            other => {
                // What follows may be the heading, without the comma.
                let first = other.unwrap_or_default();
                let more = if first.ends_with([',', ':', ';']) {
                    ""
                } else {
                    self.rest.split([',', ':', ';']).next().unwrap_or("")
                };
                let written = format!("{} {}", first.trim_end_matches([',', ':', ';']), more.trim());
                let wrong = Wrong::unknown("heading", written.trim(), headings(text));
                let near = wrong.near.as_ref().map(|near| format!("{name}, {near}"));
                let allowed = if wrong.allowed.is_empty() {
                    String::new()
                } else {
                    format!("{name}, HEADING: {}", wrong.allowed)
                };
                let problem = match &near {
                    Some(near) => format!("`{name}` names no heading: did you mean `{near}`?"),
                    None => format!("`{name}` names no heading"),
                };
                return Err(Wrong { near, ..Wrong::new(word, problem, allowed) });
            }
        };
        let number = self.next().unwrap_or_default();
        let bare = number.trim_end_matches([',', ':', ';', '.']);
        // A colon ends the citation as it does after a clause.
        self.rest = if number.ends_with(':') { "" } else { self.rest };
        if items(text, under).any(|item| item == bare) {
            return Ok(());
        }
        let known = items(text, under).collect::<Vec<_>>().join(", ");
        Err(Wrong::new(bare, format!("design.md has no number `{bare}` under {under}"), known))
    }

    fn heading(&mut self, text: &'static str) -> Result<(), Wrong> {
        self.rest = self.rest.trim_start();
        let rest = self.rest;
        let ends =
            |heading: &str| rest.strip_prefix(heading).is_some_and(|after| !after.starts_with(char::is_alphanumeric));
        let longest = headings(text).filter(|heading| ends(heading)).max_by_key(|heading| heading.len());
        if let Some(after) = longest.and_then(|heading| rest.strip_prefix(heading)) {
            self.rest = if after.starts_with(':') { "" } else { after.trim_start_matches([',', ';', '.']) };
            return Ok(());
        }
        let written = rest.split([',', ':', ';']).next().unwrap_or(rest);
        Err(Wrong::unknown("heading", written, headings(text)))
    }

    /// The ids of faults after `faults.md`.
    fn ids(&mut self, word: &str) -> Result<(), Wrong> {
        if word.ends_with(':') {
            return Err(Wrong::new(word, "`faults.md` cites no fault", "faults.md ID"));
        }
        let mut any = false;
        loop {
            let before = self.rest;
            let next = self.next().unwrap_or_default();
            let id = next.trim_end_matches([',', ':', ';']);
            let known = match id.strip_suffix('*') {
                Some(stem) if !stem.is_empty() => faults().iter().any(|known| known.starts_with(stem)),
                _ => faults().contains(id),
            };
            if !known
                && (!any || id.contains('.') && !id.ends_with(".md") && !id.starts_with(|c: char| c.is_ascii_digit()))
            {
                return Err(Wrong::unknown("fault", if id.is_empty() { word } else { id }, faults().iter().copied()));
            }
            if !known {
                self.rest = before;
                return Ok(());
            }
            any = true;
            if next.ends_with(':') {
                self.rest = "";
                return Ok(());
            }
        }
    }
}

/// The letter of `(d)`.
fn letter(word: &str) -> Option<u8> {
    match *word.as_bytes() {
        [b'(', letter @ b'a'..=b'z', b')'] => Some(letter),
        _ => None,
    }
}

/// The headings of a page.
fn headings(text: &'static str) -> impl Iterator<Item = &'static str> + Clone {
    let outside = text.split("```").step_by(2).flat_map(str::lines);
    outside.filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim())
}

/// The numbers of the list under a heading.
fn items(text: &'static str, heading: &'static str) -> impl Iterator<Item = &'static str> {
    let below = text.lines().skip_while(move |line| line.trim_start_matches('#').trim() != heading).skip(1);
    let numbered = below.take_while(|line| !line.starts_with('#')).filter_map(|line| line.split_once(". "));
    numbered.map(|(number, _)| number).filter(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_are_read_as_people_write_them() {
        let read = |citation: &str| super::read(citation).unwrap();
        assert_eq!(read("NZ98 and NZ9 6.3"), ["NZ98 6.3", "NZ9 6.3"]);
        assert_eq!(read("NZ 6.2, SGV6 3.6: the bell, 7 times"), ["NZ98 6.2", "NZ9 6.2", "SGV6 3.6"]);
        assert_eq!(read("NZ9 6.1 with 7.1(b)"), ["NZ9 6.1", "NZ9 7.1(b)"]);
        assert_eq!(read("faults.md motor.stall, NZ 7.1(b), 7.4").len(), 4);
        assert!(read("NZ 5(a) to (d): tests").contains(&"NZ9 5(c)".to_owned()));
        assert_eq!(read("faults.md button.stuck_*, design.md, Buttons and key: on an edge").len(), 0);
        assert_eq!(read("faults.md journal.missing, design.md rule 8, SGV6 5.4.1, 5.4.2").len(), 2);
        for page in
            ["design.md, Verdicts: 3 ways", "design.md trap 8: NZ 99", "faults.md, No false alarms", "silent: why"]
        {
            assert_eq!(read(page), Vec::<String>::new());
        }
    }

    #[test]
    fn what_is_cited_and_not_there_is_told_with_the_nearest() {
        for (citation, word, told) in [
            ("my clause", "my", "unknown clause, page or text `my`"),
            ("", "", "`` cites neither a clause nor a page"),
            ("silent:", "silent:", "says not why"),
            ("silen: why", "silen", "did you mean `silent:`?"),
            ("NZ9", "NZ9", "`NZ9` cites neither"),
            ("NZ98 6.3, NZ9: why", "NZ98", "cites neither"),
            ("NZ9 7.1(e): why", "7.1(e)", "unknown clause of NZ9 `7.1(e)`: did you mean `7.1("),
            ("NZ 7.4 and so on", "so", "unknown clause, page or text `so`"),
            ("SGV7 3.9", "SGV7", "did you mean `SGV6`?"),
            ("desing.md, Latch", "desing.md", "did you mean `design.md`?"),
            ("design.md, Lacht: why", "Lacht", "unknown heading `Lacht`: did you mean `Latch`?"),
            ("mqtt.md", "mqtt.md", "`mqtt.md` names no heading\n  allowed is mqtt.md, HEADING: "),
            (
                "design.md Verdits: why",
                "design.md",
                "`design.md` names no heading: did you mean `design.md, Verdicts`?",
            ),
            ("design.md rule 99", "99", "no number `99` under Rules of the house"),
            ("faults.md motor.stal, NZ 7.4", "motor.stal", "did you mean `motor.stall`?"),
            ("faults.md motor.stall, motor.ded: why", "motor.ded", "did you mean `motor.dead`?"),
            ("faults.md: why", "faults.md:", "cites no fault"),
        ] {
            let wrong = read(citation).unwrap_err();
            assert!(wrong.word == word && wrong.to_string().contains(told), "{citation}: {wrong:?}");
        }
    }
}
