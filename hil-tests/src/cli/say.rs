//! Output for people: results on standard output, everything else on standard error. Errors of a closed output are ignored.

use std::io::Write;

/// A result.
pub(super) fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// Something that went wrong.
pub(super) fn error(text: &str) {
    let _ = writeln!(std::io::stderr(), "tumbler-hil: {text}");
}
