//! Files in TOML that people write. What is wrong in one is told with its file, line and column, and all of it at once.

use super::mend::{self, Mended};
use serde::de::DeserializeOwned;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use tumbler_twin::Wrong;

/// One thing that is wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// Line and column, from 1; none where it is the whole file that is wrong.
    pub at: Option<(usize, usize)>,
    /// What is wrong.
    pub wrong: Wrong,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some((line, column)) => write!(f, "{}:{line}:{column}: {}", self.path.display(), self.wrong),
            None => write!(f, "{}: {}", self.path.display(), self.wrong),
        }
    }
}

/// Files that cannot be used, with everything that is wrong in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BadFiles(pub Vec<Problem>);

impl fmt::Display for BadFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told: Vec<String> = self.0.iter().map(Problem::to_string).collect();
        f.write_str(&told.join("\n"))
    }
}

impl std::error::Error for BadFiles {}

impl BadFiles {
    /// A file that cannot be read at all.
    #[must_use]
    pub fn unread(path: &Path, why: &std::io::Error) -> Self {
        Self(vec![Problem {
            path: path.to_owned(),
            at: None,
            wrong: Wrong::new("", format!("cannot be read: {why}"), ""),
        }])
    }
}

/// A place in a file: the keys that lead there, and the numbers of elements from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place(Vec<String>);

impl Place {
    /// The place below this one with this key or number.
    #[must_use]
    pub fn of(&self, key: impl ToString) -> Self {
        Self(self.0.iter().cloned().chain([key.to_string()]).collect())
    }
}

/// A file's text, with what was found wrong in it so far.
#[derive(Debug)]
pub struct Source<'t> {
    path: PathBuf,
    text: &'t str,
    tree: Spanned<DeTable<'t>>,
    /// Where something else was read than the file has.
    mended: Vec<Range<usize>>,
    problems: Vec<Problem>,
}

/// Most that is mended in one file: whoever has so much wrong has given another kind of file.
const MOST_MENDED: usize = 500;

impl<'t> Source<'t> {
    /// Reads a value from the text of the file at `path`. A key or a value that is none of this type is taken in as wrong, and the rest
    /// is read without it, so that all is told at once: [`Source::end`] hands out no value then.
    ///
    /// # Errors
    /// What is no TOML; or where the rest cannot be read without what is wrong.
    pub fn read<T: DeserializeOwned>(path: &Path, text: &'t str) -> Result<(Self, T), BadFiles> {
        let (tree, errors) = DeTable::parse_recoverable(text);
        let mut source = Self { path: path.to_owned(), text, tree, mended: Vec::new(), problems: Vec::new() };
        for error in errors {
            let said = error.message().lines().collect::<Vec<_>>().join(", ");
            let bare = error.span().and_then(|span| bare_word(text, span.start));
            source.put(
                error.span(),
                match bare {
                    Some(word) => Wrong::new(
                        word,
                        format!("`{word}` is no value"),
                        "true, false, a number, or text in \"quotes\"",
                    ),
                    None => Wrong::new("", format!("this is not TOML: {said}"), ""),
                },
            );
        }
        if !source.problems.is_empty() {
            return Err(BadFiles(source.problems));
        }
        let mut mended = Mended::of(source.tree.clone(), text);
        for _ in 0..MOST_MENDED {
            let error = match serde_path_to_error::deserialize(toml::Deserializer::from(mended.tree.clone())) {
                Ok(value) => return Ok((source, value)),
                Err(error) => error,
            };
            let (span, said) = (error.inner().span().unwrap_or_default(), error.inner().message());
            let wrong = of_serde(&error.path().to_string(), said);
            let near = wrong.near.clone();
            if !Mended::is_put_in(&span) {
                source.put(Some(span.clone()), wrong);
                if !said.starts_with("missing field") {
                    source.mended.push(span.clone());
                }
            }
            if !mended.mend(&span, said, near.as_deref()) {
                break;
            }
        }
        Err(BadFiles(source.problems))
    }

