//! Arguments that are one of a list which the core knows: read by it, told in the help, and completed by the shell.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use std::ffi::OsStr;

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
