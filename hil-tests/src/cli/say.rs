//! Output for people: results on standard output, everything else on standard error. Errors of a closed output are ignored.

use std::io::{IsTerminal, Write};
use terminal_size::Width;

/// A result.
pub(super) fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// The same for a person who watches: on a terminal broken between words, where it goes on `hang` columns further in.
pub(super) fn hanging(text: &str, hang: usize) {
    let columns = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    match columns {
        Some((Width(columns), _)) => line(&fold(text, hang, columns.into())),
        None => line(text),
    }
}

fn fold(text: &str, hang: usize, columns: usize) -> String {
    // What hangs too far in has no room left.
    let further = " ".repeat(hang.min(columns / 2));
    let options = textwrap::Options::new(columns)
        .subsequent_indent(&further)
        // An address or a path is to be copied whole: what is longer than the terminal is left to it.
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .break_words(false);
    let folded = text.lines().map(|line| textwrap::wrap(line, &options).join("\n"));
    folded.collect::<Vec<_>>().join("\n")
}

/// Something that went wrong.
pub(super) fn error(text: &str) {
    let _ = writeln!(std::io::stderr(), "tumbler-hil: {text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_broken_between_words() {
        assert_eq!(
            fold("   1.000 s  the dealer presses entry", 12, 25),
            "   1.000 s  the dealer\n            presses entry"
        );
        assert_eq!(fold("http://127.0.0.1:8080/display", 2, 10), "http://127.0.0.1:8080/display");
        assert_eq!(fold("\na story", 2, 10), "\na story");
    }
}
