//! Output for people: results on standard output, everything else on standard error. A result that could not be written is remembered,
//! and the program does not end as if it had been.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;
use terminal_size::Width;

/// Why standard output did not take all that it was given.
static LOST: OnceLock<std::io::Error> = OnceLock::new();

/// What of the output could not be written, if anything. A reader that has hung up, as `head` does, wants no more.
pub(super) fn lost() -> Option<&'static std::io::Error> {
    LOST.get()
}

/// A result.
pub(super) fn line(text: &str) {
    whole(&format!("{text}\n"));
}

/// A result that has its line ends. Returns whether it was written.
pub(super) fn whole(text: &str) -> bool {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(note).is_ok()
}

/// Remembers what went wrong with standard output.
pub(super) fn note(why: std::io::Error) {
    if why.kind() != ErrorKind::BrokenPipe {
        let _ = LOST.set(why);
    }
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
