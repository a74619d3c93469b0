//! What is written to the terminal or the script: results to standard output, complaints to standard error.

use serde::Serialize;
use std::io::Write;

/// Writes a line to standard output.
///
/// # Errors
/// If standard output is gone.
pub(crate) fn line(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

/// Writes a value to standard output as compact JSON on one line.
///
/// # Errors
/// If standard output is gone.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    Ok(line(&serde_json::to_string(value)?)?)
}

/// Writes a complaint to standard error. Where that is gone, nobody is left to be told.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "tumblerctl: {text}");
}

/// A table for people: without lines, so that it can be copied. On a terminal it is as wide as that at most.
pub(crate) fn table(head: &[&str]) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table.load_preset(comfy_table::presets::NOTHING);
    table.set_header(head.iter().copied());
    if let Ok(size) = rustix::termios::tcgetwinsize(std::io::stdout()) {
        if size.ws_col > 0 {
            table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic).set_width(size.ws_col);
        }
    }
    table
}
