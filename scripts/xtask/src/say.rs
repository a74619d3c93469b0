//! Words for people. Nobody is told when standard output is closed.

use std::io::Write;

/// A line on standard output.
pub(crate) fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// What begins here.
pub(crate) fn heading(text: &str) {
    line(&format!("\n== {text}"));
}

/// Something that went wrong.
pub(crate) fn error(text: &str) {
    let _ = writeln!(std::io::stderr(), "error: {text}");
}

/// That there is nothing of this name: the nearest one, or where all of them are told.
pub(crate) fn unknown<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str>, list: &str) -> String {
    match names.map(|other| (strsim::levenshtein(name, other), other)).min() {
        Some((distance, nearest)) if distance <= nearest.len() / 2 => format!("no {what} `{name}`: is it `{nearest}`?"),
        _ => format!("no {what} `{name}`: {list} lists them"),
    }
}

/// The last lines.
pub(crate) fn last(said: &str, lines: usize) -> &str {
    said.rmatch_indices('\n').nth(lines - 1).and_then(|(at, _)| said.get(at + 1..)).unwrap_or(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_as_many_as_there_are() {
        assert_eq!([last("a\nb\nc", 1), last("a\nb\nc", 2), last("a\nb", 5)], ["c", "b\nc", "a\nb"]);
    }
}
