//! Names as people sort them, and words of strangers as a terminal can show them.

use tumbler_core::text;

/// Longest word of a stranger that is kept, in characters.
const LONGEST: usize = 200;

/// A part of a name: numbers are compared as numbers, so that `t10` follows `t9`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Number(u64),
    Text(String),
}

/// What a name is sorted by.
pub(super) fn natural(name: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let digits = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        parts.push(part.parse().map_or_else(|_| Part::Text(part.to_owned()), Part::Number));
        rest = after;
    }
    parts
}

/// A stranger's words: on one line, without what a terminal would take for a command, and not too many.
pub(super) fn clean(text: &str) -> String {
    text::shown(text).chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count() {
        let mut names = ["t10", "t9", "t1", "a2-3", "a2-11", "a2", "99999999999999999999999", ""];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["", "99999999999999999999999", "a2", "a2-3", "a2-11", "t1", "t9", "t10"]);
    }

    #[test]
    fn no_word_moves_the_cursor() {
        assert_eq!(clean("a\u{1b}[2Jb\nc\u{202e}"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}");
        assert_eq!(clean(&"x".repeat(1000)).len(), LONGEST);
    }
}
