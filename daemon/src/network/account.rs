//! The name of an account that logs in at the panel. It is none that a person or an account of the machine would be recorded with.

/// Most characters of a name.
const LONGEST: usize = 32;

/// Checks a name.
///
/// # Errors
/// What a name is.
pub(crate) fn check(name: &str) -> Result<(), String> {
    let may = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || name.len() > LONGEST || !name.chars().all(may) {
        return Err(format!("`{}` is no name: 1 to {LONGEST} of a-z, 0-9, `.`, `_`, `-`", name.escape_debug()));
    }
    Ok(())
}