    /// Takes in what is wrong at the first of these places that has the word. It is told once, however often it is found.
    pub fn wrong(&mut self, places: &[Place], wrong: Wrong) {
        let spans: Vec<Range<usize>> = places.iter().filter_map(|place| self.span(place)).collect();
        let word = spans.iter().find_map(|span| find(self.text, span, &wrong.word));
        // The word may be put together from several places: the part that what was meant does not have is the wrong one.
        let is_right = |part: &str| wrong.near.as_ref().is_some_and(|near| near.contains(part));
        let part = || spans.iter().find_map(|span| part_of(self.text, span, &wrong.word, is_right));
        let word = word.or_else(part);
        // What was read instead is not what the file says.
        let again = |span: &Range<usize>| self.mended.iter().any(|at| at.start <= span.end && span.start <= at.end);
        if !self.problems.is_empty() && spans.is_empty() || spans.iter().any(again) {
            return;
        }
        self.put(word.map(|at| at..at).or_else(|| spans.into_iter().next()), wrong);
    }

    /// The value, if nothing was found wrong.
    ///
    /// # Errors
    /// All that was.
    pub fn end<T>(mut self, value: T) -> Result<T, BadFiles> {
        self.problems.sort_by_key(|problem| problem.at);
        if self.problems.is_empty() { Ok(value) } else { Err(BadFiles(self.problems)) }
    }

    /// Whether nothing was found wrong.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.problems.is_empty()
    }

    fn put(&mut self, span: Option<Range<usize>>, wrong: Wrong) {
        let at = span.and_then(|span| self.text.get(..span.start)).map(|before| {
            let line = before.rsplit('\n').next().unwrap_or_default();
            (before.matches('\n').count() + 1, line.chars().count() + 1)
        });
        let problem = Problem { path: self.path.clone(), at, wrong };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Where a place is in the text: a key's name with its value, or an element.
    fn span(&self, place: &Place) -> Option<Range<usize>> {
        let Some((last, before)) = place.0.split_last() else { return Some(0..self.text.len()) };
        let mut value = None;
        for key in before {
            value = Some(match value {
                None => self.tree.get_ref().get(key.as_str())?,
                Some(value) => below(value, key)?,
            });
        }
        let named = |table: &DeTable<'_>| {
            let (key, value) = table.get_key_value(last.as_str())?;
            Some(key.span().start..value.span().end)
        };
        match value.map(Spanned::get_ref) {
            None => named(self.tree.get_ref()),
            Some(DeValue::Table(table)) => named(table),
            Some(DeValue::Array(all)) => all.get(last.parse::<usize>().ok()?).map(Spanned::span),
            Some(_) => None,
        }
    }
}

/// The bare word after `=` in which the text cannot be read: TOML has none but `true` and `false`, and its parser takes others for a number.
fn bare_word(text: &str, at: usize) -> Option<&str> {
    let line = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let line = text.get(line..)?.lines().next()?;
    let value = line.split_once('=')?.1.split('#').next()?.trim();
    let word = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    (value.starts_with(char::is_alphabetic) && value.chars().all(word)).then_some(value)
}

fn below<'s, 't>(value: &'s Spanned<DeValue<'t>>, key: &str) -> Option<&'s Spanned<DeValue<'t>>> {
    match value.get_ref() {
        DeValue::Table(table) => table.get(key),
        DeValue::Array(all) => all.get(key.parse::<usize>().ok()?),
        _ => None,
    }
}

/// Where a word begins within a span: as a whole word, or as part of one.
fn find(text: &str, span: &Range<usize>, word: &str) -> Option<usize> {
    let within = text.get(span.clone()).filter(|_| !word.is_empty())?;
    let part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let whole = |at: &usize| {
        let (before, after) = within.split_at(*at);
        let after = after.strip_prefix(word).unwrap_or_default();
        !before.ends_with(part) && !after.starts_with(part)
    };
    let places = || within.match_indices(word).map(|(at, _)| at);
    places().find(whole).or_else(|| places().next()).map(|at| span.start + at)
}

/// Where the string within a span begins, if it is a part of the word, and not right.
fn part_of(text: &str, span: &Range<usize>, word: &str, is_right: impl Fn(&str) -> bool) -> Option<usize> {
    let (before, rest) = text.get(span.clone())?.split_once('"')?;
    let part = rest.strip_suffix('"').filter(|part| !part.is_empty() && word.contains(part) && !is_right(part));
    part.map(|_| span.start + before.len() + 1)
}

