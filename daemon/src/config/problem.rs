//! What is wrong with a configuration, said so that it can be put right: file, line, path, value found, what is allowed.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use tumbler_core::text;

/// One thing that is wrong with the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1, where one can be named.
    pub line: Option<usize>,
    /// Path of the key, such as `bus.baud`; empty for a whole file.
    pub path: String,
    /// What is wrong, the value found included.
    pub problem: String,
    /// What is allowed, or what to do.
    pub allowed: String,
}

/// Something that no single key shows to be wrong: path, problem, what is allowed.
pub(super) type Wrong = (String, String, String);

/// Everything that is wrong with the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<Problem>);

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut f = Seen(f);
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.path.is_empty() {
            write!(f, ": {}", self.path)?;
        }
        write!(f, ": {}", self.problem)?;
        if self.allowed.is_empty() { Ok(()) } else { write!(f, "; {}", self.allowed) }
    }
}

/// Writes what the files say so that no terminal obeys it.
struct Seen<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl fmt::Write for Seen<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            if text::is_unseen(character) {
                write!(self.0, "{}", character.escape_unicode())?;
            } else {
                self.0.write_char(character)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = self.0.len();
        for problem in &self.0 {
            writeln!(f, "{problem}")?;
        }
        write!(f, "{many} {} in the configuration", if many == 1 { "problem" } else { "problems" })
    }
}

impl std::error::Error for ConfigErrors {}

impl Problem {
    /// A problem with a whole file.
    pub(super) fn of_file(file: &Path, line: Option<usize>, problem: String, allowed: &str) -> Self {
        Self { file: file.to_owned(), line, path: String::new(), problem, allowed: allowed.to_owned() }
    }
}

/// The question for what may have been meant, each as it is to be written.
///
/// The message goes on with it, and says what there is only where nothing is near: a list of thirty names hides the one.
#[must_use]
pub fn meant(near: &[String]) -> String {
    match near {
        [] => String::new(),
        [one] => format!(": did you mean {one}?"),
        [others @ .., last] => format!(": did you mean {} or {last}?", others.join(", ")),
    }
}

/// The one of `known` that is most like `word`, if any is like it at all.
#[must_use]
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word = word.to_lowercase();
    let bound = (word.chars().count() / 3).max(2);
    let near = known.into_iter().map(|other| (strsim::osa_distance(&word, other), other));
    near.filter(|(away, _)| *away <= bound).min_by_key(|(away, _)| *away).map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let known = ["port", "baud", "turnaround_ms", "timeout_ms"];
        assert_eq!(nearest("buad", known), Some("baud"));
        assert_eq!(nearest("Baud", known), Some("baud"));
        assert_eq!(nearest("turnaround", known), Some("turnaround_ms"));
        assert_eq!(nearest("time_out_ms", known), Some("timeout_ms"));
        assert_eq!(nearest("weather", known), None);
        assert_eq!(nearest("", []), None);
    }
}
