//! Arguments that are one of a list which the core knows: read by it, told in the help, and completed by the shell.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use std::ffi::OsStr;
use tumblerd::config;

/// Most names that are told as meant; a part of more than these says too little.
const MEANT: usize = 5;

/// Reads one of a list.
#[derive(Clone, Debug)]
pub(crate) struct OneOf<T> {
    /// All that there are.
    pub(crate) names: fn() -> Vec<&'static str>,
    /// Reads one; else says what is known.
    pub(crate) read: fn(&str) -> Result<T, String>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for OneOf<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        self.read.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

/// Says what a word is not, and which names were meant by it, or all that there are where none is near.
pub(crate) fn unknown(word: &str, not: &str, known: &[&str]) -> String {
    let meant: Vec<String> = meant(word, known).into_iter().map(|name| format!("`{name}`")).collect();
    let all = if meant.is_empty() { format!("; there are {}", known.join(", ")) } else { String::new() };
    format!("`{word}` is {not}{}{all}", config::meant(&meant))
}

/// The names that have the word in them, and otherwise the nearest one.
fn meant<'k>(word: &str, known: &[&'k str]) -> Vec<&'k str> {
    let part = word.to_lowercase();
    let holding: Vec<&str> = known.iter().copied().filter(|name| !part.is_empty() && name.contains(&part)).collect();
    match holding.len() {
        1..=MEANT => holding,
        _ => config::nearest(word, known.iter().copied()).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_have_the_word_in_them_are_told_and_else_the_nearest() {
        let known = ["dome_closed", "dome_open", "motor_fault", "motor_enable", "motor_alive", "bell", "seal"];
        for (word, said) in [
            ("dome", "`dome` is no line: did you mean `dome_closed` or `dome_open`?"),
            ("Motor", "`Motor` is no line: did you mean `motor_fault`, `motor_enable` or `motor_alive`?"),
            ("open", "`open` is no line: did you mean `dome_open`?"),
            ("dome_opne", "`dome_opne` is no line: did you mean `dome_open`?"),
            (
                "weather",
                "`weather` is no line; there are dome_closed, dome_open, motor_fault, motor_enable, motor_alive, bell, seal",
            ),
            ("", "`` is no line; there are dome_closed, dome_open, motor_fault, motor_enable, motor_alive, bell, seal"),
            (
                "e",
                "`e` is no line; there are dome_closed, dome_open, motor_fault, motor_enable, motor_alive, bell, seal",
            ),
        ] {
            assert_eq!(unknown(word, "no line", &known), said);
        }
    }
}
