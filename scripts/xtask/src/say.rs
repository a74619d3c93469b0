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
