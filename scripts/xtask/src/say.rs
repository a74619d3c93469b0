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