/// What serde says of a key or a value: an unknown one with the nearest that is known.
fn of_serde(path: &str, said: &str) -> Wrong {
    let what = [("unknown field", "key"), ("unknown variant", "value")];
    match what.iter().find_map(|(begins, what)| Some((what, mend::unknown(said, begins)?))) {
        Some((what, (name, known))) => Wrong::unknown(what, name, known),
        _ if path == "." => Wrong::new("", said, ""),
        _ => Wrong::new("", format!("{path}: {said}"), ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        steps: Vec<String>,
        #[serde(default)]
        by: BTreeMap<String, Vec<String>>,
    }

    fn told(text: &str) -> String {
        let read = Source::read::<File>(Path::new("a.toml"), text);
        read.and_then(|(source, _)| source.end(())).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_column() {
        let near = "a.toml:2:1: unknown key `stepz`: did you mean `steps`?";
        assert_eq!(told("steps = []\nstepz = []"), near);
        assert_eq!(told("steps = []\nspeed = 1"), "a.toml:2:1: unknown key `speed`\n  allowed is steps, by");
        assert!(
            told("steps = [\n  1,\n]").starts_with("a.toml:2:3: steps[0]: invalid type"),
            "{}",
            told("steps = [1]")
        );
        let bare = told("steps = no # none");
        assert!(bare.contains("`no` is no value\n  allowed is true, false"), "{bare}");
        assert!(told("steps = ").starts_with("a.toml:1:9: this is not TOML"), "{}", told("steps = "));
    }

    /// Whoever mends one slip after the other runs the rig once for each.
    #[test]
    fn a_wrong_key_or_value_hides_nothing_else() {
        let text = "stepz = 1\nby = { x = 3, y = [\"a\", 4], z = [] }\n\"no\" = 2\nsteps = true";
        let told: Vec<String> = told(text).lines().map(str::to_owned).collect();
        let begins = [
            "a.toml:1:1: unknown key `stepz`: did you mean `steps`?",
            "a.toml:2:12: by.x: invalid type: integer `3`, expected a sequence",
            "a.toml:2:25: by.y[1]: invalid type: integer `4`, expected a string",
            "a.toml:3:1: unknown key `no`",
            "  allowed is steps, by",
            "a.toml:4:9: steps: invalid type: boolean `true`, expected a sequence",
        ];
        assert!(
            told.len() == begins.len() && told.iter().zip(begins).all(|(told, begins)| told.starts_with(begins)),
            "{told:#?}"
        );
        let (mut source, file) = Source::read::<File>(Path::new("a.toml"), "by = { x = [1] }\nstep = []").unwrap();
        assert_eq!((file.steps.len(), file.by["x"].as_slice()), (0, ["1".to_owned()].as_slice()));
        let by = Place::default().of("by");
        source.wrong(&[by.of("x").of(0)], Wrong::new("1", "of what was read instead", ""));
        source.wrong(&[Place::default().of("steps")], Wrong::new("", "of what is missing", ""));
        let told = source.end(()).unwrap_err().to_string();
        assert!(
            !told.contains("of what") && told.contains("missing field `steps`") && told.contains("`step`"),
            "{told}"
        );
    }

    #[test]
    fn words_are_found_where_they_stand_and_told_once() {
        let text = "steps = [\n  \"go on\", # on\n  \"gone on\",\n]\n[by]\n\"*\" = [\"x\", \"on\"]";
        let (mut source, file) = Source::read::<File>(Path::new("a.toml"), text).unwrap();
        assert_eq!((file.steps.len(), file.by.len(), source.is_right()), (2, 1, true));
        let top = Place::default();
        let steps = top.of("steps");
        source.wrong(&[steps.of(1)], Wrong::new("on", "a", ""));
        source.wrong(&[steps.of(1)], Wrong::new("on", "a", ""));
        source.wrong(&[steps.of(0), top.of("by").of("*").of(1)], Wrong::new("x\"", "b", ""));
        source.wrong(&[steps.of(7), steps.of(0)], Wrong::new("off", "c", "on"));
        let put_together = |word, near: &str| Wrong { near: Some(near.into()), ..Wrong::new(word, "d", "") };
        source.wrong(&[steps.of(0), top.of("by").of("*").of(0)], put_together("ax", "ay"));
        source.wrong(&[steps.of(1), top.of("by").of("*").of(0)], put_together("bx", "cx"));
        let told = source.end(()).unwrap_err().to_string();
        assert_eq!(told, "a.toml:2:3: b\na.toml:2:3: c\n  allowed is on\na.toml:3:3: d\na.toml:3:9: a\na.toml:6:9: d");
    }
}
