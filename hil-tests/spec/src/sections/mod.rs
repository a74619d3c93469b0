//! The sections of the specification, one a file, each under the diagram of what it follows.

mod bell;
mod latches;
mod sign;
mod signs;

use crate::specification::Section;

/// All of them, in the order in which they are asked.
pub(crate) fn all() -> Vec<Box<dyn Section>> {
    vec![Box::<bell::Bell>::default(), Box::<latches::Latches>::default(), Box::<sign::Sign>::default()]
}
