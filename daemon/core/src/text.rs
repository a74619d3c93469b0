//! What people may write: names and reasons as they come in, before they reach journal, displays and the broker.
//!
//! A text that looks like another one, or that reverses the direction of the text beside it, would mislead readers of the journal.
//! So a text has a maximum length, and every character of it is visible.

use crate::prelude::*;
use crate::refusal::Refusal;

/// Most characters of a name, in Unicode scalar values.
pub const LONGEST_NAME: usize = 64;
/// Most characters of a reason, in Unicode scalar values.
pub const LONGEST_REASON: usize = 500;

/// Checks the name of a person, a site or a table.
///
/// # Errors
/// [`Refusal::TooLong`], [`Refusal::Unseen`], [`Refusal::SpaceAtEnd`].
pub fn name(text: &str) -> Result<(), Refusal> {
    check("name", LONGEST_NAME, text)
}

/// Checks a reason, or a procedure, which is one.
///
/// # Errors
/// [`Refusal::TooLong`], [`Refusal::Unseen`], [`Refusal::SpaceAtEnd`].
pub fn reason(text: &str) -> Result<(), Refusal> {
    check("reason", LONGEST_REASON, text)
}

/// Checks any other text that people or programs are shown, at most this many characters long; `what` it is, such as `path`.
///
/// # Errors
/// [`Refusal::TooLong`], [`Refusal::Unseen`], [`Refusal::SpaceAtEnd`].
pub fn check(what: &'static str, most: usize, text: &str) -> Result<(), Refusal> {
    let has = text.chars().count();
    if has > most {
        return Err(Refusal::TooLong { what, most, has });
    }
    if let Some(character) = unseen(text) {
        return Err(Refusal::Unseen { what, character });
    }
    // A text of spaces alone is none: whether one is needed is for others to say.
    if !text.trim().is_empty() && text.trim() != text {
        return Err(Refusal::SpaceAtEnd { what });
    }
    Ok(())
}

/// A text that was written elsewhere, as it may be shown, logged and printed: in place of each character that may not stand in a text is
/// U+FFFD, of the end of a line too.
#[must_use]
pub fn shown(text: &str) -> String {
    judged(text).map(|(character, may_stand)| if may_stand { character } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// The first character that may not stand in a text.
fn unseen(text: &str) -> Option<char> {
    judged(text).find_map(|(character, may_stand)| (!may_stand).then_some(character))
}

/// Each character, and whether it may stand in a text.
fn judged(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut before = None;
    let mut rest = text.chars().peekable();
    core::iter::from_fn(move || {
        let character = rest.next()?;
        // Sinhala and Persian names are not written right without joiners, which stand between two letters of theirs.
        let joins = matches!(character, '\u{200c}' | '\u{200d}')
            && before.is_some_and(is_of_a_script)
            && rest.peek().copied().is_some_and(is_of_a_script);
        before = Some(character);
        Some((character, joins || !is_unseen(character)))
    })
}

fn is_of_a_script(character: char) -> bool {
    !character.is_ascii() && !is_unseen(character)
}

/// Whether a character controls, turns the direction, breaks the line, shows nothing at all, or shows something else in each font:
/// controls and formats (Unicode's Cc and Cf, but for signs that are seen), private use (Co), and no characters at all (the FDD0 block, and
/// the last two of each plane).
#[must_use]
pub fn is_unseen(character: char) -> bool {
    character.is_control()
        || u32::from(character) & 0xfffe == 0xfffe
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffc}' | '\u{16fe4}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{fdd0}'..='\u{fdef}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{e0fff}'
            | '\u{f0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_scripts_are_taken() {
        for text in ["", "Mei", "Siti binti Abdullah", "陳美玲", "ශ්\u{200d}රී", "علی\u{200c}رضا"] {
            assert_eq!(name(text), Ok(()), "{text}");
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn what_shows_nothing_or_something_else_to_each_reader_is_not_taken() {
        for character in [
            '\u{1d173}',
            '\u{13430}',
            '\u{1bca0}',
            '\u{16fe4}',
            '\u{fffc}',
            '\u{fffe}',
            '\u{fdd0}',
            '\u{10ffff}',
            '\u{e000}',
        ] {
            assert!(name(&format!("M{character}ei")).is_err(), "{character:?}");
        }
        for text in ["Mei ", " Mei", "\u{3000}Mei"] {
            assert!(name(text).is_err() && reason(text).is_err(), "{text:?}");
        }
        assert_eq!(name("Mei  Ling"), Ok(()));
    }

    #[test]
    fn a_joiner_joins_and_does_nothing_else() {
        for text in ["M\u{200d}ei", "\u{200d}陳", "陳\u{200d}", "陳\u{200d}\u{200d}美", "a\u{200c}陳"] {
            assert!(name(text).is_err(), "{text:?}");
        }
    }
}
